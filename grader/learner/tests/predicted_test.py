"""The figures that lab.json notes for the predictions are those of the reference solutions."""

import json
import subprocess
import unittest

from launcher import judge
from launcher.check import prepare
from launcher.labs import Lab, all_labs
from launcher.tests.machines import InAFolder
from learner import prediction

NEAR = 0.02  # random input moves some of them, and some are rounded


class Predicted(InAFolder):
    def verdict(self, lab: Lab) -> dict:
        file = self.folder / "verdict.json"
        command = judge.command(prepare(lab, "lockstep"), lab, "lockstep")
        done = subprocess.run([*command, "--file", str(lab.solution), "--json", str(file)], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return json.loads(file.read_text(encoding="utf-8"))

    def test_the_references_measure_what_is_noted(self) -> None:
        labs = [lab for lab in all_labs() if prediction.questions(lab)]
        self.assertTrue(labs)
        for lab in labs:
            verdict = self.verdict(lab)
            for question in prediction.questions(lab):
                with self.subTest(lab.name, ask=question["ask"]):
                    value, noted = prediction.figure(question, verdict), question["reference"]
                    self.assertIsNotNone(value)
                    self.assertAlmostEqual(value, noted, delta=NEAR * abs(noted))


if __name__ == "__main__":
    unittest.main()
