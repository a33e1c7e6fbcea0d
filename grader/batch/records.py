"""records: one JSON file for each student and lab, results/STUDENT/NN_name.json. A file is complete or does not exist.

An older result stays beside the newer one as NN_name@VERSION.json, and "previous" in the newer one says what it was.
If the grader itself failed, its run replaces no score. The older score stays, and "kept" in its record tells the
instructor why.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from launcher.console import Failure, replaced
from launcher.language import Message, _

from .intake import Submission
from .reports import text

FORMAT = 1
FAULT = "judge fault"
REFUSED = "refused"
NO_LAB = "submission"  # the file's name if the submission is refused as a whole
Record = dict[str, Any]


@dataclass(frozen=True)
class Grader:
    """A result depends on this, beside the submission."""

    version: str
    commit: str | None
    options: dict[str, Any]  # device, seed, and the hidden file's hash


class Results:
    """The folder of records. One process at a time writes here: grade holds the lock on DIR."""

    def __init__(self, out: Path) -> None:
        self.folder_ = out / "results"
        self.folder_.mkdir(exist_ok=True)
        self.is_blind_to_case_ = (out / "RESULTS").exists()
        for unfinished in self.folder_.glob("*/.*.new"):  # an earlier run was killed while it wrote
            unfinished.unlink()

    def check_names(self, students: Iterable[str]) -> None:
        """Refuses students whose files would be one and the same, on a file system that does not tell Ada from ada."""
        twins: dict[str, set[str]] = {}
        for student in students:
            twins.setdefault(student.casefold(), set()).add(student)
        same = [" and ".join(sorted(those)) for those in twins.values() if len(those) > 1]
        if same and self.is_blind_to_case_:
            raise Failure(
                _(
                    "{folder} lies where {names} are one name. Choose --out on a disk of Linux, or rename one.",
                    folder=self.folder_,
                    names=same[0],
                )
            )

    def current(self, student: str, lab: str | None) -> Record | None:
        file = self._file(student, lab)
        return _read(file) if file.exists() else None

    def all(self) -> list[Record]:
        """The current records, in order of student and lab."""
        files = (file for file in sorted(self.folder_.glob("*/*.json")) if "@" not in file.name)
        return [_read(file) for file in files]

    def store(self, record: Record) -> Record:
        """Makes this the current record; but a judge's fault does not replace a score. Returns the record that is
        current."""
        file = self._file(record["student"], record["lab"])
        file.parent.mkdir(exist_ok=True)
        before = self.current(record["student"], record["lab"])
        if before is None or before["verdict"] == FAULT:  # a fault is not a result, so it need not be kept
            record["previous"] = before and before["previous"]
            _write(file, record)
            return record
        if record["verdict"] == FAULT and before["verdict"] != REFUSED:  # a refusal's 0 was for other files
            beside = file.with_name(f"{file.stem}@{record['grader']['version']}-fault.json")
            _write(beside, record)
            kept = {**before, "kept": _kept(before, record, beside.name)}
            _write(file, kept)
            return kept
        self._put_beside(file, before)
        record["previous"] = {
            "version": before["grader"]["version"],
            "sha256": before["submission"]["sha256"],
            "verdict": before["verdict"],
            "score": before["score"],
        }
        _write(file, record)
        return record

    def retire_refusal(self, student: str) -> None:
        """The student's files can be read now. The refusal of the earlier ones moves to the older results."""
        file = self._file(student, None)
        if file.exists():
            self._put_beside(file, _read(file))
            file.unlink()

    def _put_beside(self, file: Path, record: Record) -> None:
        """Writes it under a free name, unless this very record is there already: an earlier run may have been killed
        here."""
        version = record["grader"]["version"]
        whole = _text(record)
        for number in range(1, 10000):
            beside = file.with_name(f"{file.stem}@{version}{f'-{number}' if number > 1 else ''}.json")
            if not beside.exists():
                _write(beside, record)
                return
            if beside.read_text(encoding="utf-8", errors="surrogatepass") == whole:
                return
        raise Failure(
            _(
                "{folder} holds ten thousand older results of {name}. Move them elsewhere.",
                folder=file.parent,
                name=file.stem,
            )
        )

    def _file(self, student: str, lab: str | None) -> Path:
        return self.folder_ / student / f"{lab or NO_LAB}.json"


def _kept(before: Record, fault: Record, file: str) -> str:
    """Why the earlier score stays, with the first line of what went wrong."""
    failure = (fault["judge"] or {}).get("failure") or {}
    steps = failure.get("instructor", failure).get("steps") or [fault["error"] or "no reason given"]
    first_line = steps[0].partition("\n")[0]
    what = f"grader {fault['grader']['version']} failed on it ({first_line}), see {file}"
    if before["submission"]["sha256"] == fault["submission"]["sha256"]:
        return f"{what}; this earlier result stands"
    return f"{what}; what stands is the result of an earlier submission"


def make(submission: Submission, grader: Grader, outcome: dict[str, Any]) -> Record:
    """outcome: has the keys verdict, score, of, seconds, error, judge."""
    return {
        "format": FORMAT,
        "student": submission.student,
        "identity": submission.identity,
        "lab": submission.lab,
        "submission": {
            "source": submission.source,
            "sha256": submission.sha256,
            "files": sorted(submission.files),
            "main": submission.main,
            "main_sha256": hashlib.sha256(submission.files[submission.main]).hexdigest() if submission.files else None,
            "time": None if submission.time is None else _moment(submission.time),
            "code": {name: data.decode("utf-8", "replace") for name, data in sorted(submission.files.items())},
            "notes": list(submission.notes),
        },
        "messages": _messages(submission),
        "grader": asdict(grader),
        **outcome,
        "previous": None,
        "kept": None,
    }


def _messages(submission: Submission) -> list[dict[str, Any]]:
    """What intake says, in the form in which a page translates it."""
    return [one.parts for one in (submission.refusal, *submission.notes) if isinstance(one, Message)]


def _moment(seconds: float) -> str | None:
    """2026-11-22 13:05:09 UTC; None if no calendar has it."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return None


def refusal(submission: Submission, grader: Grader) -> Record:
    outcome = {"verdict": REFUSED, "score": 0, "of": 100, "seconds": 0.0, "error": submission.refusal, "judge": None}
    return make(submission, grader, outcome)


def is_current(record: Record | None, submission: Submission, grader: Grader) -> bool:
    """Whether grading again would bring nothing new. After a judge's fault we always try again, also if an earlier
    result was kept."""
    return (
        record is not None
        and record["verdict"] != FAULT
        and record["kept"] is None
        and record["submission"]["sha256"] == submission.sha256
        and record["grader"]["version"] == grader.version
        and record["grader"]["options"] == grader.options
    )


def _text(record: Record) -> str:
    """JSON, in which all that a terminal would obey is escaped as JSON escapes it: nothing is lost, and cat is safe."""
    whole = json.dumps(record, indent=1, ensure_ascii=False)
    return replaced(whole, lambda character: json.dumps(character)[1:-1]) + "\n"


def _write(file: Path, record: Record) -> None:
    text.write(file, _text(record), lasting=True)


def _read(file: Path) -> Record:
    try:
        record = json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))  # as it is written
        if record["format"] == FORMAT:
            return record
        problem = _("is of format {found}, not {wanted}", found=record["format"], wanted=FORMAT)
    except (ValueError, KeyError, TypeError) as error:
        problem = _("is no record ({error})", error=error)
    raise Failure(
        _(
            "{file} {problem}. Move this file out of the folder results, and its submission is graded anew.",
            file=file,
            problem=problem,
        )
    )
