"""How ./lab grade shows how far it is: a bar on a terminal, a line for each task elsewhere."""

import io
import os
import sys
import unittest
from unittest import mock

from batch.tests import reading
from launcher import console

reading.need_packages(__name__)

from batch.progress import Progress  # noqa: E402 (rich is there only now)

RECORDS = (
    {"student": "anna", "lab": "02_x", "verdict": "accepted", "score": 90.0, "seconds": 12.4},
    {"student": "[red]ben", "lab": "02_x", "verdict": "judge fault", "score": None, "seconds": 0.0},
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Shown(unittest.TestCase):
    def shown(self, out: io.StringIO) -> str:
        with (
            mock.patch.object(sys, "stdout", out),
            mock.patch.object(console, "_stream", out),
            mock.patch.dict(os.environ, TERM="xterm", COLUMNS="100"),
            mock.patch("rich._console", None),  # its console asks once what it writes to
            Progress(len(RECORDS)) as progress,
        ):
            for record in RECORDS:
                progress.graded(record)
        return out.getvalue()

    def test_a_log_has_a_line_for_each_task(self) -> None:
        self.assertEqual(
            self.shown(io.StringIO()),
            "[1/2] anna, 02_x: accepted, 90 (12 s)\n[2/2] [red]ben, 02_x: judge fault, no score (0 s)\n",
        )

    def test_a_terminal_has_a_bar_which_goes_at_the_end(self) -> None:
        text = self.shown(Terminal())
        self.assertIn("2/2", text)
        self.assertIn("[red]ben", text)
        self.assertNotIn("(12 s)", text)
        self.assertTrue(text.rstrip().endswith("\x1b[2K"), f"the bar stays: {text[-80:]!r}")


if __name__ == "__main__":
    unittest.main()
