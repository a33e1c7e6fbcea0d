#!/usr/bin/env python3
"""Whole programs print, compute and report the same bytes on several threads of the host as on one.

The programs are the given ones, and the solution of every lab in a tree.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "bench"))
import lab_binary

LAB_THREADS = (1, 2, 3, 8)
PROGRAM_THREADS = (1, 8)  # some of them take seconds
LAB_SIZE = 1_000_003  # elements, if the lab allows so many


def differs(
    name: str, library: Path, numbers: tuple[int, ...], outcome: Callable[[dict[str, str]], tuple[bytes, ...]]
) -> bool:
    """outcome: how the program ended with this environment."""
    results = {}
    for threads in numbers:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            environment = {**os.environ, "LD_LIBRARY_PATH": str(library), "LOCKSTEP_REPORT": str(report)}
            environment["LOCKSTEP_THREADS"] = str(threads)
            results[threads] = (*outcome(environment), report.read_bytes())
    wrong = [str(threads) for threads in numbers if results[threads] != results[1]]
    size = len(results[1][-1])
    print(f"{name}: " + (f"differs on {', '.join(wrong)} threads" if wrong else f"the same, report of {size} bytes"))
    return bool(wrong)


def program_differs(program: Path, library: Path) -> bool:
    def outcome(environment: dict[str, str]) -> tuple[bytes, ...]:
        done = subprocess.run([program], env=environment, capture_output=True, check=True)
        return done.stdout, done.stderr

    return differs(program.name, library, PROGRAM_THREADS, outcome)


def lab_differs(lab: lab_binary.Lab, library: Path) -> bool:
    def outcome(environment: dict[str, str]) -> tuple[bytes, ...]:
        size = min(LAB_SIZE, lab.largest)
        called = lab_binary.call(lab.binary, lab.contract, lab.entry, size, environment)
        value = "a time" if lab.contract == "saxpy" else str(called.value)
        return called.output, value.encode()

    return differs(lab.name, library, LAB_THREADS, outcome)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path, help="the folder of lockstep's libcudart")
    parser.add_argument("programs", type=Path, nargs="*", help="each judges itself")
    parser.add_argument("--labs", type=Path, nargs=2, metavar=("SOURCE", "BUILT"), help="both trees' folders labs")
    arguments = parser.parse_args()
    different = [program_differs(program, arguments.library) for program in arguments.programs]
    if arguments.labs:
        different += [lab_differs(lab, arguments.library) for lab in lab_binary.find_labs(*arguments.labs)]
    return sum(different)


if __name__ == "__main__":
    sys.exit(main())
