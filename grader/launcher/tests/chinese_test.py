"""--lang zh: the help of every command and its refusals have no English sentence left."""

import argparse
import ast
import contextlib
import inspect
import io
import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import commands
from launcher import language, parser
from launcher.tests.machines import ROOT, lab
from launcher.tests.sentences import CHINESE, english

# Mistakes of who writes the parser; nobody who types a command meets them.
OF_PROGRAMMERS = re.compile(
    r"\.__call__|must be optional|invalid argument for positionals|invalid option string|dest= is required"
    r"|is not callable|conflict|multiple subparser|two groups are named|argument \"-\" with mode|can't open|subcommands"
    r"|program's version|could match|deprecated|warning:|maybe you meant"
)


def helped(*words: str) -> str:
    """What the command line prints, in this process."""
    out = io.StringIO()
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "90"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        contextlib.suppress(SystemExit),
    ):
        commands.main(["--lang", "zh", *words])
    return out.getvalue()


class Chinese(unittest.TestCase):
    def setUp(self) -> None:
        self.enterContext(mock.patch.dict(os.environ))

    def check(self, text: str) -> None:
        self.assertRegex(text, CHINESE)
        self.assertEqual(english(text), [], text)


class Help(Chinese):
    def test_an_english_sentence_would_be_found(self) -> None:
        for command in (None, "check", "grade", "list"):
            shown = commands.COMMANDS.choices[command] if command else commands.PARSER
            self.assertNotEqual(english(" ".join(shown.format_help().split())), [], command)

    def test_of_each_command(self) -> None:
        for command in ("", *commands.COMMANDS.choices):
            if command not in commands.PASSED_ON:  # the help of make and nvcc is their own
                with self.subTest(command):
                    text = helped(*([command] if command else []), "--help")
                    self.check(text)
                    self.assertTrue(text.startswith("用法："), text)
                    for word in ("usage:", "options", "arguments:", "show this help"):
                        self.assertNotIn(word, text)

    def test_of_what_is_installed(self) -> None:
        done = lab("emulate", "--help", env={"WARPLADDER_LANG": "zh"})
        self.check(done.text)
        line = argparse.ArgumentParser(prog="lockstep", formatter_class=parser.LinesFormatter)
        with language_of("zh"):
            from launcher import lockstep

            line.description = lockstep.ABOUT
            self.check(line.format_help())

    def test_lines_are_no_wider_than_the_terminal(self) -> None:
        from launcher.columns import columns

        for line in helped("check", "--help").splitlines():
            self.assertLessEqual(columns(line), 90, line)

    def test_the_words_of_argparse(self) -> None:
        """All that this Python's argparse may say has a translation, or is for programmers."""
        calls = [node for node in ast.walk(ast.parse(inspect.getsource(argparse))) if isinstance(node, ast.Call)]
        said = {
            constant.value
            for call in calls
            if isinstance(call.func, ast.Name) and call.func.id in ("_", "ngettext")
            for constant in call.args
            if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
        }
        self.assertIn("usage: ", said)
        missing = {text for text in said if text not in parser.OWN_WORDS and not OF_PROGRAMMERS.search(text)}
        self.assertEqual(missing, set())


def language_of(name: str) -> contextlib.AbstractContextManager[object]:
    return mock.patch.dict(os.environ, {language.CHOSEN: name})


class Refusals(Chinese):
    """What is wrong is said before anything is built."""

    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "file").write_text("x", encoding="ascii")
        (self.folder / "empty").mkdir()

    def test_words_that_argparse_refuses(self) -> None:
        for words in (
            ("check", "--device", "moon"),
            ("check", "--seed", "x"),
            ("check", "--seed"),
            ("grade", "x", "--out", "y", "--jobs", "0"),
            ("grade", "x", "--out", "y", "--slurm", "--scheduler", "tcp://127.0.0.1:1"),
            ("completion", "fish"),
            ("compare", "02", "a.cu"),
            ("list", "--nonsense"),
            ("list", "--json=3"),
            ("new", "30_x"),
            ("wheel", "--machine", "vax"),
        ):
            with self.subTest(words):
                text = helped(*words)
                self.check(text)
                self.assertIn("错误：", text)

    def test_what_the_commands_refuse(self) -> None:
        file, empty, gone = self.folder / "file", self.folder / "empty", "/nowhere/x"
        for words in (
            ("graduate",), ("02",), ("check", "77"), ("check", "02", "--file", gone), ("check", "02", "--file", empty),
            ("check", "15", "--json", "/nowhere/v.json"), ("check", "02", "--input", file),
            ("wrong", "02", "nonsense"), ("wrong", "02", "--to", file), ("new", "Nonsense", "--from", "02"),
            ("new", "02_taken", "--from", "02"), ("emulate", gone), ("emulate", file), ("emulate", empty),
            ("emulate", ROOT / "lab"), ("emulate", "/bin/true"), ("emulate", "/bin/true", "--schedule", "x"),
            ("report", "02", "--csv"), ("report", "02", "--file", gone), ("report", "02", "--entry", "x"),
            ("compare", "02", gone, gone), ("gradescope", "--lab", "77"), ("strip", ROOT), ("strip", file),
            ("strip", empty, "--check"), ("grade", gone, "--out", self.folder / "out"),
            ("grade", file, "--out", self.folder / "out"), ("grade", empty, "--out", self.folder / "out"),
            ("grade", ROOT / "labs", "--out", ROOT), ("grade", ROOT / "labs", "--out", file),
            ("grade", ROOT / "labs", "--out", self.folder / "out", "--hidden", file),
            ("grade", ROOT / "labs", "--out", self.folder / "out", "--canvas", file),
            ("grade", ROOT / "labs", "--out", self.folder / "out", "--moodle", file),
            ("grade", ROOT / "labs", "--out", self.folder / "out", "--scheduler", "here"),
            ("worker", "tls://there:1"), ("scheduler", "--host", "0.0.0.0"),
        ):  # fmt: skip
            with self.subTest(words):
                done = lab("--lang", "zh", *words)
                self.assertEqual(done.code, 2, done.text)
                self.assertNotIn("Traceback", done.text)
                self.check(done.text)


if __name__ == "__main__":
    unittest.main()
