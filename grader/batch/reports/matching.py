"""matching: the rows of another system's gradebook ↔ the students who handed in.

A number that the system itself wrote into the file names decides first, then a name. Names are compared in three ways,
the strictest first: as they are, without case and forms of Unicode, and by letters and digits alone. If the strictest
way that fits anybody fits two, nobody gets the row. A sentence names each student whose points are not in the file.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from launcher.language import _, later

from .grades import Course
from .text import visible

HINT = later("Name each of these submissions by the student's login or number there, and grade again.")
NUMBERS = {"ID": "canvas", "Identifier": "moodle"}  # the column of the number → the system that writes it
IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID", "ID number", "Username", "Email address")
NAMES = ("Student", "Full name")


@dataclass(frozen=True)
class Matched:
    students: list[str | None]  # of each row
    open_rows: set[int]  # rows that belong to somebody whose points could not be placed
    notes: list[str]


@dataclass
class _Row:
    """A person of the gradebook."""

    label: str
    number: tuple[str, str] | None = None  # the system and its number for the person
    forms: list[set[str]] = field(default_factory=list)  # for each way of comparing: all that identifies the person


@dataclass(frozen=True)
class _Claim:
    way: int  # how strictly it fits: a lower one is stricter
    rows: list[int]


def match(course: Course, header: Sequence[str], people: Sequence[Sequence[str]], where: str) -> Matched:
    """people: the cells of each row. where: "the Canvas export", for the notes."""
    rows = [_row(header, cells) for cells in people]
    claims = {student: _claim(course, student, rows) for student in course.students}
    holders = _holders(claims)
    matched: list[str | None] = [None] * len(rows)
    for at, those in holders.items():
        if len(those) == 1:
            matched[at] = those[0]
    placed = set(matched)
    left = [student for student in course.students if student not in placed]
    open_rows = {at for student in left for at in claims[student].rows if matched[at] is None}
    return Matched(matched, open_rows, _notes(left, claims, rows, matched, where))


def _claim(course: Course, student: str, rows: Sequence[_Row]) -> _Claim:
    """The rows that fit the student in the strictest way that fits any."""
    numbers = course.numbers(student)
    if found := [at for at, row in enumerate(rows) if row.number in numbers]:
        return _Claim(0, found)
    names = course.names(student)
    for way, form in enumerate(WAYS):
        mine = {form(name) for name in names} - {""}
        if found := [at for at, row in enumerate(rows) if mine & row.forms[way]]:
            return _Claim(1 + way, found)
    return _Claim(1 + len(WAYS), [])


def _holders(claims: dict[str, _Claim]) -> dict[int, list[str]]:
    """Row → the students whom it fits most strictly. A student whom several rows fit has none of them."""
    found: dict[int, list[str]] = {}
    for student, claim in claims.items():
        if len(claim.rows) != 1:
            continue
        those = found.setdefault(claim.rows[0], [])
        if those and claims[those[0]].way < claim.way:
            continue
        if those and claims[those[0]].way > claim.way:
            those.clear()
        those.append(student)
    return found


def _notes(
    left: Sequence[str], claims: dict[str, _Claim], rows: Sequence[_Row], matched: Sequence[str | None], where: str
) -> list[str]:
    notes = []
    if strangers := [student for student in left if not claims[student].rows]:
        facts = {"count": f"{len(strangers):,}", "where": where, "students": _listed(strangers), "hint": _(HINT)}
        if len(strangers) == 1:
            text = _(
                "{count} student could not be found in {where}, so their points are not in it: {students}. {hint}",
                **facts,
            )
        else:
            text = _(
                "{count} students could not be found in {where}, so their points are not in it: {students}. {hint}",
                **facts,
            )
        notes.append(text)
    rivals: dict[tuple[int, ...], list[str]] = {}
    for student in left:
        if claims[student].rows:
            rivals.setdefault(tuple(claims[student].rows), []).append(student)
    for those, students in rivals.items():
        labels = _(" and ").join(visible(rows[at].label) for at in those)
        owner = matched[those[0]] if len(those) == 1 else None
        one, one_row = len(students) == 1, len(those) == 1
        form = later("{students} fits the row {labels}") if one_row else later("{students} fits the rows {labels}")
        if not one:
            form = later("{students} fit the row {labels}") if one_row else later("{students} fit the rows {labels}")
        fit = _(form, students=_listed(students), labels=labels)
        why = _(", which is {owner}'s", owner=visible(owner)) if owner else ""
        notes.append(
            _(
                "Not told apart in {where}: {fit}{why}. These points are not in it. {hint}",
                where=where,
                fit=fit,
                why=why,
                hint=_(HINT),
            )
        )
    return notes


def _listed(students: Sequence[str]) -> str:
    """All of them: a student whose points are missing must be named."""
    return ", ".join(map(visible, students))


def _row(header: Sequence[str], cells: Sequence[str]) -> _Row:
    texts: set[str] = set()
    label, number = "", None
    for title, cell in zip(header, cells):
        text = cell.strip()
        if not text:
            continue
        if title in IDS:
            texts |= {text, text.split("@", 1)[0]}
        elif title in NAMES:
            label = text
            last, comma, first = (part.strip() for part in text.partition(","))
            texts |= {text, f"{first} {last}", f"{last}{first}"} if comma else {text}
        elif title == "Identifier":
            texts |= {text, text.rsplit(" ", 1)[-1]}
        if title in NUMBERS:
            number = NUMBERS[title], text.rsplit(" ", 1)[-1]
    forms = [{form(text) for text in texts} - {""} for form in WAYS]
    named = f"'{label}'" if label else "without a name"
    return _Row(f"{named} ({number[1]})" if number else named, number, forms)


def _exactly(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())


def _without_case(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def _letters(text: str) -> str:
    return re.sub(r"[^\w@.+-]", "", _without_case(text)).strip(".-_")


WAYS = (_exactly, _without_case, _letters)
