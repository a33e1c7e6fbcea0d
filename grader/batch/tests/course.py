"""course: records for the tests of reports. They come from verdicts.json, which the judge wrote for labs 02 and 15
(with fewer cases and counters), and belong to students with harmless and with harmful names."""

import copy
import json
from pathlib import Path
from typing import Any

from launcher import labs

HERE = Path(__file__).parent
VERDICTS: dict[str, dict[str, Any]] = json.loads((HERE / "verdicts.json").read_text(encoding="utf-8"))
LABS = labs.all_labs()
SECRET = "SECRET-4711"  # part of a hidden case; only the instructor may see it
SCRIPT = "<script>alert('x')</script>"
FORMULA = "=cmd|' /C calc'!A0"
TURNED = "\u202egnp.exe\u202c"
LONG = "Ä" * 10_000
HEBREW = "לאה גולדברג"
HOSTILE = (SCRIPT, FORMULA, TURNED, LONG, HEBREW, "../../etc/passwd", "a&b\"c'd", "@SUM(A1)", "\x00\x08bell", "")


def record(student: str, of: str, /, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """A record. of: a key of verdicts.json."""
    judge = copy.deepcopy(VERDICTS[of])
    code = f"// {student}\nint main() {{}}\n"
    return {
        "format": 1,
        "student": student,
        "identity": None,
        "lab": judge["lab"],
        "submission": {
            "source": student,
            "sha256": "0",
            "files": ["reduce.cu"],
            "main": "reduce.cu",
            "code": {"reduce.cu": code},
            "notes": [],
        },
        "grader": {"version": "abc123def456", "commit": "0.5-1-gabc1234", "options": {}},
        "verdict": judge["verdict"],
        "score": judge["score"]["points"],
        "of": 100,
        "seconds": 12.5,
        "error": None,
        "judge": judge,
        "previous": None,
        "kept": None,
        **changes,
    }


PRIVATE = "/home/prof"  # a path on the instructor's machine


def fault(student: str) -> dict[str, Any]:
    """A record for which the judge left no verdict."""
    error = f"No space left on device: {PRIVATE}/grades"
    return record(student, "02_accepted", verdict="judge fault", score=None, error=error, judge=None)


def measuring_fault(student: str) -> dict[str, Any]:
    """A record in which the judge says itself that it cannot judge."""
    made = record(student, "02_accepted", verdict="judge fault", score=None)
    failure = {"steps": [f"a measuring fault, {PRIVATE}/labs"], "next": "Put it right.", "printed": ""}
    failure |= {"case": "", "schedule": "", "again": "", "advice": None, "mismatch": None}
    made["judge"] |= {"verdict": "judge fault", "score": None, "failed_check": "judge", "failure": failure}
    threshold = {"speedup": 2.0, "points": 10, "why": "asked for", "verdict": "pass"}
    made["judge"]["speed"] |= {"verdict": "pass", "speedup": 9e9, "thresholds": [threshold]}
    return made


def refusal(student: str, lab: str | None = None) -> dict[str, Any]:
    error = "the zip would unpack to 9 GiB: hand in sources only."
    return record(student, "02_accepted", lab=lab, verdict="refused", score=0, error=error, judge=None)


def with_hidden_failure(student: str) -> dict[str, Any]:
    """Public cases pass and a hidden one fails. The judge tells the instructor, in a part of its own, which one."""
    made = record(student, "02_accepted", verdict="wrong answer", score=0)
    judge = made["judge"]
    judge["verdict"], judge["failed_check"] = "wrong answer", "case.hidden.2"
    failure = {"steps": ["hidden case 2: a wrong result"], "next": "Test sizes of your own.", "printed": ""}
    secret = {"case": SECRET, "check": f"case.{SECRET}", "steps": [f"ints {SECRET}"], "printed": SECRET}
    failure |= {"case": "", "schedule": "", "again": "", "advice": None, "mismatch": None}
    judge["failure"] = failure | {"instructor": secret}
    for number, verdict in ((1, "pass"), (2, "fail")):
        secret = {"name": SECRET, "input": SECRET, "n": 77, "block": 0, "seed": 1}
        judge["cases"].append({"name": f"hidden.{number}", "hidden": True, "verdict": verdict, "instructor": secret})
    judge |= {"cases_planned": len(judge["cases"]), "hidden_passed": 1, "hidden_planned": 2}
    judge["score"] = {
        "points": 0,
        "of": 100,
        "parts": [
            {"name": "correct", "points": 0, "of": 80, "why": "wrong answer; 1 of 2 hidden ones fail"},
            {"name": "rules", "points": 0, "of": 20, "why": "counts for correct code only"},
        ],
    }
    return made


def modelled(student: str, ratio: float) -> dict[str, Any]:
    made = record(student, "02_accepted")
    speed = {"verdict": "pass", "kind": "modelled", "card": "NVIDIA H200", "speedup": ratio}
    cards = {"NVIDIA H200": {"ms": 0.02, "baseline_ms": 0.05}, "NVIDIA T4": {"ms": 0.3, "baseline_ms": None}}
    made["judge"]["speed"] |= speed | {"modelled": cards}
    return made


def everything() -> list[dict[str, Any]]:
    found = [record(f"{name}.{number:02}", name) for number, name in enumerate(sorted(VERDICTS))]
    found += [record(name, "02_missing_barrier") for name in HOSTILE]
    hostile = record("hostile.diagnosis", "02_does_not_compile")
    hostile["judge"]["failure"]["printed"] = f"reduce.cu(1): error: {SCRIPT} \x1b[31m {TURNED}"
    hostile["submission"]["notes"] = [f"'{SCRIPT}' is ignored: not a source file"]
    why = f"grader 2 failed on it (disk {PRIVATE}), see 15@2-fault.json; this earlier result stands"
    kept = record("kept", "15_accepted", kept=why)
    found += [
        hostile,
        kept,
        fault("fay"),
        measuring_fault("gina"),
        refusal("ralph"),
        with_hidden_failure("hidden.one"),
        modelled("quick", 2.5),
    ]
    return found
