"""The reports for instructors and students: each format keeps its own rules, and no submitted text becomes code."""

import csv
import importlib.util
import io
import json
import os
import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from launcher import wheels
from launcher.console import Failure
from launcher.paths import ROOT

if importlib.util.find_spec("copydetect") is None or importlib.util.find_spec("jinja2") is None:
    if not wheels.installed(wheels.GRADE):
        raise unittest.SkipTest("what ./lab grade reports with is not installed; ./lab test installs it")
    os.execv(wheels.PYTHON, [wheels.PYTHON, "-m", "unittest", "-v", __name__])

from batch import reports
from batch.reports import gradebook, grades, gradescope, similarity, text
from batch.tests import course
from jsonschema import Draft202012Validator

HERE = Path(__file__).parent
MARK = gradescope.MARK


def course_of(*records: dict[str, Any]) -> grades.Course:
    return grades.Course.of_records(records, course.LABS)


def rows(csv_text: str, separator: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_text.removeprefix("\ufeff"), newline=""), delimiter=separator))


class Fixtures(unittest.TestCase):
    def test_verdicts_are_the_judges(self) -> None:
        schema = json.loads((ROOT / "grader" / "judge" / "verdict" / "verdict.schema.json").read_text(encoding="utf-8"))
        made = [record["judge"] for record in course.everything() if record["judge"]]
        for verdict in made:
            wrong = [f"{error.json_path}: {error.message[:200]}" for error in validator_of(schema).iter_errors(verdict)]
            self.assertEqual(wrong, [])


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
        self.assertEqual(len(notes), 1)
        self.assertIn("2 students could not be told apart or found in the Canvas export: Al Smith, nobody", notes[0])

        zeros = {row[1]: row for row in rows(gradebook.canvas(submitted, roster, missing_as_zero=True)[0])}
        self.assertEqual((zeros["102"][6], zeros["104"][6], zeros["106"][6]), ("3", "0", "7"))
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

    def test_moodle_without_a_worksheet_has_a_row_for_each_student(self) -> None:
        submitted = course_of(course.record("Al", "02_accepted"), course.fault("fay"))
        text, notes = gradebook.moodle(submitted, None, lambda grade: grade.verdict, zeros=False)
        header, *students = rows(text)
        self.assertEqual(header, ["Identifier", "Full name", "Maximum grade", "Grade", "Feedback comments"])
        self.assertEqual(students, [["", "Al", "", "100", "accepted"], ["", "fay", "", "", "judge fault"]])
        self.assertEqual(notes, [])

    def test_files_that_are_something_else(self) -> None:
        for read, saying in ((gradebook.read_canvas, "Export Entire Gradebook"), (gradebook.read_moodle, "Download")):
            with self.assertRaisesRegex(Failure, saying):
                read(self.sheet("x.csv", "Name,Points\r\nAl,3\r\n"))
            with self.assertRaisesRegex(Failure, "empty"):
                read(self.sheet("x.csv", ""))
            with self.assertRaisesRegex(Failure, "Check the path"):
                read(Path("/nowhere/x.csv"))
        two = self.sheet("x.csv", "Student,ID,Section,Lab 2 (1),02 (2)\r\nAl,7,A,,\r\n")
        with self.assertRaisesRegex(Failure, "two columns for 02_reduce_neighbored"):
            gradebook.canvas(
                course_of(course.record("Al", "02_accepted")), gradebook.read_canvas(two), missing_as_zero=False
            )


def validator_of(schema: dict[str, Any]) -> Draft202012Validator:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


class Gradescope(unittest.TestCase):
    SCHEMA = validator_of(json.loads((HERE / "gradescope.schema.json").read_text(encoding="utf-8")))

    def results(self, *records: dict[str, Any], **options: Any) -> dict[str, Any]:  # noqa: ANN401
        found = course_of(*records)
        made = json.loads(gradescope.results(found.of_student(found.students[0]), **options))
        if "score" in made:
            self.assertEqual([error.message for error in self.SCHEMA.iter_errors(made)], [])
            scored = [test["score"] for test in made["tests"] if "score" in test]
            self.assertTrue(not scored or sum(scored) == made["score"])
        else:
            self.assertNotIn("tests", made)
        return made

    def test_every_verdict(self) -> None:
        for name, verdict in course.VERDICTS.items():
            made = self.results(course.record("al", name))
            self.assertEqual(made["score"], verdict["score"]["points"])
            failed = [test for test in made["tests"] if test["status"] == "failed"]
            self.assertEqual(bool(failed), verdict["verdict"] != "accepted", name)
            if failed:
                self.assertIn(verdict["failure"]["steps"][0][:20], failed[0]["output"])
                self.assertNotIn("/tmp/", json.dumps(made), "paths of the instructor's machine")

    def test_several_labs(self) -> None:
        made = self.results(course.record("al", "02_accepted"), course.record("al", "15_shared_bins"))
        self.assertEqual(made["score"], 180)
        self.assertEqual(len({test["number"] for test in made["tests"]}), len(made["tests"]))
        self.assertEqual(self.results(course.refusal("al"))["score"], 0)

    def test_hidden_cases(self) -> None:
        for until in ("after_published", "hidden"):
            made = self.results(course.with_hidden_failure("al"), hidden_until=until)
            seen = [test for test in made["tests"] if test["visibility"] == "visible"]
            self.assertEqual(
                [(test["name"], test["status"]) for test in seen], [("02 Neighbouring pairs: public cases", "passed")]
            )
            self.assertEqual({test["visibility"] for test in made["tests"]}, {"visible", until})
            self.assertNotIn(course.SECRET, json.dumps(made))
            self.assertNotIn("wrong answer", json.dumps([seen, made["output"]]))
            self.assertIn("1 of 2 hidden cases pass", json.dumps(made["tests"]))
            self.assertEqual(made["stdout_visibility"], "hidden")

    def test_our_fault_is_no_zero(self) -> None:
        made = self.results(course.fault("al"), course.record("al", "15_accepted"))
        self.assertNotIn("score", made)
        self.assertIn("The autograder had trouble", made["output"])
        self.assertNotIn("No space left", json.dumps(made))
        self.assertEqual(made["extra_data"][MARK]["trouble"], "02_reduce_neighbored: judge fault")
        kept = self.results(course.fault("al"), earlier=80.0)
        self.assertEqual((kept["score"], kept["tests"]), (80.0, []))
        self.assertIn("Your earlier score, 80, stands", kept["output"])

    def test_earlier_scores(self) -> None:
        def submission(score: float | None, **marks: Any) -> dict[str, Any]:  # noqa: ANN401
            return {"score": score, "results": {"extra_data": {MARK: marks}}}

        ours = submission(70.0, verdicts={})
        trouble = submission(0.0, trouble="disk")
        foreign = {"score": 55.0, "results": {}}
        self.assertEqual(gradescope.earlier_score({"previous_submissions": [ours, trouble, foreign]}), 70.0)
        for nothing in ({}, {"previous_submissions": None}, {"previous_submissions": [trouble, foreign]}):
            self.assertIsNone(gradescope.earlier_score(nothing))

    def test_leaderboard_says_how_it_is_known(self) -> None:
        made = self.results(course.modelled("al", 2.5))
        self.assertEqual(
            made["leaderboard"], [{"name": "02_reduce_neighbored speedup (modelled)", "value": 2.5, "order": "desc"}]
        )
        self.assertNotIn("leaderboard", self.results(course.record("al", "02_accepted")))


class Files(unittest.TestCase):
    """write_all() with all records together."""

    out: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.out = Path(cls.holder.name) / "one"
        cls.notes = reports.write_all(cls.out, course.everything(), labs=course.LABS)

    def pages(self) -> list[Path]:
        return [self.out / "index.html", *sorted((self.out / "students").iterdir())]

    def page(self, student: str) -> str:
        return (self.out / "students" / f"{text.file_name(student)}.html").read_text(encoding="utf-8")

    def test_the_same_records_give_the_same_files(self) -> None:
        again = self.out.with_name("two")
        reports.write_all(again, course.everything()[::-1], labs=course.LABS)
        files = sorted(file.relative_to(self.out) for file in self.out.rglob("*") if file.is_file())
        self.assertEqual(files, sorted(file.relative_to(again) for file in again.rglob("*") if file.is_file()))
        self.assertEqual(len(files), 6 + 2 * len({record["student"] for record in course.everything()}) - 1)
        for file in files:
            self.assertEqual((self.out / file).read_bytes(), (again / file).read_bytes(), file)

    def test_pages_hold_no_code_and_need_nothing_else(self) -> None:
        for file in self.pages():
            page = Page(file.read_text(encoding="utf-8"))
            self.assertEqual(page.open_, [], f"{file}: not closed")
            self.assertEqual(page.wrong_, [], file)
            for link in page.links_:
                self.assertRegex(link, r"^(#|students/)", file)
                target = file.parent / unquote(re.sub("#.*", "", link)) if link[0] != "#" else file
                self.assertTrue(target.is_file(), f"{file} → {link}")
            self.assertEqual(len(page.ids_), len(set(page.ids_)), f"{file}: an id twice")
            self.assertLess(file.stat().st_size, 300_000, file)

    def test_names_are_shown_as_text(self) -> None:
        index = (self.out / "index.html").read_text(encoding="utf-8")
        for page in (index, self.page(course.SCRIPT)):
            self.assertIn("&lt;script&gt;alert(", page)
            self.assertNotIn("<script", page)
        self.assertIn("\\u202egnp.exe\\u202c", self.page(course.TURNED))
        for page in self.pages():
            self.assertNotRegex(page.read_text(encoding="utf-8"), "[\u202a-\u202e\u2066-\u2069\x00\x08\x1b]")
        self.assertIn(f"<bdi>{course.HEBREW}</bdi>", index)
        self.assertNotIn("Ä" * 100, index)
        self.assertFalse((self.out.parent / "etc").exists())

    def test_a_page_says_why(self) -> None:
        page = Page(self.page("02_missing_barrier.04")).text()
        for wanted in (
            "rule broken",
            "0 of 100 points",
            "At reduce.cu:22",
            "race: two accesses",
            "They are warps of one block",
            "./lab check 02 --file reduce.cu --case reduce_sum.1023.random --seed 42",
            "3 of 5 public cases pass",
            "correct 0 / 70 rule broken, finding.race",
        ):
            self.assertIn(wanted, page)
        self.assertNotIn("/tmp/warpladder", page)
        self.assertIn("1 of 2 public cases pass. 45 more were not run", Page(self.page("02_hangs_on_device.03")).text())
        rule = Page(self.page("02_skips_a_rung.05")).text()
        self.assertIn("80 of 100 points", rule)
        self.assertIn("6 ≥ 160 in each of the first five steps", rule)
        speed = Page(self.page("quick")).text()
        self.assertIn("Speed, modelled for NVIDIA H200 2.50× the lab's baseline", speed)
        self.assertIn("Modelled: computed from exact counts", speed)
        self.assertIn("NVIDIA H200 0.02 0.05 2.50× NVIDIA T4 0.3 –", speed)
        for student in ("fay", "gina"):
            self.assertIn("no grade yet No fault of the code.", Page(self.page(student)).text())
        gina = Page(self.page("gina")).text()
        for unwanted in ("Points", "Speed", "public case", "sandbox", "seed"):
            self.assertNotIn(unwanted, gina, "nothing of a fault is a grade")
        self.assertIn("A later run had trouble; this earlier result stands.", Page(self.page("kept")).text())
        self.assertNotIn("@2-fault", self.page("kept"))
        self.assertIn("unpack to 9 GiB", Page(self.page("ralph")).text())

    def test_what_is_the_instructors_stays_there(self) -> None:
        self.assertIn("1 of 2 hidden cases pass", Page(self.page("hidden.one")).text())
        self.assertIn("hidden case 2: a wrong result", self.page("hidden.one"))
        for file in self.out.rglob("*"):
            if file.is_file() and file.name != "index.html":
                self.assertNotIn(course.SECRET, file.read_text(encoding="utf-8"), file)
            if file.is_file() and file.parent.name == "students":
                self.assertNotIn(course.PRIVATE, file.read_text(encoding="utf-8"), file)

    def test_the_class_page_says_first_what_needs_attention(self) -> None:
        page = Page((self.out / "index.html").read_text(encoding="utf-8")).text()
        attention, points = page.index("Needs your attention"), page.index("Points")
        faults = ("Judge faults: no fault of the code", "fay", "No space left", "gina", "a measuring fault")
        for wanted in (*faults, "the earlier grade stands", "kept", "grader 2 failed", "Refused at", "ralph"):
            self.assertTrue(attention < page.index(wanted) < points, wanted)
        for wanted in ("finding.race 02 Neighbouring pairs 11 ", "speedup (modelled, NVIDIA H200)"):
            self.assertIn(wanted, page)
        self.assertNotIn("speedup (None", page)
        self.assertEqual(self.notes, [])

    def test_junit(self) -> None:
        root = ElementTree.parse(self.out / "junit.xml").getroot()
        wrong = junit_complaints(root)
        self.assertEqual(wrong, [])
        suites = {suite.get("name"): suite for suite in root}
        self.assertEqual(len(suites), len(course.everything()))

        def verdict(name: str) -> tuple[str, str | None]:
            found = list(suites[name][0])
            return (found[0].tag, found[0].get("type")) if found else ("passed", None)

        lab = "02_reduce_neighbored"
        self.assertEqual(verdict(f"02_accepted.00.{lab}"), ("passed", None))
        self.assertEqual(verdict(f"02_hangs_on_device.03.{lab}"), ("failure", "time"))
        self.assertEqual(verdict(f"fay.{lab}"), ("error", "judge fault"))
        self.assertEqual(len(suites[f"gina.{lab}"]), 1, "the error, and no case that failed or was left out")
        self.assertEqual(verdict("ralph.submission"), ("error", "refused"))
        slow = suites[f"02_hangs_on_device.03.{lab}"]
        self.assertEqual((slow.get("tests"), slow.get("failures"), slow.get("skipped")), ("4", "2", "1"))


class Corners(unittest.TestCase):
    def test_next_to_nothing(self) -> None:
        """Reports after an immediate Ctrl-C, or if every submission was refused."""
        for records in ([], [course.refusal("ralph")], [course.fault("fay")]):
            with tempfile.TemporaryDirectory() as folder:
                reports.write_all(Path(folder), records, labs=course.LABS)
                page = Page((Path(folder) / "index.html").read_text(encoding="utf-8"))
                self.assertEqual((page.open_, page.wrong_), ([], []))
                self.assertIn(f"{len(records)} student", page.text())
                self.assertEqual(junit_complaints(ElementTree.parse(Path(folder) / "junit.xml").getroot()), [])
                self.assertEqual(
                    len(rows((Path(folder) / "gradebook.csv").read_text(encoding="utf-8"))), 1 + len(records)
                )


class Similarity(unittest.TestCase):
    def test_copies_are_found_and_starters_are_not(self) -> None:
        lab = next(lab for lab in course.LABS if lab.number == "02")
        starter = lab.source.read_text(encoding="utf-8")
        copied = lab.solution.read_text(encoding="utf-8")
        renamed = "// mine!\n" + re.sub(r"\b(i|n|tid|stride)\b", r"my_\1", copied).replace("    ", "\t")
        other = (ROOT / "solutions" / "17_reduce_shuffle" / "reduce.cu").read_text(encoding="utf-8")
        hostile = "/*" * 30_000 + 'R"(' * 5_000 + "\x00\ufffd'" + "a" * 100_000
        files = {"al": copied, "bo": renamed, "cy": starter, "di": starter, "ed": other, "hostile": hostile}
        found = similarity.find({lab.name: files}, {lab.name: starter})
        self.assertEqual([(pair.first, pair.second) for pair in found.pairs], [("al", "bo")])
        self.assertGreater(found.pairs[0].alike, 0.9)


class Page(HTMLParser):
    """The parts of a page that would run, load or stay open; its ids, links and text."""

    EMPTY = {"meta", "br", "link", "img", "input", "hr"}
    FORBIDDEN = {"script", "iframe", "object", "embed", "img", "link", "form", "base", "foreignobject"}

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open_: list[str] = []
        self.wrong_: list[str] = []
        self.links_: list[str] = []
        self.ids_: list[str] = []
        self.words_: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in self.FORBIDDEN:
            self.wrong_.append(f"<{tag}>")
        for name, value in attributes:
            value = value or ""
            if name.startswith("on") or name in ("src", "srcset", "action"):
                self.wrong_.append(f"{tag} {name}={value}")
            if name == "href" and tag == "a":
                self.links_.append(value)
            if name == "id":
                self.ids_.append(value)
            if "url(" in value and "url(#" not in value:
                self.wrong_.append(f"{tag} {name}={value}")
        if tag not in self.EMPTY:
            self.open_.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open_.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open_ or self.open_.pop() != tag:
            self.wrong_.append(f"</{tag}> without a beginning")

    def handle_data(self, data: str) -> None:
        if self.open_ and self.open_[-1] == "style":
            self.wrong_ += re.findall(r"@import|url\(|expression\(", data)
        else:
            self.words_.append(data)

    def text(self) -> str:
        return " ".join(" ".join(self.words_).split())


def junit_complaints(root: ElementTree.Element) -> list[str]:
    """Violations of the rules that the JUnit schemas of Jenkins, Maven and others share."""
    wrong = [] if root.tag == "testsuites" else [f"the root is {root.tag}"]
    for suite in root:
        if suite.tag != "testsuite" or not suite.get("name"):
            wrong.append(f"{suite.tag} without a name")
        for kind, tag in (("tests", "*"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            path = "testcase" if tag == "*" else f"testcase/{tag}"
            if suite.get(kind) != str(len(suite.findall(path))):
                wrong.append(f"{suite.get('name')}: {kind}={suite.get(kind)}")
        float(suite.get("time", ""))
        names = [case.get("name") for case in suite]
        if len(names) != len(set(names)) or not all(names):
            wrong.append(f"{suite.get('name')}: names {names}")
        for case in suite:
            if case.tag != "testcase" or set(case.keys()) != {"classname", "name", "time"} or len(case) > 1:
                wrong.append(f"{case.tag} {case.attrib}")
            for outcome in case:
                allowed = {"failure": {"type", "message"}, "error": {"type", "message"}, "skipped": {"message"}}
                if set(outcome.keys()) != allowed.get(outcome.tag):
                    wrong.append(f"{outcome.tag} {outcome.attrib}")
    return wrong


if __name__ == "__main__":
    unittest.main()
