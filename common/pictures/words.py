"""words: the tables that programs write into English pages → those of the Chinese pages, by the words of words.csv.

A cell may stay as it is if it has no letters, or is all code. Every other cell must be in words.csv, so no English word
reaches a Chinese page by mistake. A link to a lab's handout gets the heading of the Chinese handout."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .measured import rows

ROOT = Path(__file__).resolve().parents[2]
WORDS = Path(__file__).with_name("words.csv")
# Columns of names: a reader meets the same names in files, reports and messages.
NAMES = {"parameter", "bound by", "kind"}
_HOLE = re.compile(r"\{=?\}")
_HANDOUT = re.compile(r"\[[^]]+\]\(\.\./labs/(\w+)/README\.md\)")
_LETTER = re.compile(r"[^\W\d_]")
_POWER = re.compile(r"(?<=\d)e(?=[+-]\d)")
_CODE = re.compile(r"`[^`]+`")


class UnknownWord(LookupError):
    """A word that words.csv lacks."""


@cache
def catalogue() -> dict[str, str]:
    return {row["english"]: row["chinese"] for row in rows(WORDS)}


@cache
def _patterns() -> list[tuple[re.Pattern[str], list[str], str]]:
    """The entries with holes: what matches, the kinds of the holes, and the Chinese."""
    return [
        (re.compile("(.+)".join(map(re.escape, _HOLE.split(english)))), _HOLE.findall(english), chinese)
        for english, chinese in catalogue().items()
        if _HOLE.search(english)
    ]


def phrase(english: str) -> str:
    """A cell, a heading or a sentence in Chinese."""
    if english in catalogue():
        return catalogue()[english]
    if not _LETTER.search(_POWER.sub("", english)) or _CODE.fullmatch(english):
        return english
    handout = _HANDOUT.fullmatch(english)
    if handout:
        return _handout(english, handout[1])
    for pattern, holes, chinese in _patterns():
        match = pattern.fullmatch(english)
        if match:
            filled = [text if hole == "{=}" else phrase(text) for hole, text in zip(holes, match.groups())]
            return _HOLE.sub("{}", chinese).format(*filled)
    raise UnknownWord(f"{WORDS.relative_to(ROOT)} has no Chinese for “{english}”")


def _handout(link: str, folder: str) -> str:
    """A link to a lab's Chinese handout, if there is one; to the English one if not."""
    handout = ROOT / "labs" / folder / "README.zh.md"
    if not handout.exists():
        return link.replace("](../", "](../../")
    heading = handout.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")
    return f"[{heading}](../../labs/{folder}/README.zh.md)"


def chinese(english: str) -> str:
    """Markdown that a program wrote: tables, headings and paragraphs of one line each."""
    return "".join(f"{line}\n" for line in _lines(english.splitlines()))


def _lines(english: list[str]) -> Iterator[str]:
    head: list[str] = []
    for line in english:
        if not line.startswith("|"):
            head = []
            text = line.lstrip("# ")
            yield line.removesuffix(text) + phrase(text)
        elif not _LETTER.search(line):
            yield line
        else:
            cells = [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split(" | ")]
            stays = [title in NAMES for title in head] or [False] * len(cells)
            head = head or cells
            yield f"| {' | '.join(cell if stay else phrase(cell) for cell, stay in zip(cells, stays))} |"
