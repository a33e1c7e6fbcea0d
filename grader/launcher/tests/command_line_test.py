"""The command line: wrong commands are refused before anything is built."""

import contextlib
import json
import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import commands
from launcher import check, emulate, test
from launcher.console import Failure
from launcher.labs import find_lab
from launcher.tests.machines import ROOT, lab

RUNTIMES = {"libcudart.so.13": "cudart_lockstep", "libcudart.so.12": "cudart_lockstep_12"}


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

    def test_help_names_every_command_once(self) -> None:
        shown = commands._all_commands()
        for command in commands.COMMANDS.choices:
            self.assertEqual(len(re.findall(rf"^  {command} ", shown, re.MULTILINE)), 1, command)
        for title in commands.GROUPS.values():
            self.assertIn(f"{title}:\n  ", shown, "a group is empty")

    def test_nonsense_is_refused(self) -> None:
        self.refuses("graduate", saying='there is no command "graduate". Did you mean ./lab grade?')
        self.refuses("02", saying="./lab check 02")
        self.refuses("xyz", saying='there is no command "xyz". ./lab --help')
        self.refuses("check", "--seed", "x", saying="usage: ./lab check [-h]")

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

    def checked(self, *options: str, judge: str = "exit 0") -> tuple[int, list[str]]:
        """The exit code of ./lab check 15, and the options that the judge gets; `judge` is a script."""
        arguments = commands.PARSER.parse_args(["check", "15", *options])
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.multiple(check, setup=mock.DEFAULT, build=mock.DEFAULT, say=mock.DEFAULT),
            mock.patch.object(check.device, "choose", lambda wanted: "lockstep" if wanted == "auto" else wanted),
            mock.patch.object(check.judge, "command", lambda *_: ["sh", f"{folder}/judge"]),
            mock.patch.object(check.picture, "draw") as self.draw,
            mock.patch.dict(os.environ, WARPLADDER_PROGRESS=f"{folder}/progress.json"),
        ):
            script = f'printf "%s\\n" "$@" > {folder}/words\n{judge}\n'
            (Path(folder) / "judge").write_text(script, encoding="utf-8")
            code = arguments.run(arguments)
            return code, (Path(folder) / "words").read_text(encoding="utf-8").splitlines()

    def test_check_hands_its_options_to_the_judge(self) -> None:
        code, words = self.checked()
        given = dict(zip(words[::2], words[1::2]))
        self.assertEqual((code, list(given)), (0, ["--file", "--command", "--json", "--refusal"]))
        self.assertEqual(given["--file"], str(ROOT / "labs" / "15_histogram_global_atomics" / "histogram.cu"))
        self.assertEqual(given["--command"], "./lab check 15")
        options = {"--case": "x", "--seed": "7", "--schedules": "2"}
        licence = str(ROOT / "LICENSE")
        _, words = self.checked("--thorough", "--file", licence, *(word for pair in options.items() for word in pair))
        self.assertIn("--thorough", words)
        words.remove("--thorough")
        given = dict(zip(words[::2], words[1::2]))
        self.assertLessEqual(options.items(), given.items())
        self.assertEqual((given["--file"], given["--command"]), (licence, f"./lab check 15 --file {licence}"))

    def test_the_first_check_says_that_it_takes_long(self) -> None:
        for is_built in (False, True):
            with (
                mock.patch.multiple(check, setup=mock.DEFAULT, build=mock.DEFAULT, say=mock.DEFAULT) as all_,
                mock.patch.object(check.judge, "is_built", lambda _, here=is_built: here),
            ):
                check.prepare(find_lab("00"), "lockstep")
            said = [call.args[0] for call in all_["say"].call_args_list]
            self.assertEqual(said, [] if is_built else ["Once, about a minute: the judge and lockstep are built."])
            self.assertEqual(all_["build"].build.call_args.kwargs, {"announce": not is_built})

    def test_check_ends_as_the_judge_does(self) -> None:
        for judge, code in (("exit 0", 0), ("exit 1", 1), ("exit 2", 2), ("kill -9 $$", 2)):
            self.assertEqual(self.checked(judge=judge)[0], code, judge)

    def test_check_draws_the_bytes_of_a_file(self) -> None:
        written = 'while [ "$1" != --json ]; do shift; done; echo \'{"histogram": [4, 0, 2]}\' > "$2"; exit 1'
        code, words = self.checked("--input", str(ROOT / "LICENSE"), judge=written)
        self.assertEqual((code, words[words.index("--input") + 1]), (1, str(ROOT / "LICENSE")))
        self.assertEqual(
            self.draw.call_args.args[:2], ("histogram", {"file": "LICENSE", "counts": [4, 0, 2], "wanted": None})
        )
        self.draw.reset_mock()
        self.checked("--input", str(ROOT / "LICENSE"), judge=written.replace("histogram", "other"))
        self.draw.assert_not_called()

    def test_check_draws_the_words_of_a_file(self) -> None:
        written = 'while [ "$1" != --json ]; do shift; done; echo \'{"words": [["the", 4], ["of", 2]]}\' > "$2"'
        self.checked("--input", str(ROOT / "LICENSE"), judge=written)
        self.assertEqual(self.draw.call_args.args[:2], ("words", {"file": "LICENSE", "words": [["the", 4], ["of", 2]]}))

    def emulated(
        self, *options: str, rpath: str = "", cudart: str = "libcudart.so.13"
    ) -> tuple[list[str], dict[str, str]]:
        """The command line and the environment of the program that ./lab emulate starts."""
        arguments = commands.PARSER.parse_args(["emulate", *options, "/bin/true", "a", "-b"])
        with (
            mock.patch.multiple(
                emulate, _checked=mock.DEFAULT, talk_on_stderr=mock.DEFAULT, setup=mock.DEFAULT
            ) as all_,
            mock.patch.object(emulate.build, "configure", return_value=Path("/tree")),
            mock.patch.object(emulate.build, "runtimes", return_value=RUNTIMES),
            mock.patch.object(emulate.build, "build") as self.built,
            mock.patch.dict(os.environ, LD_LIBRARY_PATH="/mine", LD_PRELOAD="/own.so"),
            mock.patch("os.execve") as started,
        ):
            all_["_checked"].return_value.rpath = rpath
            all_["_checked"].return_value.cudart.return_value = cudart
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
        self.assertEqual(
            found, {f"LOCKSTEP_{name.upper()}": value for name, value in {**given, "refused": "125"}.items()}
        )

    def test_emulate_puts_lockstep_in_the_place_of_the_runtime(self) -> None:
        _, environment = self.emulated()
        self.assertEqual(environment["LD_LIBRARY_PATH"], "/tree/lockstep:/mine")
        self.assertEqual(environment["LD_PRELOAD"], "/own.so")
        _, environment = self.emulated(rpath="/opt/cuda/lib")
        self.assertEqual(environment["LD_PRELOAD"], "/tree/lockstep/libcudart.so.13 /own.so")

    def test_emulate_has_a_library_for_each_cuda_of_the_machine(self) -> None:
        for cudart, target in (*RUNTIMES.items(), ("", "cudart_lockstep")):
            self.emulated(cudart=cudart)
            self.assertEqual(self.built.call_args.args[1], [target])
        with self.assertRaisesRegex(Failure, "built for libcudart.so.11.0; lockstep is libcudart.so.13 and libcudart"):
            self.emulated(cudart="libcudart.so.11.0")


if __name__ == "__main__":
    unittest.main()
