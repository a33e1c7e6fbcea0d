"""gradescope: a student's grades → results.json, as Gradescope's autograder specification asks for it. It needs only
Python's own library, because the autograder uses it too.

A fault of ours does not give a 0. If the student had a score already, that score stays. Otherwise there is no score at
all; Gradescope then takes the autograder for failed, and it has to be run again. If there are hidden cases, every test
whose points depend on them is hidden until grades are published.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .grades import ACCEPTED, INCONCLUSIVE, Grade
from .text import number, visible

OUTPUT = 10_000  # the longest output of one test, in characters
MARK = "warpladder"  # in extra_data: a later run knows our own results by this


def results(grades: Sequence[Grade], *, hidden_until: str = "after_published", earlier: float | None = None) -> str:
    """hidden_until: hidden or after_published. earlier: the score that stays if this run has none."""
    marks = {"verdicts": {grade.lab_name: grade.verdict for grade in grades if not grade.hidden}}
    if any(grade.points is None for grade in grades) or not grades:
        # Nothing more: students may see extra_data, and an account of what happened could name a hidden case.
        why = "\n".join(f"{grade.lab_name}: {grade.verdict}" for grade in grades if grade.points is None)
        return trouble(why, earlier=earlier, marks=marks)
    tests = [test for at, grade in enumerate(grades, 1) for test in _tests(grade, at, hidden_until)]
    board = [entry for grade in grades if (entry := _leaderboard(grade)) is not None]
    return _answer(
        "\n".join(f"{grade.lab_name}: {grade.verdict}" for grade in grades if not grade.hidden),
        marks,
        score=sum(grade.points or 0 for grade in grades),
        execution_time=round(sum(float(grade.record.get("seconds") or 0) for grade in grades)),
        tests=tests,
        **({"leaderboard": board} if board else {}),
    )


def trouble(why: str, *, earlier: float | None = None, marks: Mapping[str, Any] | None = None) -> str:
    """The results.json of an autograder that could not grade. why: a reason that reveals nothing hidden."""
    text = "The autograder had trouble. This is not your code's fault, and no grade was given for this submission."
    if earlier is not None:
        text += f" Your earlier score, {earlier:g}, stands."
    text += " Your instructor can run the autograder again."
    score = {} if earlier is None else {"score": earlier, "tests": []}
    return _answer(text, {"trouble": visible(why, OUTPUT) or "unknown", **(marks or {})}, **score)


def earlier_score(metadata: Mapping[str, Any]) -> float | None:
    """The last score in submission_metadata.json that was a grade."""
    for submission in reversed(metadata.get("previous_submissions") or []):
        marks = ((submission.get("results") or {}).get("extra_data") or {}).get(MARK) or {}
        score = submission.get("score")
        if score is not None and marks and not marks.get("trouble"):
            return float(score)
    return None


def _tests(grade: Grade, place: int, hidden_until: str) -> list[dict[str, Any]]:
    scored = hidden_until if grade.hidden else "visible"
    label = grade.label
    tests = [
        _test(f"{label}: {part['name']}", part["points"] >= part["of"], _why(grade, part), scored)
        | {"score": part["points"], "max_score": part["of"], "tags": [grade.lab_name, part["name"]]}
        for part in grade.parts
    ] or [
        _test(label, grade.verdict == ACCEPTED, _explained(grade), scored)
        | {"score": grade.points, "max_score": grade.of, "tags": [grade.lab_name]}
    ]
    if (public := grade.public_cases) and grade.hidden:
        good = all(case.get("verdict") == "pass" for case in public)
        tests.append(_test(f"{label}: public cases", good, "" if good else _explained(grade), "visible"))
    if (hidden := grade.hidden) is not None:
        counts = f"{hidden.passed} of {hidden.of} hidden cases pass"
        tests.append(_test(f"{label}: hidden cases", hidden.passed == hidden.of, counts, hidden_until))
    for rule in grade.judge.get("rules", []):
        good = rule.get("verdict") != "broken"
        text = f"{rule['counter']}{' per ' + rule['per'] if rule.get('per') else ''}"
        text += f"{' in the worst ' + rule['each'] if rule.get('each') else ''} = {number(rule.get('value'))}"
        text += f", wanted {rule['op']} {rule['limit']:g}\n{rule['why']}"
        tests.append(_test(f"{label}: rule {rule['name']}", good, text, scored))
    for at, test in enumerate(tests, 1):
        test["number"] = f"{place}.{at}"
        test["extra_data"] = {} if grade.hidden else {MARK: {"verdict": grade.verdict}}
    return tests


def _test(name: str, good: bool, output: str, visibility: str) -> dict[str, Any]:
    return {
        "name": name,
        "status": "passed" if good else "failed",
        "output": visible(output, OUTPUT),
        "output_format": "text",
        "visibility": visibility,
        "tags": [],
    }


def _why(grade: Grade, part: Mapping[str, Any]) -> str:
    """The diagnosis goes to the part in which the first points are lost."""
    first_loss = next((one for one in grade.parts if one["points"] < one["of"]), None)
    return "\n\n".join(filter(None, [str(part.get("why", "")), _explained(grade) if part is first_loss else ""]))


def _explained(grade: Grade) -> str:
    if grade.verdict == ACCEPTED:
        return ""
    why = grade.explanation()
    text = [f"{grade.verdict}{': ' + grade.check if grade.check and not grade.failed_by_hidden_case else ''}"]
    text += [*why.steps, why.printed]
    if why.next_step:
        text.append(f"Next: {why.next_step}")
    return "\n".join(filter(None, text))


def _leaderboard(grade: Grade) -> dict[str, Any] | None:
    speedup = grade.speed.get("speedup")
    if speedup is None or grade.verdict not in (ACCEPTED, INCONCLUSIVE):
        return None
    kind = grade.speed["kind"]
    return {"name": f"{grade.lab_name} speedup ({kind})", "value": round(speedup, 2), "order": "desc"}


def _answer(output: str, marks: Mapping[str, Any], **further: Any) -> str:  # noqa: ANN401
    answer = {"output": output, "output_format": "text", "stdout_visibility": "hidden", "extra_data": {MARK: marks}}
    return json.dumps(answer | further, indent=1, ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n"
