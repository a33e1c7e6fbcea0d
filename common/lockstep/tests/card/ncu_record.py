#!/usr/bin/env python3
"""Counters of whole programs on a card, by Nsight Compute → docs/measurements/CARD/ncu_DATE.csv, which
ncu_equality_test compares with lockstep.

    ncu_record.py BUILD OUT.csv --commit COMMIT [--part stress programs labs]

Runs on a machine with a GPU and ncu. BUILD was made by preset lockstep; the part `programs` also needs the target
lockstep_long_programs. The test reads for each program the newest file that has it, so a record may hold only some
parts. The programs hold only PTX for compute_75: the card's driver compiles the same PTX that lockstep reads.
"""

import argparse
import csv
import datetime
import subprocess
import sys
from collections.abc import Iterator, Sequence
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
# The wavefronts that the instructions need, without those that the unit adds for replies from global memory.
COUNTERS += [f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom")]
# Counters that PTX cannot tell; counters that depend only on a launch's shape; and the driver's split between L1 and
# shared memory, and registers, which lockstep does not know.
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
# One block that is not full; several full blocks and a last one that is not; each as large as the lab allows.
SIZES = [1000, 5000, 300_000]
# Programs in STRESS, relative to the build.
KERNELS = [
    "shared_memory", "global_memory", "local_memory", "tile_products", "scans", "reductions", "one_address",
    "stencils", "local_arrays", "structures", "loops", "algorithms", "printing", "last_stores", "last_bits",
    "lanes_apart", "left_memory", "filled_arrays",
]  # fmt: skip
# CUB and Thrust launch hundreds of kernels, most of them on few elements. At most MOST launches of each program are
# recorded, after as many as stand here: those that work on more elements.
LIBRARIES = {
    "cub_histogram": 70, "cub_radix_sort": 50, "cub_reduce": 11, "cub_run_length_encode": 0, "cub_scan": 60,
    "cub_segmented_reduce": 0, "cub_select": 30, "cub_transform": 0, "thrust_numeric": 40, "thrust_order": 70,
}  # fmt: skip
MOST = 40
PARTS = ["stress", "programs", "labs"]


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


def recorded(parts: Sequence[str]) -> Iterator[tuple[list[str], int, int]]:
    """The command lines of these parts; for each the first launch to record, and how many at most (0: all)."""
    if "stress" in parts:
        yield from (([STRESS + program], 0, 0) for program in KERNELS)
    if "programs" in parts:
        yield from (([STRESS + program], first, MOST) for program, first in LIBRARIES.items())
    if "labs" in parts:
        yield from ((case, 0, 0) for case in lab_cases(SIZES))


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def known(counters: list[str]) -> list[str]:
    """The counters that this ncu can count on this card; the others are printed and left out."""
    names = {line.split()[0] for line in output_of("ncu", "--query-metrics").splitlines() if line.strip()}
    asked = [counter for counter in counters if not counter.startswith("launch__")]  # those are not hardware counters
    missing = [counter for counter in asked if counter.removesuffix(".sum") not in names]
    if missing:
        print(f"ncu does not know {', '.join(missing)}", file=sys.stderr)
    return [counter for counter in counters if counter not in missing]


def card_and_date() -> str:
    """The first lines of a record: the machine that it was made on."""
    device, driver = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").split(", ")
    toolkit = output_of("nvcc", "--version").split("release ")[1].split(",")[0]
    return f"# device {device}, driver {driver}, toolkit {toolkit}, date {datetime.date.today().isoformat()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=PARTS)
    arguments = parser.parse_args()
    ncu = output_of("ncu", "--version").splitlines()[-1]
    counters = known([*COUNTERS, *INSTRUCTIONS, *OCCUPANCY])
    failures: list[str] = []
    with arguments.out.open("w", newline="", encoding="utf-8") as file:
        file.write(f"{card_and_date()}, Nsight Compute {ncu}, commit {arguments.commit}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["program", "launch", "kernel", "grid", "block", *counters])
        for case, first, most in recorded(arguments.part):
            options = ["--launch-skip", str(first), "--launch-count", str(most)] if most else []
            try:
                rows = profile(arguments.build, case, counters, options)
            except SystemExit as failure:  # the card's time is dear: the others are recorded all the same
                failures.append(str(failure))
                continue
            for launch, row in enumerate(rows, first):
                counts = [row[name].replace(",", "") for name in counters]
                shape = [row[name].strip("()").replace(",", "") for name in ("Grid Size", "Block Size")]
                writer.writerow([" ".join(case), launch, row["Kernel Name"], *shape, *counts])
                file.flush()
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
