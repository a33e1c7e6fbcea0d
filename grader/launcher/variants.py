"""variants: solutions/NN_name/wrong → each variant's name, the check that catches it, its story and its code.

A variant is a patch against the lab's reference, or a whole file if its kernel is another one. A patch applies
strictly: the old lines of a hunk must stand in the reference exactly once, at any line. Compiles and judges nothing.

    python -m launcher.variants WRONG OUT     writes the code of each patch in the folder WRONG to a file in OUT
"""

import difflib
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile
from pathlib import Path

from .console import Failure
from .language import _
from .paths import shown

FIRST_LINE = re.compile(r"(?://\s)?caught by: ([a-z]\S*)(?: \(on a card: (\S+)\))?$")
HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True)
class Variant:
    file: Path

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def is_patch(self) -> bool:
        return self.file.suffix == ".patch"

    @cached_property
    def lines(self) -> list[str]:
        return self.file.read_text(encoding="utf-8").splitlines()

    @property
    def checks(self) -> tuple[str, str | None]:
        """The check that catches the variant, and the check that catches it on a card if that is another check."""
        match = FIRST_LINE.match(self.lines[0] if self.lines else "")
        if not match or self.is_patch == self.lines[0].startswith("//"):
            mark = "" if self.is_patch else "// "
            raise Failure(
                _(
                    "{file}: the first line must be `{mark}caught by: CHECK`, or `{mark}caught by: CHECK (on "
                    "a card: CHECK)`. docs/labs.md lists the checks.",
                    file=shown(self.file),
                    mark=mark,
                )
            )
        return match[1], match[2]

    @property
    def head(self) -> list[str]:
        """The first line and the story, which stand above the diff or above the code."""
        if self.is_patch:
            return list(takewhile(lambda line: line and not line.startswith("--- "), self.lines))
        return list(takewhile(lambda line: line.startswith("//"), self.lines))

    @property
    def story(self) -> str:
        return " ".join(line.removeprefix("//").strip() for line in self.head[1:])

    @property
    def summary(self) -> str:
        """The story's first sentence."""
        match = re.match(r".*?[.?!](?= |$)", self.story)
        return match[0] if match else self.story

    @cached_property
    def reference(self) -> Path:
        """The file that a patch changes. The first line of the diff names it."""
        found = [line.removeprefix("--- ") for line in self.lines if line.startswith("--- ")]
        file = self.file.parent.parent / (found[0] if found else "")
        if len(found) != 1 or not file.is_file():
            raise Failure(
                _(
                    "{file}: one line `--- FILE` must name the reference.\n{next_step}",
                    file=shown(self.file),
                    next_step=self._next_step(),
                )
            )
        return file

    @property
    def code_suffix(self) -> str:
        return self.reference.suffix if self.is_patch else self.file.suffix

    def code(self) -> str:
        """The whole file. Raises Failure if a hunk does not fit."""
        if not self.is_patch:
            return self.file.read_text(encoding="utf-8")
        reference = self.reference.read_text(encoding="utf-8").splitlines()
        if problem := apply(self.lines, reference):
            raise Failure(f"{shown(self.file)} against {self.reference.name}: {problem}.\n{self._next_step()}")
        return "\n".join(reference) + "\n"

    def _next_step(self) -> str:
        again = f"./lab wrong {self.file.parent.parent.name.split('_')[0]} {self.name}"
        return _(
            "`{again}` shows the patch. Put its bug into a copy of the reference, and make the patch "
            "again from that copy: `{again} --from COPY`",
            again=again,
        )


def all_variants(solution: Path) -> list[Variant]:
    """The variants of a lab, by name. solution: the lab's folder in solutions/."""
    return [Variant(file) for file in sorted((solution / "wrong").glob("[!.]*"), key=lambda file: file.stem)]


def apply(diff: list[str], lines: list[str]) -> str:
    """Changes the lines in place. If a hunk does not fit, returns the reason; else an empty text."""
    starts = [at for at, line in enumerate(diff) if line.startswith("@@")]
    for number, (start, end) in enumerate(pairwise([*starts, len(diff)]), 1):
        title, *hunk = diff[start:end]
        old, new = ([line[1:] for line in hunk if line[:1] in ("", " ", sign)] for sign in "-+")
        says = _("hunk {number} ({title}) does not fit: ", number=number, title=title)
        counts = HUNK.match(title)
        if not counts or [int(count or 1) for count in counts.groups()] != [len(old), len(new)]:
            return _(
                "{says}it is damaged, since it has {old} old and {new} new lines",
                says=says,
                old=len(old),
                new=len(new),
            )
        places = [at for at in range(len(lines) - len(old) + 1) if lines[at : at + len(old)] == old]
        if len(places) > 1:
            return _("{says}its old lines stand there {count} times", says=says, count=len(places))
        if not places:
            gone = [_("; this line is gone: `{line}`", line=line.strip()) for line in old if line not in lines]
            return _("{says}its old lines do not stand there together{gone}", says=says, gone="".join(gone[:1]))
        lines[places[0] : places[0] + len(old)] = new
    return "" if starts else _("the patch has no hunk")


def difference(reference: Path, code: str, context: int) -> list[str]:
    old, new = reference.read_text(encoding="utf-8").splitlines(), code.splitlines()
    lines = difflib.unified_diff(old, new, reference.name, reference.name, n=context, lineterm="")
    return [line.rstrip() if line == " " else line for line in lines]


def patch(head: list[str], reference: Path, code: str) -> str:
    """A patch with these first lines. Each hunk has the least context with which it fits exactly once."""
    old = reference.read_text(encoding="utf-8").splitlines()
    for context in range(1, len(old)):
        lines = difference(reference, code, context)
        trial = list(old)
        if not apply(lines, trial) and trial == code.splitlines():
            return "\n".join([*head, "", *lines]) + "\n"
    raise Failure(_("the code does not differ from {reference}: a patch holds one bug.", reference=shown(reference)))


def main(wrong: Path, out: Path) -> int:
    failed = 0
    for variant in all_variants(wrong.parent):
        if not variant.is_patch:
            continue
        try:
            code, target = variant.code(), out / f"{variant.name}{variant.code_suffix}"
            if not target.exists() or target.read_text(encoding="utf-8") != code:  # else nothing is compiled again
                target.write_text(code, encoding="utf-8")
        except Failure as failure:
            print(failure, file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
