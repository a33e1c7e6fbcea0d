"""faults: runs the cases of this folder on lockstep with every check on, and compares the findings with those that each
case expects. One line for each case; exits with 0 only if every fault was found, at its lines, and nothing else."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from corpus import Case, CorpusError, Expected, program_of, read_corpus

TIMEOUT = 600  # seconds: a guard, with room for a busy machine; a deadlock is found in a few of processor time


class Run:
    """One case under one schedule: its findings, and whether its answer was right (None: it did not get that far)."""

    def __init__(self, case: Case, schedule: str, options: argparse.Namespace) -> None:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            environment = dict(
                os.environ,
                LD_LIBRARY_PATH=str(options.library),
                LOCKSTEP_CHECKS=case.checks,
                LOCKSTEP_SCHEDULE=schedule,
                LOCKSTEP_REPORT=str(report),
            )
            self.trouble = ""
            self.text = ""
            self.right = None
            try:
                done = subprocess.run(
                    [program_of(case, options.programs), case.name],
                    env=environment,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=TIMEOUT,
                )
                if done.returncode in (0, 1):
                    self.right = done.returncode == 0
                else:
                    self.trouble = f"ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}"
            except subprocess.TimeoutExpired:
                self.trouble = f"still ran after {TIMEOUT} s"
            if report.exists():
                self.text = report.read_text()
            elif not self.trouble:
                self.trouble = "wrote no report"
        report = json.loads(self.text) if self.text else {}
        self.findings = report.get("findings", [])
        self.failed_calls = report.get("failed_calls", [])


def finding_lines(finding: dict, case: Case) -> set[int]:
    """The finding's lines in the case's own file; a line in another file counts as 0, which no case expects."""
    places = [finding] + ([finding["other"]] if finding.get("other") else [])
    return {p.get("line", 0) if Path(p.get("file") or "").name == case.source.name else 0 for p in places}


def describe(finding: dict) -> str:
    place = f"{finding['kind']} at {Path(finding.get('file') or '?').name}:{finding.get('line', 0)}"
    other = finding.get("other")
    return place + (f" and {Path(other.get('file') or '?').name}:{other.get('line', 0)}" if other else "")


def fits(finding: dict, expected: Expected, case: Case) -> bool:
    if finding["kind"] != expected.kind or not finding.get("message"):
        return False
    if expected.lines and finding_lines(finding, case) != expected.lines:
        return False
    if expected.lines and not ("block" in finding and "thread" in finding):
        return False
    if expected.kind == "race" and not finding.get("other"):
        return False
    return all(text in finding["message"] for text in expected.texts())


MOST_LINES = 10  # of a message: a person reads it in a terminal, above a verdict


def manners(name: str, message: str) -> list[str]:
    """What every message owes its reader: one next step, few lines, none of them twice."""
    lines = message.splitlines()
    wrong = []
    if message.count("Next: ") != 1:
        wrong.append(f"{message.count('Next: ')} next steps")
    if len(lines) > MOST_LINES:
        wrong.append(f"{len(lines)} lines")
    if len(set(lines)) < len(lines):
        wrong.append("a line twice")
    if "luck" in message:
        wrong.append("luck: only a judge knows whether the answer was right")
    return [f"the message of {name} has {', '.join(wrong)}"] if wrong else []


def judge(case: Case, schedule: str, run: Run) -> list[str]:
    """The mistakes of this run, in words; empty if there are none."""
    if run.trouble:
        return [run.trouble]
    wrong = []
    left = list(run.findings)
    for expected in case.expected:
        match = next((f for f in left if fits(f, expected, case)), None)
        if match:
            left.remove(match)
        else:
            lines = " and ".join(str(line) for line in sorted(expected.lines))
            says = f", saying {', '.join(expected.texts())}" if expected.says else ""
            wrong.append(f"no {expected.kind}" + (f" at {lines}" if lines else "") + says)
    wrong += [
        f"found {describe(f)}" for f in left if not (f["kind"] in case.also and finding_lines(f, case) <= case.lines)
    ]
    for text in case.fails:
        if not any(text in call for call in run.failed_calls):
            wrong.append(f"no failed call: {text}")
    for finding in run.findings:
        wrong += manners(describe(finding), finding["message"])
    for call in run.failed_calls:
        wrong += manners("a failed call", call)
    right = case.answers.get(schedule, True if case.innocent else None)
    if right is not None and run.right != right:
        wrong.append("the answer is " + ("right" if run.right else "wrong"))
    return wrong


def without_addresses(report: str) -> str:
    """The operating system chooses the address of the device's memory, and it differs in every process."""
    return re.sub(r"0x[0-9a-f]+", "0x…", report)


def judge_replay(case: Case, schedule: str, run: Run, options: argparse.Namespace) -> list[str]:
    again = Run(case, schedule, options)
    same = without_addresses(again.text) == without_addresses(run.text) and again.right == run.right
    return [] if same else [f"{schedule} does not replay: a second run reports something else"]


def check(case: Case, options: argparse.Namespace) -> dict[str, list[str]]:
    """Schedule → its mistakes."""
    results = {}
    for schedule in options.schedules:
        run = Run(case, schedule, options)
        results[schedule] = judge(case, schedule, run)
        if schedule.startswith("random:") and not results[schedule]:
            results[schedule] = judge_replay(case, schedule, run, options)
    return results


def print_case(case: Case, results: dict[str, list[str]]) -> bool:
    want = ", ".join(case.kinds) or "nothing"
    bad = {schedule: wrong for schedule, wrong in results.items() if wrong}
    if case.missed:
        if not bad:
            print(f"FAIL {case.group:18} {case.name:34} is found now: take out its line 'missed'")
        else:
            print(f"miss {case.group:18} {case.name:34} {want}; {case.missed}")
        return bool(bad)
    print(f"{'FAIL' if bad else 'ok  '} {case.group:18} {case.name:34} {want}", flush=True)
    for schedule, wrong in bad.items():
        for line in wrong:
            print(f"       {schedule}: {line}")
    if bad:
        print(f"       {case.source}:{case.line}")
    return not bad


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", help="files without .cu; all if none is named")
    parser.add_argument("--programs", type=Path, required=True, help="folder of the built programs")
    parser.add_argument("--library", type=Path, required=True, help="folder of lockstep's libcudart")
    parser.add_argument("--schedules", default="forward,reverse,random:1", type=lambda text: text.split(","))
    parser.add_argument("--case", help="this one only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    if not any(options.library.glob("libcudart.so.*")):
        sys.exit(f"{options.library}/libcudart.so.* is missing. Next: cmake --build BUILD --target cudart_lockstep.")
    try:
        cases = read_corpus(options.groups)
    except CorpusError as error:
        sys.exit(str(error))
    cases = [case for case in cases if options.case in (None, case.name)]
    if not cases:
        sys.exit(f"no case is called {options.case}")
    begin = time.monotonic()
    good = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, results in zip(cases, pool.map(lambda case: check(case, options), cases), strict=True):
            good[case.name] = print_case(case, results)
    faulty = [case for case in cases if not case.innocent]
    innocent = [case for case in cases if case.innocent]
    found = sum(good[c.name] and not c.missed for c in faulty)
    blamed = sum(not good[c.name] or bool(c.missed) for c in innocent)
    print(
        f"{found} of {len(faulty)} faults found; {blamed} of {len(innocent)} right programs blamed or broken; "
        f"schedules {', '.join(options.schedules)}; {time.monotonic() - begin:.1f} s"
    )
    return 0 if all(good.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
