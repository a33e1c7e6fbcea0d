"""python3 -m common.pictures WHAT, in the repository, draws committed pictures and fills committed tables. WHAT is

NN                         a lab's picture, from a recording of its reference
map                        docs/map.svg, from the folders of labs/
scan, reduction, …         docs/FAMILY.svg, from what was measured
model                      docs/model.svg, the times of the cost model beside the measured ones
layers                     docs/layers.svg and the table of docs/layers.md, from the includes and imports of this tree
pages                      the tables and figures in docs/FAMILY.md and docs/model.md
"""

import argparse
import importlib.metadata
import importlib.util
import os
import re
import sys
from functools import partial
from pathlib import Path

from . import includes, ladder, layers, measured, pages, record

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77


def pinned_matplotlib() -> str:
    found = re.search(
        r"^matplotlib==(\S+)", (ROOT / "requirements-picture.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert found is not None
    return found[1]


def matplotlib_here() -> str:
    try:
        return importlib.metadata.version("matplotlib")
    except importlib.metadata.PackageNotFoundError:
        return "none"


def lab_folder(number: str) -> Path:
    found = sorted((ROOT / "labs").glob(f"{number}_*"))
    if len(found) != 1 or not (found[0] / "picture.py").exists():
        raise SystemExit(f"labs/{number}_*/picture.py: there is no such file")
    return found[0]


def draw(lab: Path, build: Path, out: Path) -> None:
    from .shapes import save

    spec = importlib.util.spec_from_file_location("picture", lab / "picture.py")
    assert spec is not None and spec.loader is not None
    picture = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(picture)
    save(picture.draw(*(record.run(one, lab, build) for one in picture.RECORDS)), out)


def draw_map(out: Path) -> None:
    from . import ladder_map
    from .shapes import save

    rungs = ladder.rungs(ROOT / "labs")
    wrong = ladder.complaints(rungs)
    if wrong:
        raise SystemExit("\n".join(wrong))
    save(ladder_map.draw(rungs, marks=out.suffix == ".svg"), out, style=ladder_map.MARKS)


def draw_family(name: str, out: Path) -> None:
    from . import family
    from .shapes import save

    save(family.draw(name, measured.load(ROOT)), out)


def draw_model(out: Path) -> None:
    from . import model
    from .shapes import save

    save(model.draw(model.load()), out)


def draw_layers(out: Path) -> None:
    from .shapes import save

    save(layers.draw(includes.by_room(includes.by_file(ROOT))), out)


def fill_pages(*, check: bool) -> int:
    old = pages.update(ROOT, check=check)
    if not check or not old:
        return 0
    print(
        f"{', '.join(old)}: tables or figures are not those of docs/measurements/ and labs/*/lab.json as they are now."
    )
    print("Read what it says about them; this writes them anew:\n    python3 -m common.pictures pages")
    return 1


def hold_layers(*, check: bool) -> int:
    """Checks the law of the rooms, and fills the table of docs/layers.md."""
    known = includes.by_file(ROOT)
    rooms = includes.by_room(known)
    wrong = includes.complaints(known) + layers.silent(ROOT, rooms)
    print("".join(f"{line}\n" for line in wrong), end="")
    if not layers.fill_page(ROOT, rooms, check=check) and check:
        print("docs/layers.md: its table is not what the rooms are now; this writes it:")
        print("    python3 -m common.pictures layers")
        return 1
    return 1 if wrong else 0


FIGURES = {"map": draw_map, "model": draw_model, "layers": draw_layers}
FIGURES |= {family: partial(draw_family, family) for family in ladder.FAMILIES}


def main() -> int:
    arguments = parser().parse_args()
    what: str = arguments.what
    if what == "pages":
        return fill_pages(check=arguments.check)
    python = ROOT / ".venv" / "bin" / "python"
    can_draw = matplotlib_here() == pinned_matplotlib()  # another version draws a little differently
    if not can_draw and python.exists() and Path(sys.prefix) != ROOT / ".venv":
        os.execv(python, [python, "-m", "common.pictures", *sys.argv[1:]])
    code = hold_layers(check=arguments.check) if what == "layers" else 0
    if not can_draw:
        print(f"skipped: matplotlib {pinned_matplotlib()} is needed, here is {matplotlib_here()};")
        print("./lab test installs it where there is none, and so does pip install -r requirements-picture.txt")
        return code or SKIPPED
    return draw_committed(what, arguments) or code


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python3 -m common.pictures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("what", metavar="WHAT", help=f"NN, {', '.join(FIGURES)}, or pages")
    made.add_argument(
        "--out", type=Path, metavar="F.svg", help="instead of the committed picture; or F.png, to look at"
    )
    made.add_argument("--build", type=Path, default=ROOT / "build", help="build tree with the judge and the solution")
    made.add_argument("--check", action="store_true", help="whether what is committed is what would be made")
    return made


def draw_committed(what: str, arguments: argparse.Namespace) -> int:
    """Draws the picture, or (check) draws it in the build tree and compares it with the committed one."""
    build = arguments.build.resolve()
    if what in FIGURES:
        committed = ROOT / "docs" / f"{what}.svg"
        fresh = build / "docs" / committed.name
    else:
        committed = lab_folder(what) / "picture.svg"
        fresh = build / "labs" / committed.parent.name / "picture.svg"
    out = arguments.out or (fresh if arguments.check else committed)
    out.parent.mkdir(parents=True, exist_ok=True)
    if what in FIGURES:
        FIGURES[what](out)
    else:
        draw(committed.parent, build, out)
    if not arguments.check or (committed.exists() and committed.read_bytes() == out.read_bytes()):
        return 0
    print(f"{committed.relative_to(ROOT)} is not what would be drawn now ({out}).")
    print(f"Look at the new one; if it is right, commit what this writes:\n    python3 -m common.pictures {what}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
