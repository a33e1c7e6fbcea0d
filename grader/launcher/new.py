"""new: ./lab new NN_name --from MM. Makes the two folders of a lab that grows out of lab MM. It then draws the pages
that show every lab again. `./lab check NN` and the tests of the new lab pass at once; each TODO says what its author
still has to write. It overwrites no file.

The new lab begins as a copy: its starter and its reference are both the working kernel of lab MM, until its author
writes the reference.
"""

import json
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from . import labs
from .console import Failure, say
from .labs import Lab
from .paths import ROOT, shown

NAME = re.compile(r"(\d\d)_[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
PAGES = ("reduction", "scan", "histogram")  # families with a page of their own
# A new lab copies these keys of lab.json from the lab that it grows out of.
INHERITED = ("family", "contract", "entries", "source", "blocks", "measured", "sizes", "inputs", "measured_inputs")
INHERITED += ("limits", "arch")
CAUGHT_BY = re.compile(r"(?:// )?caught by: (\S+)")

HANDOUT = """# {number} {title}

**Goal.** TODO: one sentence that says what the kernel does when the learner is done, with the number that changes.

TODO: why lab {below} is not enough, and the idea that helps. Draw `picture.svg` with a `picture.py`
(docs/labs.md, "Pictures"), and show it here.

## Task

`{source}` is the working kernel of lab {below}. TODO: how many lines change, and where:

1. **TODO 1**: what the learner writes first.

## Check

**Predict first**: TODO: which counter will change, and to which value?

    ./lab check {number}

<details><summary>What you should have found</summary>

TODO
</details>

## Hints

<details><summary>A nudge</summary>

TODO
</details>

<details><summary>More</summary>

TODO
</details>

<details><summary>Nearly there</summary>

TODO
</details>

## Further reading

- TODO
"""
NOTES = """# {number}: notes on the reference

**Why it is written so.** TODO. So far `{source}` is the reference of lab {below}.

**The rules.** TODO: what each rule of `lab.json` counts, and why its value leaves room.

**The wrong variants.** TODO.{variant}

## Measured

Not measured on a card yet.
"""


def run(arguments: Namespace) -> int:
    name = arguments.name
    below = labs.find_lab(arguments.below)
    _check_name(name)
    if not below.solution.exists():
        raise Failure(
            f"{shown(below.solution)} is not there: the new lab starts from the reference of lab {below.number}"
        )
    made: list[Path] = []
    try:
        for parent, write in (("solutions", _write_solution), ("labs", _write_lab)):
            folder = ROOT / parent / name
            folder.mkdir()
            made.append(folder)
            write(folder, name, below)
    except OSError as error:
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)
        raise Failure(f"{error.filename or name} cannot be written: {error.strerror}") from error
    number = name[:2]
    say(f"labs/{name} and solutions/{name} are there; starter and reference are lab {below.number}'s reference so far.")
    _draw_pages(below.facts["family"])
    say("These work now:")
    say(f"    ./lab check {number}")
    say(f"    ./lab test -L lab{number}")
    say(f"Then replace each TODO in labs/{name} and solutions/{name}. docs/CONTRIBUTING.md says in which order.")
    return 0


def _check_name(name: str) -> None:
    match = NAME.fullmatch(name)
    if not match:
        raise Failure(
            f'"{name}" is not a name of a lab. It has two digits and words of small letters: 21_reduce_in_registers'
        )
    for folder in ("labs", "solutions"):
        taken = sorted((ROOT / folder).glob(f"{match[1]}_*"))
        if taken:
            raise Failure(
                f"number {match[1]} is taken: {shown(taken[0])} is there. Choose {_free()} or another free number."
            )


def _free() -> str:
    used = {path.name[:2] for folder in ("labs", "solutions") for path in (ROOT / folder).glob("[0-9][0-9]_*")}
    return min({f"{number:02}" for number in range(100)} - used, key=lambda free: (free < max(used), free))


def _title(name: str) -> str:
    return name[3:].replace("_", " ").capitalize()


def _facts(name: str, below: Lab) -> dict[str, Any]:
    """The new lab.json. Its author adds rules and thresholds after counting and measuring."""
    return {
        "title": _title(name),
        **{key: below.facts[key] for key in INHERITED if key in below.facts},
        "needs": [below.number],
        "baseline": below.facts["baseline"] if below.is_opencl else below.number,
        "speed": [],
        "speed_why": "TODO: the times are not measured on a card yet",
        "starter_fails": "pass",
    }


def _write_lab(folder: Path, name: str, below: Lab) -> None:
    words = {"number": name[:2], "title": _title(name), "below": below.number, "source": below.source.name}
    (folder / "README.md").write_text(HANDOUT.format(**words), encoding="utf-8")
    shutil.copyfile(below.solution, folder / below.source.name)
    # Written last: CMake and the launcher take a folder with this file for a lab.
    lines = [
        f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in _facts(name, below).items()
    ]
    (folder / "lab.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _write_solution(folder: Path, name: str, below: Lab) -> None:
    variant = _variant(below)
    shutil.copyfile(below.solution, folder / below.source.name)
    if variant:
        (folder / "wrong").mkdir()
        shutil.copyfile(variant, folder / "wrong" / variant.name)
    text = f" `{variant.stem}` is lab {below.number}'s, as an example." if variant else ""
    words = {"number": name[:2], "below": below.number, "source": below.source.name, "variant": text}
    (folder / "notes.md").write_text(NOTES.format(**words), encoding="utf-8")


def _variant(below: Lab) -> Path | None:
    """A wrong variant of lab MM that gives a wrong result. It serves as an example, and needs no rule to be caught."""
    for file in sorted(below.solution.parent.glob("wrong/*")):
        match = CAUGHT_BY.match(file.read_text(encoding="utf-8"))
        if match and match[1].startswith("case."):
            return file
    return None


def _draw_pages(family: str) -> None:
    """Draws the map and the tables, which show every lab. If matplotlib is missing, says how to draw them later."""
    for what in ("pages", "map", *([family] if family in PAGES else [])):
        command = ["-m", "common.pictures", what]
        done = subprocess.run([sys.executable, "-B", *command], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            say(f"docs/ has to be drawn anew with the matplotlib of requirements.txt:\n    python3 {' '.join(command)}")
