"""Visual Studio Code's tasks: ./lab knows their words, and their problem matchers find the errors in what it prints."""

import json
import os
import pty
import re
import unittest
from pathlib import Path
from typing import Any

import commands
from launcher import problems, wheels
from launcher.paths import ROOT
from launcher.tests.machines import PROGRESS, InAFolder, lab

TASKS = {task["label"]: task for task in json.loads((ROOT / ".vscode/tasks.json").read_text(encoding="utf-8"))["tasks"]}
REFERENCE = ROOT / "solutions" / "03_reduce_less_divergent" / "reduce.cu"
Problem = tuple[str, int, str, str]


def words(label: str, file: Path) -> list[str]:
    return [word.replace("${file}", str(file)) for word in TASKS[label]["args"]]


def matched(matcher: dict[str, Any], printed: str) -> list[Problem]:
    """As Visual Studio Code does it: line by line, without the terminal's commands."""
    pattern, found = matcher["pattern"], []
    for line in re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", printed).splitlines():
        if match := re.search(pattern["regexp"], line):
            file, number, severity, message = (match[pattern[key]] for key in ("file", "line", "severity", "message"))
            found.append((file, int(number), severity, message))
    return found


class Tasks(InAFolder):
    def changed(self, old: str, new: str) -> tuple[Path, int]:
        """The reference of lab 03 with a mistake, and its line."""
        text = REFERENCE.read_text(encoding="utf-8")
        self.assertIn(old, text)
        file = self.folder / "labs" / REFERENCE.parent.name / REFERENCE.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace(old, new), encoding="utf-8")
        return file, text[: text.index(old)].count("\n") + 1

    def problems_of(self, file: Path) -> list[Problem]:
        task = TASKS["check this file"]
        answer = lab(*words("check this file", file))
        return matched(task["problemMatcher"], answer.text)

    def test_lab_knows_each_task(self) -> None:
        for label, task in TASKS.items():
            with self.subTest(label):
                self.assertEqual((task["type"], task["command"]), ("process", "${workspaceFolder}/lab"))
                arguments, unknown = commands.PARSER.parse_known_args(words(label, REFERENCE))
                self.assertEqual(unknown, [])
                if "${file}" in task["args"]:
                    self.assertEqual(arguments.lab, str(REFERENCE))

    def test_a_compile_error(self) -> None:
        file, line = self.changed("threadIdx.x", "threadIdx.w")
        ((where, number, severity, message),) = self.problems_of(file)
        self.assertEqual((where, number, severity), (str(file), line, "error"))
        self.assertEqual(message, 'class "uint3" has no member "w"')

    def test_an_error_of_the_hosts_compiler(self) -> None:
        file, line = self.changed("constexpr int kBlock", "#error mine\nconstexpr int kBlock")
        ((where, number, severity, message),) = self.problems_of(file)
        self.assertEqual((where, number, severity), (str(file), line, "error"))
        self.assertIn("mine", message)

    def test_a_missing_barrier(self) -> None:
        file, _ = self.changed("__syncthreads();", ";")
        found = self.problems_of(file)
        self.assertTrue(all(where == str(file) for where, *_ in found), found)
        self.assertEqual([severity for *_, severity, _ in found], ["error", *["note"] * (len(found) - 1)])
        self.assertRegex(found[0][3], r"rule broken \(finding\.race\)\. .*race: two threads")
        self.assertIn("block[i] +=", file.read_text().splitlines()[found[0][1] - 1])

    def test_a_wrong_answer_has_a_place_too(self) -> None:
        file, _ = self.changed("+=", "-=")
        ((where, number, severity, message),) = self.problems_of(file)
        self.assertEqual((where, number, severity), (str(file), 1, "error"))
        self.assertRegex(message, r"^wrong answer \(case\.\S+\)\. .*want")

    def test_an_accepted_file_has_no_problem(self) -> None:
        self.assertEqual(self.problems_of(REFERENCE), [])
        self.assertEqual(problems.lines({}), [], "the judge came to no verdict")

    @unittest.skipUnless(wheels.installed(wheels.WATCH), f"{wheels.WATCH.name} is not installed in .venv")
    def test_the_watch_begins_and_ends(self) -> None:
        task, (file, line) = TASKS["watch this lab"], self.changed("threadIdx.x", "threadIdx.w")
        matcher, said = task["problemMatcher"], ""
        child, terminal = pty.fork()
        if child == 0:
            os.environ |= {**task["options"]["env"], "WARPLADDER_PROGRESS": PROGRESS}
            os.execv(ROOT / "lab", ["lab", *words("watch this lab", file), "--file", str(file)])
        while not re.search(matcher["background"]["endsPattern"], said.replace("\r", ""), re.MULTILINE):
            said += os.read(terminal, 4096).decode(errors="replace")  # an error if the watch ends before that
        os.write(terminal, b"q")
        os.waitpid(child, 0)
        os.close(terminal)
        self.assertRegex(said.replace("\r", ""), "(?m)" + matcher["background"]["beginsPattern"])
        self.assertEqual([one[:3] for one in matched(matcher, said)], [(str(file), line, "error")])


if __name__ == "__main__":
    unittest.main()
