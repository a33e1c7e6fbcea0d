"""Tests of the scripts: the meaning of a case's comments and of compute-sanitizer's words, and when a run is right."""

import csv
import re
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import sanitizer
from corpus import FOLDER, Case, CorpusError, read_corpus, read_source
from faults import judge

SOURCE = """// case: racy
// Thinks: it is
// fine.
// expect: race
// also: uninitialised_read
// answer: right under forward, wrong under reverse
s[0] = 1;  // OTHER
x = s[0];  // HERE
// case: leaky
// expect: leak
// says: 64
// case: innocent
// expect: nothing
// case: one_line
// expect: race
x += 1;  // HERE, OTHER
"""


def read(text: str) -> list[Case]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "some.cu"
        source.write_text(text)
        return read_source(source)


def finding(kind: str, line: int = 0, other: int = 0, message: str = "text\n  Next: mend it.") -> dict:
    place = {"file": "/a/some.cu", "line": line, "block": [0, 0, 0], "thread": [0, 0, 0]}
    return {"kind": kind, "message": message, **place, **({"other": {**place, "line": other}} if other else {})}


def run(*findings: dict, right: bool = True) -> SimpleNamespace:
    return SimpleNamespace(findings=list(findings), failed_calls=[], right=right, trouble="")


class Promises(unittest.TestCase):
    """promises.csv: what docs/lockstep.md says about the checks, in its words, and the tests that hold it to that."""

    def setUp(self) -> None:
        with (FOLDER / "promises.csv").open(encoding="utf-8") as file:
            self.rows = [(row["promise"], row["held by"].split("; ")) for row in csv.DictReader(file)]
        self.assertGreater(len(self.rows), 40)

    def test_the_page_says_so(self) -> None:
        page = (FOLDER.parents[3] / "docs" / "lockstep.md").read_text(encoding="utf-8")
        for promise, _ in self.rows:
            with self.subTest(promise=promise):
                self.assertIn(promise, page)

    def test_every_test_is_there(self) -> None:
        tests = FOLDER.parent
        text = "".join(file.read_text(encoding="utf-8") for file in tests.glob("*/*_test.cc"))
        known = {f"{suite}.{name}" for suite, name in re.findall(r"^TEST(?:_F)?\((\w+), (\w+)\)", text, re.MULTILINE)}
        known |= {f"case {case.name}" for case in read_corpus()}
        known |= {f"{file.parent.name}/{file.name}" for file in (tests / "ptx").glob("*/*.ptx")}
        for promise, names in self.rows:
            with self.subTest(promise=promise):
                self.assertEqual(set(), set(names) - known)


class Comments(unittest.TestCase):
    def test_a_case_is_read(self) -> None:
        racy, leaky, innocent, _ = read(SOURCE)
        self.assertEqual((racy.kinds, racy.lines, racy.also), (["race"], {7, 8}, ["uninitialised_read"]))
        self.assertEqual(racy.answers, {"forward": True, "reverse": False})
        self.assertEqual(racy.text.strip(), "it is fine.")
        self.assertEqual(leaky.expected[0].says, ["64"])
        self.assertTrue(innocent.innocent)

    def test_what_cannot_be_meant_is_refused(self) -> None:
        for wrong in ["// case: a\n", "// case: a\n// expect: rice\n", "// case: a\n// expect: nothing\nx;  // HERE\n"]:
            with self.assertRaises(CorpusError):
                read(wrong)


class Judgement(unittest.TestCase):
    def setUp(self) -> None:
        self.racy, self.leaky, self.innocent, self.one_line = read(SOURCE)

    def test_messages_have_manners(self) -> None:
        for message, fault in (
            ("no step", "0 next steps"),
            ("Next: a\nNext: b", "2 next steps"),
            ("Next: a\n" + "\n".join(map(str, range(20))), "21 lines"),
            ("same\nsame\nNext: a", "a line twice"),
            ("right by luck\nNext: a", "luck"),
        ):
            with self.subTest(message=message):
                wrong = judge(self.leaky, "forward", run(finding("leak", message=message + " 64")))
                self.assertIn(fault, " ".join(wrong))

    def test_says_may_name_a_line(self) -> None:
        case = read("// case: a\n// expect: leak\n// says: x.cu:{THERE}\nf();  // THERE\n")[0]
        self.assertEqual((case.expected[0].texts(), case.lines), (["x.cu:4"], set()))
        with self.assertRaises(CorpusError):
            read("// case: a\n// expect: leak\n// says: x.cu:{HERE}\n")

    def test_failed_calls(self) -> None:
        case = read("// case: a\n// expect: nothing\n// fails: dst is null\n")[0]
        done = run()
        self.assertEqual(judge(case, "forward", done), ["no failed call: dst is null"])
        done.failed_calls = ["cudaMemcpy failed: dst is null.\n  Next: b"]
        self.assertEqual(judge(case, "forward", done), [])

    def test_right_runs(self) -> None:
        self.assertEqual(judge(self.racy, "forward", run(finding("race", 7, 8))), [])
        both = run(finding("race", 8, 7), finding("uninitialised_read", 8), right=False)
        self.assertEqual(judge(self.racy, "reverse", both), [])
        self.assertEqual(judge(self.leaky, "forward", run(finding("leak", message="64 bytes\n  Next: mend it."))), [])
        self.assertEqual(judge(self.innocent, "forward", run()), [])
        self.assertEqual(judge(self.one_line, "forward", run(finding("race", 16, 16))), [])

    def test_wrong_runs(self) -> None:
        race = finding("race", 7, 8)
        for case, schedule, wrong in [
            (self.racy, "forward", run()),
            (self.racy, "forward", run(finding("race", 7))),  # one line of two
            (self.racy, "forward", run(finding("race", 6, 8))),
            (self.one_line, "forward", run(finding("race", 16))),  # one of two accesses is missing
            (self.racy, "forward", run(race, finding("leak"))),
            (self.racy, "forward", run(race, race)),
            (self.racy, "forward", run(race, right=False)),
            (self.racy, "reverse", run(race)),
            (self.racy, "forward", run({**race, "file": "/a/other.cu"})),
            (self.leaky, "forward", run(finding("leak", message="32 bytes"))),
            (self.innocent, "forward", run(race)),
            (self.innocent, "forward", run(right=False)),
        ]:
            self.assertTrue(judge(case, schedule, wrong), (case.name, schedule, wrong.findings))


class Sanitizer(unittest.TestCase):
    def test_words(self) -> None:
        invalid = "Invalid __global__ write of size 4 bytes\n=========     at k(int*)+0x90 in some.cu:8\n"
        for output, words in [
            (f"========= {invalid}=========     Address 0x7f is out of bounds\n", {"address"}),
            (f"========= {invalid}=========     Access to 0x7f is misaligned\n", {"misaligned"}),
            ("========= Leaked 64 bytes at 0x7f\n=========\n========= Barrier error detected.\n", {"leak", "barrier"}),
            (
                "========= Program hit cudaErrorInvalidValue (error 1) on CUDA API call to cudaLaunchKernel.\n",
                {"launch"},
            ),
            ("========= ERROR SUMMARY: 0 errors\n", set()),
        ]:
            self.assertEqual(sanitizer.classify(output), words)

    def test_verdicts(self) -> None:
        racy, _, innocent, _ = read(SOURCE)
        nothing = dict.fromkeys(sanitizer.TOOLS, "-")
        for case, cells, verdict in [
            (racy, {"racecheck": "race@2/2"}, "found"),
            (racy, {"memcheck": "address"}, "other"),
            (racy, {}, "nothing"),
            (racy, {"synccheck": "timeout"}, "timeout"),
            (racy, {"synccheck": "not run"}, "not run"),
            (innocent, {}, "clean"),
            (innocent, {"racecheck": "race"}, "blamed"),
            (innocent, {"memcheck": "api"}, "api error"),
        ]:
            self.assertEqual(sanitizer.verdict(case, {**nothing, **cells}), verdict)


if __name__ == "__main__":
    unittest.main()
