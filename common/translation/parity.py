"""parity: compares a Chinese page with its English one, section by section, and keeps a record of what was compared.

The record is the last line of a Chinese page: for each section a digest of both sides. It is written when somebody has
read both. If a side changes after that, the section is stale.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .page import Section, sections

RECORD = re.compile(r"\n<!-- checked: (.*) -->\n\Z")
# Pages that stay in English, each with the reason.
ENGLISH_ONLY = {
    "CONTRIBUTING": "for people who change the course, whose code and messages are English",
    "layers": "likewise",
    "advice": "made from the messages of the judge, which are English",
    "messages": "likewise",
    "refusals": "made from the messages of lockstep, which are English",
}


def twin(page: Path) -> Path:
    """The Chinese page of an English one, whether it exists or not."""
    if page.name == "README.md":
        return page.with_name("README.zh.md")
    return page.parent / "zh" / page.name


def original(page: Path) -> Path:
    if page.name == "README.zh.md":
        return page.with_name("README.md")
    return page.parent.parent / page.name


def translated(root: Path) -> list[Path]:
    """All Chinese pages."""
    found = [root / "README.zh.md", *root.glob("labs/*/README.zh.md"), *root.glob("docs/zh/*.md")]
    return sorted(page for page in found if page.exists())


def missing(root: Path) -> list[Path]:
    """English pages without a Chinese one."""
    docs = [page for page in root.glob("docs/*.md") if page.stem not in ENGLISH_ONLY]
    pages = [root / "README.md", *root.glob("labs/*/README.md"), *docs]
    return sorted(page for page in pages if page.exists() and not twin(page).exists())


@cache
def _parsed(text: str) -> list[Section]:
    return sections(text)


def read(page: Path) -> list[Section]:
    return _parsed(RECORD.sub("\n", page.read_text(encoding="utf-8")))


def expected_target(target: str, english: Path) -> str:
    """What a link of the English page must be in the Chinese page: to the translated page, if there is one, and there
    to the heading at the same place."""
    path, _, anchor = target.partition("#")
    if re.match(r"[a-z]+:", target):
        return target
    goal = Path(os.path.normpath(english.parent / path)) if path else english
    chinese = goal
    if goal == twin(english):  # each side leads to the other
        chinese = english
    elif goal.suffix == ".md" and "zh" not in goal.parts and twin(goal).exists():
        chinese = twin(goal)
        if anchor:
            anchor = _same_place(anchor, read(goal), read(chinese))
    if path:
        path = os.path.relpath(chinese, twin(english).parent) + ("/" if path.endswith("/") else "")
    return path + ("#" + anchor if anchor else "")


def _same_place(anchor: str, english: list[Section], chinese: list[Section]) -> str:
    anchors = {ours.anchor: theirs.anchor for ours, theirs in zip(english, chinese, strict=False)}
    return anchors.get(anchor, anchor)


def differences(chinese: Path) -> Iterator[str]:
    """What the Chinese page has otherwise than the English one, a line each."""
    english = original(chinese)
    ours, theirs = read(english), read(chinese)
    if [s.level for s in ours] != [s.level for s in theirs]:
        yield f"{len(theirs) - 1} headings, or of other levels, for {len(ours) - 1} in English"
        return
    for section, other in zip(ours, theirs, strict=True):
        for what in _differences(section, other, english):
            yield f"“{other.title or section.title or 'before the first heading'}”: {what}"


def _differences(ours: Section, theirs: Section, english: Path) -> Iterator[str]:
    if ours.code != theirs.code:
        yield "its blocks of code differ"
    for what, mine, other in (
        ("code in the text", ours.inline_code, theirs.inline_code),
        ("figures", ours.figures, theirs.figures),
        ("rows, items, folded parts and markup", ours.shape, theirs.shape),
        ("marks", Counter(ours.comments), Counter(theirs.comments)),
    ):
        if mine != other:
            yield f"{what}: only in English {_shown(mine - other)}, only in Chinese {_shown(other - mine)}"
    for what, mine, other in (("links", ours.links, theirs.links), ("pictures", ours.pictures, theirs.pictures)):
        want = [expected_target(target, english) for target in mine]
        if sorted(want) != sorted(other):
            less, more = Counter(want) - Counter(other), Counter(other) - Counter(want)
            yield f"{what}: {_shown(less)} is missing, {_shown(more)} is too much"


def _shown(things: Counter[str]) -> str:
    return ", ".join(f"{thing} ({n} times)" if n > 1 else thing for thing, n in things.items()) or "nothing"


def _digests(chinese: Path) -> list[str]:
    pairs = zip(read(original(chinese)), read(chinese), strict=False)
    return [f"{ours.digest}={theirs.digest}" for ours, theirs in pairs]


def stale(chinese: Path) -> list[str]:
    """The titles of the sections of which a side has changed since the record; all, if there is none."""
    record = RECORD.search(chinese.read_text(encoding="utf-8"))
    known = Counter(record[1].split()) if record else Counter()
    titles = [section.title or "before the first heading" for section in read(chinese)]
    return [title for title, digest in zip(titles, _digests(chinese), strict=False) if not known[digest]]


def write_record(chinese: Path) -> None:
    text = RECORD.sub("\n", chinese.read_text(encoding="utf-8"))
    chinese.write_text(f"{text.rstrip()}\n\n<!-- checked: {' '.join(_digests(chinese))} -->\n", encoding="utf-8")


def mend_links(chinese: Path) -> bool:
    """Gives each link the target that it must have, in each section that has as many links as in English. Returns
    whether a link has changed."""
    english = original(chinese)
    if [section.level for section in read(english)] != [section.level for section in read(chinese)]:
        return False
    text = chinese.read_text(encoding="utf-8")
    mended = text
    for ours, theirs in zip(read(english), read(chinese), strict=False):
        want = [expected_target(target, english) for target in [*ours.links, *ours.pictures]]
        have = [*theirs.links, *theirs.pictures]
        if len(want) != len(have) or sorted(want) == sorted(have):
            continue
        source = theirs.source
        for old, new in zip(have, want, strict=True):
            source = source.replace(f"]({old})", f"](\0{new})", 1)
        mended = mended.replace(theirs.source, source.replace("\0", ""))
    if mended == text:
        return False
    was_read = not stale(chinese)
    chinese.write_text(mended, encoding="utf-8")
    if was_read:  # the words are still those that somebody has read
        write_record(chinese)
    return True
