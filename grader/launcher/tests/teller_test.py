"""The process that says lockstep's messages in another language: a program of three lines stands for lockstep."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from launcher import language, teller
from launcher.tests.machines import ROOT

EMPTY = "\1the grid is empty\4"  # as common/lockstep/base/words.cc marks it
NEXT = "  Next: \1put the long dimension in x.\4"
# Speaks, as common/lockstep/runtime/teller.cc does, and prints a line of its own before and behind it.
PROGRAM = """
import os, socket, sys
own = socket.socket(fileno=int(os.environ["LOCKSTEP_TELL"].removeprefix("fd:")))
for text in sys.argv[1:]:
    os.write(2, b"before\\n")
    own.send(text.encode("utf-8", "surrogateescape"))
    assert own.recv(1) == b"."
    os.write(2, b"behind\\n")
try:
    os.wait()
    os.write(2, b"it has a child\\n")
except ChildProcessError:
    pass
"""
BECOMES = """
import os, sys
from launcher import teller
os.environ["LOCKSTEP_TELL"] = f"fd:{teller.begin()}"
os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])
"""


def told(*messages: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder) / "printed"
        with printed.open("wb") as stderr:
            command = [sys.executable, "-B", "-c", BECOMES, PROGRAM, *messages]
            env = {**os.environ, language.CHOSEN: "zh"}
            subprocess.run(command, cwd=ROOT / "grader", env=env, stderr=stderr, check=True, timeout=600)
        return printed.read_text(encoding="utf-8")


class Teller(unittest.TestCase):
    def test_a_message_stands_where_lockstep_would_have_printed_it(self) -> None:
        self.assertEqual(
            told(f"{EMPTY}\n{NEXT}", "k<<<1>>>"),
            "before\nlockstep: 网格是空的\nlockstep:   下一步：把长的一维放在 x 上。\nbehind\n"
            "before\nlockstep: k<<<1>>>\nbehind\n",
        )

    def test_nothing_commands_the_terminal(self) -> None:
        self.assertIn("lockstep: a\\u001b[2Jb\n", told("a\033[2Jb"))


class Marks(unittest.TestCase):
    def test_words_have_their_arguments(self) -> None:
        inner = {"form": "{n} bytes", "arguments": {"n": ["4"]}}
        outer = {"form": "{a} of {b}", "arguments": {"a": ["x ", inner], "b": []}}
        self.assertEqual(
            teller.lines("at \1{a} of {b}\2a\3x \1{n} bytes\2n\0034\4\2b\3\4!\nb"), [["at ", outer, "!"], ["b"]]
        )

    def test_stray_marks_are_left_out(self) -> None:
        with patch.dict(os.environ, {language.CHOSEN: "en"}):
            for text, plain in (("a\4b", "ab"), ("\1a", "a"), ("\2a\3b", "ab"), ("\4\4\3", ""), ("\1f\2k", "f")):
                self.assertEqual(teller.told(teller.lines(text)), [plain])

    def test_a_text_without_end_is_read(self) -> None:
        with patch.dict(os.environ, {language.CHOSEN: "en"}):
            self.assertEqual(len(teller.told(teller.lines("\1{k}\2k\3" * 100_000))), 1)


if __name__ == "__main__":
    unittest.main()
