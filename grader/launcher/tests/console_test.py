"""What the launcher prints: no text of somebody else commands the terminal, and the judge writes the same."""

import contextlib
import io
import re
import sys
import unicodedata
import unittest
from unittest import mock

from launcher import console
from launcher.paths import ROOT

TABLE = ROOT / "grader" / "judge" / "base" / "text.cc"


class Visible(unittest.TestCase):
    def test_ordinary_text_stays(self) -> None:
        for text in ("", "a\n\tb", "größe 合計 ×", "לאה", "😀", "back\\slash"):
            self.assertEqual(console.visible(text), text)

    def test_what_would_be_obeyed_is_shown(self) -> None:
        for text, wanted in (
            ("\x1b[31mred", "\\u001b[31mred"),
            ("\r\b\x7f\x9b", "\\u000d\\u0008\\u007f\\u009b"),
            ("\u061c\u200e\u202a\u202e\u2066\u2069", "\\u061c\\u200e\\u202a\\u202e\\u2066\\u2069"),
            ("\u2028\u200b\U000e0041", "\\u2028\\u200b\\U000e0041"),
            ("Jos\udce9", "Jos\\xe9"),
            ("\ud83d", "\\ud83d"),
        ):
            self.assertEqual(console.visible(text), wanted)
            out = io.StringIO()
            with mock.patch.object(console, "_stream", out):
                console.say(text)
            self.assertEqual(out.getvalue(), wanted + "\n")

    def test_any_name_can_be_printed(self) -> None:
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="strict")
        with mock.patch.object(console, "_stream", out):
            console.say("".join(map(chr, range(0xD700, 0xE100))))

    def test_the_judge_knows_the_same_characters(self) -> None:
        """Its table lists what this Python's Unicode has; newer characters may be there as well."""
        rows = re.findall(r"\{0x([0-9A-F]+), 0x([0-9A-F]+)\}", TABLE.read_text(encoding="utf-8"))
        listed = {point for first, last in rows for point in range(int(first, 16), int(last, 16) + 1)}
        self.assertGreater(len(rows), 20)
        for point in range(sys.maxunicode + 1):
            category = unicodedata.category(chr(point))
            if category == "Cs" or chr(point) in "\n\t":
                continue
            if category in console.INVISIBLE:
                self.assertIn(point, listed, hex(point))
            elif point in listed:
                self.assertEqual(category, "Cn", hex(point))

    def test_a_failure_is_shown_too(self) -> None:
        import commands

        arguments = mock.Mock(command="list", run=mock.Mock(side_effect=console.Failure("no \x1b[2J\udce9")))
        err = io.StringIO()
        parsed = mock.patch.object(commands.PARSER, "parse_known_args", return_value=(arguments, []))
        with parsed, contextlib.redirect_stderr(err):
            self.assertEqual(commands.main([]), 2)
        self.assertEqual(err.getvalue(), "lab: no \\u001b[2J\\xe9\n")


if __name__ == "__main__":
    unittest.main()
