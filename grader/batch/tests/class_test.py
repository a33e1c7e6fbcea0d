"""A class with the worst of names, through ./lab grade with a fake judge: nothing is lost, nobody is graded twice,
nobody's cell is silently empty, and no byte of a name commands a terminal. TEST_STUDENTS is its size: 300 with the
label long, else each name of the generator once."""

import csv
import io
import os
import random
import re
import unicodedata
import unittest
from collections import Counter
from pathlib import Path

from batch import intake
from batch.records import Results
from batch.reports import gradebook, grades
from batch.tests import hostile_class
from batch.tests.machinery import FakeTree
from launcher import wheels
from launcher.labs import find_lab
from launcher.tests.machines import InAFolder

STUDENTS = int(os.environ.get("TEST_STUDENTS", "60"))
LAB = find_lab("02")


def score(number: int) -> float:
    """Everybody has a score that nobody else has, so that it can be found again."""
    return 1 + number / 4


@unittest.skipUnless(wheels.installed(wheels.GRADE), "what ./lab grade reports with is not installed")
class Class(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.fake = FakeTree(self.folder)
        self.submissions, self.out = self.folder / "in", self.folder / "out"
        self.students = hostile_class.make(
            self.submissions, STUDENTS, random.Random(1), lambda number: b"// fake: accepted = %g\n" % score(number)
        )
        self.canvas, self.moodle = hostile_class.rosters(self.submissions, self.students)

    def grade(self, *options: str | Path, **env: str) -> str:
        process = self.fake.grade(self.submissions, "--out", self.out, *options, **env)
        said, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, said)
        self.assertFalse((self.out / ".work").exists())
        return said

    def test_nobody_is_lost(self) -> None:
        rosters = ("--canvas", self.canvas, "--moodle", self.moodle, "--missing-as-zero")
        said = self.grade(*rosters, TEST_REPORTS="all")
        keys = self.keys()
        self.assertEqual(self.fake.calls(), sum(not one.is_refused for one in self.students))
        self.check_gradebook(keys)
        index = (self.out / "index.html").read_text(encoding="utf-8")
        self.check_sheet(rows(self.out / "canvas.csv"), 5, index, keys)
        self.check_sheet(rows(self.out / "moodle.csv"), 2, index, keys)
        self.check_texts(said)
        before = {file: file.read_bytes() for file in self.out.rglob("*.*") if file.is_file()}
        self.assertIn(f"{STUDENTS} have their result already", self.grade())
        self.assertEqual({file: file.read_bytes() for file in self.out.rglob("*.*") if file.is_file()}, before)

        course = grades.Course.of_records(Results(self.out).all(), [LAB])  # without a roster everybody has a row
        canvas, _ = gradebook.canvas(course, None, missing_as_zero=True)
        moodle, _ = gradebook.moodle(course, None, lambda grade: grade.verdict, zeros=True)
        for made, column in ((canvas, 5), (moodle, 3)):
            given = Counter(row[column] for row in table(made)[1:])
            for one in self.students:
                if not one.is_refused:
                    self.assertEqual(given[f"{score(one.number):g}"], 1, one)
            self.assertEqual(given["0"], sum(one.is_refused for one in self.students))

    def keys(self) -> dict[int, str]:
        """A student's number → the key in every report."""
        found, strangers = intake.read(self.submissions, [LAB], None)
        self.assertEqual((len(found), strangers), (STUDENTS, []))
        of_score = {one.files[one.main]: one.student for one in found if one.files}
        refused = {one.student for one in found if one.refusal}
        self.assertEqual(len(of_score) + len(refused), STUDENTS)
        return {
            one.number: of_score[b"// fake: accepted = %g\n" % score(one.number)]
            for one in self.students
            if not one.is_refused
        }

    def check_gradebook(self, keys: dict[int, str]) -> None:
        made = {row[0].removeprefix("'"): row for row in rows(self.out / "gradebook.csv")[1:]}
        self.assertEqual(len(made), STUDENTS)
        for number, key in keys.items():
            self.assertEqual(made[key.removeprefix("'")][1:3], [f"{score(number):g}"] * 2)
        self.assertEqual(sum(row[1:3] == ["0", "0"] for row in made.values()), STUDENTS - len(keys))

    def check_sheet(self, made: list[list[str]], column: int, index: str, keys: dict[int, str]) -> None:
        """Everybody's points are in one cell, or the class page names them. No points stand in two cells."""
        given = Counter(row[column] for row in made[1:])
        named = 0
        for one in self.students:
            if one.is_refused:
                continue
            cells = given[f"{score(one.number):g}"]
            self.assertLessEqual(cells, 1)
            if cells == 0:
                named += 1
                self.assertIn(escaped(keys[one.number]), index)
                notes = re.search(
                    rf"(not be found in|Not told apart in)[^<]*{re.escape(escaped(keys[one.number]))}", index
                )
                self.assertIsNotNone(notes, keys[one.number])
        self.assertLess(named, STUDENTS * 2 // 3)  # most have a cell: else this test would say nothing
        self.assertGreater(named, 0)

    def check_texts(self, said: str) -> None:
        """Every file is UTF-8 that a terminal shows as it is; so is every name."""
        texts = {str(file): file.read_bytes().decode("utf-8") for file in self.out.rglob("*") if file.is_file()}
        names = [str(file.relative_to(self.out)) for file in self.out.rglob("*")]
        for name, whole in [*texts.items(), ("the terminal", said), *zip(names, names)]:
            commands = {c for c in whole if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n\r\t"}
            self.assertEqual(commands, set(), name)
        self.assertNotIn("\r", said)
        self.assertLess(max(len(os.fsencode(Path(name).name)) for name in names), 200)


def rows(file: Path) -> list[list[str]]:
    return table(file.read_text(encoding="utf-8"))


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def escaped(name: str) -> str:
    return name.replace("&", "&amp;").replace("'", "&#39;").replace("<", "&lt;")


if __name__ == "__main__":
    unittest.main()
