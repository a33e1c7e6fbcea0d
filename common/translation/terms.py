"""terms: docs/zh/glossary.md is the table of terms → where a Chinese page uses another word, or avoids the term.

Two rules. No page uses a word of wrong_words.csv. And where an English section uses a term n times, n > 1, its Chinese
section uses the Chinese term at least n / 2 times, rounded down: a sentence may leave a word out or say "it"."""

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from . import parity
from .page import Section

WRONG_WORDS = Path(__file__).with_name("wrong_words.csv")
_HEADING = re.compile(r"(.+)（(.+)）")
# What else a Chinese page may say for a term.
OTHER_FORMS = {
    "rung": ("级",),  # 阶梯的一级 becomes 一级, 下面一级, 各级
    "multiprocessor": ("SM",),
    "atomic": ("原子",),  # the adjective
    "fence": ("栅栏",),  # after the first 内存栅栏
    "counter": ("计数单元",),  # a counter in memory: 计数器 is what lockstep reports
    "block": ("基本块",),  # a basic block of a program
    "kernel": ("Linux 内核",),
    "entry": ("条目",),  # of a folder
}
TITLES = "Further reading"  # a section of English titles
# The other places where a word is no term, or stays English: page, section, word; and why.
_NAMES = "a name in a table"
EXCEPTIONS = {
    ("docs/faults.md", "Beside compute-sanitizer", "race"): _NAMES,
    ("docs/faults.md", "Found by lockstep only", "race"): _NAMES,
    ("docs/labs.md", "Checks", "scan"): _NAMES,
    ("docs/labs.md", "Checks", "guard"): "the check with this name, and the bands beside an array",
    ("docs/lockstep.md", "Reading a report", "entry"): "of a list",
    ("docs/model.md", "Model and measurement", "launch"): _NAMES,
    ("docs/model.md", "Model and measurement", "latency"): _NAMES,
    ("docs/model.md", "Model and measurement", "atomic"): _NAMES,
    ("03_reduce_less_divergent/README.md", "Task", "stride"): "a variable in a formula",
}


@cache
def terms(glossary: Path) -> dict[str, tuple[str, ...]]:
    """English term → the Chinese ones that stand for it. A heading of the glossary is 线程束（Warp）. 主机与设备（Host
    and device） is two terms. In 扫描，包含式与排他式（Scan, inclusive and exclusive） the first word is the term."""
    found: dict[str, tuple[str, ...]] = {}
    for section in parity.read(glossary):
        heading = _HEADING.fullmatch(section.title)
        if heading:
            chinese, english = heading[1].split("，")[0].split("与"), heading[2].split(",")[0].lower().split(" and ")
            assert len(chinese) == len(english), section.title
            found |= {ours: (theirs, *OTHER_FORMS.get(ours, ())) for ours, theirs in zip(english, chinese)}
    return found


@cache
def wrong_words() -> list[tuple[str, str, str, re.Pattern[str]]]:
    """The wrong word, the right one, the English one; what finds the wrong word or a longer, right one around it."""
    with WRONG_WORDS.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return [
        (row["wrong"], row["right"], row["english"],
         re.compile("|".join(map(re.escape, [*filter(None, row["allowed"].split("|")), row["wrong"]]))))
        for row in rows
    ]  # fmt: skip


def wrong(page: Path) -> Iterator[str]:
    """A line for each wrong word of the page."""
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        for word, right, english, found in wrong_words():
            if word in found.findall(line):
                yield f"line {number}: {word}; for “{english}” the word is {right}"


def avoided(chinese: Path, glossary: Path, exceptions: Collection[tuple[str, str, str]] = EXCEPTIONS) -> Iterator[str]:
    """A line for each term that a section of the English page uses, and its Chinese section too seldom."""
    known = terms(glossary)
    english = parity.original(chinese)
    place = f"{english.parent.name}/{english.name}"
    for ours, theirs in zip(parity.read(english), parity.read(chinese), strict=False):
        if ours.title == TITLES:
            continue
        said = _count(theirs, [form for forms in known.values() for form in forms])
        for term, n in _count(ours, list(known)).items():
            m = sum(said[form] for form in known[term])
            if n > 1 and m < n // 2 and (place, ours.title, term) not in exceptions:
                times = "once" if m == 1 else f"{m} times" if m else "never"
                yield f"“{theirs.title}” says {known[term][0]} {times}, the English side says {term} {n} times"


def _count(section: Section, words: list[str]) -> Counter[str]:
    """How often the section says each word. In 线程块 there is no 线程, and in a bank conflict no bank."""
    text = section.text.lower()
    longest_first = sorted(words, key=len, reverse=True)
    english = words[0].isascii()
    form = "|".join(map(re.escape, longest_first))
    found = re.findall(rf"(?<![\w-])({form})(?:e?s)?(?![\w-])" if english else f"({form.lower()})", text)
    return Counter({word: found.count(word.lower()) for word in words if word.lower() in found})
