"""save_to_verdict: how long ./lab watch takes from a saved file to the first failing case, and to the verdict.

For each lab a wrong file (a wrong variant that a case catches, or else the starter) and the reference are saved in
turn, and the lines that the watch prints are timed. It writes one row for each save, and prints medians and the worst.

    cd grader; python3 -B -m learner.tests.save_to_verdict --out ../docs/measurements/save_to_verdict_DATE.csv
    options: --labs 00,05   --times 3
"""

import argparse
import csv
import datetime
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from launcher import setup, variants
from launcher.labs import Lab, all_labs, find_lab
from launcher.paths import ROOT, commit

FIELDS = ("lab", "saved", "verdict", "first_failing_s", "verdict_s")
WAITING = re.compile(r"Verdict: (.*)\. Waiting for the file to be saved\.")


@dataclass
class Timed:
    verdict: str
    first_failing_s: float | None
    verdict_s: float


class Watched:
    """A ./lab watch whose output is a pipe."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.file = folder / lab.source.name
        words = [str(ROOT / "lab"), "watch", lab.number, "--device", "lockstep", "--file", str(self.file)]
        env = os.environ | {"WARPLADDER_PROGRESS": str(folder / "progress.json"), "PYTHONUNBUFFERED": "1"}
        self.saves = 0
        self.file.write_text("// nothing yet\n", encoding="utf-8")
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=env)
        self._until_it_waits(0)

    def save(self, code: str) -> Timed:
        self.saves += 1
        start = time.monotonic()
        self.file.write_text(f"{code}\n// save {self.saves}\n", encoding="utf-8")
        return self._until_it_waits(start)

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()

    def _until_it_waits(self, start: float) -> Timed:
        stream: IO[str] | None = self.process.stdout
        assert stream is not None
        failing = None
        for line in stream:
            if failing is None and line.startswith("  ✗ "):
                failing = time.monotonic() - start
            if found := WAITING.match(line):
                return Timed(found[1], failing, time.monotonic() - start)
        raise SystemExit(f"the watch has ended with {self.process.wait()}")


def wrong_code(lab: Lab) -> str:
    """A file that fails by a case."""
    for variant in variants.all_variants(lab.solution.parent):
        if variant.checks[0].startswith("case."):
            return variant.code()
    return lab.source.read_text(encoding="utf-8")


def measure(lab: Lab, times: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        watched = Watched(lab, Path(folder))
        try:
            for _ in range(times):
                for saved, code in (("wrong", wrong_code(lab)), ("right", lab.solution.read_text(encoding="utf-8"))):
                    timed = watched.save(code)
                    rows.append({"lab": lab.name, "saved": saved, **vars(timed)})
                    print(*rows[-1].values(), file=sys.stderr, flush=True)
                    if (timed.verdict == "accepted") != (saved == "right"):
                        raise SystemExit(f"{lab.name}: {saved} code is {timed.verdict}")
        finally:
            watched.end()
    return rows


def summary(rows: list[dict[str, object]], key: str) -> str:
    found = {row["lab"]: [r[key] for r in rows if r["lab"] == row["lab"] and r[key] is not None] for row in rows}
    medians = {lab: statistics.median(values) for lab, values in found.items() if values}
    slowest = max(medians, key=lambda lab: medians[lab])
    every = [value for values in found.values() for value in values]
    worst = f"slowest lab {slowest} {medians[slowest]:.2f}, slowest save {max(every):.2f}"
    return f"{key}: median {statistics.median(every):.2f}, {worst}"


def machine() -> str:
    """What the times depend on, and how busy it was."""
    cpu = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    name = cpu[1] if cpu else platform.machine()
    date, busy = datetime.date.today().isoformat(), os.getloadavg()[2]
    return f"{name}, {os.cpu_count()} cores, load {busy:.1f} over 15 minutes, {date}, commit {commit()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--labs", help="numbers, separated by commas (default: all)")
    parser.add_argument("--times", type=int, default=3, help="how often each file is saved")
    asked = parser.parse_args()
    labs = [find_lab(number) for number in asked.labs.split(",")] if asked.labs else all_labs()
    missing = setup.missing_opencl()
    rows = [row for lab in labs if not (missing and lab.is_opencl) for row in measure(lab, asked.times)]
    if asked.out:
        with asked.out.open("w", encoding="utf-8", newline="") as file:
            file.write(f"# {machine()}\n")
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            for row in rows:
                writer.writerow(
                    {key: f"{value:.3f}" if isinstance(value, float) else value for key, value in row.items()}
                )
    for key in ("first_failing_s", "verdict_s"):
        print(summary(rows, key))


if __name__ == "__main__":
    main()
