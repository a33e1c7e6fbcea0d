"""handout: the README.md of a lab → its goal, its hints, and Markdown as text for a terminal."""

import re
from dataclasses import dataclass
from pathlib import Path

from launcher import language
from launcher.columns import folded
from launcher.labs import Lab
from launcher.language import _, later

DETAILS = re.compile(r"<details>\s*<summary>(.*?)</summary>\s*(.*?)\s*</details>", re.DOTALL)
RAW = ("    ", "|", "```", "![")  # lines that are shown as they stand


@dataclass(frozen=True)
class Hint:
    title: str
    text: str  # Markdown


def file_of(lab: Lab) -> Path:
    """The handout in the chosen language, if there is one."""
    translated = lab.folder / f"README.{language.chosen()}.md"
    return translated if translated.exists() else lab.folder / "README.md"


def text_of(lab: Lab) -> str:
    file = file_of(lab)
    return file.read_text(encoding="utf-8") if file.exists() else ""


def section(markdown: str, title: str) -> str:
    """The text under a heading of the second level, up to the next one; empty if there is none. title: in English, the
    handout may be a translation."""
    for name in (title, _(title)):
        found = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", markdown, re.DOTALL | re.MULTILINE)
        if found:
            return found[1].strip()
    return ""


def hints(lab: Lab) -> list[Hint]:
    """The folded hints, from a nudge to nearly the solution."""
    return [Hint(plain(title), text) for title, text in DETAILS.findall(section(text_of(lab), later("Hints")))]


def goal(lab: Lab) -> str:
    words = "|".join({"Goal", _("Goal")})
    found = re.search(rf"^\*\*(?:{words})(?:\.\*\*|\*\*。)\s*(.*?)(?=\n\n|\Z)", text_of(lab), re.DOTALL | re.MULTILINE)
    return plain(found[1]) if found else ""


def plain(markdown: str) -> str:
    """One paragraph without its marks. Code keeps its backticks: they show where it begins and ends."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(markdown.split()))
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"(\*\*|\*)(\S(?:.*?\S)?)\1", r"\2", part) for part in parts[::2]]
    return "".join(parts)


def for_terminal(markdown: str, width: int) -> list[str]:
    """Lines of at most this width. Code and tables keep their lines."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", markdown.strip("\n")):
        rows = block.splitlines()
        if any(row.startswith(RAW) for row in rows):
            lines += rows
        else:
            for item in re.split(r"\n(?=- |\d+\. )", block):
                mark = re.match(r"(?:- |\d+\. )?", item)
                assert mark is not None
                lines += folded(plain(item), width, rest=" " * len(mark[0]))
        lines.append("")
    return lines[:-1]
