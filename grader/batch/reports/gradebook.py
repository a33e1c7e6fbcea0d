"""gradebook: grades → gradebook.csv for people, and files for Canvas and Moodle: the ones that they exported, filled
in.

Other cells do not change. A student without a submission keeps the value of the file, since an empty cell would delete
a grade in Canvas; zeros are written only if the instructor asks for them. Points are scaled to the maximum of the
column."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from launcher.console import Failure
from launcher.language import _

from .grades import Course, Grade
from .matching import Matched, match
from .text import cell, csv_of, points

POSSIBLE = "Points Possible"  # Canvas' row with the maximum of each column
CANVAS_EXACT = ("ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account")  # Canvas finds people by these


@dataclass
class Sheet:
    """A CSV file as another program wrote it, with its separator and its byte order mark."""

    header: list[str]
    rows: list[list[str]]
    separator: str = ","
    begins: str = ""  # a byte order mark, or nothing

    def column(self, *names: str) -> int | None:
        return next((self.header.index(name) for name in names if name in self.header), None)

    def text(self, titles: Sequence[str] = ()) -> str:
        """The file's text. Cells are made harmless, but for those of the columns with these titles."""
        exact = {at for at, title in enumerate(self.header) if title in titles}
        rows = [
            [text if at in exact else cell(text) for at, text in enumerate(row)] for row in [self.header, *self.rows]
        ]
        return self.begins + csv_of(rows, self.separator)

    def add_column(self, title: str) -> int:
        self.header.append(title)
        self.rows = [[*row, ""] for row in self.rows]
        return len(self.header) - 1


Filled = tuple[str, list[str]]  # the file's text, and notes for the instructor


def plain(course: Course) -> str:
    """gradebook.csv: a row for each student, a column for each lab, and the total."""
    rows = [["Student", *(lab.name for lab in course.labs), "Total", "Out of"]]
    for student in course.students:
        row = [student]
        for lab in course.labs:
            grade = course.grade(student, lab)
            row.append("" if grade is None else grade.verdict if grade.points is None else points(grade.points))
        rows.append([*row, points(course.total(student)), points(course.most())])
    return Sheet(rows[0], rows[1:]).text()


def read_canvas(file: Path) -> Sheet:
    sheet = _read(file)
    if sheet.column("Student") != 0 or sheet.column("ID") is None or sheet.column("Section") is None:
        raise Failure(
            _(
                "{file}: this is not a gradebook that Canvas exported: its first row must begin with "
                "Student and hold ID and Section. In Canvas: Grades, Export, Export Entire Gradebook.",
                file=file,
            )
        )
    return sheet


def canvas(course: Course, roster: Sheet | None, *, missing_as_zero: bool) -> Filled:
    """Without a roster, the same columns for people to copy from: Canvas finds a student by ID or login, and only its
    own export has these."""
    where = _("the Canvas export")
    if roster is None:
        where = None
        rows = [[f"    {POSSIBLE}"] + [""] * 4] + [[student] + [""] * 4 for student in course.students]
        roster = Sheet(["Student", "ID", "SIS User ID", "SIS Login ID", "Section"], rows)
    sheet = deepcopy(roster)
    first = next(iter(sheet.rows), None)  # of our own sheet it is the only row that belongs to no student
    people = [
        at for at, row in enumerate(sheet.rows) if not (_describes_columns(row) if where is not None else row is first)
    ]
    matched = _matched(course, sheet, people, where)
    notes = list(matched.notes)
    for lab in course.labs:
        column = _canvas_column(sheet, lab.number, lab.name, lab.title)
        most = max(grade.of for grade in course.of_lab(lab))
        out_of = _points_possible(sheet, column, most)
        if out_of == 0:
            notes.append(
                _(
                    "Everybody has 0 in {column}: in Canvas it has 0 points. Change that, and export.",
                    column=sheet.header[column],
                )
            )
        for place, (at, student) in enumerate(zip(people, matched.students)):
            grade = course.grade(student, lab) if student is not None else None
            if grade is not None and grade.points is not None:
                sheet.rows[at][column] = points(grade.points / grade.of * out_of)
            elif grade is None and missing_as_zero and place not in matched.open_rows:
                sheet.rows[at][column] = sheet.rows[at][column].strip() or "0"
    return sheet.text(CANVAS_EXACT), notes


def read_moodle(file: Path) -> Sheet:
    sheet = _read(file)
    lacking = [title for title in ("Identifier", "Grade") if sheet.column(title) is None]
    if lacking:
        raise Failure(
            _(
                "{file}: this is no grading worksheet of Moodle's (in English): it has no {titles}. In "
                "Moodle: the assignment, Submissions, Download grading worksheet; the assignment's "
                "settings must have Offline grading worksheet under Feedback types.",
                file=file,
                titles=_(" and no ").join(lacking),
            )
        )
    return sheet


def moodle(course: Course, worksheet: Sheet | None, feedback: Callable[[Grade], str], *, zeros: bool) -> Filled:
    """A worksheet belongs to one assignment: a lab, or all labs together. Moodle shows feedback(grade), which is
    HTML."""
    is_given = worksheet is not None
    if worksheet is None:
        header = ["Identifier", "Full name", "Maximum grade", "Grade", "Feedback comments"]
        worksheet = Sheet(header, [["", student, "", "", ""] for student in course.students])
    sheet = deepcopy(worksheet)
    grade_at, comment_at = sheet.column("Grade"), sheet.column("Feedback comments")
    if comment_at is None:
        comment_at = sheet.add_column("Feedback comments")
    most_at = sheet.column("Maximum grade", "Maximum Grade")
    assert grade_at is not None
    matched = _matched(course, sheet, range(len(sheet.rows)), _("the Moodle worksheet") if is_given else None)
    for at, (row, student) in enumerate(zip(sheet.rows, matched.students)):
        out_of = _as_number(row[most_at]) if most_at is not None else None
        if student is not None:
            total = course.total(student)
            if total is not None:
                row[grade_at] = points(total if out_of is None or total == 0 else total / course.most() * out_of)
            row[comment_at] = "<br>".join(feedback(grade) for grade in course.of_student(student))
        elif zeros and at not in matched.open_rows:
            row[grade_at] = row[grade_at].strip() or "0"
    return sheet.text(["Identifier"]), matched.notes


def _read(file: Path) -> Sheet:
    try:
        text = file.read_text(encoding="utf-8", errors="strict")
    except OSError as error:
        raise Failure(_("{file}: {why}. Check the path.", file=file, why=error.strerror)) from error
    except UnicodeDecodeError as error:
        raise Failure(
            _(
                "{file}: this is not UTF-8. Take the file as it was downloaded; Excel saves UTF-8 as 'CSV UTF-8'.",
                file=file,
            )
        ) from error
    begins = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix("\ufeff")
    first_line = text.split("\n", 1)[0]
    separator = ";" if first_line.count(";") > first_line.count(",") else ","
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
    except csv.Error as error:
        raise Failure(
            _("{file}: this is not a CSV file ({error}). Take the file as it was downloaded.", file=file, error=error)
        ) from error
    if not rows:
        raise Failure(_("{file}: the file is empty. Export it again.", file=file))
    header = rows[0]
    return Sheet(header, [row + [""] * (len(header) - len(row)) for row in rows[1:]], separator, begins)


def _matched(course: Course, sheet: Sheet, people: Sequence[int], where: str | None) -> Matched:
    """where: the other system's file, for the notes. None: the sheet is ours, with a row for each student."""
    if where is None:
        return Matched([sheet.rows[at][1 if sheet.header[0] == "Identifier" else 0] for at in people], set(), [])
    return match(course, sheet.header, [sheet.rows[at] for at in people], where)


def _describes_columns(row: Sequence[str]) -> bool:
    """Whether this is one of Canvas's rows below the header that belong to no student."""
    if row[0].strip() == POSSIBLE:
        return True
    return all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", text) for text in row)


def _canvas_column(sheet: Sheet, number: str, name: str, title: str) -> int:
    """The column of the assignment. If there is none, adds one at the end, from which Canvas makes an assignment."""
    wanted = {name, title, number, f"{number} {title}", f"lab {number}", f"lab {int(number)}", f"lab {number}: {title}"}
    wanted = {text.casefold() for text in wanted}
    found = [
        at for at, text in enumerate(sheet.header) if re.sub(r"\s*\(\d+\)$", "", text).strip().casefold() in wanted
    ]
    if len(found) > 1:
        columns = " and ".join(repr(sheet.header[at]) for at in found)
        raise Failure(
            _(
                "the Canvas export has two columns for {name}: {columns}. Delete the one not meant, and try again.",
                name=name,
                columns=columns,
            )
        )
    return found[0] if found else sheet.add_column(f"{number} {title}")


def _points_possible(sheet: Sheet, column: int, most: float) -> float:
    row = next((row for row in sheet.rows if row[0].strip() == POSSIBLE), None)
    known = None if row is None else _as_number(row[column])
    if row is not None and known is None:
        row[column] = points(most)
    return most if known is None else known


def _as_number(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None
