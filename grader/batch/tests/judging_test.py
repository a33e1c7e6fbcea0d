"""judging: the outcome follows from the verdict and from the way in which the judge ended; both must agree."""

import unittest

from batch.intake import Submission
from batch.judging import Place, Task, grade
from batch.records import FAULT, Grader
from batch.tests.machinery import FakeTree
from launcher.labs import find_lab
from launcher.tests.machines import InAFolder

LAB = find_lab("02")
GRADER = Grader("v1", None, {"device": "lockstep", "seed": 5, "hidden": None})


class Outcome(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.fake = FakeTree(self.folder)

    def outcome(self, order: str) -> tuple[str, float | None, str]:
        """Verdict, score and error of a judge that does this."""
        files = {"reduce.cu": f"// fake: {order}\n".encode()}
        task = Task(Submission("anna", LAB.name, "anna", files, "reduce.cu"), GRADER, None)
        found = grade(task, LAB, Place(self.fake.tree, self.fake.temporary))
        return found["verdict"], found["score"], found["error"] or ""

    def test_a_verdict_counts_if_the_exit_code_agrees(self) -> None:
        self.assertEqual(self.outcome("accepted = 90"), ("accepted", 90, ""))
        self.assertEqual(self.outcome("wrong answer = 0"), ("wrong answer", 0, ""))
        self.assertEqual(self.outcome("judge fault = no disk"), (FAULT, None, ""))

    def test_a_judge_that_a_signal_killed_has_given_no_verdict(self) -> None:
        for verdict in ("accepted = 100", "wrong answer = 0", "judge fault = no disk"):
            found, score, error = self.outcome(f"{verdict}, then signal")
            self.assertEqual((found, score), (FAULT, None), verdict)
            self.assertIn("the judge ended with signal 9", error)

    def test_an_exit_code_that_says_something_else_is_a_fault(self) -> None:
        for order in ("accepted = 100, then 2", "accepted = 100, then 139", "judge fault = no disk, then 0"):
            found, score, error = self.outcome(order)
            self.assertEqual((found, score), (FAULT, None), order)
            self.assertIn("the judge ended with exit code", error)

    def test_what_crashed_is_tried_once_more_and_a_verdict_stands(self) -> None:
        self.outcome("accepted = 100, then signal")
        self.assertEqual(self.fake.calls(), 2)
        self.outcome("judge fault = no disk")
        self.assertEqual(self.fake.calls(), 3)


if __name__ == "__main__":
    unittest.main()
