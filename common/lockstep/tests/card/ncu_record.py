#!/usr/bin/env python3
"""Counters of whole programs on a card, by Nsight Compute → docs/measurements/CARD/ncu_DATE.csv, which
ncu_equality_test compares with lockstep.

    ncu_record.py BUILD OUT.csv --commit COMMIT      on a machine with a GPU and ncu, BUILD made by preset lockstep

The programs hold only PTX for compute_75: the card's driver translates the same PTX that lockstep reads.
"""

import argparse
import csv
import datetime
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lab_cases import STRESS, lab_cases

SPACES = {"global": ("ld", "st", "red", "atom"), "local": ("ld", "st")}
COUNTERS = [
    *(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom")),
    *(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom")),
    *(
        f"l1tex__t_{what}_pipe_lsu_mem_{space}_op_{op}.sum"
        for space, ops in SPACES.items()
        for op in ops
        for what in ("requests", "sectors")
    ),
]
# The wavefronts that the instructions need, without those that replies from global memory add.
COUNTERS += [f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st")]
# What PTX cannot tell, beside it; what a launch's shape alone decides; and the split between L1 and shared memory that
# the driver chose, and registers, which lockstep does not claim to know.
INSTRUCTIONS = [
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
]
OCCUPANCY = [
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_warps",
    "launch__occupancy_limit_shared_mem",
    "launch__registers_per_thread",
]
# A block that is not full; several full blocks and a last one that is not full. At most what the lab allows.
SIZES = [1000, 5000, 300_000]
# Programs, relative to the build.
PROGRAMS = [[STRESS + "shared_memory"], [STRESS + "global_memory"], [STRESS + "local_memory"]]


def profile(build: Path, case: list[str], counters: list[str], options: Sequence[str] = ()) -> list[dict[str, str]]:
    command = [
        "ncu", "--clock-control", "none", *options, "--target-processes", "all", "--csv", "--page", "raw",
        "--print-units", "base", "--metrics", ",".join(counters), f"./{case[0]}", *case[1:],
    ]  # fmt: skip
    done = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(case)}: ncu ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    return [row for row in csv.DictReader(lines) if row["ID"]]  # the line below the header holds units


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def known(counters: list[str]) -> list[str]:
    """The counters that this ncu can count on this card. The others are printed, and left out."""
    names = {line.split()[0] for line in output_of("ncu", "--query-metrics").splitlines() if line.strip()}
    asked = [counter for counter in counters if not counter.startswith("launch__")]  # these are not hardware counters
    missing = [counter for counter in asked if counter.removesuffix(".sum") not in names]
    if missing:
        print(f"ncu does not know {', '.join(missing)}", file=sys.stderr)
    return [counter for counter in counters if counter not in missing]


def card_and_date() -> str:
    """The first lines of a record: the card and the tools."""
    device, driver = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").split(", ")
    toolkit = output_of("nvcc", "--version").split("release ")[1].split(",")[0]
    return f"# device {device}, driver {driver}, toolkit {toolkit}, date {datetime.date.today().isoformat()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit", required=True)
    arguments = parser.parse_args()
    ncu = output_of("ncu", "--version").splitlines()[-1]
    counters = known([*COUNTERS, *INSTRUCTIONS, *OCCUPANCY])
    with arguments.out.open("w", newline="", encoding="utf-8") as file:
        file.write(f"{card_and_date()}, Nsight Compute {ncu}, commit {arguments.commit}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["program", "kernel", "grid", "block", *counters])
        for case in [*PROGRAMS, *lab_cases(SIZES)]:
            for row in profile(arguments.build, case, counters):
                counts = [row[name].replace(",", "") for name in counters]
                shape = [row[name].strip("()").replace(",", "") for name in ("Grid Size", "Block Size")]
                writer.writerow([" ".join(case), row["Kernel Name"], *shape, *counts])
                file.flush()


if __name__ == "__main__":
    main()
