"""./lab watch in a pseudo terminal, with a judge that does what the watched file says. No verdict here depends on time:
a test waits for a text, and a limit ends only a test that hangs."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
import unittest
from pathlib import Path
from unittest import mock

import commands
from launcher import check, console
from launcher.labs import find_lab
from learner import handout, progress, watch
from learner.tests.courses import WithProgress

HANGS_AFTER = 60  # seconds
JUDGE = """
import json, os, signal, subprocess, sys, time
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
text = open(options["--file"]).read()
with open(os.environ["STARTED"], "a") as started:
    started.write(f"{os.getpid()} {text}\\n")
def tell(**event):
    os.write(int(options["--events"]), (json.dumps(event) + "\\n").encode())
if "deaf" in text:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "broken" in text:
    verdict, check = "compile error", "compile"
else:
    tell(event="compiled")
    tell(event="case", passed=True, cases_passed=1, cases_planned=9)
    if "hang" in text:
        child = subprocess.Popen(["sleep", "1000"])
        with open(os.environ["STARTED"], "a") as started:
            started.write(f"{child.pid} child\\n")
        while True:
            time.sleep(1)
    if "crash" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    verdict, check = ("accepted", None) if "good" in text else ("wrong answer", "case.f.1.ones")
    if check:
        tell(event="case", passed=False, cases_passed=1, cases_planned=9, case="f.1.ones", check=check, steps=["got 0"])
print("lab · file\\n  " + verdict + f" · {text}")
whole = {"verdict": verdict, "failed_check": check, "rules": [], "counters": {}, "measurements": [],
         "time": {"ms": None}, "speed": {"modelled": {}}}
with open(options["--json"], "w") as file:
    json.dump(whole, file)
"""


class Terminal:
    """A ./lab watch at work, and what its terminal shows."""

    def __init__(self, arguments: list[str], **env: str) -> None:
        begin, may_begin = os.pipe()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            code = 99
            try:
                os.read(begin, 1)  # the watch changes the terminal: first its usual state is kept
                os.environ.update({"TERM": "xterm", **env})
                sys.stdin, sys.stdout = os.fdopen(0, "r"), os.fdopen(1, "w")
                console._stream = sys.stdout
                parsed = commands.PARSER.parse_args(arguments)
                code = parsed.run(parsed)
            finally:
                sys.stdout.flush()
                os._exit(code)
        self.usual = termios.tcgetattr(self.terminal)[3]
        os.write(may_begin, b"x")
        os.close(begin)
        os.close(may_begin)
        self.text, self.read_to = "", 0

    def expect(self, pattern: str) -> str:
        """Waits until the terminal shows this after what was expected before."""
        end = time.monotonic() + HANGS_AFTER
        while not (found := re.search(pattern, self.text[self.read_to :])):
            ready, _, _ = select.select([self.terminal], [], [], max(end - time.monotonic(), 0))
            part = b""
            with contextlib.suppress(OSError):
                part = os.read(self.terminal, 1 << 16) if ready else b""
            if not part:
                raise AssertionError(f"{pattern!r} does not come after {self.text[self.read_to :]!r}")
            self.text += part.decode("utf-8", "replace")
        self.read_to += found.end()
        return found[0]

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def is_cooked(self) -> bool:
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ICANON)

    def ended(self) -> int:
        """Waits for its end, and returns the exit code."""
        with contextlib.suppress(OSError):
            while select.select([self.terminal], [], [], HANGS_AFTER)[0] and os.read(self.terminal, 1 << 16):
                pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@unittest.skipUnless(watch.is_installed(), "watchfiles is not here: ./lab watch brings it")
class Watch(WithProgress):
    def setUp(self) -> None:
        super().setUp()
        self.started, judge = self.folder / "started", self.folder / "judge.py"
        judge.write_text(JUDGE, encoding="utf-8")
        (self.folder / "work").mkdir()
        self.file_ = self.folder / "work" / "mine.cu"
        for change in (
            mock.patch.dict(os.environ, STARTED=str(self.started)),
            mock.patch.object(watch.setup, "go_on_in_watch_python", lambda: None),
            mock.patch.object(check, "prepare", lambda *_, **__: Path("/tree")),
            mock.patch.object(check.judge, "command", lambda *_: [sys.executable, str(judge)]),
        ):
            change.start()
            self.addCleanup(change.stop)

    def watching(self, text: str = "bad", *words: str, **env: str) -> Terminal:
        if text:
            self.save(text)
        options = ["watch", "05", "--device", "lockstep", "--file", str(self.file_), *words]
        terminal = Terminal(options, **env)
        self.addCleanup(self.kill, terminal)
        return terminal

    def save(self, text: str) -> None:
        """At once. A look between the two steps of write_text() finds an empty file, and each text has its check."""
        new = self.folder / "new"
        new.write_text(text, encoding="utf-8")
        new.replace(self.file_)

    def kill(self, terminal: Terminal) -> None:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(terminal.pid, signal.SIGKILL)
            os.waitpid(terminal.pid, 0)
        os.close(terminal.terminal)

    def judges(self) -> list[tuple[int, str]]:
        """The processes that ran, each with the text that it saw."""
        lines = self.started.read_text(encoding="utf-8").splitlines()
        return [(int(line.split(" ", 1)[0]), line.split(" ", 1)[1]) for line in lines]

    def assert_gone(self, pid: int) -> None:
        end = time.monotonic() + HANGS_AFTER
        while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split(") ")[1][:1]:
            self.assertLess(time.monotonic(), end, f"process {pid} is still there")
            time.sleep(0.01)

    def test_the_failing_case_then_the_verdict_then_the_next_save(self) -> None:
        terminal = self.watching("bad")
        terminal.expect("1 of 9 cases pass")
        terminal.expect("✗ case.f.1.ones")
        terminal.expect("got 0")
        terminal.expect("wrong answer · bad")
        terminal.expect("h hint  r report  n next  c check again  q quit")
        self.save("good")
        terminal.expect("accepted · good")
        terminal.press("q")
        self.assertEqual(terminal.ended(), 0)
        self.assertEqual([text for _, text in self.judges()], ["bad", "good"])

    def test_an_edit_during_a_check_begins_again_and_says_so(self) -> None:
        for first in ("hang", "deaf hang"):
            self.started.unlink(missing_ok=True)
            terminal = self.watching(first)
            terminal.expect("1 of 9 cases pass")
            while len(self.judges()) < 2:  # until its child has been started, too
                time.sleep(0.01)
            self.save("good")
            terminal.expect("The file has changed: checking again")
            terminal.expect("accepted · good")
            for pid, _ in self.judges()[:2]:
                self.assert_gone(pid)
            self.assertEqual([text for _, text in self.judges()], [first, "child", "good"])
            terminal.press("q")
            self.assertEqual(terminal.ended(), 0)

    def test_editors_save_in_many_ways(self) -> None:
        terminal = self.watching("bad")
        terminal.expect("wrong answer · bad")
        other = self.file_.with_name(".mine.cu.swp")  # vim's and emacs' own files
        other.write_text("x", encoding="utf-8")
        self.file_.with_name("4913").write_text("", encoding="utf-8")
        self.file_.with_name("mine.cu~").write_text("bad", encoding="utf-8")
        os.utime(self.file_)  # saved without a change
        self.save("renamed")
        terminal.expect("wrong answer · renamed")
        self.file_.rename(self.file_.with_name("backup"))
        terminal.expect("mine.cu is not there")
        self.save("broken {")
        terminal.expect("compile error · broken")
        self.save("good")
        terminal.expect("accepted · good")
        terminal.press("q")
        terminal.ended()
        self.assertEqual([text for _, text in self.judges()], ["bad", "renamed", "broken {", "good"])

    def test_a_file_that_is_not_there_yet(self) -> None:
        lab = find_lab("05")
        with mock.patch.object(check.labs, "find_lab") as found:
            found.return_value = mock.Mock(lab, wraps=lab, number="05", title="T", source=self.file_, facts=lab.facts)
            found.return_value.name = lab.name
            terminal = Terminal(["watch", "05", "--device", "lockstep"])
        self.addCleanup(self.kill, terminal)
        terminal.expect("Predict first")
        terminal.press("\n\n")
        terminal.expect("mine.cu is not there")
        self.save("good")
        terminal.expect("accepted · good")

    def test_keys(self) -> None:
        terminal = self.watching("bad")
        terminal.expect("q quit")
        first, second = handout.hints(find_lab("05"))[:2]
        terminal.press("h")
        terminal.expect(re.escape(f"Lab 05, hint 1 of 3: {first.title}"))
        terminal.expect("q quit")
        terminal.press("xh")  # a key that means nothing changes nothing
        terminal.expect(re.escape(f"Lab 05, hint 2 of 3: {second.title}"))
        terminal.press("c")
        terminal.expect("Checking again")
        terminal.expect("wrong answer · bad")
        terminal.expect("q quit")
        terminal.press("n")
        terminal.expect(r"Predict first \(00 ")  # the watched file is now the learner's own
        self.assertTrue(terminal.is_cooked(), "questions are answered with Enter")
        terminal.press("\n" * 9)
        terminal.expect("00 .* labs/00_hello/saxpy.cu")
        terminal.expect("wrong answer")
        terminal.press("q")
        self.assertEqual(terminal.ended(), 0)
        self.assertEqual(progress.load()["05_scan_hillis_steele"]["hints"], 2)

    def test_the_terminal_is_given_back(self) -> None:
        for end in ("q", "\x03", "\x04", signal.SIGTERM, signal.SIGHUP):
            with self.subTest(end):
                terminal = self.watching("bad")
                terminal.expect("q quit")
                self.assertFalse(terminal.is_cooked())
                terminal.press(end) if isinstance(end, str) else os.kill(terminal.pid, end)
                self.assertEqual(terminal.ended(), 0)
                self.assertEqual(termios.tcgetattr(terminal.terminal)[3], terminal.usual)

    def test_questions_can_be_interrupted(self) -> None:
        terminal = Terminal(["watch", "00", "--device", "lockstep"])
        self.addCleanup(self.kill, terminal)
        terminal.expect(r"Predict first \(00 ")
        terminal.press("\x03")
        self.assertEqual(terminal.ended(), 99, "KeyboardInterrupt, which ./lab tells")
        self.assertFalse(self.started.exists())

    def test_checking_a_file_again_that_is_gone(self) -> None:
        terminal = self.watching("bad")
        terminal.expect("q quit")
        self.file_.unlink()
        terminal.expect("mine.cu is not there")
        terminal.press("c\x1b[A")  # and an arrow, which means nothing
        terminal.expect("mine.cu is not there")
        self.save("good")
        terminal.expect("accepted · good")
        self.assertEqual([text for _, text in self.judges()], ["bad", "good"])

    def test_an_end_during_a_check_leaves_no_process(self) -> None:
        terminal = self.watching("hang")
        terminal.expect("1 of 9 cases pass")
        while len(self.judges()) < 2:
            time.sleep(0.01)
        terminal.press("q")
        self.assertEqual(terminal.ended(), 0)
        for pid, _ in self.judges():
            self.assert_gone(pid)

    def test_the_shell_gets_its_terminal_while_the_watch_is_stopped(self) -> None:
        terminal = self.watching("bad")
        terminal.expect("q quit")
        terminal.press("\x1a")  # Ctrl-Z
        self.assertTrue(os.WIFSTOPPED(os.waitpid(terminal.pid, os.WUNTRACED)[1]))
        self.assertTrue(terminal.is_cooked())
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.expect("q quit")
        self.assertFalse(terminal.is_cooked())
        terminal.press("q")
        self.assertEqual(terminal.ended(), 0)

    def test_a_judge_that_crashes_ends_nothing(self) -> None:
        terminal = self.watching("crash")
        terminal.expect("The judge came to no verdict")
        self.save("good")
        terminal.expect("accepted · good")

    def test_a_terminal_that_obeys_no_commands(self) -> None:
        for plain in ({"TERM": "dumb"}, {"TERM": ""}):
            terminal = self.watching("bad", **plain)
            terminal.expect("q quit")
            terminal.press("q")
            self.assertEqual(terminal.ended(), 0)
            self.assertNotIn("\033", terminal.text)

    def test_a_pipe(self) -> None:
        self.file_.write_text("bad", encoding="utf-8")
        program = (
            "import sys, commands; from unittest import mock; from pathlib import Path; from launcher import check\n"
        )
        program += "from learner import watch; watch.setup.go_on_in_watch_python = lambda: None\n"
        program += "check.prepare = lambda *_, **__: Path('/tree')\n"
        program += f"check.judge.command = lambda *_: [sys.executable, {str(self.folder / 'judge.py')!r}]\n"
        program += f"sys.exit(commands.main(['watch', '05', '--device', 'lockstep', '--file', {str(self.file_)!r}]))\n"
        with subprocess.Popen(
            [sys.executable, "-B", "-c", program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        ) as piped:
            assert piped.stdout is not None
            end = "Verdict: {}. Waiting for the file to be saved.\n"
            seen = [line.rstrip() for line in iter(piped.stdout.readline, end.format("wrong answer"))]
            self.save("good")
            seen += [line.rstrip() for line in iter(piped.stdout.readline, end.format("accepted"))]
            piped.terminate()
            self.assertEqual(piped.wait(), 0)
        text = "\n".join(seen)
        self.assertIn("  wrong answer · bad", seen)
        self.assertIn("  accepted · good", seen)
        self.assertNotIn("\033", text)
        self.assertNotIn("cases pass", text, "a pipe does without what changes at once")


if __name__ == "__main__":
    unittest.main()
