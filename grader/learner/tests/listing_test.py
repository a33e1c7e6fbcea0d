"""./lab list and ./lab status, for people and for programs."""

import json
import subprocess
import unittest

from launcher.labs import all_labs
from launcher.tests.machines import ROOT, lab
from learner import progress
from learner.tests.courses import WithProgress


class Listing(WithProgress):
    def setUp(self) -> None:
        super().setUp()
        self.env = {"WARPLADDER_PROGRESS": str(self.file)}
        self.passed("00_hello")
        progress.change("00_hello", lambda entry: entry["checks"].update({"accepted": 1, "wrong answer": 3}))
        kept = {"barriers": {"said": 20.0, "is": 10.0}}
        progress.change("00_hello", lambda entry: entry.update(hints=2, predictions=kept))

    def test_ticks(self) -> None:
        lines = lab("list", env=self.env).text.splitlines()
        self.assertEqual(len(lines), len(all_labs()))
        self.assertTrue(lines[0].startswith("✓ 00 "))
        self.assertEqual([line[0] for line in lines].count("✓"), 1)

    def test_status_in_words(self) -> None:
        text = lab("status", env=self.env).text
        self.assertIn("checks: 1 accepted, 3 wrong answer", text)
        self.assertIn("hints: 2 of 3 read", text)
        self.assertIn("predicted 20, it is 10: barriers", text)

    def test_status_for_programs(self) -> None:
        file = self.folder / "status.json"
        self.assertEqual(lab("status", "--json", str(file), env=self.env).text, "")
        words = [ROOT / "lab", "status", "--json", "-"]
        piped = subprocess.run(words, env=self.env | {"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        status = json.loads(piped.stdout)
        self.assertEqual(status, json.loads(file.read_text(encoding="utf-8")))
        self.assertEqual((status["passed"], status["here"], status["next"]), (1, "01_scan_naive", "01_scan_naive"))
        self.assertEqual([entry["name"] for entry in status["labs"]], [one.name for one in all_labs()])
        first = status["labs"][0]
        self.assertEqual((first["state"], first["hints"]), ("passed", {"shown": 2, "of": 3}))
        self.assertEqual(first["predictions"], [{"ask": "barriers", "said": 20.0, "is": 10.0}])

    def test_a_place_that_cannot_be_written(self) -> None:
        answer = lab("status", "--json", "/nowhere/status.json", env=self.env)
        self.assertEqual(answer.code, 2)
        self.assertIn("--json /nowhere/status.json cannot be written", answer.text)

    def test_a_damaged_file_leaves_json_alone_on_standard_output(self) -> None:
        self.file.write_text("{", encoding="utf-8")
        words = [ROOT / "lab", "status", "--json", "-"]
        piped = subprocess.run(words, env=self.env | {"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        self.assertEqual(json.loads(piped.stdout)["passed"], 0)
        self.assertIn("is damaged", piped.stderr)


if __name__ == "__main__":
    unittest.main()
