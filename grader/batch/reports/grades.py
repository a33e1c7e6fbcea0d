"""grades: the records of results/ in the form that all reports read: one Grade for each student and lab. It decides
nothing. It leaves out what the judge tells the instructor alone about hidden cases."""

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from launcher import page
from launcher.labs import Lab
from launcher.language import ENGLISH, _, chosen, later

ACCEPTED = "accepted"
JUDGE_FAULT = "judge fault"
REFUSED = later("refused")
INCONCLUSIVE = "inconclusive"
CHEATING = "cheating suspected"
NOT_GRADED = (JUDGE_FAULT, REFUSED)
NO_LAB = "submission"  # in place of a lab's name, if the submission is refused as a whole

SPEED_VERDICTS = (later("pass"), later("fail"), later("not graded"))  # of a threshold, beside inconclusive

AROUND, EXCERPTS = 2, 3  # lines shown before and after a failing one; failing lines shown


@dataclass(frozen=True)
class Hidden:
    passed: int
    of: int


@dataclass(frozen=True)
class Excerpt:
    """Lines of the student's code around a place that a diagnosis names."""

    place: str  # "reduce.cu:22"
    lines: list[tuple[int, str]]  # with their numbers
    line: int  # the one that is meant


@dataclass(frozen=True)
class Explanation:
    steps: list[str]
    next_step: str
    printed: str  # output of the compiler, of the student's code or of lockstep
    places: list[str]  # "file.cu:22", in the order of steps and printed


class Grade:
    """One student's result for one lab."""

    def __init__(self, record: Mapping[str, Any], lab: Lab | None) -> None:
        """lab: None if intake refused the submission as a whole."""
        self.record, self.lab = record, lab
        self.judge: Mapping[str, Any] = record.get("judge") or {}
        self.lab_name = lab.name if lab else NO_LAB
        self.label = f"{lab.number} {lab.title}" if lab else later("The submission as a whole")
        self.student, self.verdict = str(record["student"]), str(record["verdict"])
        # None if nothing could be graded because of a fault of ours: that is not a 0.
        self.points: float | None = None if self.verdict == JUDGE_FAULT else record.get("score")
        self.of = float(record.get("of") or 100)
        self.parts: Sequence[Mapping[str, Any]] = (self.judge.get("score") or {}).get("parts", [])
        self.public_cases = [case for case in self.judge.get("cases", []) if not case.get("hidden")]
        planned = self.judge.get("hidden_planned", 0)
        self.hidden = Hidden(self.judge["hidden_passed"], planned) if planned else None
        self.failed_by_hidden_case = "instructor" in (self.judge.get("failure") or {})
        # The check that the code failed, as docs/labs.md names it; empty if there is none.
        self.check = "" if self.verdict == JUDGE_FAULT else str(self.judge.get("failed_check") or "")
        self.file = PurePosixPath(str(self.judge.get("file", ""))).name
        self.speed: Mapping[str, Any] = self.judge.get("speed") or {}

    @property
    def label_here(self) -> str:
        """In the chosen language."""
        return f"{self.lab.number} {_(self.lab.title)}" if self.lab else _(self.label)

    @cached_property
    def messages_(self) -> dict[str, page.Message]:
        """What the judge and intake say here, by the English text."""
        return page.known([self.judge.get("page", []), self.record.get("messages", [])])

    def said(self, text: str) -> str:
        """An English text of the record in the chosen language. What only the instructor may read stays English."""
        return text if chosen() == ENGLISH else page.again(text, self.messages_)

    @property
    def kind(self) -> str:
        """good, partial, bad; or fault, which a person has to look at before it counts."""
        if self.verdict in (JUDGE_FAULT, CHEATING):
            return "fault"
        if self.verdict == ACCEPTED:
            return "good"
        return "partial" if self.points else "bad"

    @property
    def source(self) -> str:
        """The text of all files that were handed in for this lab."""
        return "\n".join((self.record["submission"].get("code") or {}).values())

    @property
    def cases_not_run(self) -> int:
        """The number of cases, hidden ones too, that did not run because an earlier check failed."""
        return self.judge.get("cases_planned", 0) - len(self.judge.get("cases", []))

    def explanation(self, *, to_student: bool = True) -> Explanation:
        """Why it failed, or could not be graded. Only the instructor learns what a hidden case was. A fault of ours is
        for the instructor too, since it may name files of theirs."""
        if to_student and self.verdict == JUDGE_FAULT:
            return Explanation([], "", "", [])
        failure = self.judge.get("failure") or {}
        if not to_student:
            failure = {**failure, **failure.get("instructor", {})}
        error = self.record.get("error")  # stands in place of a judge's verdict
        steps = [self._without_folder(step) for step in [*failure.get("steps", []), *([error] if error else [])]]
        printed = self._without_folder(failure.get("printed", ""))
        return Explanation(
            steps, self._without_folder(failure.get("next", "")), printed, self._places([*steps, printed])
        )

    def excerpts(self) -> list[Excerpt]:
        """The source lines that the explanation names, for the student; at most EXCERPTS of them."""
        code = self.record["submission"].get("code") or {}
        found = []
        for place in self.explanation().places:
            file, _, number = place.rpartition(":")
            lines, at = code.get(file, "").splitlines(), int(number)
            if 1 <= at <= len(lines):
                first = max(1, at - AROUND)
                found.append(Excerpt(place, list(enumerate(lines[first - 1 : at + AROUND], first)), at))
        return found[:EXCERPTS]

    @property
    def again(self) -> str:
        """The command by which the student sees the same failure; empty if there is none."""
        failure = self.judge.get("failure") or {}
        if self.verdict == REFUSED:
            return f"./lab grade FOLDER --out OUT{f' --lab {self.lab.number}' if self.lab else ''}"
        if not failure or self.lab is None or self.verdict == JUDGE_FAULT:
            return ""
        if self.failed_by_hidden_case and not failure.get("again"):
            return ""
        words = ["./lab check", self.lab.number, *(["--file", self.file] if self.file else [])]
        words += ["--thorough"] if self.judge.get("thorough") else []
        words += ["--case", failure["case"]] if failure.get("case") else []
        words += ["--seed", str(self.judge.get("seed"))]
        words += ["--schedules", failure["schedule"]] if failure.get("schedule") else []
        on_lockstep = self.judge.get("device") == "lockstep" or "--device lockstep" in failure.get("again", "")
        # A student's machine may have a card, on which the same command would look for other faults.
        return " ".join([*words, "--device", "lockstep" if on_lockstep else "gpu"])

    def _places(self, texts: Sequence[str]) -> list[str]:
        """Places in the files that were handed in."""
        names = {self.file, *(self.record["submission"].get("code") or {})} - {""}
        if not names:
            return []
        file = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        found = re.findall(rf"(?<![\w.-])({file})(?::(\d{{1,7}})|\((\d{{1,7}})\))", "\n".join(texts))
        return list(dict.fromkeys(f"{name}:{colon or brackets}" for name, colon, brackets in found))

    def _without_folder(self, text: str) -> str:
        """The text without the path at which the instructor's machine kept the file."""
        folder = PurePosixPath(str(self.judge.get("file", ""))).parent
        return text.replace(f"{folder}/", "") if str(folder) not in (".", "/") else text


@dataclass(frozen=True)
class Course:
    labs: Sequence[Lab]  # those with a submission
    students: Sequence[str]
    grades: Mapping[tuple[str, str], Grade]  # by student and lab

    @staticmethod
    def of_records(records: Sequence[Mapping[str, Any]], labs: Sequence[Lab]) -> "Course":
        """Leaves out records of labs that this course no longer has."""
        by_name = {lab.name: lab for lab in labs}
        known = [record for record in records if record["lab"] is None or record["lab"] in by_name]
        grades = [Grade(record, by_name.get(record["lab"])) for record in known]
        handed_in = {grade.lab_name for grade in grades}
        return Course(
            [lab for lab in sorted(labs, key=lambda lab: lab.name) if lab.name in handed_in],
            sorted({grade.student for grade in grades}),
            {(grade.student, grade.lab_name): grade for grade in sorted(grades, key=lambda g: (g.student, g.lab_name))},
        )

    def of_student(self, student: str) -> list[Grade]:
        names = [*(lab.name for lab in self.labs), NO_LAB]
        return [self.grades[student, name] for name in names if (student, name) in self.grades]

    def of_lab(self, lab: Lab) -> list[Grade]:
        return [grade for grade in self.grades.values() if grade.lab_name == lab.name]

    def grade(self, student: str, lab: Lab) -> Grade | None:
        """None: handed in nothing for this lab. A submission that was refused as a whole counts 0 in every lab."""
        refused = self.grades.get((student, NO_LAB))
        return self.grades.get((student, lab.name)) or (refused if self.is_refused(student) else None)

    def is_refused(self, student: str) -> bool:
        """Whether everything that the student handed in was refused, before it could be sorted into labs."""
        return [grade.lab_name for grade in self.of_student(student)] == [NO_LAB]

    def numbers(self, student: str) -> set[tuple[str, str]]:
        """Canvas' or Moodle's number for the student, with the system, as it wrote it into the file names of its
        download."""
        return {(one["system"], one["id"]) for one in self._identities(student) if one.get("id")}

    def names(self, student: str) -> list[str]:
        """The student's own name where it is known, and the key."""
        return [*dict.fromkeys(str(one["name"]) for one in self._identities(student) if one.get("name")), student]

    def _identities(self, student: str) -> list[Mapping[str, str]]:
        return [one for grade in self.of_student(student) if (one := grade.record.get("identity"))]

    def total(self, student: str) -> float | None:
        """The sum over all labs; a lab without a submission counts 0. None while a lab of the student waits for us."""
        grades = self.of_student(student)
        if any(grade.points is None for grade in grades):
            return None
        return sum(grade.points or 0 for grade in grades)

    def most(self) -> float:
        """The highest total that a student can reach."""
        return sum(max(grade.of for grade in self.of_lab(lab)) for lab in self.labs)

    def median(self, lab: Lab) -> float | None:
        known = [grade.points for grade in self.of_lab(lab) if grade.points is not None]
        return statistics.median(known) if known else None


def passed(case: Mapping[str, Any]) -> bool:
    return case.get("verdict") == "pass"
