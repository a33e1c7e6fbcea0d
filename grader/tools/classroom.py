"""classroom: ./lab classroom NN … grades labs of this checkout, and tells GitHub Classroom the points.

The action autograding-grading-reporter reads what stands in $GITHUB_OUTPUT: result=…, JSON in base64. The page of the
run shows what stands in $GITHUB_STEP_SUMMARY. On another machine these variables are not set, and the points are only
printed.
"""

import base64
import json
import os
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from launcher import check, labs
from launcher.console import Failure, say
from launcher.language import _
from launcher.paths import shown

REST = {"file": None, "input": None, "case": None, "seed": None, "schedules": None, "json": None, "problems": False}


def run(arguments: Namespace) -> int:
    """The exit code is 0 if there are points, few as they may be. Otherwise there is nothing to report."""
    tests = [_grade(labs.find_lab(name)) for name in arguments.labs]
    for test in tests:
        say(_("{name}: {score} of {of} points", name=test["name"], score=test["score"], of=test["of"]))
    _append("GITHUB_OUTPUT", f"result={_encoded(tests)}\n")
    _append("GITHUB_STEP_SUMMARY", _table(tests))
    return 0


def _grade(lab: labs.Lab) -> dict[str, Any]:
    """One of the tests that the reporter counts. As thorough as ./lab grade."""
    begun = time.monotonic()
    request = check.read(Namespace(**REST, lab=lab.number, device="lockstep", thorough=True))
    verdict = check.grade(request).verdict
    if not verdict or verdict["score"] is None:
        raise Failure(
            _("the judge came to no verdict on lab {lab}; this is not the student's fault. Try again.", lab=lab.number)
        )
    return {
        "name": f"{lab.number} {lab.title}",
        "status": "pass" if verdict["verdict"] in ("accepted", "inconclusive") else "fail",
        "score": verdict["score"]["points"],
        "of": verdict["score"]["of"],
        "message": verdict["verdict"],
        "test_code": f"./lab check {lab.number} --thorough",
        "filename": shown(lab.source),
        "line_no": 0,
        "duration": round(1000 * (time.monotonic() - begun)),
    }


def _encoded(tests: list[dict[str, Any]]) -> str:
    status = "pass" if all(test["status"] == "pass" for test in tests) else "fail"
    result = {"version": 1, "status": status, "max_score": sum(test["of"] for test in tests), "tests": tests}
    return base64.b64encode(json.dumps(result).encode()).decode()


def _table(tests: list[dict[str, Any]]) -> str:
    rows = [f"| {test['name']} | {test['message']} | {test['score']} of {test['of']} |" for test in tests]
    return "\n".join(["| lab | verdict | points |", "|---|---|---|", *rows, ""])


def _append(variable: str, text: str) -> None:
    if name := os.environ.get(variable):
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(text)
