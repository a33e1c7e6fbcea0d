"""./lab check around the judge: JSON alone on standard output, colours in a terminal, what counts for the progress."""

import contextlib
import io
import json
import sys
import unittest
from pathlib import Path
from unittest import mock

import commands
from launcher import check
from launcher.labs import find_lab
from launcher.tests.machines import ROOT
from learner import progress
from learner.tests.courses import WithProgress, in_terminal

TEXT = """02_x · /somewhere/reduce.cu · on lockstep
  cases  1 of 55 pass (seed 4)

  wrong answer · case.reduce_sum.1.random
    reduce_sum with a very long line that does not fit into sixty columns of a terminal
"""
VERDICT = {
    "verdict": "wrong answer", "failed_check": "case.reduce_sum.1.random", "rules": [], "counters": {},
    "measurements": [], "time": {"ms": None}, "speed": {"modelled": {}},
}  # fmt: skip


class Check(WithProgress):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "text").write_text(TEXT, encoding="utf-8")
        (self.folder / "verdict").write_text(json.dumps(VERDICT), encoding="utf-8")
        script = (
            f'cat {self.folder}/text\nwhile [ "$1" != --json ]; do shift; done\ncp {self.folder}/verdict "$2"\nexit 1'
        )
        (self.folder / "judge").write_text(script, encoding="utf-8")
        for change in (
            mock.patch.object(check, "prepare", lambda *_, **__: Path("/tree")),
            mock.patch.object(check.judge, "command", lambda *_: ["sh", f"{self.folder}/judge"]),
        ):
            change.start()
            self.addCleanup(change.stop)

    def run_check(self, *words: str) -> int:
        arguments = commands.PARSER.parse_args(["check", "02", "--device", "lockstep", *words])
        return arguments.run(arguments)

    def test_json_alone_on_standard_output(self) -> None:
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            from launcher import console

            with mock.patch.object(console, "_stream", sys.stdout):
                self.assertEqual(self.run_check("--json", "-"), 1)
        self.assertEqual(json.loads(out.getvalue()), VERDICT)
        self.assertIn("wrong answer · case.reduce_sum", errors.getvalue())

    def test_a_pipe_gets_the_judges_text_unchanged(self) -> None:
        out = io.StringIO()
        with mock.patch("launcher.console._stream", out):
            self.run_check()
        self.assertEqual(out.getvalue(), TEXT)

    def test_a_terminal_gets_the_line_that_matters_in_colour(self) -> None:
        said = in_terminal(self.run_check, typed="\n" * 9)
        self.assertIn("\033[31;1m  wrong answer · case.reduce_sum.1.random\033[0m", said)
        body = said[said.index("02_x · ") :]
        self.assertEqual(body.count("\033["), 2, "one line stands out")
        self.assertLessEqual(max(map(len, body.replace("\033[31;1m", "").replace("\033[0m", "").splitlines())), 60)
        self.assertIn("\n      sixty columns of a terminal\n", body)

    def test_a_wide_table_is_turned(self) -> None:
        table = "    ms          NVIDIA A100   NVIDIA GeForce RTX 4060   NVIDIA H200\n"
        table += "    this code          0.55                       1.6         0.322\n    lab 02   1   2   3\n"
        (self.folder / "text").write_text(TEXT + table, encoding="utf-8")
        said = in_terminal(self.run_check, typed="\n" * 9)
        self.assertIn(
            "    ms                        this code   lab 02\n    NVIDIA A100               0.55        1\n", said
        )

    def test_without_colours(self) -> None:
        for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\033", in_terminal(self.run_check, typed="\n" * 9, **plain))

    def test_what_counts_for_the_progress(self) -> None:
        lab = find_lab("02")
        for words, count in (
            ((), 1),
            (("--case", "reduce_sum.1.ones"), 1),
            (("--schedules", "forward"), 1),
            (("--file", str(ROOT / "solutions" / lab.name / "reduce.cu")), 1),
            (("--file", str(lab.source)), 2),
            (("--thorough",), 3),
        ):
            with mock.patch("launcher.console._stream", io.StringIO()):
                self.run_check(*words)
            self.assertEqual(progress.load()[lab.name]["checks"], {"wrong answer": count}, words)

    def test_a_fault_of_the_judge_is_no_check(self) -> None:
        (self.folder / "verdict").write_text(json.dumps(VERDICT | {"verdict": "judge fault"}), encoding="utf-8")
        with mock.patch("launcher.console._stream", io.StringIO()):
            self.run_check()
        self.assertEqual(progress.load(), {})


if __name__ == "__main__":
    unittest.main()
