"""handout: the README.md of a lab → its goal, its hints, and Markdown as text for a terminal."""

import re
import textwrap
from dataclasses import dataclass

from launcher.labs import Lab

DETAILS = re.compile(r"<details>\s*<summary>(.*?)</summary>\s*(.*?)\s*</details>", re.DOTALL)
RAW = ("    ", "|", "```", "![")  # lines that are shown as they stand


@dataclass(frozen=True)
class Hint:
    title: str
    text: str  # Markdown


def text_of(lab: Lab) -> str:
    file = lab.folder / "README.md"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def section(markdown: str, title: str) -> str:
    """The text under a heading of the second level, up to the next one; empty if there is none."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", markdown, re.DOTALL | re.MULTILINE)
    return found[1].strip() if found else ""


def hints(lab: Lab) -> list[Hint]:
    """The folded hints, from a nudge to nearly the solution."""
    return [Hint(plain(title), text) for title, text in DETAILS.findall(section(text_of(lab), "Hints"))]


def goal(lab: Lab) -> str:
    found = re.search(r"^\*\*Goal\.\*\*\s+(.*?)(?=\n\n|\Z)", text_of(lab), re.DOTALL | re.MULTILINE)
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
                lines += textwrap.wrap(plain(item), width, subsequent_indent=" " * len(mark[0]), break_on_hyphens=False)
        lines.append("")
    return lines[:-1]
