"""courses: helpers for the learner's tests: a progress file of one's own, a small course in a git repository, a pseudo
terminal."""

import os
import pty
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from launcher.labs import Lab
from launcher.tests.machines import InAFolder
from learner import progress

ENV = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
RULES = [
    {"name": "divergence", "counter": "d", "op": "<=", "value": 0.05, "starter": 0.1875, "reference": 0.006},
    {"name": "lanes", "counter": "l", "op": ">=", "value": 1, "starter": None, "reference": 3},
]


class WithProgress(InAFolder):
    """Each test has a progress file of its own, which does not exist yet."""

    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "progress.json"
        change = mock.patch.dict(os.environ, WARPLADDER_PROGRESS=str(self.file))
        change.start()
        self.addCleanup(change.stop)

    def passed(self, *names: str) -> None:
        for name in names:
            progress.change(name, passes)


def passes(entry: progress.Entry) -> None:
    entry["first_pass"] = entry["first_pass"] or progress.now()
    entry["last"] = {"verdict": "accepted", "check": None, "date": progress.now()}


def a_lab(folder: Path, **facts: Any) -> Lab:  # noqa: ANN401
    whole = {"title": "A lab", "family": "scan", "contract": "scan", "source": "scan.cu", "sizes": {"real": 1000}}
    return Lab(folder, whole | {"rules": RULES} | facts)


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, env=os.environ | ENV, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_terminal(work: Callable[[], object], typed: str = "", columns: int = 60, **env: str) -> str:
    """Does the work in a process that has a terminal of that many columns, and returns what the terminal got."""
    sys.stdout.flush()
    child, terminal = pty.fork()
    if child == 0:
        code = 1
        try:
            os.environ.update({"TERM": "xterm", **env})
            termios.tcsetwinsize(0, (24, columns))
            sys.stdin, sys.stdout = os.fdopen(0, "r"), os.fdopen(1, "w")
            from launcher import console

            console._stream = sys.stdout
            work()
            code = 0
        finally:
            sys.stdout.flush()
            os._exit(code)
    os.write(terminal, typed.encode())
    text = b""
    try:
        while part := os.read(terminal, 1 << 16):
            text += part
    except OSError:  # the end of a pseudo terminal
        pass
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    said = text.decode().replace("\r\n", "\n")
    assert status == 0, said
    return said
