"""python3 -m common.pictures NN: draws a lab's picture from a recording of its reference. Run it in the repository."""

import argparse
import importlib.metadata
import importlib.util
import os
import re
import sys
from pathlib import Path

from . import record

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77


def pinned_matplotlib() -> str:
    found = re.search(r"^matplotlib==(\S+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m common.pictures", description=__doc__)
    parser.add_argument("lab", metavar="NN")
    parser.add_argument(
        "--out", type=Path, metavar="F.svg", help="instead of the lab's picture.svg; or F.png, to look at"
    )
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build tree with the judge and the solution")
    parser.add_argument("--check", action="store_true", help="whether the lab's picture.svg is what would be drawn")
    arguments = parser.parse_args()

    if matplotlib_here() != pinned_matplotlib():  # another version draws the same a little differently
        python = ROOT / ".venv" / "bin" / "python"
        if python.exists() and Path(sys.prefix) != ROOT / ".venv":
            os.execv(python, [python, "-m", "common.pictures", *sys.argv[1:]])
        print(f"skipped: matplotlib {pinned_matplotlib()} is needed, here is {matplotlib_here()};")
        print("./lab test installs it where there is none, and so does pip install -r requirements.txt")
        return SKIPPED

    lab, build = lab_folder(arguments.lab), arguments.build.resolve()
    committed = lab / "picture.svg"
    fresh = build / "labs" / lab.name / "picture.svg" if arguments.check else committed
    out = arguments.out or fresh
    draw(lab, build, out)
    if not arguments.check or (committed.exists() and committed.read_bytes() == out.read_bytes()):
        return 0
    print(f"{committed.relative_to(ROOT)} is not what its picture.py makes of the reference as it is now ({out}).")
    print(
        f"Look at the new one; if it is right, commit what this writes:\n    python3 -m common.pictures {arguments.lab}"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
