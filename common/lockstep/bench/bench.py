#!/usr/bin/env python3
"""Measures lockstep's speed with V (vector add) and R (block sum), as plain programs under LD_LIBRARY_PATH.

Runs of V, R and of both without their kernel are interleaved, so that a slow minute of the machine hits all
alike. Reported: the time of the launch as the program sees it, and the whole process less the same process
without the kernel; each as median and spread. Sets gpuocelot's figures beside them, which are from another run
on two cores and were not measured here.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = {"vector_add": ("V", 0.58), "block_sum": ("R", 1.30)}


def run(binary: Path, library: Path, repetitions: int, report: Path | None = None) -> tuple[float, float]:
    """Seconds of the whole process and of the kernel alone."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library)}
    if report:
        environment["LOCKSTEP_REPORT"] = str(report)
    begin = time.perf_counter()
    done = subprocess.run([binary, str(repetitions)], env=environment, capture_output=True, text=True, check=True)
    return time.perf_counter() - begin, float(done.stdout.split()[0])


def thread_instructions(binary: Path, library: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        run(binary, library, 1, report)
        return json.loads(report.read_text())["launches"][0]["counters"]["smsp__thread_inst_executed.sum"]


def spread(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.4f} s ({min(seconds):.4f} to {max(seconds):.4f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where vector_add and block_sum were built")
    parser.add_argument("library", type=Path, help="the folder of lockstep's libcudart.so.13")
    parser.add_argument("--runs", type=int, default=15)
    arguments = parser.parse_args()

    kernel: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    beyond_start: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for name in PROGRAMS:
        run(arguments.folder / name, arguments.library, 1)  # into the page cache
    for _ in range(arguments.runs):
        for name in PROGRAMS:
            binary = arguments.folder / name
            empty, _ = run(binary, arguments.library, 0)
            whole, launch = run(binary, arguments.library, 1)
            kernel[name].append(launch)
            beyond_start[name].append(whole - empty)

    print(f"{arguments.runs} interleaved runs each, on {os.cpu_count()} cores, one thread; median (least to most)")
    for name, (letter, gpuocelot) in PROGRAMS.items():
        median = statistics.median(kernel[name])
        instructions = thread_instructions(arguments.folder / name, arguments.library)
        print(f"{letter} {name}: launch {spread(kernel[name])}, process beyond its start {spread(beyond_start[name])}")
        print(f"  {instructions / 1e6:.1f}M thread-instructions, {instructions / median / 1e9:.2f}G a second")
        print(f"  gpuocelot {gpuocelot:.2f} s: {gpuocelot / median:.1f} times lockstep's launch"
              " (gpuocelot's figure is from another run on two cores, not measured here)")


if __name__ == "__main__":
    main()
