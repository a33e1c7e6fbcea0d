"""What a page says about one failure, and which submissions the class page lists as equal or similar."""

import random
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any

from batch import reports
from batch.reports import similarity
from batch.tests import course, reading
from batch.tests.reading import Page, course_of
from launcher.paths import ROOT

reading.need_packages(__name__)


class Pages(unittest.TestCase):
    """What a page says about one failure."""

    def page(self, record: dict[str, Any]) -> str:
        from batch.reports import pages

        made = course_of(record)
        return Page(pages.student(made, record["student"], pages.environment(made))).text()

    def test_the_failing_lines_are_shown(self) -> None:
        failed = course.record("al", "02_missing_barrier")
        code = [f"line {number};" for number in range(1, 31)]
        code[21] = "s[tid] += s[tid + 1];\x1b[31m\u202e"
        failed["submission"]["code"] = {"reduce.cu": "\n".join(code), "sum.cuh": "the only line"}
        failed["judge"]["failure"]["steps"].append("see sum.cuh:1 and reduce.cu:4000")
        page = self.page(failed)
        self.assertIn(
            "reduce.cu:22 20 line 20; 21 line 21; 22› s[tid] += s[tid + 1];\\u001b[31m\\u202e 23 line 23;", page
        )
        self.assertIn("sum.cuh:1 1› the only line", page)
        self.assertNotIn("reduce.cu:4000 ", page.split("Points")[0].split("sum.cuh:1 1›")[1])

    def test_when_it_came_and_which_file_it_was(self) -> None:
        made = course.record("al", "02_accepted")
        made["submission"] |= {"time": "2026-11-22 13:05:09 UTC", "main_sha256": "ab" * 32, "source": "al\x1b.zip"}
        page = self.page(made)
        for wanted in ("2026-11-22 13:05:09 UTC", "SHA-256 of reduce.cu: " + "ab" * 32, "al\\u001b.zip"):
            self.assertIn(wanted, page)

    def test_every_failure_can_be_seen_again(self) -> None:
        for name, verdict in course.VERDICTS.items():
            if verdict["verdict"] == "accepted":
                continue
            made = course.record("al", name)
            case = made["judge"]["failure"]["case"]
            wanted = f"./lab check {made['lab'][:2]} --file reduce.cu{f' --case {case}' if case else ''} --seed "
            wanted = wanted.replace("reduce.cu", Path(made["judge"]["file"]).name)
            self.assertIn(wanted, self.page(made), name)
            self.assertIn(" --device lockstep", self.page(made), name)
        made = course.record("al", "02_missing_barrier")
        made["judge"]["failure"]["schedule"] = "random:7"
        self.assertIn("--schedules random:7 --device lockstep", self.page(made))
        self.assertIn("./lab grade FOLDER --out OUT --lab 02", self.page(course.refusal("al", "02_reduce_neighbored")))
        self.assertIn("Only your instructor can run this case again", self.page(course.with_hidden_failure("al")))

    def test_checks_are_explained(self) -> None:
        from batch.reports import checks

        for name, verdict in course.VERDICTS.items():
            if verdict["failed_check"]:
                lab = next(lab for lab in course.LABS if lab.name == verdict["lab"])
                meaning = checks.explained(verdict["failed_check"], lab)
                self.assertGreater(len(meaning), 10, name)
                self.assertIn(" ".join(meaning.split())[:60], self.page(course.record("al", name)), name)
        lab = course.LABS[2]
        for rule in lab.facts["rules"]:
            self.assertEqual(checks.explained(f"rule.{rule['name']}", lab), rule["why"])
        for one in (lab for lab in course.LABS if lab.facts["speed"]):
            threshold = one.facts["speed"][0]
            self.assertEqual(checks.explained(f"speed.{threshold['speedup']:g}", one), threshold["why"])
        self.assertEqual(checks.explained("case.reduce_sum.33.ones", None), "a wrong result")
        self.assertIn("the host did the work", checks.explained("work.loads", None))
        self.assertEqual(checks.explained("nonsense", None), "")

    def test_everybody_who_has_no_grade_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            faulty = [course.fault(f"faulty {number:03}") for number in range(90)]
            refused = [course.refusal(f"refused {number:03}") for number in range(90)]
            reports.write_all(Path(folder), [*faulty, *refused], labs=course.LABS)
            page = Page((Path(folder) / "index.html").read_text(encoding="utf-8"))
        self.assertEqual((page.open_, page.wrong_), ([], []))
        attention = page.text().split("Needs your attention")[1].split(" Points ")[0]
        for record in (*faulty, *refused):
            self.assertIn(record["student"], attention)

    def test_time_for_the_whole_submission(self) -> None:
        made = course.record("al", "02_hangs_on_device")
        steps = ["the whole submission took more than 600 s"]
        made["judge"]["failure"] |= {"steps": steps, "next": "Wait less.", "case": "", "schedule": "", "printed": ""}
        made["judge"]["failed_check"] = "time"
        page = self.page(made)
        for wanted in ("in one step or in all of them together", *steps, "Next: Wait less.", "--seed"):
            self.assertIn(wanted, page)


class Similarity(unittest.TestCase):
    def test_groups(self) -> None:
        from batch.reports.alike import groups
        from batch.reports.similarity import Pair

        equals = {"02": {"a": ["a", "b"], "c": ["c"], "d": ["d"], "e": ["e"], "x": ["x", "y"]}}
        shares = {"ac": 0.95, "ad": 0.9, "cd": 0.85, "de": 0.82}
        found = groups(equals, [Pair("02", one, other, share) for (one, other), share in shares.items()])
        self.assertEqual(
            [(row.some, row.others, row.least, row.most, row.is_equal) for row in found],
            [
                (["a", "b"], [], 1, 1, True),
                (["x", "y"], [], 1, 1, True),
                (["a", "b", "c", "d"], [], 0.85, 0.95, False),
                (["a", "b", "c", "d"], ["e"], 0.82, 0.82, False),
            ],
        )

    def test_equal_files_are_listed_whatever_they_are(self) -> None:
        """Short ones, long ones, and the starter, which copydetect does not compare."""
        lab = next(lab for lab in course.LABS if lab.number == "02")
        texts = {"tiny": "int x;", "huge": "/*" * 100_000, "starter": lab.source.read_text(encoding="utf-8")}
        texts["solution"] = lab.solution.read_text(encoding="utf-8")
        found = []
        for kind, code in texts.items():
            for who in range(40):
                found.append(course.record(f"{kind}{who:02}", "02_accepted"))
                found[-1]["submission"]["code"] = {"reduce.cu": code}
        with tempfile.TemporaryDirectory() as folder:
            reports.write_all(Path(folder), found, labs=course.LABS)
            page = Page((Path(folder) / "index.html").read_text(encoding="utf-8")).text()
        similar = page[page.index("Similar submissions") : page.index("copydetect")]
        for kind in texts:
            for who in range(40):
                self.assertIn(f"{kind}{who:02} ", similar)
        self.assertIn("[starter]", similar)
        self.assertIn("[reference solution]", similar)
        self.assertEqual(similar.count("the same text equal"), 4)

    def test_copies_are_found_and_starters_are_not(self) -> None:
        lab = next(lab for lab in course.LABS if lab.number == "02")
        starter = lab.source.read_text(encoding="utf-8")
        copied = lab.solution.read_text(encoding="utf-8")
        renamed = "// mine!\n" + re.sub(r"\b(i|n|tid|stride)\b", r"my_\1", copied).replace("    ", "\t")
        other = (ROOT / "solutions" / "17_reduce_shuffle" / "reduce.cu").read_text(encoding="utf-8")
        hostile = "/*" * 30_000 + 'R"(' * 5_000 + "\x00\ufffd'" + "a" * 100_000
        files = {"al": copied, "bo": renamed, "cy": starter, "di": starter, "ed": other, "hostile": hostile}
        # A copy with every sixth line written anew: fewer than 80 % of the marks are the same, and more of the text.
        files["ida"] = "\n".join(map(statement, range(60)))
        files["jan"] = "\n".join(statement(at, anew=at % 6 == 0) for at in range(60))
        found = similarity.find({lab.name: files}, {lab.name: starter})
        self.assertEqual([(pair.first, pair.second) for pair in found.pairs], [("al", "bo"), ("ida", "jan")])
        self.assertGreater(found.pairs[0].alike, 0.9)


def statement(at: int, *, anew: bool = False) -> str:
    """The statement of a line: another for each line, and another one if it is written anew."""
    some = random.Random(2 * at + anew)
    return (
        f"v[{at}] = a[{at}] "
        + " ".join(f"{some.choice('+-*^|&%')} {some.randint(1, 99)}" for _ in range(some.randint(2, 9)))
        + ";"
    )


if __name__ == "__main__":
    unittest.main()
