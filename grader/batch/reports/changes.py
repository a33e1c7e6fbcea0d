"""changes: which results differ from the ones that they replaced, and changes.csv, which lists these."""

from collections.abc import Mapping, Sequence
from typing import Any

from . import text


def is_changed(record: Mapping[str, Any]) -> bool:
    """Whether verdict or score differ from those of the earlier result."""
    before = record["previous"]
    return before is not None and (before["verdict"], before["score"]) != (record["verdict"], record["score"])


def as_csv(changed: Sequence[Mapping[str, Any]]) -> str:
    header = ["Student", "Lab", "Submission", "Old grader", "Old verdict", "Old score", "Grader", "Verdict", "Score"]
    rows = []
    for record in changed:
        before = record["previous"]
        same = "the same" if before["sha256"] == record["submission"]["sha256"] else "another"
        old = [before["version"], before["verdict"], before["score"]]
        new = [record["grader"]["version"], record["verdict"], record["score"]]
        rows.append([text.cell(record["student"]), record["lab"], same, *old, *new])
    return text.csv_of([header, *rows])
