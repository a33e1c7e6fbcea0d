#!/usr/bin/env python3
"""Judges every submission of the corpus, three at a time: each must get the verdict that it names, and leave nothing.

    hostile_test.py JUDGE BUILD [NAME…]       JUDGE is the program; BUILD/labs/NN_name/build.json say how labs are built
    hostile_test.py JUDGE BUILD --few         one hostile entry of each verdict and check, one honest entry of most labs
    hostile_test.py --write                   the table of README.md, which the test compares

It may not leave behind: a process (each worker adopts the processes that the judge loses), a file with the run's canary
in its name in a folder that all users may write to, in the repository or in the submission's folder, or a connection to
the listener. A submission that reaches something forbidden prints BREACHED, and the test fails with any verdict.
"""

import argparse
import ctypes
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from corpus import HOSTILE, ROOT, Entry, entries

LIMIT = 3600  # seconds for one judge: a guard against a hang, with room for a busy machine
SHARED = ("/tmp", "/var/tmp", "/dev/shm")
# Elements of the measured case. At fewer, the rules of these labs do not hold: their kernels have other tiles, and the
# host may copy as much as a small array has.
REAL = {"24": 262_144, "25": 1_048_576, "26": 1_048_576}
TABLE = "<!-- made by hostile_test.py --write -->\n"


@dataclass
class Trial:
    """The results of one entry."""

    name: str
    wanted: str
    got: str = ""
    seconds: float = 0
    complaints: list[str] = field(default_factory=list)


def small_lab(number: str, into: Path, case_seconds: float, compile_seconds: float = 120) -> Path:
    """The lab with fewer cases and other limits, under its own name, by which the judge finds its build."""
    source = next(folder for folder in (HOSTILE / "labs", ROOT / "labs") for folder in folder.glob(f"{number}_*"))
    lab = json.loads((source / "lab.json").read_text(encoding="utf-8"))
    sizes = lab["sizes"]
    lab["sizes"] = {
        "real": min(REAL.get(number, 16384), sizes["real"]),
        "largest": min(8192, sizes.get("largest", 8192)),
    }
    lab |= {"speed": [], "speed_why": "a small case's says nothing"}
    lab["limits"] = {"case_s": case_seconds, "real_s": 2 * case_seconds, "compile_s": compile_seconds}
    lab["limits"]["whole_s"] = 4 * case_seconds if case_seconds < 10 else 120
    folder = into / source.name
    folder.mkdir(parents=True)
    (folder / "lab.json").write_text(json.dumps(lab), encoding="utf-8")
    return folder


def adopt_orphans() -> None:
    """A process that a judge leaves behind becomes this process's child. Called once in each worker."""
    pr_set_child_subreaper = 36
    if ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0) != 0:
        raise OSError("prctl")


def children() -> list[int]:
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def end_children() -> list[str]:
    """Ends and names the processes that the judge left to us."""
    ended = []
    for pid in children():
        ended.append(Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return ended


def left_files(canary: str, folders: list[Path]) -> list[Path]:
    """Finds files with the canary in their name, and removes them."""
    left = [file for folder in folders for file in folder.glob(f"*{canary}*")]
    for file in left:
        file.unlink()
    return left


def try_one(entry: Entry, judge: Path, build: Path, places: dict[str, str]) -> Trial:
    trial = Trial(entry.name, entry.wants())
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        folder = Path(name)
        submission, scratch = folder / "submission", folder / "tmp"
        submission.mkdir()
        scratch.mkdir()
        places = {**places, "SUBMISSION": str(submission), "CANARY": "canary-" + secrets.token_hex(8)}
        file = entry.prepare(submission, places)
        before = sorted(submission.iterdir())
        limits = (1 if entry.verdict == "time" else 10, 10 if entry.verdict == "compile error" else 120)
        lab = small_lab(entry.lab, folder / "labs", *limits)
        built = build / "labs" / ("02_reduce_neighbored" if entry.lab == "99" else lab.name) / "build.json"
        verdict = folder / "verdict.json"
        command = [judge, "--lab", lab, "--build", built, "--file", file, "--seed", "1", "--json", verdict]
        command.append("--thorough")  # as ./lab grade does
        environment = {**os.environ, "TMPDIR": str(scratch), "SECRET_OF_THE_TEST": "1"}
        start = time.monotonic()
        try:
            done = subprocess.run(
                command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT
            )
            said = (done.stdout + done.stderr).decode(errors="replace")
        except subprocess.TimeoutExpired:
            trial.complaints.append(f"the judge itself took more than {LIMIT} s")
            said = ""
        trial.seconds = time.monotonic() - start
        take_verdict(entry, verdict, said, trial)
        for process in end_children():
            trial.complaints.append(f"a process is left: {process}")
        if left := [path.name for path in scratch.iterdir()]:
            trial.complaints.append(f"left in the judge's folder: {left}")
        if sorted(submission.iterdir()) != before:
            trial.complaints.append(f"left in the submission's folder: {sorted(submission.iterdir())}")
        repository = [ROOT, ROOT / "solutions", lab_folder(ROOT, "02"), build, build / "lockstep", build / "runner"]
        for path in left_files(places["CANARY"], [*map(Path, SHARED), Path.home(), *repository]):
            trial.complaints.append(f"a file is left: {path}")
    return trial


def lab_folder(root: Path, number: str) -> Path:
    return next((root / "labs").glob(f"{number}_*"))


def take_verdict(entry: Entry, file: Path, said: str, trial: Trial) -> None:
    if not file.exists():
        trial.complaints.append(f"no verdict: {said[-2000:]}")
        return
    text = file.read_text(encoding="utf-8")
    result = json.loads(text)
    check = result["failed_check"] or ""
    trial.got = f"{result['verdict']} · {check}" if check else result["verdict"]
    covered = not entry.check or check == entry.check or check.startswith(entry.check + ".")
    if result["verdict"] != entry.verdict or not covered:
        trial.complaints.append(f"{trial.got}, not {entry.wants()}\n{said[-2500:]}")
    failure = result["failure"]  # a finding's own text names the next step
    if failure and not failure["next"] and "Next:" not in "".join(failure["steps"]):
        trial.complaints.append("no next step is named")
    for line in (text + said).splitlines():
        if "BREACHED:" in line:
            trial.complaints.append(line.strip()[:500])
            break


class Listener:
    """Listens on the loopback address and counts connections."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            connection, _ = self.socket.accept()
            self.connections += 1  # before the other side sees the end of the connection
            connection.close()


def nets_hold() -> str:
    """Tests the search itself: a process in its own session, a file and a connection must be found. Empty if so."""
    adopt_orphans()
    subprocess.run(["setsid", "--fork", "sleep", "20"], check=True)
    if not end_children():
        return "a process that is left behind is not seen"
    canary = "canary-" + secrets.token_hex(8)
    Path("/tmp", canary).touch()
    if not left_files(canary, [Path("/tmp")]):
        return "a file that is left behind is not seen"
    listener = Listener()
    socket.create_connection(("127.0.0.1", listener.port)).recv(1)
    return "" if listener.connections == 1 else "a connection is not seen"


def table(every: list[Entry]) -> str:
    lines = []
    for honest, title in ((False, "Hostile or faulty"), (True, "Honest, but strange")):
        chosen = [entry for entry in every if entry.honest == honest]
        lines += [
            f"## {title}: {len(chosen)}",
            "",
            "| submission | lab | what it tries | verdict |",
            "|---|---|---|---|",
        ]
        lines += [f"| `{e.name}` | {e.lab} | {e.what.replace('|', '&#124;')} | {e.wants()} |" for e in chosen]
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("judge", type=Path, nargs="?")
    parser.add_argument("build", type=Path, nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    every = entries()
    readme = HOSTILE / "README.md"
    head = readme.read_text(encoding="utf-8").partition(TABLE)[0]
    if arguments.write:
        readme.write_text(head + TABLE + table(every), encoding="utf-8")
        return 0
    complaints = [] if readme.read_text(encoding="utf-8") == head + TABLE + table(every) else ["README.md: run --write"]
    if trouble := nets_hold():
        complaints.append(trouble)
    chosen = [entry for entry in every if not arguments.names or entry.name in arguments.names]
    return judge_all(few(chosen) if arguments.few else chosen, arguments.judge, arguments.build, complaints)


def few(every: list[Entry]) -> list[Entry]:
    """One hostile entry of each verdict and check, and one honest entry of each lab: about a sixth of the corpus.

    Labs of large cases take long. Their hostile entries are taken only for a verdict and check that no other lab has.
    Their honest entries are left out: the tests solution.NN show that these labs accept what is right.
    """
    seen: set[tuple[str, ...]] = set()
    chosen = []
    for entry in sorted(every, key=lambda entry: entry.lab in REAL):
        kind = ("honest in", entry.lab) if entry.honest else (entry.wants(),)
        if kind not in seen and not (entry.honest and entry.lab in REAL):
            chosen.append(entry)
        seen.add(kind)
    return chosen


def judge_all(chosen: list[Entry], judge: Path, build: Path, complaints: list[str]) -> int:
    """complaints: the faults found so far."""
    listener = Listener()
    places = {
        "REPOSITORY": str(ROOT),
        "PORT": str(listener.port),
        "PID_NAMESPACE": str(Path("/proc/self/ns/pid").readlink()),
    }
    start = time.monotonic()
    as_named = 0
    with ProcessPoolExecutor(3, initializer=adopt_orphans) as pool:
        trials = [pool.submit(run_named, entry.name, judge, build, places) for entry in chosen]
        for future in trials:
            trial = future.result()
            as_named += not trial.complaints
            print(f"{trial.seconds:6.1f} s  {trial.name:36} {trial.got}", flush=True)
            for complaint in trial.complaints:
                print("        " + complaint.replace("\n", "\n        "))
    if listener.connections:
        complaints.append(f"{listener.connections} connections to the listener")
    for complaint in complaints:
        print(complaint)
    honest = sum(entry.honest for entry in chosen)
    print(
        f"{as_named} of {len(chosen)} verdicts as named ({len(chosen) - honest} hostile, {honest} honest), "
        f"{'nothing left behind' if as_named == len(chosen) and not complaints else 'see above'}; "
        f"{time.monotonic() - start:.0f} s"
    )
    return 0 if as_named == len(chosen) and not complaints else 1


def run_named(name: str, judge: Path, build: Path, places: dict[str, str]) -> Trial:
    return try_one(next(entry for entry in entries() if entry.name == name), judge.resolve(), build.resolve(), places)


if __name__ == "__main__":
    sys.exit(main())
