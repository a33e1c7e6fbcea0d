"""judging: gives one submission to the judge, in a process of its own, and returns the outcome. It is used on this
machine and on a cluster.

No submission and no judge can end this process. When grade() returns, no process and no file of the judge is left.
"""

import hashlib
import json
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from launcher import judge
from launcher.console import visible
from launcher.labs import Lab

from . import memory
from .intake import Submission
from .records import FAULT, Grader

# The judge limits what it runs, by the time that processes work or sleep. This is a guard against a hang, with room for
# a busy machine.
WALL_SECONDS = 3 * 3600.0
END_SECONDS = 5.0  # for the judge to clean up
ATTEMPTS = 2  # if the judge crashed or could not be started; not if it reports a fault itself
FAULT_CODE = 2  # the judge's exit code for a fault of its own or of the machine


@dataclass(frozen=True)
class Task:
    submission: Submission  # to one lab, not refused
    grader: Grader  # the judge must be built from the sources of its version
    hidden: bytes | None

    @property
    def device(self) -> str:
        return self.grader.options["device"]


@dataclass(frozen=True)
class Place:
    """Where a judge runs."""

    tree: Path  # the build tree
    folder: Path  # for temporary files
    environment: Mapping[str, str] = field(default_factory=dict)  # variables beside our own
    stop: threading.Event = field(default_factory=threading.Event)  # once set, running judges are ended


Done = tuple[Task, dict[str, Any]]
Outcomes = Generator[Done, None, None]  # closing it early ends the judges that are running


def fault(error: str | None, judge: dict[str, Any] | None = None) -> dict[str, Any]:
    """The outcome if there is no score: judge is what the judge said itself, error what went wrong otherwise."""
    said = None if error is None else visible(error)
    outcome = {"verdict": FAULT, "score": None, "of": 100, "error": said, "judge": judge}
    return {**outcome, "seconds": 0.0, "peak_bytes": 0}


def seed_of(hidden: bytes | None) -> int:
    """The seed of all inputs: from the hidden file, which the seed does not reveal, or at random."""
    if hidden is None:
        return secrets.randbits(32)
    return int.from_bytes(hashlib.sha256(b"seed" + hidden).digest()[:4], "little")


class Interrupted(Exception):
    """The batch ends before this task has an outcome."""


def grade(task: Task, lab: Lab, place: Place) -> dict[str, Any]:
    """The outcome: verdict, score, of, seconds, error, judge; and peak_bytes, which is not a key of a record."""
    for _ in range(ATTEMPTS):
        try:
            outcome = _attempt(task, lab, place)
        except OSError as error:  # a full disk, too many processes
            outcome = fault(f"the judge could not be run: {error}")
        if outcome["judge"] is not None:
            break
    return outcome


def _attempt(task: Task, lab: Lab, place: Place) -> dict[str, Any]:
    start = time.monotonic()
    # Several folders, so that no path leads from the files that a submission may see to the hidden cases. scratch is
    # for the judge's temporary files, since a judge that is killed removes nothing.
    with _folder_in(place.folder) as sources, _folder_in(place.folder) as own, _folder_in(place.folder) as scratch:
        for name, data in task.submission.files.items():
            (Path(sources) / name).write_bytes(data)
        verdict, said, hidden = (Path(own) / name for name in ("verdict.json", "said.txt", "hidden"))
        command = judge.command(place.tree, lab, task.device)
        command += ["--file", str(Path(sources) / task.submission.main), "--seed", str(task.grader.options["seed"])]
        again = f"./lab check {lab.number} --file {shlex.quote(task.submission.main)}"
        command += ["--thorough", "--json", str(verdict), "--command", again]
        if task.hidden is not None:
            hidden.write_bytes(task.hidden)
            command += ["--hidden", str(hidden)]
        how, peak = _run(command, said, {**place.environment, "TMPDIR": scratch}, place.stop)
        outcome = _outcome(how, verdict, said)
    return {**outcome, "seconds": round(time.monotonic() - start, 2), "peak_bytes": peak}


def _folder_in(folder: Path) -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="warpladder-", dir=folder, ignore_cleanup_errors=True)


def _run(
    command: list[str], said: Path, environment: Mapping[str, str], stop: threading.Event
) -> tuple[int | str, int]:
    """The judge's exit code, or a text if it did not end by itself; and the most memory that it used."""
    if setpriv := shutil.which("setpriv"):
        command = [setpriv, "--pdeathsig", "TERM", *command]  # if we are killed, the judge cleans up and ends too
    with said.open("wb") as output:
        try:
            process = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C reaches us alone
                env={**os.environ, **environment},
            )
        except OSError as error:
            return f"{command[0]} cannot be started ({error.strerror})", 0
    deadline = time.monotonic() + WALL_SECONDS
    with memory.Peak(process.pid) as watch:
        try:
            while True:
                try:
                    return process.wait(0.5), watch.peak
                except subprocess.TimeoutExpired:
                    if stop.is_set():
                        raise Interrupted from None
                    if time.monotonic() > deadline:
                        return f"the judge did not end within {WALL_SECONDS:g} s", watch.peak
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the judge and all processes below it. SIGTERM comes first, so that the judge can remove its files."""
    if process.poll() is not None:
        return
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
        return
    process.send_signal(signal.SIGSTOP)  # it can start no more processes
    for pid in [*memory.descendants(process.pid), process.pid]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _outcome(how: int | str, verdict: Path, said: Path) -> dict[str, Any]:
    """The judge's verdict, also about a fault of its own. If it left none, error says how it ended."""
    ended = how
    if isinstance(how, int):
        ended = "the judge ended with " + (f"exit code {how}" if how >= 0 else f"signal {-how}")
    try:
        facts = json.loads(verdict.read_text(encoding="utf-8"))
        if facts["verdict"] == FAULT and how == FAULT_CODE:
            return fault(None, facts)
        if facts["verdict"] != FAULT and how in (0, 1):
            score = facts["score"]
            result = {"verdict": str(facts["verdict"]), "score": score["points"], "of": score["of"]}
            return {**result, "error": None, "judge": facts}
    except (OSError, ValueError, KeyError, TypeError) as error:
        ended = f"{ended}; it wrote no verdict ({type(error).__name__})"
    last_words = said.read_bytes()[-2000:].decode("utf-8", "replace").strip()
    return fault(f"{ended}\n{last_words}".strip())
