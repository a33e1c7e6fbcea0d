"""verdict_text: the judge's text → lines for a terminal: wrapped to its width, the one line that matters in colour.

The judge writes plain text, which pipes and files get unchanged. All colours and the width are added here."""

import textwrap

from .console import is_terminal, paint, width

GOOD = ("accepted", "inconclusive")


def dressed(text: str, verdict: str) -> list[str]:
    """verdict: the word of the verdict, with which the line that matters begins. The lines are for say(styled=True)."""
    lines, found = [], False
    for line in text.splitlines():
        matters = not found and bool(verdict) and line.strip().startswith(verdict)
        found = found or matters
        style = ("good" if verdict in GOOD else "bad") if matters else ""
        lines += [paint(part, style) for part in _wrapped(line)]
    return lines


def _wrapped(line: str) -> list[str]:
    if not is_terminal() or len(line) <= width():
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(line, width(), subsequent_indent=indent + "  ", break_on_hyphens=False) or [line]
