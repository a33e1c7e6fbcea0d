"""verdict_text: the judge's text → lines for a terminal: wrapped to its width, the one line that matters in colour.

The judge writes plain text in English, which pipes and files get unchanged. Another language, all colours and the width
are added here."""

import re
from itertools import groupby
from typing import Any

from . import language, page
from .columns import columns, folded, padded
from .console import is_terminal, paint, width
from .language import _

GOOD = ("accepted", "inconclusive")
TABLE_CELLS = 3  # in a row, with two spaces or more between them


def dressed(text: str, verdict: dict[str, Any]) -> list[str]:
    """text: the judge's. The lines are for say(styled=True)."""
    word = verdict.get("verdict", "")
    if verdict and language.chosen() != language.ENGLISH:
        text = page.text(verdict["page"], width() if is_terminal() else page.USUAL)
    lines, found = [], False
    begin = _(word)  # of the line that matters
    for line in _narrowed(text.splitlines()):
        matters = not found and bool(word) and line.strip().startswith(begin)
        found = found or matters
        style = ("good" if word in GOOD else "bad") if matters else ""
        lines += [paint(part, style) for part in _wrapped(line)]
    return lines


def _narrowed(lines: list[str]) -> list[str]:
    """A table that is too wide is turned, so that its rows become its columns."""
    if not is_terminal():
        return lines
    found: list[str] = []
    for cells, rows in groupby(lines, key=lambda line: len(_cells(line))):
        table = list(rows)
        too_wide = max(map(columns, table)) > width()
        found += _turned(table) if too_wide and cells >= TABLE_CELLS and len(table) > 1 else table
    return found


def _cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


def _turned(table: list[str]) -> list[str]:
    indent = table[0][: len(table[0]) - len(table[0].lstrip())]
    turned = [_cells(row) for row in table]
    widths = [max(map(columns, column)) for column in turned]
    rows = zip(*turned, strict=True)
    return [indent + "   ".join(padded(cell, room) for cell, room in zip(row, widths)).rstrip() for row in rows]


def _wrapped(line: str) -> list[str]:
    if not is_terminal() or columns(line) <= width():
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return folded(line, width(), rest=indent + "  ") or [line]
