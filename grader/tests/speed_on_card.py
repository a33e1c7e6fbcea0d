#!/usr/bin/env python3
"""Judges the speed of every lab several times: does the verdict change from run to run?

    speed_on_card.py BUILD OUT.csv --commit COMMIT     on a machine with a GPU; BUILD is made by preset gpu

times each solution, and, where speed is graded, each starter that works (it is the working kernel of the rung below, or
near it), with `judge --only speed`, five times. It runs all labs once, then all labs again. So if the
time runs out, only the last rounds are missing. Writes a row for each run, prints a table, and exits with 0 if no
verdict changed between pass and fail and every solution passes.
"""

import argparse
import csv
import datetime
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = (
    *("lab", "code", "run", "verdict", "speedup", "low", "high", "ms", "baseline_ms", "baseline_alone_ms", "whole_ms"),
    *("serial_cpu_ms", "parallel_cpu_ms", "gb_per_s", "copy_gb_per_s", "share"),
    *("pairs", "contest_s", "judge_s", "how", "reason"),
)


def codes(build: Path) -> list[tuple[str, str]]:
    """(lab, solution or starter) of all timed files: a starter only if just a rule or a threshold refuses it."""
    found = []
    for folder in sorted((ROOT / "labs").glob("*/lab.json")):
        facts = json.loads(folder.read_text(encoding="utf-8"))
        lab = folder.parent.name
        works = facts["starter_fails"].startswith(("rule.", "pass"))
        for code in ["solution", *(["starter"] if works and facts["speed"] else [])]:
            if (build / "labs" / lab / code).exists():
                found.append((lab, code))
    return found


def timed(build: Path, lab: str, code: str) -> dict[str, object]:
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        verdict = Path(folder) / "verdict.json"
        command = [build / "grader" / "judge", "--lab", ROOT / "labs" / lab, "--device", "gpu", "--only", "speed"]
        command += ["--binary", build / "labs" / lab / code, "--json", verdict]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not verdict.exists():
            sys.exit(f"{lab}, {code}: the judge wrote no verdict\n{done.stdout}{done.stderr}")
        found = json.loads(verdict.read_text(encoding="utf-8"))
    speed = found["speed"]
    refused = found["failure"] is not None and not str(found["failed_check"]).startswith("speed.")
    low, high = speed["interval"] or (None, None)
    return {
        "verdict": found["verdict"] if refused else speed["verdict"],
        "speedup": speed["speedup"],
        "low": low,
        "high": high,
        "ms": speed["ms"],
        "baseline_ms": speed["baseline_ms"],
        "baseline_alone_ms": speed["baseline_alone_ms"],
        "whole_ms": found["time"]["whole_ms"],
        "serial_cpu_ms": found["serial_cpu"]["ms"],
        "parallel_cpu_ms": found["parallel_cpu"]["ms"],
        "gb_per_s": speed["gb_per_s"],
        "copy_gb_per_s": speed["copy_gb_per_s"],
        "share": speed["share_of_copy"],
        "pairs": speed["pairs"],
        "contest_s": speed["seconds"],
        "judge_s": time.monotonic() - start,
        "how": (speed["what"] or "").split(";")[0],
        "reason": " ".join("; ".join(found["failure"]["steps"]).split()) if refused else speed["reason"],
    }


def shown(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value


def card() -> str:
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    name, driver = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0].split(", ")
    return f"device {name}, driver {driver}, date {datetime.date.today().isoformat()}"


def table(rows: list[dict[str, object]]) -> int:
    """Prints a line for each file; returns how many files have both runs that pass and runs that fail."""
    of_code = defaultdict(list)
    for row in rows:
        of_code[row["lab"], row["code"]].append(row)
    changed = 0
    for (lab, code), runs in of_code.items():
        verdicts = [str(run["verdict"]) for run in runs]
        changes = {"pass", "fail"} <= set(verdicts)
        changed += changes
        speedups = " ".join(str(shown(run["speedup"])) for run in runs)
        print(f"{lab:30} {code:9} {', '.join(verdicts)}{'   CHANGED' if changes else ''}   speedups {speedups}")
        for reason in sorted({str(run["reason"]) for run in runs if run["reason"]}):
            print(f"    {reason}")
    return changed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=450, help="no further judge is started after that")
    arguments = parser.parse_args()
    build = arguments.build.resolve()

    start = time.monotonic()
    rows: list[dict[str, object]] = []
    missing = 0
    with arguments.out.open("w", newline="", encoding="utf-8") as out:
        out.write(f"# {card()}, commit {arguments.commit}; judge --only speed, {arguments.runs} runs of each code\n")
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for run in range(1, arguments.runs + 1):
            for lab, code in codes(build):
                if time.monotonic() - start > arguments.seconds:
                    missing += 1
                    continue
                row = {"lab": lab, "code": code, "run": run, **timed(build, lab, code)}
                writer.writerow({name: shown(value) for name, value in row.items()})
                out.flush()
                rows.append(row)
    changed = table(rows)
    lost = sum(row["code"] == "solution" and row["verdict"] not in ("pass", "not graded") for row in rows)
    open_runs = sum(row["verdict"] == "inconclusive" for row in rows)
    print(f"{len(rows)} runs in {time.monotonic() - start:.0f} s, {missing} left out; inconclusive: {open_runs}")
    print(f"codes whose verdict changed between pass and fail: {changed}; solutions' runs that did not pass: {lost}")
    sys.exit(1 if changed or lost else 0)


if __name__ == "__main__":
    main()
