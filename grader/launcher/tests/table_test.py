"""The tables of the launcher, and the stream that its messages go to."""

import subprocess
import sys
import unittest
from pathlib import Path

from launcher import table

HERE = Path(__file__).resolve()
RULE = {"counter": "barriers", "per": "block", "op": "<=", "value": 12.345678, "limit": 10, "verdict": "broken"}


class Table(unittest.TestCase):
    def test_a_histogram_has_eight_cells_in_a_line(self) -> None:
        counts = [0] * 256
        counts[ord("a")], counts[ord("b")], counts[255] = 1234, 5, 1
        first, *lines = table.histogram(counts).splitlines()
        self.assertEqual(first, "1,240 bytes, by value:")
        self.assertEqual(len(lines), 32)
        self.assertEqual([line[:2] for line in lines], [f"{start:02x}" for start in range(0, 256, 8)])
        self.assertIn("61 a 1,234  62 b     5  63 c     0", lines[12])
        self.assertTrue(lines[-1].endswith("  ff       1"), lines[-1])

    def test_the_ladder_shows_each_rule_below_its_lab(self) -> None:
        held = {**RULE, "per": "", "op": "==", "value": 3, "limit": 3, "verdict": "pass"}
        rows = [{"lab": "02_x", "verdict": "broken rule", "rules": [RULE, held, {**RULE, "value": None}]}]
        lines = table.ladder({"rows": rows, "device": "lockstep"}).splitlines()
        self.assertEqual(lines[0].split("  ")[0], "lab")
        self.assertTrue(lines[2].startswith("02_x  broken rule  –"), lines[2])
        self.assertEqual(lines[3], "    barriers per block = 12.346, wanted ≤ 10")
        self.assertEqual(lines[4], "    barriers = 3, as wanted = 3")
        self.assertEqual(lines[5], "", "what was not measured is not shown")

    def test_a_modelled_time_is_called_so(self) -> None:
        modelled = {"speed": {"modelled": {table.MODELLED: {"ms": 0.25}}, "speedup": 2.0}, "time": {"ms": None}}
        measured = {"speed": {}, "time": {"ms": 0.5, "speedup_over_serial_cpu": 12.34}}
        rows = [{"lab": name, "verdict": "accepted", **more} for name, more in (("a", modelled), ("b", measured))]
        lines = table.ladder({"rows": rows, "device": "lockstep"}).splitlines()
        self.assertEqual(lines[2].split()[3:], ["0.250", "ms", "modelled", "2×", "–"])
        self.assertEqual(lines[3].split()[3:], ["0.500", "ms", "measured", "–", "12.3×"])
        self.assertIn("times are a model's", lines[-1])
        self.assertIn("Measured on a card", table.ladder({"rows": rows, "device": "a card"}))


class Console(unittest.TestCase):
    def test_messages_leave_standard_output_to_the_program(self) -> None:
        code = "from launcher import console; console.say('a'); console.talk_on_stderr(); console.say('b')"
        done = subprocess.run([sys.executable, "-Bc", code], cwd=HERE.parents[2], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("a\n", "b\n"))


class WrongHistogram(unittest.TestCase):
    def test_the_first_wrong_bins_and_a_number(self) -> None:
        right = [0] * 256
        got = right.copy()
        for value in (0x00, 0x41, 0x42, 0x43, 0x44, 0xFF):
            got[value] = 1000
        lines = table.wrong_histogram(got, right).splitlines()
        self.assertEqual(lines[0], "6 of 256 bins are wrong:")
        self.assertEqual(lines[1:3], ["    00    got 1,000, want 0", "    41 A  got 1,000, want 0"])
        self.assertEqual(lines[-1], "    and 2 more")
        self.assertEqual(
            table.wrong_histogram(right, [1, *right[1:]]), "1 of 256 bins are wrong:\n    00    got 0, want 1"
        )


if __name__ == "__main__":
    unittest.main()
