"""Reports: what people and their programs read, made of nothing but the records."""

import csv
from argparse import Namespace
from pathlib import Path
from typing import Any

from launcher.labs import Lab


def write_all(out: Path, records: list[dict[str, Any]], *, labs: list[Lab], options: Namespace) -> None:
    scores = {(record["student"], record["lab"]): record["score"] for record in records}
    with (out / "gradebook.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["Student", *(lab.name for lab in labs)])
        for student in sorted({student for student, _ in scores}):
            table.writerow([student, *(scores.get((student, lab.name), "") for lab in labs)])
