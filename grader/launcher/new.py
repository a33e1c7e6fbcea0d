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

from . import labs, variants
from .console import Failure, say
from .labs import Lab
from .language import _
from .paths import ROOT, shown

NAME = re.compile(r"(\d\d)_[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
PAGES = ("reduction", "scan", "histogram")  # families with a page of their own
# A new lab copies these keys of lab.json from the lab that it grows out of.
INHERITED = ("family", "contract", "entries", "source", "blocks", "measured", "sizes", "inputs", "measured_inputs")
INHERITED += ("graded_inputs", "offsets", "schedules", "limits", "arch", "nvcc")
TEMPLATES = Path(__file__).parent / "templates"  # of the new lab's texts; {number} and the like are filled in


def run(arguments: Namespace) -> int:
    name = arguments.name
    below = labs.find_lab(arguments.below)
    _check_name(name)
    if not labs.has_solutions():
        below.need_solution()
    if not below.solution.exists():
        raise Failure(
            _(
                "{solution} is not there: the new lab starts from the reference of lab {below}",
                solution=shown(below.solution),
                below=below.number,
            )
        )
    made: list[Path] = []
    try:
        for parent, write in (("solutions", _write_solution), ("labs", _write_lab)):
            folder = ROOT / parent / name
            folder.mkdir()
            made.append(folder)
            write(folder, name, below)
    except (OSError, Failure) as error:
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, Failure):
            raise
        raise Failure(_("{file} cannot be written: {why}", file=error.filename or name, why=error.strerror)) from error
    number = name[:2]
    say(
        _(
            "labs/{name} and solutions/{name} are there; starter and reference are lab {below}'s reference so far.",
            name=name,
            below=below.number,
        )
    )
    _draw_pages(below.facts["family"])
    say(_("These work now:\n    ./lab check {number}\n    ./lab test -L lab{number}", number=number))
    say(
        _(
            "Then replace each TODO in labs/{name} and solutions/{name}. docs/CONTRIBUTING.md says in which order.",
            name=name,
        )
    )
    return 0


def _check_name(name: str) -> None:
    match = NAME.fullmatch(name)
    if not match:
        raise Failure(
            _(
                '"{name}" is not a name of a lab. It has two digits and words of small letters: 21_reduce_in_registers',
                name=name,
            )
        )
    for folder in ("labs", "solutions"):
        taken = sorted((ROOT / folder).glob(f"{match[1]}_*"))
        if taken:
            raise Failure(
                _(
                    "number {number} is taken: {file} is there. Choose {free} or another free number.",
                    number=match[1],
                    file=shown(taken[0]),
                    free=_free(),
                )
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


def _write_text(file: Path, template: str, name: str, below: Lab, **words: str) -> None:
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    words |= {"number": name[:2], "below": below.number, "source": below.source.name}
    file.write_text(text.format(**words), encoding="utf-8")


def _write_lab(folder: Path, name: str, below: Lab) -> None:
    _write_text(folder / "README.md", "handout.md", name, below, title=_title(name))
    shutil.copyfile(below.solution, folder / below.source.name)
    # Written last: CMake and the launcher take a folder with this file for a lab.
    facts = _facts(name, below).items()
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in facts]
    (folder / "lab.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _write_solution(folder: Path, name: str, below: Lab) -> None:
    variant = _variant(below)
    shutil.copyfile(below.solution, folder / below.source.name)
    if variant:
        (folder / "wrong").mkdir()
        shutil.copyfile(variant, folder / "wrong" / variant.name)
    example = f" `{variant.stem}` is lab {below.number}'s, as an example." if variant else ""
    _write_text(folder / "notes.md", "notes.md", name, below, variant=example)


def _variant(below: Lab) -> Path | None:
    """A wrong variant of lab MM that gives a wrong result. It serves as an example, and needs no rule to be caught."""
    known = variants.all_variants(below.solution.parent)
    return next((variant.file for variant in known if variant.checks[0].startswith("case.")), None)


def _draw_pages(family: str) -> None:
    """Draws the map and the tables, which show every lab. If matplotlib is missing, says how to draw them later."""
    for what in ("pages", "map", *([family] if family in PAGES else [])):
        command = ["-m", "common.pictures", what]
        done = subprocess.run([sys.executable, "-B", *command], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            say(
                _(
                    "docs/ has to be drawn anew with the matplotlib of requirements-picture.txt:\n    python3 "
                    "{command}",
                    command=" ".join(command),
                )
            )
