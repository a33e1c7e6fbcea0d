"""The reports for instructors and students: each format keeps its own rules, and no submitted text becomes code."""

import json
import os
import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import unquote

from batch import reports
from batch.reports import gradescope, text
from batch.tests import course, reading
from batch.tests.reading import Page, course_of, junit_complaints, rows
from launcher import language
from launcher.language import message
from launcher.paths import ROOT
from launcher.tests import sentences

reading.need_packages(__name__)

HERE = Path(__file__).parent
MARK = gradescope.MARK


class Fixtures(unittest.TestCase):
    def test_verdicts_are_the_judges(self) -> None:
        schema = json.loads((ROOT / "grader" / "judge" / "verdict" / "verdict.schema.json").read_text(encoding="utf-8"))
        made = [record["judge"] for record in course.everything() if record["judge"]]
        for verdict in made:
            wrong = [f"{error.json_path}: {error.message[:200]}" for error in validator_of(schema).iter_errors(verdict)]
            self.assertEqual(wrong, [])


def validator_of(schema: dict[str, Any]) -> Any:  # noqa: ANN401 (a class of a package that is not everywhere)
    from jsonschema import Draft202012Validator

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

    def test_the_first_part_that_lost_points_says_why_line_by_line(self) -> None:
        correct, rules = self.results(course.record("al", "02_drops_tail"))["tests"][:2]
        reason, *explained = correct["output"].split("\n")
        self.assertEqual(reason, "wrong answer, case.reduce_sum.1.random; 38 of 47 public cases fail")
        self.assertEqual(
            explained[:3], ["", "wrong answer: case.reduce_sum.1.random", "reduce_sum with 1 ints (random, seed 42)"]
        )
        self.assertIn("the returned sum: got 0, want 1536559129", explained)
        self.assertTrue(explained[-1].startswith("Next: Work this input out by hand"), explained)
        self.assertEqual(rules["output"], "counts for correct code only")

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
        for wanted in (
            "finding.race two accesses of one launch to the same bytes",
            "orders them 02 Neighbouring pairs 11 ",
            "speedup (modelled, NVIDIA H200)",
        ):
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
        said = {test.get("name"): [each.get("message") for each in test] for test in slow}
        self.assertEqual(said["cases not run"], ["45 cases come after the check that failed"])
        hidden = {test.get("name"): [each.get("message") for each in test] for test in suites[f"hidden.one.{lab}"]}
        self.assertEqual(hidden["hidden"], ["1 of 2 hidden cases pass"])
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


class Chinese(unittest.TestCase):
    """./lab --lang zh grade: pages for people are Chinese, files for programs stay as they are."""

    def written(self, records: list[dict[str, Any]], chosen: str) -> dict[str, str]:
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {language.CHOSEN: chosen}):
            out = Path(folder)
            reports.write_all(out, records, labs=course.LABS)
            files = (file for file in out.rglob("*") if file.is_file())
            return {str(file.relative_to(out)): file.read_text(encoding="utf-8") for file in files}

    def test_pages_have_no_english_sentence_and_other_files_no_chinese(self) -> None:
        records = [self.without_the_judges_words(record) for record in course.everything()]
        english, chinese = self.written(records, "en"), self.written(records, "zh")
        self.assertEqual(english.keys(), chinese.keys())
        for name, page in chinese.items():
            with self.subTest(name):
                if name.endswith(".html"):
                    self.assertIn('<html lang="zh">', page)
                    self.assertEqual(sentences.english(Page(page).text()), [])
                    self.assertNotEqual(sentences.english(Page(english[name]).text()), [])
                else:
                    self.assertEqual(page, english[name])

    def without_the_judges_words(self, record: dict[str, Any]) -> dict[str, Any]:
        """verdicts.json is older than the forms that are translated; the next test has some."""
        judge = record["judge"] or {}
        for failure in filter(None, (judge.get("failure"), (judge.get("failure") or {}).get("instructor"))):
            failure |= {"steps": ["步骤"], "next": "步骤", "printed": "int x;"}
        for part in (judge.get("score") or {}).get("parts", []):
            part["why"] = "理由"
        for words in (judge.get("speed") or {}, judge.get("time") or {}):
            words |= {key: "理由" for key in ("reason", "advice") if words.get(key)}
        for rule in judge.get("rules", []):
            rule["why"] = "理由"
        record["kept"] = record["kept"] and "理由"
        record["error"] = record["error"] and "理由"
        return record

    def test_what_the_judge_and_intake_say_is_translated(self) -> None:
        late = message("{file} came late, as Canvas says in its name", file="'a.cu'")
        why = message("{name} is {what}: hand in regular files only.", name="'x'", what=message("a link"))
        refused = course.refusal("ralph") | {"error": str(why), "messages": [why.parts]}
        judged = course.record("al", "02_missing_barrier") | {"messages": [late.parts]}
        judged["submission"]["notes"] = [str(late)]
        form = "They are warps of one block."
        step = {
            "form": "{what} Look at line {line}.",
            "arguments": {"line": "7", "what": {"form": form, "arguments": {}}},
        }
        judged["judge"]["page"] = [{"kind": "step", "indent": "", "text": step}]
        judged["judge"]["failure"] |= {"steps": [f"{form} Look at line 7.", "Nobody has translated this."]}
        known = {"{what} Look at line {line}.": "{what}请看第 {line} 行。", form: "它们是一个线程块的线程束。"}
        usual = language.catalogue
        with mock.patch.object(language, "catalogue", lambda name: usual(name) | (known if name == "zh" else {})):
            pages = self.written([refused, judged], "zh")
        self.assertIn("它们是一个线程块的线程束。请看第 7 行。", pages["students/al.html"])
        self.assertIn("Nobody has translated this.", pages["students/al.html"])
        self.assertIn("'a.cu' 迟交", Page(pages["students/al.html"]).text())
        self.assertIn("'x' 是链接：只提交普通文件。", Page(pages["students/ralph.html"]).text())
        self.assertIn("'x' 是链接：只提交普通文件。", Page(pages["index.html"]).text())


if __name__ == "__main__":
    unittest.main()
