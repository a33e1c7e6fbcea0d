#!/usr/bin/env python3
"""Compares two builds of lockstep: how much longer does the second take than the first?

Every measurement runs the two builds in turn, so a slow minute of the machine affects both. The unit is processor
time, on one thread. A ratio is made of two runs that follow each other; the table has the median of the ratios, with
the least and the most. V and R (`vector_add`, `block_sum`), the labs' solutions and the programs of `orders` come from
the second build, and load the library of each build. `lockstep_classes` is each build's own, because lockstep is
linked into it. Prints Markdown.

If asked for, the part `instructions` counts with callgrind, which the load of the machine does not change: the host's
instructions for three more launches of V and R, and for three more turns of each loop of `lockstep_classes`. The part
`order_instructions` counts the whole processes of `orders`; it takes half an hour.
"""

import argparse
import os
import subprocess
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

import bench
import callgrind
import lab_binary

BUILDS = ("first", "second")
Seconds = Callable[[str], float]  # BUILDS → processor seconds


def compared(title: str, rows: Iterable[tuple[str, Seconds]], runs: int) -> None:
    """A row for each name. A program that the first build cannot run has a row without figures."""
    lines = []
    for name, seconds in rows:
        try:
            measured = bench.interleaved(runs, BUILDS, seconds)
        except (RuntimeError, subprocess.CalledProcessError) as problem:
            lines.append([name, "does not run:", str(problem)[:60], ""])
            continue
        ratios = [b / a for a, b in zip(measured["first"], measured["second"], strict=True)]
        lines.append([name, *(bench.spread(measured[build], "s", 4) for build in BUILDS), bench.spread(ratios, "", 3)])
    print(f"## {title}\n")
    bench.table(["", *BUILDS, "longer by"], lines)


def programs(trees: dict[str, bench.Tree], launches: int) -> Iterable[tuple[str, Seconds]]:
    """One launch, from a process with many launches minus one with none."""
    for name, letter in bench.PROGRAMS.items():
        for checks in ("none", "all"):

            def seconds(build: str, name: str = name, checks: str = checks) -> float:
                environment = trees[build].environment(checks=checks)
                binary = trees["second"].program(name)
                none, many = (bench.times([binary, str(count)], environment)[1] for count in (0, launches))
                return (many - none) / launches

            yield f"{letter}, checks: {checks}", seconds


def kinds(trees: dict[str, bench.Tree]) -> list[str]:
    listed = bench.run([trees["second"].program("lockstep_classes"), "1", "1"], dict(os.environ))
    return [line.split("\t")[0] for line in listed.splitlines()]


def classes(trees: dict[str, bench.Tree], iterations: int) -> Iterable[tuple[str, Seconds]]:
    """One thousand million thread-instructions of each kind of instruction."""
    for name in kinds(trees):

        def seconds(build: str, name: str = name) -> float:
            binary = trees[build].program("lockstep_classes")
            said = bench.run([binary, str(iterations), "1", name], dict(os.environ)).split("\t")
            return float(said[3]) / float(said[1]) * 1e9

        yield name, seconds


def labs(trees: dict[str, bench.Tree]) -> Iterable[tuple[str, Seconds]]:
    """A process that calls a lab's solution at the lab's real size."""
    for lab in lab_binary.find_labs(trees["second"].source / "labs", trees["second"].build / "labs"):

        def seconds(build: str, lab: lab_binary.Lab = lab) -> float:
            environment = trees[build].environment()
            before = bench.childrens_processor()
            lab_binary.call(lab.binary, lab.contract, lab.entry, lab.real_size, environment)
            return bench.childrens_processor() - before

        yield lab.name, seconds


def orders(trees: dict[str, bench.Tree]) -> Iterable[tuple[str, Seconds]]:
    """Whole processes with every check."""
    binary = trees["second"].program("orders")
    for case in bench.cases(binary, trees["second"]):

        def seconds(build: str, case: str = case) -> float:
            return bench.times([binary, case], trees[build].environment(checks="all"))[1]

        yield case, seconds


def counted(title: str, rows: Iterable[tuple[str, Callable[[str], int]]]) -> None:
    """A row for each name, in millions of the host's instructions."""
    lines = []
    for name, count in rows:
        first, second = (count(build) for build in BUILDS)
        lines.append([name, f"{first / 1e6:.2f}", f"{second / 1e6:.2f}", f"{(second / first - 1) * 100:+.1f} %"])
    print(f"## {title}\n")
    bench.table(["", *BUILDS, "change"], lines)


def for_valgrind(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, "LOCKSTEP_MEMORY": "1G"}  # under valgrind, the checks cannot reserve more addresses


def counted_programs(trees: dict[str, bench.Tree]) -> Iterable[tuple[str, Callable[[str], int]]]:
    for name, letter in bench.PROGRAMS.items():
        less, more = ([trees["second"].program(name), str(launches)] for launches in bench.COUNTED)
        for checks in ("none", "all"):

            def count(build: str, less: list = less, more: list = more, checks: str = checks) -> int:
                tree = trees[build]
                threads = [
                    bench.thread_instructions(lambda report, c=c: bench.run(c, tree.environment(report=report)))
                    for c in (less, more)
                ]
                environment = for_valgrind(tree.environment(checks=checks))
                return callgrind.difference(less, more, environment, threads[1] - threads[0])

            yield f"{letter}, checks: {checks}", count


def counted_classes(trees: dict[str, bench.Tree]) -> Iterable[tuple[str, Callable[[str], int]]]:
    for name in kinds(trees):
        yield name, lambda b, n=name: bench.host_instructions(trees[b].program("lockstep_classes"), n)[0]


def counted_orders(trees: dict[str, bench.Tree]) -> Iterable[tuple[str, Callable[[str], int]]]:
    binary = trees["second"].program("orders")
    for case in bench.cases(binary, trees["second"]):

        def count(build: str, case: str = case) -> int:
            return callgrind.instructions([binary, case], for_valgrind(trees[build].environment(checks="all")))

        yield case, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="the repository")
    parser.add_argument("first", type=Path, help="the build tree to compare with")
    parser.add_argument("second", type=Path, help="the build tree of this repository")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--parts", nargs="*", default=["programs", "classes", "labs", "orders"])
    arguments = parser.parse_args()
    trees = {build: bench.Tree(arguments.source, getattr(arguments, build)) for build in BUILDS}
    print("# Two builds of lockstep\n")
    print(f"{bench.machine()}; {arguments.runs} interleaved runs: median (least to most) of the processor's time.\n")
    if "instructions" in arguments.parts:
        counted("Instructions of the host, millions", chain(counted_programs(trees), counted_classes(trees)))
    if "order_instructions" in arguments.parts:
        counted("Fences, releases and acquires, with every check: the host's, millions", counted_orders(trees))
    if "programs" in arguments.parts:
        compared("V and R, one launch", programs(trees, launches=20), arguments.runs)
    if "classes" in arguments.parts:
        compared("10^9 thread-instructions of a kind", classes(trees, bench.ITERATIONS), arguments.runs)
    if "labs" in arguments.parts:
        compared("The labs' solutions at their real size", labs(trees), max(3, arguments.runs // 3))
    if "orders" in arguments.parts:
        compared("Fences, releases and acquires, with every check", orders(trees), max(3, arguments.runs // 3))


if __name__ == "__main__":
    main()
