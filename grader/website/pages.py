"""pages: the Markdown of this repository → the pages of the site, the groups of its navigation, and where links lead.

A page of the site is a page of GROUPS, or a Markdown file elsewhere that such a page links to. Its name in the site is
its path without .md; a README is the index of its folder. The Chinese page has the name of its English one. Every other
file that a page links to is copied, so that the site needs nothing from outside.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from common.translation import parity

LANGUAGES = {"en": "English", "zh": "简体中文"}
OTHER = {"en": "zh", "zh": "en"}
FILES = "files"  # the folder of copied files, beside those of the languages
# Title in each language → the pages, in order. A page belongs to the first group that names it.
GROUPS: list[tuple[dict[str, str], tuple[str, ...]]] = [
    ({"en": "Start", "zh": "开始"}, ("README.md", "docs/climbing.md", "docs/glossary.md")),
    ({"en": "Labs", "zh": "实验"}, ("labs/*/README.md",)),
    (
        {"en": "The ladder", "zh": "阶梯"},
        ("docs/reduction.md", "docs/scan.md", "docs/histogram.md", "docs/applications.md"),
    ),
    (
        {"en": "For learners", "zh": "学习者"},
        ("docs/editors.md", "docs/report.md", "docs/messages.md", "docs/advice.md", "docs/climbs/*.md"),
    ),
    (
        {"en": "For instructors", "zh": "教师"},
        ("docs/instructors.md", "docs/adopt.md", "docs/grading.md", "docs/sandbox.md", "docs/cluster.md"),
    ),
    (
        {"en": "lockstep: any CUDA program", "zh": "lockstep：任意 CUDA 程序"},
        (
            "docs/lockstep.md",
            "docs/counters.md",
            "docs/faults.md",
            "docs/refusals.md",
            "docs/model.md",
            "docs/speed.md",
        ),
    ),
    ({"en": "Measurements", "zh": "测量"}, ("docs/measurements/*.md",)),
    ({"en": "For contributors", "zh": "贡献者"}, ("docs/*.md",)),
]
FURTHER = {"en": "Further pages", "zh": "其他页面"}  # the Markdown files that pages link to
LINK = re.compile(r"\]\(([^)\s#]+\.md)(?:#[^)\s]*)?\)")
SCHEME = re.compile(r"[a-z]+:")


def way(here: str, there: str) -> str:
    """From one address of the site to another."""
    return os.path.relpath(there, PurePosixPath(here).parent)


@dataclass(frozen=True)
class Page:
    language: str
    source: PurePosixPath  # from the root of the repository
    name: str  # as Sphinx has it: no language, no suffix

    @property
    def address(self) -> str:
        """From the root of the site."""
        return f"{self.language}/{self.name}.html"


@dataclass
class Course:
    """All pages of a checkout, or of another folder that is laid out like one."""

    root: Path
    pages: dict[PurePosixPath, Page] = field(default_factory=dict)
    groups: list[tuple[dict[str, str], list[str]]] = field(default_factory=list)  # the names of a group's pages
    copied: set[PurePosixPath] = field(default_factory=set)  # files and folders, filled while links are looked up

    def __post_init__(self) -> None:
        for title, patterns in GROUPS:
            found = [file for pattern in patterns for file in sorted(self.root.glob(pattern))]
            self._add_group(title, [file for file in found if self._place(file) not in self.pages])
        self._add_group(FURTHER, self._linked())

    def of(self, language: str) -> dict[str, Page]:
        """By name."""
        return {page.name: page for page in self.pages.values() if page.language == language}

    def navigation(self, language: str) -> Iterator[tuple[str, list[str]]]:
        mine = self.of(language)
        for title, names in self.groups:
            if here := [name for name in names if name in mine and name != "index"]:
                yield title[language], here

    def twin(self, name: str, language: str) -> str:
        """The address of this page in the other language; of that language's start, if there is none. Pages that the
        generator adds, such as the search, have twins."""
        other = OTHER[language]
        is_ours = name in self.of(language)
        return f"{other}/{name if not is_ours or name in self.of(other) else 'index'}.html"

    def goal(self, page: Page, link: str) -> str | None:
        """The link of a page, as the site must have it. None: it leads nowhere."""
        path, mark, anchor = link.partition("#")
        if SCHEME.match(link) or not path:
            return link
        goal = PurePosixPath(os.path.normpath(page.source.parent / unquote(path)))
        if goal / "README.md" in self.pages:
            goal /= "README.md"
        if goal in self.pages:
            address = self.pages[goal].address
        elif goal.parts[0] != ".." and (self.root / goal).exists():
            self.copied.add(goal)
            address = f"{FILES}/{goal}" + ("/index.html" if (self.root / goal).is_dir() else "")
        else:
            return None
        return way(page.address, address) + mark + anchor

    def _place(self, file: Path) -> PurePosixPath:
        return PurePosixPath(file.relative_to(self.root).as_posix())

    def _add_group(self, title: dict[str, str], files: list[Path]) -> None:
        names = []
        for file in files:
            place = self._place(file)
            name = str(place.with_name("index") if place.name == "README.md" else place.with_suffix(""))
            names.append(name)
            for language, its in (("en", file), ("zh", parity.twin(file))):
                if its.exists():
                    self.pages[self._place(its)] = Page(language, self._place(its), name)
        self.groups.append((title, names))

    def _linked(self) -> list[Path]:
        """Markdown files that are no pages yet, but that pages link to, or files found that way."""
        found: list[Path] = []
        waiting = [self.root / place for place in self.pages]
        while waiting:
            file = waiting.pop()
            for link in LINK.findall(file.read_text(encoding="utf-8")):
                goal = Path(os.path.normpath(file.parent / link))
                is_new = goal.is_relative_to(self.root) and self._place(goal) not in self.pages and goal not in found
                if is_new and goal.exists():
                    found.append(goal)
                    waiting.append(goal)
        return sorted(found)
