#!/usr/bin/env python3
"""What the judge says about typical mistakes (mistakes.py), and which advice each wrong variant gets.

    messages_test.py JUDGE BUILD            the messages, and docs/messages.md that shows them
    messages_test.py JUDGE BUILD --write    writes docs/messages.md
    messages_test.py --advice BUILD         the verdicts of the tests wrong.*: no advice is a general one, and
                                            docs/advice.md shows them; --write writes it

before.json has what an earlier judge said, for the comparison on the page.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "grader")]
from launcher import console, language  # noqa: E402
from launcher.page import said as said_in  # noqa: E402
from launcher.page import text as text_of  # noqa: E402
from launcher.tests import english  # noqa: E402

from grader.tests.messages.mistakes import FAMILIES, Mistake  # noqa: E402

PAGE = ROOT / "docs" / "messages.md"
ADVICE_PAGE = ROOT / "docs" / "advice.md"
BEFORE = Path(__file__).with_name("before.json")
MOST_LINES, MOST_COLUMNS = 15, 80
SEED = "7"
GENERAL = {"", "by_hand", "cuda.", None}  # advice where no fact says more


def folder(parent: str, number: str) -> Path:
    return next((ROOT / parent).glob(f"{number}_*"))


def code_of(mistake: Mistake, build: Path, into: Path) -> list[str]:
    """The judge's option for the code: a variant's binary, or a file with edits, which the judge compiles."""
    lab = folder("labs", mistake.lab).name
    wrong = build / "labs" / lab / "wrong"
    if mistake.variant and not mistake.names_a_line:
        return ["--binary", str(wrong / mistake.variant)]
    source = json.loads((ROOT / "labs" / lab / "lab.json").read_text())["source"]
    text = (wrong / f"{mistake.variant}.cu" if mistake.variant else ROOT / "solutions" / lab / source).read_text()
    for old, new in mistake.edits:
        if text.count(old) != 1:
            raise SystemExit(f"{mistake.title}: {old!r} stands {text.count(old)} times in {lab}/{source}, not once")
        text = text.replace(old, new)
    (into / source).write_text(text)
    return ["--file", str(into / source)]


def said(mistake: Mistake, judge: str, build: Path) -> tuple[str, int]:
    """What a learner reads: from the failure on, or the whole text if the command is wrong."""
    lab = folder("labs", mistake.lab)
    with tempfile.TemporaryDirectory() as name:
        command = [judge, "--lab", str(lab), "--build", str(build / "labs" / lab.name / "build.json"), "--seed", "7"]
        command += [*code_of(mistake, build, Path(name)), *mistake.options, "--command", f"./lab check {mistake.lab}"]
        command += ["--json", str(written := Path(name) / "verdict.json")]
        done = subprocess.run(command, capture_output=True, text=True)
        if written.exists():
            check_page(json.loads(written.read_text(encoding="utf-8"))["page"], done.stdout)
    text = done.stdout.split("\n\n")[-1] or done.stderr
    return re.sub(r"Device .+ failed", "Device pthread failed", text), done.returncode  # OpenCL names the processor


def check_page(page: list[dict[str, Any]], text: str) -> None:
    """The launcher makes the judge's text of the page, and all words of the page have a translation."""
    if console.visible(text_of(page)) != text:
        raise SystemExit(f"the launcher says\n{text_of(page)}\nand the judge says\n{text}")
    known = language.catalogue("zh")
    for form in english.forms(page):
        if form not in known and re.search("[A-Za-z]", re.sub(r"\{\w+\}", "", form)):
            raise SystemExit(f"the catalogue has no {form!r}")
    for said_part in in_chinese(page):
        if words := english.left(said_part):
            raise SystemExit(f"English is left ({', '.join(words)}) in\n{said_part}")


def in_chinese(page: list[dict[str, Any]]) -> list[str]:
    """The texts of a page, without what the code and the compiler have printed."""
    own = [part for part in page if part["kind"] != "printed" and part.get("word") != "nvcc"]
    with patch.dict(os.environ, {language.CHOSEN: "zh"}):
        return [said_in(text) for part in own for text in (part["text"], *sum(part.get("rows", []), []))]


def complaints(mistake: Mistake, text: str, code: int) -> list[str]:
    found = []
    joined = " ".join(text.split())
    found += [f"does not say {word!r}" for word in mistake.words if word not in joined]
    own = [line for line in text.splitlines() if not line.startswith("    | ") and line != "  it printed"]
    if len(own) > MOST_LINES:
        found.append(f"has {len(own)} lines")
    found += [f"is wider than {MOST_COLUMNS}: {line}" for line in own if len(line) > MOST_COLUMNS]
    found += [f"says twice: {line}" for line, times in Counter(filter(str.strip, own)).items() if times > 1]
    steps = sum(line.startswith("  next ") for line in own)
    if code == 1 and steps != 1:
        found.append(f"has {steps} next steps")
    if code != mistake.code:
        found.append(f"ends with {code}, not {mistake.code}")
    return found


def page(now: dict[str, str]) -> str:
    before = json.loads(BEFORE.read_text(encoding="utf-8"))
    text = PAGE_HEAD
    for family, mistakes in FAMILIES.items():
        text += f"\n## {family}\n"
        for mistake in mistakes:
            text += f"\n### {mistake.title} (lab {mistake.lab})\n\nBefore:\n\n"
            text += "".join(f"    {line}".rstrip() + "\n" for line in before[mistake.title].splitlines())
            text += "\nNow:\n\n" + "".join(f"    {line}".rstrip() + "\n" for line in now[mistake.title].splitlines())
    return text


PAGE_HEAD = """# What the judge says about typical mistakes

This page shows what the judge prints for typical mistakes. Each message names the cause, shows the smallest case that
fails, and gives one next step. It has at most 15 lines, not counting the lines that the code itself printed. The
messages were rewritten in November 2026; "Before" shows the old ones. [faults.md](faults.md) shows the messages of
lockstep.

The test `messages.judge` makes each mistake again and compares what the judge prints with this page.
`python3 grader/tests/messages/messages_test.py JUDGE BUILD --write` writes the page again.
"""


def check_messages(judge: str, build: Path, write: bool) -> int:
    now, bad = {}, 0
    for mistakes in FAMILIES.values():
        for mistake in mistakes:
            text, code = said(mistake, judge, build)
            now[mistake.title] = text
            for complaint in complaints(mistake, text, code):
                bad += 1
                print(f"{mistake.lab}, {mistake.title}: {complaint}\n{text}")
    if write:
        PAGE.write_text(page(now), encoding="utf-8")
    elif not bad and PAGE.read_text(encoding="utf-8") != page(now):
        bad += 1
        print(f"{PAGE.name} differs from what the judge says: write it again with --write")
    print(f"{len(now)} mistakes, {bad} complaints")
    return 1 if bad else 0


ADVICE_HEAD = """# What each wrong variant is told to do next

Every lab has wrong variants of its reference ([labs.md](labs.md#tests)), one mistake each. This table says which check
fails first, and the next step that the judge gives. `advice` is the name of the step. None is one of the
general steps, which the judge gives where it knows nothing more. The test `wrong.advice` holds the table to what the
tests `wrong.*` were told. `python3 grader/tests/messages/messages_test.py --advice BUILD --write` writes it again,
after those tests. [messages.md](messages.md) has whole messages.
"""


@dataclass(frozen=True)
class Told:
    """What a variant's verdict says."""

    lab: str
    variant: str
    check: str
    advice: str | None
    next: str

    @property
    def row(self) -> str:
        cells = (self.variant, f"`{self.check}`", f"`{self.advice}`", self.next)
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def told(path: Path) -> Told:
    """path: of a verdict, build/labs/NN_name/wrong/VARIANT.lockstep.json."""
    verdict = json.loads(path.read_text(encoding="utf-8"))
    failure = verdict["failure"] or {"advice": None, "next": ""}
    step = re.sub(r"\S*/(?=[^/\s]+\.(?:cu|cc):\d)", "", failure["next"])
    lab, variant = path.parent.parent.name[:2], path.name.split(".")[0]
    return Told(lab, variant, verdict["failed_check"] or "", failure["advice"], step)


def advice_page(every: list[Told]) -> str:
    text = ADVICE_HEAD
    for lab in sorted({one.lab for one in every}):
        title = json.loads((folder("labs", lab) / "lab.json").read_text(encoding="utf-8"))["title"]
        text += f"\n## {lab} {title}\n\n| variant | check | advice | next |\n|---|---|---|---|\n"
        text += "".join(f"{one.row}\n" for one in every if one.lab == lab)
    return text


def rows_of_page() -> set[tuple[str, str]]:
    """Lab and row."""
    rows, lab = set(), ""
    for line in ADVICE_PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            lab = line.split()[1]
        elif line.startswith("| ") and not line.startswith("| variant |"):
            rows.add((lab, line))
    return rows


def check_advice(build: Path, write: bool) -> int:
    """Every wrong variant whose verdict the tests have written gets an advice of its own, and the page says which."""
    paths = sorted((build / "labs").glob("*/wrong/*.lockstep.json"))
    every = [told(path) for path in paths]
    general = [one for one in every if one.advice in GENERAL or not one.next]
    for one in general:
        print(f"{one.lab} {one.variant}: {one.check} gets no advice of its own: {one.next}")
    built = {path.parent.name[:2] for path in (build / "labs").glob("*/build.json")}  # OpenCL's lab may be left out
    variants = [path for path in (ROOT / "solutions").glob("*/wrong/*") if path.suffix in (".patch", ".cu", ".cc")]
    expected = sum(path.parent.parent.name[:2] in built for path in variants)
    if len(every) != expected:
        print(f"{len(every)} verdicts of {expected} variants: run the tests wrong.* first")
        return 1
    print(f"{len(every) - len(general)} of {len(every)} variants get an advice of their own")
    if write:
        ADVICE_PAGE.write_text(advice_page(every), encoding="utf-8")
    page = {row for row in rows_of_page() if row[0] in built}
    now = {(one.lab, one.row) for one in every}
    for lab, row in sorted(now ^ page):
        print(f"{ADVICE_PAGE.name}, lab {lab}: {'lacks' if (lab, row) in now else 'should not have'} {row}")
    return 1 if general or now != page else 0


def main(arguments: list[str]) -> int:
    if arguments[0] == "--advice":
        return check_advice(Path(arguments[1]), "--write" in arguments)
    return check_messages(arguments[0], Path(arguments[1]).resolve(), "--write" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
