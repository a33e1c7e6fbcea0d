"""grade: ./lab grade. Reads the submissions, grades those that have no result yet, keeps the results, writes reports.

A result depends on three things: the submission, the sources of the grader, and the options. A submission with a result
for the same three is not graded again. So a batch that was killed continues where it stopped, and a newer grader grades
everything again.
"""

import contextlib
import hashlib
import os
import signal
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from launcher import labs, paths
from launcher.console import Failure, say
from launcher.language import _
from launcher.lock import alone_in

from . import cluster, intake, judging, local, memory, ready, records, reports, request, version
from .intake import Submission
from .judging import Outcomes, Task
from .progress import Progress
from .records import Grader, Record, Results
from .reports import changes, text

SHOWN_NOTE = 2000  # the most characters of a note that the terminal shows
SHOWN_STRANGERS = 20  # the most entries without a student that it names


def run(arguments: Namespace) -> int:
    asked = request.read(arguments)
    out = asked.out
    _make(out)
    busy = _("another ./lab grade is at work on {out}. Wait for its end, or choose another --out.", out=out)
    with alone_in(out, or_fail=busy), local.workplace(out) as work, _stopped_by_signals():
        found, strangers = intake.read(asked.folder, labs.all_labs(), asked.only)
        _say_some(strangers)
        if not found:
            raise Failure(
                _(
                    "{folder} holds no submission. There, each student has a folder or an archive by their name.",
                    folder=asked.folder,
                )
            )
        grader = Grader(version.digest(), paths.commit(), _options(arguments, asked.hidden, out))
        results = Results(out)
        results.check_names(one.student for one in found)
        _say_some(gone := _without_submission(results, found))

        def is_done(one: Submission) -> bool:
            return records.is_current(results.current(one.student, one.lab), one, grader)

        todo = [one for one in found if arguments.again or not is_done(one)]
        say(_plan(found, todo))
        batch = _Batch(results, grader, arguments, asked.options, [*strangers, *gone])
        for student in {one.student for one in found} - {one.student for one in found if one.lab is None}:
            results.retire_refusal(student)
        for submission in todo:
            if submission.refusal is not None:
                batch.keep(records.refusal(submission, grader))
        if accepted := [one for one in todo if one.refusal is None]:
            batch.grade(accepted, asked.hidden, work)
        return batch.report(out)


@dataclass
class _Batch:
    """The results of this run so far."""

    results: Results
    grader: Grader
    arguments: Namespace
    options: reports.Options
    strangers: list[str]  # sentences about files without a student, and students without files
    new: list[Record] = field(default_factory=list)
    tasks: int = 0
    graded: int = 0
    seconds: float = 0.0
    largest: int = 0  # bytes that the largest judge used
    peak: int = 0  # bytes that all processes used at the same time
    interrupted: bool = False

    def keep(self, record: Record) -> Record:
        self.new.append(self.results.store(record))
        return self.new[-1]

    def grade(self, submissions: Sequence[Submission], hidden: bytes | None, work: Path) -> None:
        """Stores each outcome when it arrives. Ctrl-C ends the grading early; stored results stay."""
        tasks = [Task(one, self.grader, hidden) for one in submissions]
        self.tasks = len(tasks)
        done = _outcomes(tasks, work, self.arguments)
        start = time.monotonic()
        with memory.Peak(os.getpid()) as watch, Progress(self.tasks) as progress, contextlib.closing(done):
            try:
                for task, outcome in done:
                    self.largest = max(self.largest, outcome.pop("peak_bytes", 0))
                    record = self.keep(records.make(task.submission, self.grader, outcome))
                    self.graded += 1
                    progress.graded(record)
            except KeyboardInterrupt:
                self.interrupted = True
        self.seconds, self.peak = time.monotonic() - start, watch.peak

    def report(self, out: Path) -> int:
        everything = self.results.all()
        changed = [record for record in everything if changes.is_changed(record)]
        text.write(out / "changes.csv", changes.as_csv(changed), lasting=True)
        notes = reports.write_all(out, everything, labs=labs.all_labs(), options=self.options, strangers=self.strangers)
        self._say_changes()
        for note in notes:
            say(text.visible(note, SHOWN_NOTE))
            if len(note) > SHOWN_NOTE:
                say(_("index.html has this sentence whole."))
        say(self._summary(everything))
        if self.graded:
            say(self._measured())
        missing = self.tasks - self.graded
        if self.interrupted or missing:
            say(
                _(
                    "{missing} not graded yet. The same command goes on with them; what is graded stays.",
                    missing=missing,
                )
            )
        say(_("Results, one file for each student and lab: {out}/results; read first: {out}/index.html", out=out))
        faults = sum(record["verdict"] == records.FAULT for record in everything)
        if faults:
            say(
                _(
                    "Judge faults: {faults}. The code is not at fault and has no score. index.html says what "
                    "happened; the same command tries them again.",
                    faults=faults,
                )
            )
        return 130 if self.interrupted else 1 if missing or faults else 0

    def _say_changes(self) -> None:
        def result(record: Record) -> str:
            return f"{_(record['verdict'])} ({record['score']})"

        changed = [record for record in self.new if changes.is_changed(record)]
        for record in changed[:20]:
            results = f"{result(record['previous'])} → {result(record)}"
            say(
                _("changed: {student}, {lab}: {results}", student=record["student"], lab=record["lab"], results=results)
            )
        if len(changed) > 20:
            say(_("… {count} results changed; all of them are in changes.csv", count=len(changed)))
        for record in self.new:
            if record["kept"]:
                names = {"student": record["student"], "lab": record["lab"]}
                say(_("kept: {student}, {lab}: {result}. {why}", **names, result=result(record), why=record["kept"]))

    def _summary(self, everything: list[Record]) -> str:
        verdicts = Counter(record["verdict"] for record in everything)
        listed = _(", ").join(
            _("{count} {verdict}", count=count, verdict=_(verdict)) for verdict, count in verdicts.most_common()
        )
        return _(
            "{count} results of {students} students: {listed}",
            count=len(everything),
            students=len({record["student"] for record in everything}),
            listed=listed,
        )

    def _measured(self) -> str:
        rate = _(
            "{graded} graded in {seconds} s: {rate} a minute.",
            graded=self.graded,
            seconds=f"{self.seconds:.0f}",
            rate=f"{self.graded * 60 / self.seconds:.1f}",
        )
        peak, largest = (f"{used / 2**20:.0f} MiB" for used in (self.peak, self.largest))
        if _is_cluster(self.arguments):
            return _(
                "{rate} The largest judge used {largest} at its peak (measured by the workers).",
                rate=rate,
                largest=largest,
            )
        return _(
            "{rate} Peak memory {peak} in all, {largest} the largest judge (sampled).",
            rate=rate,
            peak=peak,
            largest=largest,
        )


def _without_submission(results: Results, found: Sequence[Submission]) -> list[str]:
    """A sentence about students who have results and are no longer in the folder: perhaps under another name."""
    gone = sorted({record["student"] for record in results.all()} - {one.student for one in found})
    if not gone:
        return []
    advice = _("If one of them has another name now, remove the old name's folder from results/ and grade again.")
    return [
        _(
            "These have results from earlier, and no submission in this folder: {students}. {advice}",
            students=", ".join(gone),
            advice=advice,
        )
    ]


def _say_some(notes: Sequence[str]) -> None:
    for note in notes[:SHOWN_STRANGERS]:
        say(note)
    if len(notes) > SHOWN_STRANGERS:
        say(_("… and {count} more; index.html names them all.", count=len(notes) - SHOWN_STRANGERS))


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(_("--out {out} cannot be made: {why}", out=out, why=error.strerror)) from error


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP end the batch as Ctrl-C does: judges end, results stay. Under nohup SIGHUP is ignored."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in handlers.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _options(arguments: Namespace, hidden: bytes | None, out: Path) -> dict[str, Any]:
    return {
        "device": arguments.device,
        "seed": _seed(hidden, out) if arguments.seed is None else arguments.seed,
        "hidden": None if hidden is None else hashlib.sha256(hidden).hexdigest(),
    }


def _seed(hidden: bytes | None, out: Path) -> int:
    """All students get the same inputs, also when --out is graded again. Nobody can know the inputs beforehand."""
    if hidden is not None:
        return judging.seed_of(hidden)
    file = out / "seed.txt"
    if not file.exists():
        text.write(file, f"{judging.seed_of(None)}\n", lasting=True)
    try:
        return int(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Failure(
            _("{file} does not contain a number. Remove it, or choose the seed of the inputs with --seed.", file=file)
        ) from error


def _plan(found: list[Submission], todo: list[Submission]) -> str:
    refused = sum(one.refusal is not None for one in found)
    students = len({one.student for one in found})
    text = _("{students} students, {submissions} submissions", students=students, submissions=len(found))
    text += _(", {refused} of them refused", refused=refused) if refused else ""
    done = len(found) - len(todo)
    return text + (_("; {done} have their result already", done=done) if done else "")


def _outcomes(tasks: list[Task], work: Path, arguments: Namespace) -> Outcomes:
    if not _is_cluster(arguments):
        return local.run_tasks(tasks, work, arguments)
    if arguments.slurm and arguments.device == "lockstep":  # its jobs use this very checkout
        names = sorted({task.submission.lab for task in tasks})
        ready.make_ready(arguments.device, [labs.find_lab(name) for name in names])
    return cluster.run_tasks(tasks, arguments)


def _is_cluster(arguments: Namespace) -> bool:
    return bool(arguments.scheduler or arguments.slurm)
