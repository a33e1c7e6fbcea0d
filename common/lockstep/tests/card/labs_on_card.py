#!/usr/bin/env python3
"""Every lab's solution on a card: how long its kernels take at the lab's real size, and what compute-sanitizer says.

    labs_on_card.py BUILD FOLDER --commit COMMIT     on a machine with a GPU, ncu and compute-sanitizer

writes FOLDER/kernels_DATE.csv and FOLDER/sanitizer_labs_DATE.csv. BUILD is made by preset gpu: machine code of this
card, as a learner builds it there. A kernel's time is gpu__time_duration. The L2 cache is flushed before each kernel,
and the clocks are not fixed. A call's time is the sum over its kernels. Allocations, copies, and additions on the host
do not count. Input bytes are random. An entry that takes a block's size gets the lab's first.
"""

import argparse
import csv
import datetime
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab_cases import call, device_entries, lab_cases, labs
from ncu_record import card_and_date, profile

RUNS = 7
SEED = "1"
TOOLS = ["memcheck --leak-check full", "racecheck", "initcheck", "synccheck"]
SANITIZED_SIZES = [1, 1000, 5000, 300_000]


def kernel_times(build: Path, case: list[str], block: int) -> tuple[list[str], list[float]]:
    """Names of the kernels of one call, and for each run the sum of their times in ms."""
    rows = profile(build, [*case, str(RUNS), str(block), SEED], ["gpu__time_duration.sum"], ["--cache-control", "all"])
    of_a_call = len(rows) // RUNS
    names = [row["Kernel Name"].split("(")[0].removeprefix("void ") for row in rows[:of_a_call]]
    ms = [float(row["gpu__time_duration.sum"].replace(",", "")) / 1e6 for row in rows]
    return names, [sum(ms[start : start + of_a_call]) for start in range(0, len(ms), of_a_call)]


def sanitizer_errors(build: Path, tool: str, case: list[str]) -> int:
    command = ["compute-sanitizer", "--tool", *tool.split(), "--target-processes", "all", f"./{case[0]}", *case[1:]]
    done = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False)
    counts = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", done.stdout + done.stderr)
    if not counts:
        sys.exit(f"{' '.join(command)} said nothing of errors:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return sum(map(int, counts))


def write(file: Path, head: str, columns: list[str], rows: list[list]) -> None:
    with file.open("w", newline="", encoding="utf-8") as out:
        out.write(head)
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def task(description: str | None) -> tuple[Path, Path, str, str]:
    """BUILD and FOLDER from the command line, the first lines of each record, and the date in its name."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commit", required=True)
    arguments = parser.parse_args()
    head = f"{card_and_date()}, commit {arguments.commit}"
    return arguments.build, arguments.folder, head, datetime.date.today().isoformat()


def main() -> None:
    build, folder, head, date = task(__doc__)
    times = []
    for lab, facts in labs():
        n = facts["sizes"]["real"]
        for entry in device_entries(facts):
            for below in (256, 1) if facts["family"] == "histogram" else (256,):
                case = call(lab, facts["contract"], entry, n, below)
                names, ms = kernel_times(build, case, facts.get("blocks", [256])[0])
                quartiles = statistics.quantiles(ms)
                row = [
                    lab,
                    entry,
                    n,
                    below,
                    " ".join(dict.fromkeys(names)),
                    len(names),
                    *(f"{q:.6f}" for q in quartiles),
                ]
                times.append(row)
                print(*row, flush=True)
    columns = ["lab", "entry", "n", "below", "kernels", "launches", "ms_q1", "ms", "ms_q3"]
    write(folder / f"kernels_{date}.csv", f"{head}; ms of {RUNS} runs: quartiles\n", columns, times)

    cases = [(tool, case) for case in lab_cases(SANITIZED_SIZES) for tool in TOOLS]
    with ThreadPoolExecutor(8) as pool:
        errors = list(pool.map(lambda job: sanitizer_errors(build, *job), cases))
    found = [[*case[1:4], case[6], tool.split()[0], n] for (tool, case), n in zip(cases, errors, strict=True)]
    print(sum(errors), "errors in", len(errors), "runs of compute-sanitizer")
    columns = ["solution", "entry", "n", "below", "tool", "errors"]
    write(folder / f"sanitizer_labs_{date}.csv", f"{head}\n", columns, found)


if __name__ == "__main__":
    main()
