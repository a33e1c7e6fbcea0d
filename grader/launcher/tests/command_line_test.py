"""The command line: wrong commands are refused before anything is built."""

import contextlib
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import commands
from launcher import emulate, test
from launcher.console import Failure
from launcher.tests.machines import ROOT, lab


class CommandLine(unittest.TestCase):
    def refuses(self, *arguments: str | Path, saying: str) -> None:
        answer = lab(*arguments)
        self.assertEqual(answer.code, 2, answer.text)
        self.assertIn(saying, answer.text)
        self.assertNotIn("Traceback", answer.text)

    def test_help(self) -> None:
        answer = lab("--help")
        self.assertEqual(answer.code, 0)
        for command in ("demo", "test", "check", "list", "wrong", "emulate", "grade", "gradescope"):
            self.assertIn(command, answer.text)
            self.assertEqual(lab(command, "--help").code, 0)

    def test_nothing_or_nonsense_is_refused(self) -> None:
        self.refuses(saying="COMMAND")
        self.refuses("graduate", saying="invalid choice")

    def test_only_test_takes_what_it_does_not_know(self) -> None:
        self.refuses("list", "-R", "scan", saying="unrecognized arguments: -R scan")
        self.assertEqual(commands.PARSER.parse_known_args(["test", "-R", "scan"])[1], ["-R", "scan"])

    def test_long_tests_run_only_where_they_are_asked_for(self) -> None:
        self.assertEqual(test.selected(["-R", "scan"]), ["--label-exclude", "^long$", "-R", "scan"])
        self.assertEqual(test.selected(["-L", "long"]), ["-L", "long"])

    def test_list_reads_the_folders(self) -> None:
        folders = sorted(file.parent.name for file in (ROOT / "labs").glob("*/lab.json"))
        listed = json.loads(lab("list", "--json").text)
        self.assertEqual([entry["name"] for entry in listed], folders)
        self.assertEqual(len(lab("list").text.splitlines()), len(folders))

    def test_unknown_lab_lists_the_known(self) -> None:
        self.refuses("check", "77", saying='there is no lab "77". These are here:\n')
        self.refuses("check", "77", saying="02  reduce_neighbored")

    def test_files_that_are_not_there(self) -> None:
        self.refuses("check", "2", "--file", "/nowhere/my.cu", saying="--file /nowhere/my.cu: there is no such file")
        self.refuses("check", "02", "--file", "/tmp", saying="is a folder")
        self.refuses("check", "15", "--input", "/nowhere/bytes", saying="--input /nowhere/bytes: there is no such file")
        self.refuses("check", "15", "--json", "/nowhere/verdict.json", saying="cannot be written")

    def test_input_is_for_histograms(self) -> None:
        self.refuses("check", "02", "--input", ROOT / "LICENSE", saying="labs that count bytes")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_unreadable_input(self) -> None:
        with tempfile.NamedTemporaryFile() as file:
            Path(file.name).chmod(0)
            self.refuses("check", "15", "--input", file.name, saying="cannot be read")

    def test_emulate_refuses_what_is_no_program(self) -> None:
        self.refuses("emulate", "/nowhere/program", saying="there is no program /nowhere/program")
        self.refuses("emulate", "/tmp", saying="is a folder")
        self.refuses("emulate", ROOT / "lab", saying="not a 64-bit ELF program")
        self.refuses("emulate", "/bin/true", saying="holds no CUDA code")
        self.refuses("emulate", ROOT / "LICENSE", saying="not executable")

    def test_emulate_refuses_wrong_options_before_anything_is_built(self) -> None:
        for option, value, saying in (
            ("--schedule", "sideways", "forward, reverse or random:SEED"),
            ("--schedule", "random:", "forward, reverse or random:SEED"),
            ("--threads", "0", "from 1 to 1024"),
            ("--threads", "1025", "from 1 to 1024"),
            ("--fail", "0", "the number of a call, from 1"),
            ("--checks", "race", "all, none, or some of"),
            ("--report", "/nowhere/report.json", "--report /nowhere/report.json: there is no folder /nowhere"),
            ("--trace", "/tmp", "--trace /tmp cannot be written"),
        ):
            arguments = commands.PARSER.parse_args(["emulate", option, value, "/bin/true"])
            with (
                self.subTest(option=option, value=value),
                mock.patch.multiple(emulate, _checked=mock.DEFAULT, talk_on_stderr=mock.DEFAULT),
                self.assertRaises(Failure) as raised,
            ):
                emulate.run(arguments)
            self.assertIn(saying, str(raised.exception))

    def emulated(self, *options: str, rpath: str = "") -> tuple[list[str], dict[str, str]]:
        """The command line and the environment of the program that ./lab emulate starts."""
        arguments = commands.PARSER.parse_args(["emulate", *options, "/bin/true", "a", "-b"])
        with (
            mock.patch.multiple(
                emulate, _checked=mock.DEFAULT, talk_on_stderr=mock.DEFAULT, setup=mock.DEFAULT
            ) as all_,
            mock.patch.object(emulate.build, "configure", return_value=Path("/tree")),
            mock.patch.object(emulate.build, "build"),
            mock.patch.dict(os.environ, LD_LIBRARY_PATH="/mine", LD_PRELOAD="/own.so"),
            mock.patch("os.execve") as started,
        ):
            all_["_checked"].return_value.rpath = rpath
            emulate.run(arguments)
        program, words, environment = started.call_args.args
        self.assertEqual(program, Path("/bin/true"))
        return words, environment

    def test_emulate_hands_its_options_to_lockstep(self) -> None:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            given = {"schedule": "random:7", "threads": "4", "fail": "profiled:3", "checks": "memory,races"}
            files = {"report": "report.json", "trace": "trace.jsonl"}
            options = [word for name, value in (given | files).items() for word in (f"--{name}", value)]
            words, environment = self.emulated(*options)
            given |= {name: str(Path(folder).resolve() / file) for name, file in files.items()}
        self.assertEqual(words, ["/bin/true", "a", "-b"])
        found = {name: value for name, value in environment.items() if name.startswith("LOCKSTEP_")}
        self.assertEqual(found, {f"LOCKSTEP_{name.upper()}": value for name, value in given.items()})

    def test_emulate_puts_lockstep_in_the_place_of_the_runtime(self) -> None:
        _, environment = self.emulated()
        self.assertEqual(environment["LD_LIBRARY_PATH"], "/tree/lockstep:/mine")
        self.assertEqual(environment["LD_PRELOAD"], "/own.so")
        _, environment = self.emulated(rpath="/opt/cuda/lib")
        self.assertEqual(environment["LD_PRELOAD"], "/tree/lockstep/libcudart.so.13 /own.so")


if __name__ == "__main__":
    unittest.main()
