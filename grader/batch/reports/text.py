"""text: makes submitted text harmless for the format in which it is shown, writes numbers as people write them, and
writes complete files or none. The templates escape HTML."""

import csv
import io
import os
import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from launcher import console
from launcher.language import _

FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # some spreadsheets take the wide forms of East Asia for the narrow ones
SHOWN_NAME = 60  # the longest name on a page, in characters


def write(path: Path, text: str, *, errors: str = "replace", lasting: bool = False) -> None:
    """A reader finds the old file or the new one, never a part. lasting: also after a power cut. Reports need not last:
    they can be made again from results/."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.new")
    with unfinished.open("w", encoding="utf-8", errors=errors, newline="") as stream:
        stream.write(text)
        if lasting:
            stream.flush()
            os.fsync(stream.fileno())
    unfinished.replace(path)
    if lasting:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def visible(text: object, limit: int | None = None) -> str:
    """The text without anything that a terminal or a page would obey. Longer texts lose their middle."""
    whole = str(text)
    if limit is not None and len(whole) > limit:
        half = limit // 2
        whole = f"{whole[:half]} … {whole[-half:]}"
    return console.visible(whole)


def name(text: object) -> str:
    """A name for one line of a page."""
    return visible(" ".join(str(text).split()), SHOWN_NAME) or _("(no name)")


def cell(text: object) -> str:
    """A cell of a CSV file. A spreadsheet would take a text that begins with one of these characters for a formula."""
    whole = str(text)
    is_number = re.fullmatch(r"[+-]?\d+([.,]\d+)?", whole) is not None
    return "'" + whole if whole[:1] in FORMULA and not is_number else whole


def csv_of(rows: Iterable[Sequence[object]], separator: str = ",") -> str:
    """The rows as CSV; None is an empty cell. Texts of other people must go through cell() first."""
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def xml(text: object) -> str:
    """Replaces characters that XML 1.0 does not allow, escaped or not."""
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", str(text))


def file_name(student: str) -> str:
    """A unique file name for each student that every file system accepts; the student's own name if that is
    harmless."""
    if re.fullmatch(r"\w[\w .,@+()'~-]*", student) and len(student.encode()) <= 120:
        return student
    slug = re.sub(r"[^A-Za-z0-9]+", "-", student)[:40].strip("-")
    return f"{slug or 'student'}~{sha256(student.encode('utf-8', 'replace')).hexdigest()[:12]}"


def number(value: float | None, digits: int = 4) -> str:
    """ "–" if there is none. Thousands are separated."""
    if value is None:
        return "–"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def ratio(value: float) -> str:
    """Three digits, zeros too: 1.00, 12.5, 230."""
    return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f}"


def points(value: float | None) -> str:
    """At most two decimals, as in gradebooks; empty if there is no grade."""
    return "" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def counted(count: int, one: str, many: str) -> str:
    """one, many: the texts for 1 and for any other number, in which {n} is the number."""
    return _(one if count == 1 else many, n=f"{count:,}")
