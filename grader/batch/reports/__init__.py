"""reports: the records of graded submissions → the files that people and their systems read. The same records give the
same files, byte for byte. Nothing is graded here. ./lab grade calls write_all() when it ends, also if it ends early."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.labs import Lab
from launcher.language import _

from . import alike, gradebook, gradescope, junit, similarity, text
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
    out: Path,
    records: Sequence[Mapping[str, Any]],
    *,
    labs: Sequence[Lab],
    options: Options | None = None,
    strangers: Sequence[str] = (),
) -> list[str]:
    """Returns notes for the instructor, a sentence each; index.html shows them too. strangers: sentences about entries
    of the folder of submissions that belong to nobody, for index.html."""
    from . import pages  # Gradescope's autograder, which has no Jinja2, imports this package too

    options = options or Options()
    course = Course.of_records(records, labs)
    zeros = options.missing_as_zero
    canvas, canvas_notes = gradebook.canvas(course, options.canvas, missing_as_zero=zeros)
    moodle, moodle_notes = gradebook.moodle(course, options.moodle, pages.feedback, zeros=zeros)
    notes = [*_forgotten(records, labs), *canvas_notes, *moodle_notes]
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
    found, similarity_notes = _alike(course)
    shown = [*strangers, *notes, *similarity_notes]
    text.write(out / "index.html", pages.class_page(course, found, shown, templates))
    return notes


def _forgotten(records: Sequence[Mapping[str, Any]], labs: Sequence[Lab]) -> list[str]:
    """A note about results of labs that this course does not have, or no longer."""
    known = {lab.name for lab in labs} | {None}
    lost = [f"{record['student']} ({record['lab']})" for record in records if record["lab"] not in known]
    return [_("Left out, since this course has no such lab: {results}.", results=", ".join(lost))] if lost else []


def _alike(course: Course) -> tuple[list[alike.Alike], list[str]]:
    """The groups of similar submissions, and notes about sources that were not compared. Equal sources are compared
    once, and are listed whatever they are."""
    files: dict[str, dict[str, str]] = {}
    for grade in course.grades.values():
        if grade.lab and grade.source:
            files.setdefault(grade.lab_name, {})[grade.student] = grade.source
    of_name = {lab.name: lab for lab in course.labs}
    starters = {name: of_name[name].source.read_text(encoding="utf-8") for name in files}
    for name, submitted in files.items():
        submitted[similarity.STARTER] = starters[name]
        if of_name[name].solution.exists():
            submitted[similarity.REFERENCE] = of_name[name].solution.read_text(encoding="utf-8")
    equals = {name: alike.first_of_equals(submitted) for name, submitted in files.items()}
    once = {
        name: {who: files[name][who][: similarity.LONGEST] for who in those if who != similarity.STARTER}
        for name, those in equals.items()
    }
    similar = similarity.find(once, starters) if once else similarity.Similar([], [])
    return alike.groups(equals, similar.pairs), similar.notes
