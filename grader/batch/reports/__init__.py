"""reports: the records of graded submissions → the files that people and their systems read. The same records give the
same files, byte for byte. Nothing is graded here. ./lab grade calls write_all() when it ends, also if it ends early."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.labs import Lab

from . import gradebook, gradescope, junit, similarity, text
from .grades import Course


@dataclass(frozen=True)
class Options:
    canvas: gradebook.Sheet | None = None  # the gradebook that Canvas exported
    moodle: gradebook.Sheet | None = None  # the grading worksheet that Moodle gave
    missing_as_zero: bool = False  # in those two; if not set, students without a submission keep their grade there


def options_of(arguments: Namespace) -> Options:
    """The options of ./lab grade. A wrong file is refused here, before hours of grading."""
    canvas = gradebook.read_canvas(Path(arguments.canvas)) if arguments.canvas else None
    moodle = gradebook.read_moodle(Path(arguments.moodle)) if arguments.moodle else None
    return Options(canvas, moodle, arguments.missing_as_zero)


def write_all(
    out: Path, records: Sequence[Mapping[str, Any]], *, labs: Sequence[Lab], options: Options | None = None
) -> list[str]:
    """Returns notes for the instructor, one line each; index.html shows them too."""
    from . import pages  # Gradescope's autograder, which has no Jinja2, imports this package too

    options = options or Options()
    course = Course.of_records(records, labs)
    zeros = options.missing_as_zero
    canvas, canvas_notes = gradebook.canvas(course, options.canvas, missing_as_zero=zeros)
    moodle, moodle_notes = gradebook.moodle(course, options.moodle, pages.feedback, zeros=zeros)
    notes = canvas_notes + moodle_notes
    text.write(out / "gradebook.csv", gradebook.plain(course))
    text.write(out / "canvas.csv", canvas)
    text.write(out / "moodle.csv", moodle)
    text.write(out / "junit.xml", junit.suites(course))
    templates = pages.environment(course)
    for student in course.students:
        name = text.file_name(student)
        answer = gradescope.results(course.of_student(student))
        text.write(out / "gradescope" / f"{name}.json", answer)
        text.write(out / "students" / f"{name}.html", pages.student(course, student, templates))
    text.write(out / "index.html", pages.class_page(course, _similar(course), notes, templates))
    return notes


def _similar(course: Course) -> similarity.Similar:
    files: dict[str, dict[str, str]] = {}
    for grade in course.grades.values():
        if grade.lab and grade.source:
            files.setdefault(grade.lab_name, {})[grade.student] = grade.source[: similarity.LONGEST]
    of_name = {lab.name: lab for lab in course.labs}
    for name, submitted in files.items():
        if of_name[name].solution.exists():
            submitted[similarity.REFERENCE] = of_name[name].solution.read_text(encoding="utf-8")
    starters = {name: of_name[name].source.read_text(encoding="utf-8") for name in files}
    return similarity.find(files, starters) if files else similarity.Similar([], [])
