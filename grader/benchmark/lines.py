"""lines: a record → the lines of ./lab bench."""

from itertools import groupby

from launcher.columns import columns, flush_right
from launcher.language import _, later

from common.pictures.bench_record import LIMIT_OF, Record, Row, Task, tasks

HEADINGS = later("elements|launch|share|ms|quartiles|best of CUB|ms|times|CPU, ms")
CPU_HEADINGS = later("task|input|elements|ms|quartiles|by")
# The words of a record.
WORDS = (later("reading"), later("copying"), later("reduce"), later("select"), later("sort"))


def table(record: Record) -> list[str]:
    """A part for each family, type and input. The share of the limit comes first: it says how much is left to win."""
    families = list(LIMIT_OF)
    ordered = sorted(tasks(record), key=lambda task: (families.index(task.family), task.type, task.input, task.n))
    shown = tuple(_(HEADINGS).split("|"))
    shown = shown if any(task.cpu for task in ordered) else shown[:-1]
    lines: list[str] = []
    for (family, kind, given), group in groupby(ordered, key=lambda task: (task.family, task.type, task.input)):
        limit = LIMIT_OF[family]
        lines += ["", f"{_(family)}, {kind}, {given}" + (_(": share of {limit}", limit=_(limit)) if limit else "")]
        lines += _aligned([shown, *(_cells(task)[: len(shown)] for task in group)])
    return lines


def cpu_table(rows: list[Row]) -> list[str]:
    cells = [
        (_(row["family"]), row["input"], f"{row['n']:,}", _ms(row), _quartiles(row), row["what"])
        for row in rows
        if row["launch"] == "host"
    ]
    return _aligned([tuple(_(CPU_HEADINGS).split("|")), *cells])


def _cells(task: Task) -> tuple[str, ...]:
    cub = task.cub["what"].removeprefix("CUB ") if task.cub else "–"
    return (
        f"{task.n:,}",
        task.launch,
        f"{task.share:.2f}" if task.share else "–",
        _ms(task.ours) + ("" if task.ours["right"] else _(" WRONG")),
        _quartiles(task.ours),
        cub,
        _ms(task.cub) if task.cub else "–",
        f"{task.ratio:.2f}" if task.ratio else "–",
        _ms(task.cpu) if task.cpu else "–",
    )


def _ms(row: Row) -> str:
    return f"{row['ms']:.4f}" if row["ms"] < 10 else f"{row['ms']:.1f}"


def _quartiles(row: Row) -> str:
    digits = 4 if row["ms"] < 10 else 1
    return f"{row['ms_q1']:.{digits}f}–{row['ms_q3']:.{digits}f}"


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(flush_right(cell, width) for cell, width in zip(row, widths, strict=True)) for row in rows]
