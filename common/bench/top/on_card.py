#!/usr/bin/env python3
"""Compiles the kernels of this folder and CUB, checks them, and times them against each other on this machine's card.

    on_card.py NEWEST FOLDER --commit COMMIT [--dirty]

NEWEST is the include folder of a second CUB beside the toolkit's (nvidia/cu13/include/cccl of the wheel
nvidia-cuda-cccl). Writes FOLDER/top_DATE.csv, or FOLDER/top_dirty_DATE.csv.
"""

import argparse
import datetime
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMON = ["nvcc", "-O3", "-std=c++20", "-arch=native", "-cudart", "shared"]
# Each CUB hides all its names but ours, since two versions of a header in one process must not meet.
HIDDEN = ["-shared", "-Xcompiler", "-fPIC,-fvisibility=hidden", "-Xlinker"]


def output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compiled(place: Path, newest: Path) -> None:
    exports = place / "exports"
    exports.write_text("{ global: top_*; local: *; };\n")
    library = [*COMMON, *HIDDEN, f"--version-script={exports}", str(HERE / "cub.cu")]
    commands = [
        [*library, "-o", str(place / "toolkit.so")],
        [*library, f"-I{newest}", "-o", str(place / "newest.so")],
        [*COMMON, str(HERE / "check.cu"), "-o", str(place / "check")],
        [*COMMON, str(HERE / "bench.cu"), "-ldl", "-o", str(place / "bench")],
    ]
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda command: subprocess.run(command, check=False).returncode, commands))
    if any(results):
        sys.exit("on_card: nvcc failed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("newest", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--dirty", action="store_true", help="flush L2 by writing")
    given = parser.parse_args()
    flush = "dirty" if given.dirty else "clean"
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    device, driver = (
        output(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).strip().split(", ")
    )
    toolkit = re.search(r"release ([\d.]+)", output(["nvcc", "--version"]))
    with tempfile.TemporaryDirectory() as own:
        place = Path(own)
        compiled(place, given.newest)
        subprocess.run([str(place / "check")], check=True)
        rows = place / "rows.csv"
        libraries = [str(place / "toolkit.so"), str(place / "newest.so")]
        subprocess.run([str(place / "bench"), *libraries, str(rows), flush], check=True)
        name = f"top_{'dirty_' if given.dirty else ''}{date}.csv"
        head = f"# device {device}, driver {driver}, toolkit {toolkit[1] if toolkit else '?'}, date {date}"
        (given.folder / name).write_text(f"{head}, commit {given.commit}; ms between two events\n{rows.read_text()}")


if __name__ == "__main__":
    main()
