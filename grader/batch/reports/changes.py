"""changes: which results differ from the ones that they replaced, and changes.csv, which lists these."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from . import text


def is_changed(record: Mapping[str, Any]) -> bool:
    """Whether verdict or score differ from those of the earlier result."""
    before = record["previous"]
    return before is not None and (before["verdict"], before["score"]) != (record["verdict"], record["score"])


def as_csv(changed: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(
        ["Student", "Lab", "Submission", "Old grader", "Old verdict", "Old score", "Grader", "Verdict", "Score"]
    )
    for record in changed:
        before = record["previous"]
        same = before["sha256"] == record["submission"]["sha256"]
        table.writerow(
            [
                text.cell(record["student"]),
                record["lab"] or "",
                "the same" if same else "another",
                before["version"],
                before["verdict"],
                "" if before["score"] is None else before["score"],
                record["grader"]["version"],
                record["verdict"],
                "" if record["score"] is None else record["score"],
            ]
        )
    return out.getvalue()
