#!/usr/bin/env python3
"""A card's limits: only reading, copying, and CUB, at the labs' real sizes, timed as labs_on_card.py times labs.

    limits_on_card.py BUILD FOLDER --commit COMMIT     on a machine with a GPU, nvcc and ncu

writes FOLDER/limits_DATE.csv; BUILD is made by preset gpu. Its solutions of the scans are timed here also at 2^28
elements, the size at which the card's copy and CUB's scan were first measured. A kernel's time is gpu__time_duration;
the L2 cache is flushed before each kernel, and the clocks are not changed. A call's time is the sum over its kernels.
The fastest of several forms of reading and copying counts.
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lab_cases import call, labs
from labs_on_card import RUNS, task, write
from ncu_record import profile

HERE = Path(__file__).resolve().parent
INTS, FLOATS, BYTES, LARGE = 1 << 24, 1 << 22, 100 << 20, 1 << 28
FORMS = ["0", "1", "2", "4", "8"]  # for reading and copying
LIMITS = [
    ("read_ints", INTS), ("read_ints", LARGE), ("read_bytes", BYTES), ("copy", FLOATS), ("copy", LARGE),
    ("cub_reduce", INTS), ("cub_reduce", LARGE), ("cub_scan_inclusive", FLOATS), ("cub_scan_inclusive", LARGE),
    ("cub_scan_exclusive", FLOATS), ("cub_scan_exclusive", LARGE), ("cub_histogram", BYTES),
    ("cub_histogram_constant", BYTES),
]  # fmt: skip


def commands(build: Path, program: Path) -> Iterator[tuple[str, int, Path, list[list[str]]]]:
    """The name, its size, and the commands: one, or several forms, of which the fastest counts."""
    for what, n in LIMITS:
        command = [program.name, what, str(n), str(RUNS)]
        forms = FORMS if what.startswith(("read", "copy")) else []
        yield what, n, program.parent, [[*command, form] for form in forms] or [command]
    for lab, facts in labs():
        if facts["contract"] == "scan" and "largest" not in facts["sizes"]:  # a scan takes any length
            entry = facts.get("measured", facts["entries"][-1])
            yield lab, LARGE, build, [[*call(lab, "scan", entry, LARGE), str(RUNS)]]


def timed(place: Path, command: list[str]) -> tuple[int, list[float]]:
    """The kernels of a call, and the quartiles of the sum of their times, in ms."""
    kernels = profile(place, command, ["gpu__time_duration.sum"], ["--cache-control", "all"])
    kernels = [kernel for kernel in kernels if not kernel["Kernel Name"].startswith("fill(")]
    of_a_call = len(kernels) // RUNS
    ms = [float(kernel["gpu__time_duration.sum"].replace(",", "")) / 1e6 for kernel in kernels]
    calls = [sum(ms[start : start + of_a_call]) for start in range(0, of_a_call * RUNS, of_a_call)]
    return of_a_call, statistics.quantiles(calls)


def main() -> None:
    build, folder, head, date = task(__doc__)
    rows = []
    with tempfile.TemporaryDirectory() as own:
        program = Path(own) / "card_limits"
        options = ["-O3", "-std=c++20", "-arch=native", f"-I{HERE.parents[3]}", "-o", str(program)]
        if subprocess.run(["nvcc", *options, str(HERE / "card_limits.cu")], check=False).returncode != 0:
            sys.exit("card_limits.cu does not compile")
        for what, n, place, forms in commands(build, program):
            tried = [timed(place, command) for command in forms]
            launches, quartiles = min(tried, key=lambda one: one[1][1])
            rows.append([what, n, launches, *(f"{q:.6f}" for q in quartiles)])
            print(*rows[-1], "of medians", *(f"{one[1][1]:.6f}" for one in tried), flush=True)
    columns = ["what", "n", "launches", "ms_q1", "ms", "ms_q3"]
    write(folder / f"limits_{date}.csv", f"{head}; ms of {RUNS} runs: quartiles\n", columns, rows)


if __name__ == "__main__":
    main()
