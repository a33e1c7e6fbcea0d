"""Completion in real shells: Tab is pressed in a terminal, and the line that then stands there is read."""

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import tempfile
import termios
import time
import unittest
from pathlib import Path

from launcher import wheels
from launcher.tests.machines import ROOT

# What is typed → what stands there after Tab.
COMPLETED = {
    "./lab stat": "./lab status",
    "./lab check 26": "./lab check 26",
    "./lab check 03_": "./lab check 03_reduce_less_divergent",
    "./lab solution 2": "./lab solution 2",  # 20 to 26: nothing is chosen
    "./lab check 03 --dev": "./lab check 03 --device",
    "./lab check 03 --device lo": "./lab check 03 --device lockstep",
    "./lab check 03 --file LIC": "./lab check 03 --file LICENSE",
    "./lab wrong 03 mis": "./lab wrong 03 missing_barrier",
    "./lab wrong 3 mis": "./lab wrong 3 missing_barrier",
    "./lab reset --fr": "./lab reset --from",
    "./lab completion z": "./lab completion zsh",
    "./lab emulate LIC": "./lab emulate LICENSE",
    "./lab xyz": "./lab xyz",
}
SECONDS = 60  # a busy machine; no test waits so long


class Shell:
    """A shell in a terminal, in the root of this checkout."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.child_, self.terminal_ = pty.fork()
        if self.child_ == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
            os.chdir(ROOT)
            os.execvpe(command[0], command, {**os.environ, "TERM": "dumb", "PS1": "$ ", **env})

    def after_tab(self, typed: str) -> str:
        """The line after Tab. `echo` before it and a mark behind it let the shell print it."""
        self.send(f"{typed}\t\x01echo LINE= \x05 :ENDED\n")
        return self.read_until(r"^LINE= (.*?) +:ENDED\r$")[1]

    def send(self, text: str) -> None:
        os.write(self.terminal_, text.encode())

    def read_until(self, pattern: str) -> re.Match[str]:
        said, give_up = "", time.monotonic() + SECONDS
        while not (found := re.search(pattern, said, re.MULTILINE)):
            if not select.select([self.terminal_], [], [], max(give_up - time.monotonic(), 0))[0]:
                raise AssertionError(f"the shell says only {said!r}")
            said += os.read(self.terminal_, 4096).decode(errors="replace")
        return found

    def end(self) -> None:
        os.close(self.terminal_)
        os.waitpid(self.child_, 0)


@unittest.skipUnless(wheels.installed(wheels.COMPLETION), f"{wheels.COMPLETION.name} is not installed in .venv")
class Completion(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.home = Path(holder.name)

    def write_script(self, shell: str, to: Path) -> None:
        """As a learner does it: only the script is on standard output, whatever is installed meanwhile."""
        done = subprocess.run([ROOT / "lab", "completion", shell], stdout=subprocess.PIPE, text=True, check=True)
        self.assertTrue(done.stdout.startswith("#"), done.stdout[:200])
        to.write_text(done.stdout, encoding="utf-8")

    def try_in(self, shell: Shell, ready: str) -> None:
        self.addCleanup(shell.end)
        shell.send(f"{ready}; echo RE''ADY\n")
        shell.read_until("^READY")
        found = {typed: shell.after_tab(typed) for typed in COMPLETED}
        self.assertEqual(found, COMPLETED)

    def test_bash(self) -> None:
        script = self.home / "lab"
        self.write_script("bash", script)
        self.try_in(Shell(["bash", "--norc", "--noprofile", "-i"], {}), f"source {script}")

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh here; Debian's package has that name")
    def test_zsh(self) -> None:
        self.write_script("zsh", self.home / "_lab")
        ready = f"fpath=({self.home} $fpath); autoload -Uz compinit; compinit -u -D"
        self.try_in(Shell(["zsh", "-f", "-i"], {"ZDOTDIR": str(self.home)}), ready)


if __name__ == "__main__":
    unittest.main()
