"""gradebook.csv, Canvas' and Moodle's files: nobody's points go to another, and nobody's go silently."""

import json
import re
import tempfile
import unittest
from pathlib import Path

from batch import reports
from batch.reports import gradebook, grades, gradescope, text
from batch.tests import course, reading
from batch.tests.reading import Page, course_of, rows
from launcher.console import Failure

reading.need_packages(__name__)


class Gradebooks(unittest.TestCase):
    def sheet(self, name: str, content: str) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = Path(folder.name) / name
        file.write_text(content, encoding="utf-8", newline="")
        return file

    def test_plain(self) -> None:
        made = gradebook.plain(
            course_of(
                course.record("bo", "15_accepted"),
                course.record("bo", "02_skips_a_rung"),
                course.record("al", "02_drops_tail"),
                course.fault("cy"),
                course.record("cy", "15_accepted"),
                course.record(course.FORMULA, "02_accepted"),
            )
        )
        self.assertEqual(
            rows(made),
            [
                ["Student", "02_reduce_neighbored", "15_histogram_global_atomics", "Total", "Out of"],
                ["'" + course.FORMULA, "100", "", "100", "200"],
                ["al", "0", "", "0", "200"],
                ["bo", "80", "100", "180", "200"],
                ["cy", "judge fault", "100", "", "200"],
            ],
        )

    def test_cells_that_a_spreadsheet_would_run(self) -> None:
        for hostile in ("=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-cmd"):
            self.assertEqual(text.cell(hostile), "'" + hostile)
        for harmless in ("-3.5", "+4", "80", "Ann-Marie", "", "a=b"):
            self.assertEqual(text.cell(harmless), harmless)

    CANVAS = (
        "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Essay (11),Lab 02 (4711),Final Score\r\n"
        ",,,,,,Manual Posting,\r\n"
        "    Points Possible,,,,,20,10,(read only)\r\n"
        '"Doe, Jane",101,s101,jdoe,A,17,,50\r\n'
        '"Roe, Rob",102,s102,rroe,A,,3,40\r\n'
        '"=cmd|x, Eve",103,s103,eve@uni.example,B,12,,10\r\n'
        '"Smith, Al",104,s104,al1,B,,,\r\n'
        '"Smith, Al",105,s105,al2,B,,,\r\n'
        '"Fay, Faulty",106,s106,fay,B,,7,\r\n'
    )

    def test_canvas_export_is_filled_in(self) -> None:
        roster = gradebook.read_canvas(self.sheet("canvas.csv", self.CANVAS))
        identity = {"system": "canvas", "id": "101", "name": "doejane"}
        submitted = course_of(
            course.record("doejane_101", "02_skips_a_rung", identity=identity),
            course.record("eve", "02_accepted"),
            course.record("eve", "15_shared_bins"),
            course.record("Al Smith", "02_accepted"),
            course.record("nobody", "02_accepted"),
            course.fault("fay"),
        )
        filled, notes = gradebook.canvas(submitted, roster, missing_as_zero=False)
        self.assertTrue(filled.startswith("\ufeffStudent,ID,"))
        got = {row[1]: row for row in rows(filled)}
        self.assertEqual(got["ID"][5:], ["Essay (11)", "Lab 02 (4711)", "Final Score", "15 Histogram, global atomics"])
        self.assertEqual(got["101"], ["Doe, Jane", "101", "s101", "jdoe", "A", "17", "8", "50", ""])
        self.assertEqual(got["102"][6], "3", "who handed in nothing keeps the grade they had")
        self.assertEqual(got["103"][0], "'=cmd|x, Eve")
        self.assertEqual(got["103"][6:], ["10", "10", "80"])
        self.assertEqual(got["104"][6] + got["105"][6], "", "two people of one name: neither gets the grade")
        self.assertEqual(got["106"][6], "7", "a judge's fault takes no grade away")
        self.assertEqual(rows(filled)[2][0], "    Points Possible")
        self.assertEqual(rows(filled)[2][-1], "100")
        self.assertEqual(len(notes), 2)
        self.assertIn(
            "1 student could not be found in the Canvas export, so their points are not in it: nobody", notes[0]
        )
        self.assertIn("Al Smith fits the rows 'Smith, Al' (104) and 'Smith, Al' (105)", notes[1])

        zeros = {row[1]: row for row in rows(gradebook.canvas(submitted, roster, missing_as_zero=True)[0])}
        self.assertEqual((zeros["102"][6], zeros["102"][8], zeros["106"][6]), ("3", "0", "7"))
        self.assertEqual(zeros["104"][6] + zeros["105"][6], "", "one of them handed in: no 0 for either")
        self.assertEqual(zeros["ID"], got["ID"])

    def test_canvas_with_semicolons_and_without_a_roster(self) -> None:
        roster = gradebook.read_canvas(
            self.sheet("c.csv", "Student;ID;Section;02\r\nPoints Possible;;;5\r\nAl;7;A;\r\n")
        )
        filled, _ = gradebook.canvas(course_of(course.record("Al", "02_accepted")), roster, missing_as_zero=False)
        self.assertEqual(rows(filled, ";")[2], ["Al", "7", "A", "5"])
        made = rows(gradebook.canvas(course_of(course.record("Al", "02_accepted")), None, missing_as_zero=False)[0])
        self.assertEqual(made[0], ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "02 Neighbouring pairs"])
        self.assertEqual(made[2], ["Al", "", "", "", "", "100"])

    MOODLE = (
        "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,"
        "Last modified (submission),Last modified (grade),Feedback comments\r\n"
        'Participant 501,"Jane, Doe",jane@uni.example,Submitted,,10.00,Yes,-,-,\r\n'
        "Participant 502,Rob Roe,rob@uni.example,No submission,,10.00,Yes,-,-,\r\n"
        "Participant 503,Faulty Fay,fay@uni.example,Submitted,6.00,10.00,Yes,-,-,\r\n"
    )

    def test_moodle_worksheet_is_filled_in(self) -> None:
        from batch.reports.pages import feedback

        worksheet = gradebook.read_moodle(self.sheet("moodle.csv", self.MOODLE))
        hostile = course.record("jane", "02_does_not_compile")
        hostile["judge"]["failure"]["steps"] = [course.SCRIPT]
        identity = {"system": "moodle", "id": "501", "name": "Jane Doe"}
        submitted = course_of({**hostile, "student": "Jane Doe_501", "identity": identity}, course.fault("fay"))
        got = rows(gradebook.moodle(submitted, worksheet, feedback, zeros=False)[0])
        self.assertEqual(got[0], rows(self.MOODLE)[0])
        self.assertEqual(got[1][4], "0")
        self.assertIn("02 Neighbouring pairs: compile error<br>correct: 0 of 70", got[1][9])
        self.assertIn("&lt;script&gt;", got[1][9])
        self.assertNotIn("<script", got[1][9])
        self.assertEqual((got[2][4], got[2][9]), ("", ""))
        self.assertEqual(got[3][4], "6.00")
        zeros = rows(gradebook.moodle(submitted, worksheet, feedback, zeros=True)[0])
        self.assertEqual([row[4] for row in zeros[1:]], ["0", "0", "6.00"])

    def test_a_column_of_no_points_is_told(self) -> None:
        sheet = gradebook.Sheet(
            ["Student", "ID", "Section", "02"], [["Points Possible", "", "", "0"], ["Al", "7", "A", ""]]
        )
        filled, notes = gradebook.canvas(course_of(course.record("Al", "02_accepted")), sheet, missing_as_zero=False)
        self.assertEqual(rows(filled)[2][3], "0")
        self.assertEqual(len(notes), 1)
        self.assertIn("Everybody has 0 in 02", notes[0])

    def test_files_that_are_something_else(self) -> None:
        for read, saying in ((gradebook.read_canvas, "Export Entire Gradebook"), (gradebook.read_moodle, "Download")):
            with self.assertRaisesRegex(Failure, saying):
                read(self.sheet("x.csv", "Name,Points\r\nAl,3\r\n"))
            with self.assertRaisesRegex(Failure, "empty"):
                read(self.sheet("x.csv", ""))
            with self.assertRaisesRegex(Failure, "Check the path"):
                read(Path("/nowhere/x.csv"))
            with self.assertRaisesRegex(Failure, "x.csv: this is not UTF-8.*as it was downloaded"):
                latin = self.sheet("x.csv", "")
                latin.write_bytes(b"Student,ID,Section\r\nJos\xe9,7,A\r\n")
                read(latin)
            with self.assertRaisesRegex(Failure, "not a CSV file"):
                read(self.sheet("x.csv", "Student,ID,Section\r\n" + "x" * 200_000))
        for header, lacking in (("Identifier,Full name", "no Grade"), ("Name", "no Identifier and no Grade")):
            with self.assertRaisesRegex(Failure, rf"x.csv: .*worksheet.* it has {lacking}\."):
                gradebook.read_moodle(self.sheet("x.csv", f"{header}\r\n"))
        two = self.sheet("x.csv", "Student,ID,Section,Lab 2 (1),02 (2)\r\nAl,7,A,,\r\n")
        with self.assertRaisesRegex(Failure, "two columns for 02_reduce_neighbored"):
            gradebook.canvas(
                course_of(course.record("Al", "02_accepted")), gradebook.read_canvas(two), missing_as_zero=False
            )


class Names(unittest.TestCase):
    """Names that look alike to a program or to a person: nobody's points go to another, or go silently."""

    TWINS = (
        "Ada",
        "ada",
        "Anna Lee",
        "annalee",
        "José",
        "Jose\u0301~1a2b3c",
        "Max",
        "Max~aa11bb",
        "MAX",
        "Ⅳ",
        "iv",
        "ß",
        "ss",
    )

    def course(self) -> grades.Course:
        named = {"Jose\u0301~1a2b3c": "José", "Max~aa11bb": "Max."}
        return course_of(
            *(
                course.record(
                    who,
                    "02_accepted",
                    score=at + 1,
                    identity={"system": "folder", "id": "", "name": named[who]} if who in named else None,
                )
                for at, who in enumerate(self.TWINS)
            )
        )

    def test_without_a_roster_everybody_has_a_row(self) -> None:
        from batch.reports.pages import feedback

        wanted = {who: str(at + 1) for at, who in enumerate(self.TWINS)}
        plain = {row[0]: row[1] for row in rows(gradebook.plain(self.course()))[1:]}
        self.assertEqual(plain, wanted)
        filled, notes = gradebook.canvas(self.course(), None, missing_as_zero=True)
        self.assertEqual({row[0]: row[-1] for row in rows(filled)[2:]}, wanted)
        filled, more = gradebook.moodle(self.course(), None, feedback, zeros=True)
        self.assertEqual({row[1]: row[3] for row in rows(filled)[1:]}, wanted)
        self.assertEqual(notes + more, [])

    def test_with_a_roster_everybody_has_a_grade_or_a_sentence(self) -> None:
        """For each set of rows: the points of a student are in exactly one cell, or a note names the student."""
        roster = "Student,ID,Section\r\n" + "".join(f"{who},{at},A\r\n" for at, who in enumerate(self.TWINS))
        rosters = [roster, roster.upper().replace("STUDENT,ID,SECTION", "Student,ID,Section")]
        rosters += ["".join(roster.splitlines(keepends=True)[:6]), "Student,ID,Section\r\nNobody,1,A\r\n"]
        for text_ in rosters:
            sheet = gradebook.Sheet(rows(text_)[0], rows(text_)[1:])
            filled, notes = gradebook.canvas(self.course(), sheet, missing_as_zero=True)
            given = [row[-1] for row in rows(filled)[1:]]
            for at, who in enumerate(self.TWINS):
                named = [note for note in notes if re.search(rf"(: |, ){re.escape(who)}(, | fit|\.)", note)]
                self.assertEqual((given.count(str(at + 1)), len(named)) in ((1, 0), (0, 1)), True, (who, given, notes))

    def test_the_strictest_way_decides(self) -> None:
        sheet = gradebook.Sheet(["Student", "ID", "Section"], [["Anna Lee", "7", "A"], ["AnnaLee", "8", "A"]])
        made = course_of(
            course.record("Anna Lee", "02_accepted", score=1), course.record("annalee", "02_accepted", score=2)
        )
        filled, notes = gradebook.canvas(made, sheet, missing_as_zero=False)
        self.assertEqual([row[-1] for row in rows(filled)[1:]], ["1", "2"])
        self.assertEqual(notes, [])
        sheet.rows.pop()
        filled, notes = gradebook.canvas(made, sheet, missing_as_zero=False)
        self.assertEqual([row[-1] for row in rows(filled)[1:]], ["1"])
        self.assertIn("annalee fits the row 'Anna Lee' (7), which is Anna Lee's", notes[0])

    def test_a_number_is_read_in_its_own_column(self) -> None:
        sheet = gradebook.Sheet(
            ["Student", "ID", "SIS User ID", "Section"],
            [["Lee, Ann", "101", "202", "A"], ["Lee, Ann", "202", "101", "A"]],
        )
        identity = {"system": "canvas", "id": "101", "name": "leeann"}
        made = course_of(course.record("leeann_101", "02_accepted", identity=identity))
        filled, notes = gradebook.canvas(made, sheet, missing_as_zero=False)
        self.assertEqual([row[-1] for row in rows(filled)[1:]], ["100", ""])
        self.assertEqual(notes, [])

    def test_every_name_is_in_its_sentence(self) -> None:
        many = [f"stranger {number:03}" for number in range(300)]
        made = course_of(*(course.record(who, "02_accepted") for who in many))
        _, notes = gradebook.canvas(made, gradebook.Sheet(["Student", "ID", "Section"], []), missing_as_zero=False)
        for who in many:
            self.assertIn(who, notes[0])

    def test_a_student_called_like_a_row_of_canvas(self) -> None:
        names = ("Points Possible", "Points Possible Jr", "Muted", "Manual Posting")
        filled, _ = gradebook.canvas(
            course_of(*(course.record(who, "02_accepted") for who in names)), None, missing_as_zero=False
        )
        self.assertEqual(sorted(row[0] for row in rows(filled)[2:] if row[-1] == "100"), sorted(names))

    def test_results_of_a_lab_that_is_gone_are_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            gone = course.record("anna", "02_accepted", lab="77_gone")
            notes = reports.write_all(Path(folder), [gone, course.record("ben", "02_accepted")], labs=course.LABS)
            self.assertIn("anna (77_gone)", notes[0])
            self.assertIn("anna (77_gone)", (Path(folder) / "index.html").read_text(encoding="utf-8"))


class Refused(unittest.TestCase):
    """A submission that was refused as a whole counts 0, in every format."""

    def test_it_is_zero_everywhere(self) -> None:
        from batch.reports.pages import feedback

        made = course_of(
            course.refusal("ralph"), course.record("al", "02_accepted"), course.record("al", "15_accepted")
        )
        plain = {row[0]: row[1:] for row in rows(gradebook.plain(made))}
        self.assertEqual(plain["ralph"], ["0", "0", "0", "200"])
        roster = gradebook.Sheet(
            ["Student", "ID", "Section"], [["ralph", "1", "A"], ["al", "2", "A"], ["zoe", "3", "A"]]
        )
        for sheet in (None, roster):
            filled = {row[0]: row for row in rows(gradebook.canvas(made, sheet, missing_as_zero=False)[0])}
            self.assertEqual((filled["ralph"][-2:], filled["al"][-2:]), (["0", "0"], ["100", "100"]))
        self.assertEqual(filled["zoe"][-2:], ["", ""], "who handed in nothing is another matter")
        worksheet = gradebook.Sheet(
            ["Identifier", "Full name", "Maximum grade", "Grade"], [["Participant 1", "ralph", "10", ""]]
        )
        for sheet in (None, worksheet):
            [row] = [row for row in rows(gradebook.moodle(made, sheet, feedback, zeros=False)[0]) if "ralph" in row]
            self.assertEqual(row[3], "0")
            self.assertIn("refused", row[-1])
        self.assertEqual(json.loads(gradescope.results(made.of_student("ralph")))["score"], 0)
        with tempfile.TemporaryDirectory() as folder:
            reports.write_all(
                Path(folder), [course.refusal("ralph"), course.record("al", "02_accepted")], labs=course.LABS
            )
            page = Page((Path(folder) / "students" / "ralph.html").read_text(encoding="utf-8")).text()
            self.assertIn("counts 0 in every lab", page)
            self.assertIn("0 of 100 points", page)
            self.assertIn("./lab grade FOLDER --out OUT", page)
            self.assertIn("ralph 0 0", Page((Path(folder) / "index.html").read_text(encoding="utf-8")).text())

    def test_a_file_without_a_lab_takes_no_other_lab_away(self) -> None:
        made = course_of(
            course.refusal("ralph"), course.record("ralph", "02_accepted"), course.record("al", "15_accepted")
        )
        self.assertEqual(rows(gradebook.plain(made))[2], ["ralph", "100", "", "100", "200"])

    def test_everybody_is_refused(self) -> None:
        from batch.reports.pages import feedback

        made = course_of(course.refusal("ralph"))
        sheet = gradebook.Sheet(["Identifier", "Full name", "Maximum grade", "Grade"], [["1", "ralph", "10", ""]])
        self.assertEqual(rows(gradebook.moodle(made, sheet, feedback, zeros=False)[0])[1][3], "0")


if __name__ == "__main__":
    unittest.main()
