#!/usr/bin/env python3
"""Measures lockstep: V (vector add) and R (block sum), each kind of instruction, every lab's solution, memory; and
what the checks take of programs full of fences, releases and acquires.

Prints Markdown. Runs are interleaved, so that a slow minute of the machine affects all programs equally. A figure is
the median of the runs, with the minimum and the maximum. Instruction counts of the host are callgrind's. They do not
depend on the machine's load; without valgrind they are left out.
"""

import argparse
import datetime
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import callgrind
import lab_binary

PROGRAMS = {"vector_add": "V", "block_sum": "R"}
GOALS = {("V", "none"): 0.015, ("R", "none"): 0.035, ("V", "all"): 0.06, ("R", "all"): 0.14}  # seconds, one thread
GOAL_RATE = 1.5  # 10^9 thread-instructions per second, arithmetic and coalesced memory, one thread
ITERATIONS = 50  # of the classes' loops
COUNTED = (1, 4)  # iterations, or launches, of the two processes that callgrind counts
MIB = 1024 * 1024


K, T = TypeVar("K"), TypeVar("T")


@dataclass
class Tree:
    source: Path
    build: Path

    @property
    def library(self) -> Path:
        return self.build / "lockstep"

    def program(self, name: str) -> Path:
        """Ends this process, with what to do, if the program is not built."""
        binary = self.build / "common/lockstep/bench" / name
        if not binary.exists():
            target = name if name == "lockstep_classes" else f"lockstep_program_{name}"
            sys.exit(f"{binary} is not built. Run: cmake --build {self.build} --target cudart_lockstep {target}")
        return binary

    def environment(self, threads: int = 1, checks: str = "none", report: Path | None = None) -> dict[str, str]:
        ours = {"LD_LIBRARY_PATH": str(self.library), "LOCKSTEP_THREADS": str(threads), "LOCKSTEP_CHECKS": checks}
        return {**os.environ, **ours} | ({"LOCKSTEP_REPORT": str(report)} if report else {})


def spread(values: Iterable[float], unit: str, digits: int) -> str:
    v = list(values)
    return f"{statistics.median(v):.{digits}f} ({min(v):.{digits}f} to {max(v):.{digits}f}) {unit}"


def table(head: list[str], rows: Iterable[list[str]]) -> None:
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(row) + " |")
    print()


def run(command: list[str | Path], environment: dict[str, str]) -> str:
    """What the program prints."""
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def childrens_processor() -> float:
    """Processor seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def times(command: list[str | Path], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of the whole process, by the clock and of the processor."""
    begin, before = time.perf_counter(), childrens_processor()
    run(command, environment)
    return time.perf_counter() - begin, childrens_processor() - before


def interleaved(runs: int, keys: Iterable[K], measure: Callable[[K], T]) -> dict[K, list[T]]:
    results: dict[K, list[T]] = {key: [] for key in keys}
    for _ in range(runs):
        for key, values in results.items():
            values.append(measure(key))
    return results


def peak_bytes(command: list[str | Path], environment: dict[str, str]) -> int:
    """Peak resident memory, polled until the process ends (wait4's value would include this interpreter's)."""
    peak = 0
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        while child.poll() is None:
            peak = max(peak, lab_binary.peak_kib(child.pid) * 1024)
            time.sleep(0.001)
    return peak


def thread_instructions(measure: Callable[[Path], object]) -> int:
    """measure: runs a program that writes its report to the given file."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        measure(report)
        launches = json.loads(report.read_text())["launches"]
        return int(sum(launch["counters"]["smsp__thread_inst_executed.sum"] for launch in launches))


def programs(tree: Tree, runs: int) -> None:
    def measure(variant: tuple[str, str]) -> tuple[float, float]:
        name, checks = variant
        start, full = (times([tree.program(name), kernels], tree.environment(checks=checks)) for kernels in "01")
        return full[0] - start[0], full[1] - start[1]

    rows = []
    variants = [(name, checks) for name in PROGRAMS for checks in ("none", "all")]
    for (name, checks), results in interleaved(runs, variants, measure).items():
        clock, processor = zip(*results, strict=True)
        count = thread_instructions(lambda report, n=name: run([tree.program(n), "1"], tree.environment(report=report)))
        rate = count / statistics.median(processor) / 1e9
        goal = f"{GOALS[PROGRAMS[name], checks]} s"
        row = [f"{PROGRAMS[name]} ({name})", checks, spread(clock, "s", 4), spread(processor, "s", 4)]
        rows.append([*row, goal, f"{rate:.2f}"])
    print("## V and R, one thread\n")
    print("Each time is that of the process minus that of the same process without the kernel. Other programs on the")
    print("machine lengthen the processor's time less than the time by the clock.\n")
    head = ["program", "checks", "by the clock", "processor", "goal", "10^9 thread-instructions per processor second"]
    table(head, rows)


def classes(tree: Tree, runs: int) -> None:
    binary = tree.program("lockstep_classes")
    wall: dict[str, list[float]] = {}
    processor: dict[str, list[float]] = {}
    for _ in range(runs):
        for line in run([binary, str(ITERATIONS), "1"], dict(os.environ)).splitlines():
            name, count, seconds, processor_seconds = line.split("\t")
            wall.setdefault(name, []).append(int(count) / float(seconds) / 1e9)
            processor.setdefault(name, []).append(int(count) / float(processor_seconds) / 1e9)
    figures = [[name, spread(wall[name], "", 2), spread(processor[name], "", 2)] for name in wall]
    counted = [host_instructions(binary, name) if callgrind.installed() else None for name in wall]
    rows = [[*row, f"{count[0] / count[1]:.2f}" if count else "-"] for row, count in zip(figures, counted, strict=True)]
    print(
        f"## Kinds of instructions, one thread, counters on (goal for arithmetic and coalesced memory: {GOAL_RATE})\n"
    )
    print("10^9 thread-instructions per second, by the clock and by the processor's time. The last column is how many")
    print("instructions of the host one thread-instruction takes.\n")
    table(["kind", "by the clock", "by the processor's time", "host instructions"], rows)


def host_instructions(binary: Path, name: str) -> tuple[int, int]:
    """Of three iterations of a class's loop: instructions of the host, thread-instructions."""
    less, more = ([binary, str(iterations), "1", name] for iterations in COUNTED)
    counted = [int(run(command, dict(os.environ)).split("\t")[1]) for command in (less, more)]
    threads = counted[1] - counted[0]
    return callgrind.difference(less, more, dict(os.environ), threads), threads


def labs(tree: Tree, runs: int, threads: int) -> None:
    rows = []
    for lab in lab_binary.find_labs(tree.source / "labs", tree.build / "labs"):

        def call(environment: dict[str, str], lab: lab_binary.Lab = lab) -> lab_binary.Call:
            return lab_binary.call(lab.binary, lab.contract, lab.entry, lab.real_size, environment)

        count = thread_instructions(lambda report, call=call: call(tree.environment(report=report)))
        seconds = interleaved(runs, (1, threads), lambda n, call=call: call(tree.environment(threads=n)).seconds)
        one, several = (statistics.median(seconds[n]) for n in (1, threads))
        row = [lab.name, f"{lab.real_size}", f"{count / 1e6:.1f}M", spread(seconds[1], "s", 3)]
        rows.append([*row, f"{count / one / 1e9:.2f}", spread(seconds[threads], "s", 3), f"{one / several:.2f}"])
    print("## The labs' solutions at their real size\n")
    head = ["lab", "elements", "thread-instructions", "one thread", "10^9 a second", f"{threads} threads", "faster by"]
    table(head, rows)


def scaling(tree: Tree, runs: int, counts: list[int]) -> None:
    rows = []
    for name, letter in PROGRAMS.items():

        def a_launch(threads: int, name: str = name) -> float:
            return float(run([tree.program(name), "20"], tree.environment(threads=threads)).split()[0]) / 20

        seconds = interleaved(runs, counts, a_launch)
        one = statistics.median(seconds[counts[0]])
        for n in counts:
            rows.append([letter, str(n), spread(seconds[n], "s", 4), f"{one / statistics.median(seconds[n]):.2f}"])
    print("## Threads of the host: one of 20 launches\n")
    table(["program", "threads", "a launch", "faster by"], rows)


def memory(tree: Tree) -> None:
    """Peak resident bytes, minus those of a program that only starts the runtime."""
    rows = []

    def add(name: str, device_bytes: int, peak: Callable[[dict[str, str]], int]) -> None:
        row = [name, f"{device_bytes / MIB:.1f}"]
        for checks, factor in (("none", 2), ("all", 6)):
            empty = peak_bytes([tree.program("empty")], tree.environment(checks=checks))
            used = peak(tree.environment(checks=checks)) - empty
            row += [f"{used / MIB:.1f}", f"{(factor * device_bytes + 100e6) / MIB:.1f}"]
        rows.append(row)

    for name, letter in PROGRAMS.items():
        size = 4 << 20
        on_device = 3 * size if letter == "V" else size + size // 256
        add(letter, on_device, lambda e, n=name: peak_bytes([tree.program(n), "1"], e))
    for lab in lab_binary.find_labs(tree.source / "labs", tree.build / "labs"):
        # Runs with checks take long at the real size; a tenth shows the same.
        n = lab.real_size // 10
        add(
            f"{lab.name}, {n} elements",
            sum(lab_binary.arrays(lab.contract, lab.entry).sizes(n)),
            lambda e, lab=lab, n=n: lab_binary.call(lab.binary, lab.contract, lab.entry, n, e).peak_kib * 1024,
        )
    # Their allocations are unknown here; 0 is a lower bound.
    for source in sorted((tree.source / "common/lockstep/tests/programs").glob("*.cu")):
        program = tree.build / "common/lockstep/tests" / source.stem
        if program.exists():
            add(source.stem, 0, lambda e, p=program: peak_bytes([p], e))
    print("## Memory, MiB\n")
    print("Peak resident memory minus that of a program that only starts the runtime. It includes the program's own")
    print("arrays on the host. The bound is 2 times the memory that the program allocated on the device plus 100 MB;")
    print("with every check it is 6 times that memory plus 100 MB.\n")
    table(["program", "allocated", "no checks", "bound", "every check", "bound"], rows)


def cases(binary: Path, tree: Tree) -> list[str]:
    """The names of a program's cases, from its usage."""
    usage = subprocess.run([binary], env=tree.environment(), capture_output=True, text=True, check=False).stderr.split()
    return usage[usage.index("of") + 1 :]


def orders(tree: Tree, runs: int) -> None:
    """What fences, releases and acquires cost under the checks: whole processes, in turn."""
    binary = tree.program("orders")
    rows = []
    for case in cases(binary, tree):

        def processor(checks: str, case: str = case) -> float:
            return times([binary, case], tree.environment(checks=checks))[1]

        seconds = interleaved(runs, ("none", "all"), processor)
        ratios = [b / a for a, b in zip(seconds["none"], seconds["all"], strict=True)]
        rows.append([case, *(spread(seconds[checks], "s", 3) for checks in ("none", "all")), spread(ratios, "", 1)])
    print("## Fences, releases and acquires, one thread\n")
    print("Processor time of the whole process. The goal is at most five times the time without checks.\n")
    table(["case", "no checks", "every check", "longer by"], rows)


def machine() -> str:
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    name = found[1] if found else platform.processor()
    return f"{name}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f} at the start"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="the repository")
    parser.add_argument("build", type=Path, help="the build tree")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2], help="for the scaling")
    parser.add_argument("--parts", nargs="*", default=["programs", "classes", "orders", "scaling", "labs", "memory"])
    arguments = parser.parse_args()
    tree = Tree(arguments.source, arguments.build)
    git = ["git", "-C", str(tree.source), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip() or "unknown"
    print("# How fast lockstep is\n")
    print(f"{machine()};")
    print(f"{datetime.date.today()}, commit {commit}; {arguments.runs} interleaved runs: median (least to most).")
    print("V is `vector_add`, and R is `block_sum`: [speed.md](../speed.md) explains both.")
    print("A thread-instruction is one instruction of one emulated thread.")
    print("Made by `cmake --build build --target lockstep_bench`.\n")
    if "programs" in arguments.parts:
        programs(tree, arguments.runs)
    if "classes" in arguments.parts:
        classes(tree, arguments.runs)
    if "orders" in arguments.parts:
        orders(tree, arguments.runs)
    if "scaling" in arguments.parts:
        scaling(tree, arguments.runs, arguments.threads)
    if "labs" in arguments.parts:
        labs(tree, max(1, arguments.runs // 4), max(arguments.threads))
    if "memory" in arguments.parts:
        memory(tree)


if __name__ == "__main__":
    main()
