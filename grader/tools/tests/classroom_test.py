"""./lab classroom: what it tells GitHub Classroom."""

import base64
import json
import os
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from launcher.check import Graded
from launcher.console import Failure
from launcher.labs import find_lab
from launcher.tests.machines import InAFolder
from tools import classroom


def reported(output: Path) -> dict[str, Any]:
    """What the reporter's action reads."""
    (line,) = [line for line in output.read_text(encoding="utf-8").splitlines() if line.startswith("result=")]
    return json.loads(base64.b64decode(line.removeprefix("result=")))


class Points(InAFolder):
    def classroom(self, *verdicts: dict[str, Any]) -> dict[str, Any]:
        files = {name: str(self.folder / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        graded = [Graded(0, verdict) for verdict in verdicts]
        arguments = mock.Mock(labs=["00", "2", "03_reduce_less_divergent"][: len(verdicts)])
        with mock.patch.dict(os.environ, files), mock.patch("launcher.check.grade", side_effect=graded) as grade:
            self.assertEqual(classroom.run(arguments), 0)
        self.requests = [call.args[0] for call in grade.call_args_list]
        return reported(self.folder / "GITHUB_OUTPUT")

    def test_points_are_added(self) -> None:
        right = {"verdict": "accepted", "score": {"points": 100, "of": 100}}
        result = self.classroom(right, {"verdict": "rule broken", "score": {"points": 70, "of": 100}})
        self.assertEqual((result["version"], result["status"], result["max_score"]), (1, "fail", 200))
        self.assertEqual([(t["status"], t["score"]) for t in result["tests"]], [("pass", 100), ("fail", 70)])
        self.assertEqual([request.lab.number for request in self.requests], ["00", "02"])
        self.assertTrue(all(request.arguments.thorough and request.where == "lockstep" for request in self.requests))
        summary = (self.folder / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")
        self.assertIn(f"| 02 {find_lab('2').title} | rule broken | 70 of 100 |", summary)
        (self.folder / "GITHUB_OUTPUT").unlink()
        self.assertEqual(self.classroom(right)["status"], "pass")

    def test_a_judge_fault_reports_nothing(self) -> None:
        for verdict in ({}, {"verdict": "judge fault", "score": None}):
            with self.assertRaisesRegex(Failure, "not the student's fault"):
                self.classroom(verdict)
            self.assertFalse((self.folder / "GITHUB_OUTPUT").exists())


if __name__ == "__main__":
    unittest.main()
