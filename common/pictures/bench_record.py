"""bench_record: the rows of a benchmark → a record, and what the record says of each task.

A record is {"device", "driver", "toolkit", "date", "commit", "flush", "rows"}: the form of the files bench_DATE.json in
docs/measurements. A row is one call: family, type, input and n of its task; what was called; launch (stream, graph or
host); the quartiles of its times in ms; whether its result was right."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Record = dict[str, Any]

OURS, CUB, LIMITS = "ours", "CUB ", ("read ", "copy ")
# What a task is compared with. A sort has many passes, so that no single kernel is its limit.
LIMIT_OF = {"reduce": "reading", "scan": "copying", "histogram": "reading", "select": "copying", "sort": None}
LABS = {"reduce": "21", "scan": "22", "histogram": "23", "select": "24", "sort": "25"}  # whose kernels are called ours
MS = ("ms_min", "ms_q1", "ms", "ms_q3", "ms_max")


@dataclass(frozen=True)
class Task:
    """One task and way of launching. The calls are None where they were not timed."""

    family: str
    type: str
    input: str
    n: int
    launch: str
    ours: Row
    cub: Row | None  # the fastest of all that CUB offers
    limit: Row | None  # the fastest that only reads or copies the bytes
    cpu: Row | None

    @property
    def ratio(self) -> float | None:
        """How many times faster than the best of CUB."""
        return self.cub["ms"] / self.ours["ms"] if self.cub else None

    @property
    def share(self) -> float | None:
        """Of the speed of reading or copying."""
        return self.limit["ms"] / self.ours["ms"] if self.limit else None


def read_rows(file: Path) -> list[Row]:
    """The rows of a file that bench or cpu wrote. Lines that begin with # are comments."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    for row in rows:
        row.update({key: float(row[key]) for key in MS}, n=int(row["n"]), right=row["right"] == "yes")
    return rows


def tasks(record: Record) -> list[Task]:
    """In the order of the rows."""
    found = []
    for ours in record["rows"]:
        if ours["what"] != OURS:
            continue
        same = [row for row in record["rows"] if _task(row) == _task(ours)]
        calls = [row for row in same if row["launch"] == ours["launch"]]
        cub = _fastest([row for row in calls if row["what"].startswith(CUB) and row["right"]])
        limit = _fastest([row for row in calls if row["what"].startswith(LIMITS)])
        cpu = _fastest([row for row in same if row["launch"] == "host"])
        found.append(Task(*_task(ours), ours["launch"], ours, cub, limit, cpu))
    return found


def to_json(record: Record) -> str:
    """A line for each row."""
    head = json.dumps({key: value for key, value in record.items() if key != "rows"})
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in record["rows"])
    return f'{head[:-1]}, "rows": [\n{rows}\n]}}\n'


def wrong(record: Record) -> list[Row]:
    return [row for row in record["rows"] if not row["right"]]


def newest(card: Path) -> Record | None:
    """The newest record in the folder of a card, docs/measurements/CARD."""
    file = max(card.glob("bench_[0-9]*.json"), default=None)
    return json.loads(file.read_text(encoding="utf-8")) if file else None


def _task(row: Row) -> tuple[str, str, str, int]:
    return row["family"], row["type"], row["input"], row["n"]


def _fastest(rows: list[Row]) -> Row | None:
    return min(rows, key=lambda row: row["ms"], default=None)
