"""Which result is current, which results a judge's fault leaves in place, and which submissions are graded again."""

import hashlib
import json
import unittest
from dataclasses import replace
from typing import Any

from batch import records
from batch.intake import Submission
from batch.records import Grader, Record, Results
from launcher.console import Failure
from launcher.tests.machines import InAFolder

LAB = "02_reduce_neighbored"
GRADER = Grader("v1", None, {})
OLD, NEW = (Submission("anna", LAB, "anna", {"reduce.cu": code}, "reduce.cu") for code in (b"old", b"new"))
UNREADABLE = Submission("anna", LAB, "anna", refusal="two main files: keep one of them.")


def result(submission: Submission, verdict: str, score: float | None, **outcome: Any) -> Record:  # noqa: ANN401
    rest = {"of": 100, "seconds": 1.0, "error": None, "judge": None}
    return records.make(submission, GRADER, {"verdict": verdict, "score": score, **rest, **outcome})


def fault(submission: Submission) -> Record:
    return result(submission, records.FAULT, None, error="the disk is full\nand more")


class Store(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.results = Results(self.folder)

    def names(self) -> list[str]:
        return sorted(file.name.removeprefix(LAB) for file in self.folder.rglob("*.json"))

    def test_a_kept_score_says_why_and_is_tried_again(self) -> None:
        self.results.store(result(OLD, "accepted", 90))
        kept = self.results.store(fault(OLD))
        wanted = f"grader v1 failed on it (the disk is full), see {LAB}@v1-fault.json; this earlier result stands"
        self.assertEqual((kept["score"], kept["kept"]), (90, wanted))
        self.assertFalse(records.is_current(kept, OLD, GRADER))
        current = self.results.store(result(OLD, "accepted", 90))
        self.assertIsNone(current["kept"])
        self.assertTrue(records.is_current(current, OLD, GRADER))

    def test_a_result_is_current_for_the_same_files_grader_and_options_only(self) -> None:
        record = result(OLD, "accepted", 90)
        self.assertTrue(records.is_current(record, OLD, GRADER))
        self.assertFalse(records.is_current(None, OLD, GRADER))
        self.assertFalse(records.is_current(record, NEW, GRADER), "other files were handed in")
        self.assertFalse(records.is_current(record, OLD, Grader("v2", None, {})), "the grader is newer")
        self.assertFalse(records.is_current(record, OLD, Grader("v1", None, {"seed": 5})), "other options")
        self.assertTrue(records.is_current(record, OLD, Grader("v1", "abc", {})), "the commit alone changes nothing")

    def test_a_score_of_an_earlier_submission_is_called_so(self) -> None:
        self.results.store(result(OLD, "accepted", 90))
        self.assertIn("the result of an earlier submission", self.results.store(fault(NEW))["kept"])

    def test_the_instructor_reads_what_a_hidden_case_was(self) -> None:
        self.results.store(result(OLD, "accepted", 90))
        failure = {"steps": ["hidden.1: one of yours"], "instructor": {"steps": ["n is 777"]}}
        kept = self.results.store(result(OLD, records.FAULT, None, judge={"failure": failure}))
        self.assertIn("(n is 777)", kept["kept"])

    def test_a_record_says_when_it_came_and_which_file_it_was(self) -> None:
        moment = replace(NEW, time=1_700_000_000.5)
        made = result(moment, "accepted", 90)["submission"]
        self.assertEqual(made["time"], "2023-11-14 22:13:20 UTC")
        self.assertEqual(made["main_sha256"], hashlib.sha256(b"new").hexdigest())
        self.assertIsNone(records.refusal(UNREADABLE, GRADER)["submission"]["main_sha256"])
        for odd in (1e30, -1e30, float("nan")):
            self.assertIsNone(result(replace(NEW, time=odd), "accepted", 90)["submission"]["time"])
        self.assertTrue(
            records.is_current(self.results.store(result(OLD, "accepted", 1)), replace(OLD, time=7), GRADER)
        )

    def test_a_record_with_bytes_that_are_not_utf8_can_be_read(self) -> None:
        """Earlier versions wrote such names, and then asked to move the file away, each time."""
        file = self.folder / "results" / "anna" / f"{LAB}.json"
        file.parent.mkdir()
        old = json.dumps(result(replace(OLD, source="Jos\udce9"), "accepted", 90), ensure_ascii=False)
        file.write_bytes(old.encode("utf-8", "surrogatepass"))
        current = self.results.current("anna", LAB)
        assert current is not None
        self.assertEqual(current["submission"]["source"], "Jos\udce9")
        self.assertEqual(self.results.store(result(NEW, "accepted", 80))["previous"]["score"], 90)
        self.assertEqual(len(self.results.all()), 1)

    def test_a_terminal_can_show_a_record_and_nothing_is_lost(self) -> None:
        code = "x\x1b[2J\u202e\x9b\x7f\U000e0041 größe\t\r\n"
        made = result(replace(NEW, files={"reduce.cu": code.encode()}, source="Jos\udce9"), "accepted", 90)
        self.results.store(made)
        [file] = self.folder.rglob("*.json")
        for character in file.read_bytes().decode():
            self.assertTrue(character == "\n" or character.isprintable(), hex(ord(character)))
        self.assertEqual(self.results.current("anna", LAB), made)

    def test_names_that_a_disk_takes_for_one(self) -> None:
        names = ("Ada", "ben", "ada")
        self.results.check_names(names)
        self.results.is_blind_to_case_ = True
        self.results.check_names(names[:2])
        with self.assertRaisesRegex(Failure, "Ada and ada are one name"):
            self.results.check_names(names)

    def test_a_refusal_is_no_grade_of_what_came_after(self) -> None:
        self.results.store(records.refusal(UNREADABLE, GRADER))
        current = self.results.store(fault(NEW))
        self.assertEqual((current["verdict"], current["score"], current["kept"]), (records.FAULT, None, None))
        self.assertEqual(self.names(), [".json", "@v1.json"])
        current = self.results.store(result(NEW, "accepted", 90))
        self.assertEqual((current["score"], current["previous"]["verdict"]), (90, records.REFUSED))


if __name__ == "__main__":
    unittest.main()
