#!/usr/bin/env python3
"""Runs every case of a program under every schedule, and prints the processor time of each. A counter that is called
exact must not depend on the schedule.

The source says of each case what must happen: "// ends: NAME" (it ends, and its answer is right) or "// deadlock: NAME"
(the report has a deadlock).
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SCHEDULES = ["forward", "reverse", "random:1", "random:2", "random:3"]


def cases(source: Path) -> dict[str, str]:
    """Case → "ends" or "deadlock". Every CASE(…) must be named once."""
    text = source.read_text()
    named = {name: kind for kind, name in re.findall(r"^// (ends|deadlock): (\w+)$", text, re.MULTILINE)}
    written = re.findall(r"^CASE\((\w+)\)", text, re.MULTILINE)
    if sorted(named) != sorted(written) or not written:
        sys.exit(f"{source.name}: the comments name {sorted(named)}, the cases are {sorted(written)}")
    return named


def run(program: Path, case: str, schedule: str, library: Path) -> tuple[bool, dict[str, Any], float]:
    """Whether its answer is right, its report, and its seconds of processor time."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        settings = {"LD_LIBRARY_PATH": str(library), "LOCKSTEP_SCHEDULE": schedule, "LOCKSTEP_REPORT": str(report)}
        with subprocess.Popen(
            [program, case], env={**os.environ, **settings}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode == 0, json.loads(report.read_text()), usage.ru_utime + usage.ru_stime


def exact(report: dict[str, Any]) -> list[dict[str, float]]:
    """The counters of each launch that are called exact."""
    return [
        {
            name: value
            for name, value in launch["counters"].items()
            if (report["counter_kinds"] | launch.get("counter_kinds", {}))[name] == "exact"
        }
        for launch in report["launches"]
    ]


def differing(one: list[dict[str, float]], other: list[dict[str, float]]) -> list[str]:
    """The counters that both call exact, and that differ. Only of as many launches: the host may repeat one."""
    if len(one) != len(other):
        return []
    return [
        f"{name}: {value} and {b[name]}"
        for a, b in zip(one, other, strict=True)
        for name, value in a.items()
        if b.get(name, value) != value
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("program", type=Path)
    parser.add_argument("--library", type=Path, required=True, help="the folder of lockstep's libcudart")
    arguments = parser.parse_args()
    failures = 0
    print("| case | " + " | ".join(SCHEDULES) + " |\n|" + "---|" * (len(SCHEDULES) + 1))
    for case, kind in cases(arguments.source).items():
        cells = []
        usual: list[dict[str, float]] = []
        for schedule in SCHEDULES:
            right, report, seconds = run(arguments.program, case, schedule, arguments.library)
            found = {finding["kind"] for finding in report["findings"]}
            usual = usual or exact(report)
            differ = differing(usual, exact(report))
            good = (right and not found if kind == "ends" else "deadlock" in found) and not differ
            failures += not good
            failed = f" FAILED {'' if right else 'wrong '}{sorted(found)} {differ}"
            cells.append(f"{seconds:.2f} s" + ("" if good else failed))
        print(f"| {case} | " + " | ".join(cells) + " |", flush=True)
    sys.exit(f"{failures} runs failed" if failures else 0)


if __name__ == "__main__":
    main()
