"""results: one CSV file of mutants and what became of them. It is complete after each mutant, so that a run can go on
where it stopped. People add the column `reason` for those that survived.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from .draw import Mutant
from .tree import CAUGHT, COUNTED, SURVIVED, Outcome


@dataclass
class Row:
    file: str
    line: int
    before: str
    after: str
    result: str
    by: str = ""
    reason: str = ""  # of a survivor: why it is no fault, or which test is missing

    @property
    def mutant(self) -> Mutant:
        return Mutant(self.file, self.line, self.before, self.after)


class Results:
    """The rows of a file, in the order in which their tests ended."""

    def __init__(self, file: Path, seed: int, root: Path) -> None:
        """ValueError if the file is of another seed. Rows of code that is no longer there are left out."""
        self.file_, self.title_ = file, f"seed {seed}"
        self.rows: list[Row] = []
        if file.exists():
            first, rows = read(file)
            if first != self.title_:
                raise ValueError(f"{file} is of {first} and not of {self.title_}. Choose another --out.")
            self.rows = [found for row in rows if (found := _found_again(row, root)) is not None]

    def find(self, mutant: Mutant) -> Row | None:
        return next((row for row in self.rows if row.mutant == mutant), None)

    def store(self, mutant: Mutant, outcome: Outcome) -> Row:
        row = self.find(mutant)
        if row is None:
            row = Row(**asdict(mutant), result="")
            self.rows.append(row)
        row.result, row.by = outcome.result, outcome.by
        if row.result != SURVIVED:
            row.reason = ""
        self._write()
        return row

    def _write(self) -> None:
        text = io.StringIO()
        text.write(f"# {self.title_}\n")
        writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in self.rows)
        unfinished = self.file_.with_name(f".{self.file_.name}.new")
        unfinished.write_text(text.getvalue(), encoding="utf-8")
        unfinished.replace(self.file_)


def read(file: Path) -> tuple[str, list[Row]]:
    """The title and the rows of a file."""
    first, _, rest = file.read_text(encoding="utf-8").partition("\n")
    rows = [Row(**{**cells, "line": int(cells["line"])}) for cells in csv.DictReader(io.StringIO(rest))]
    return first.removeprefix("# "), rows


def _found_again(row: Row, root: Path) -> Row | None:
    """The row with the number that its line has now; None if there is no such line."""
    file = root / row.file
    lines = file.read_text(encoding="utf-8").split("\n") if file.exists() else []
    places = [number for number, line in enumerate(lines, 1) if line == row.before]
    if not places:
        return None
    return replace(row, line=min(places, key=lambda number: abs(number - row.line)))


def counted(rows: Iterable[Row]) -> int:
    """Mutants that are another program: the others say nothing about the tests."""
    return sum(row.result in COUNTED for row in rows)


def summary(rows: list[Row]) -> str:
    """A line for each of the four folders, and one for all."""
    text = []
    for folder in [*sorted({_folder(row) for row in rows}), ""]:
        mine = [row for row in rows if not folder or _folder(row) == folder]
        found, all_ = sum(row.result == CAUGHT for row in mine), counted(mine)
        rest = Counter(row.result for row in mine if row.result not in COUNTED)
        share = f"{100 * found / all_:.1f} %" if all_ else "none"
        not_counted = ", ".join(f"{count} {what}" for what, count in sorted(rest.items()))
        text.append(f"{folder or 'all':18} {found} of {all_} caught ({share})")
        text[-1] += f"; not counted: {not_counted}" if rest else ""
    return "\n".join(text)


def _folder(row: Row) -> str:
    return "/".join(Path(row.file).parts[:2])
