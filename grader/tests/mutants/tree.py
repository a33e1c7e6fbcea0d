"""tree: a copy of the checkout with a build tree of its own. A mutant is put into it, the tests that may catch it are
built and run, and the mutant is taken out again.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # grader/

from launcher.tests.machines import ROOT, copy_of_tree

from . import wall
from .checks import Check, checks_of
from .draw import Mutant

CAUGHT, SURVIVED, SAME, INVALID = "caught", "survived", "same program", "does not compile"
COUNTED = (CAUGHT, SURVIVED)
FIRST_SECONDS = 900.0  # for a test of the unchanged tree
LEAST_SECONDS, TIMES = 60.0, 10  # a mutant's test hangs if it takes so many times as long as without the mutant
FAILED = re.compile(r"^(?:\[  FAILED  \] ([\w/]+\.[\w/]+)|(?:FAIL|ERROR): (\w+)|FAIL(?:ED)?:? +(\w+))", re.MULTILINE)
# Warnings are no errors: a mutant that leaves a variable unused is for the tests to find.
CONFIGURE = ["-DWARPLADDER_SANITIZED=ON", "-DWARPLADDER_LABS=OFF", "-DWARPLADDER_WERROR=OFF"]
CONFIGURE += ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1"]


@dataclass(frozen=True)
class Outcome:
    result: str  # CAUGHT, SURVIVED, SAME or INVALID
    by: str = ""  # the test that caught it, and how if it did not simply fail


class Broken(Exception):
    """The unchanged tree does not build."""


class Tree:
    """One mutant at a time. The folder stays, so that the next run builds little."""

    def __init__(self, folder: Path, programs: Path | None = None) -> None:
        """programs: a build tree with the programs of the fault corpus, or None."""
        self.root, self.programs_ = folder, programs
        self.build_ = folder / "build" / "quick"
        _bring_up_to_date(self.root)
        self.seconds_: dict[str, float | None] = {}  # by check: how long without a mutant; None: it does not pass
        self.said_ = ""  # by the last build
        self.hashes_: dict[str, str] = {}  # by check: the content of its programs without a mutant

    def test(self, mutant: Mutant) -> Outcome:
        checks = checks_of(mutant.file, self.root, self.programs_)
        if not [check for check in checks if self._passes(check)]:  # each is tried, since their programs are compared
            raise Broken(f"no test of {mutant.file} passes on this machine even without a mutant")
        file = self.root / mutant.file
        text = file.read_text(encoding="utf-8")
        file.write_text(mutant.apply(text), encoding="utf-8")
        try:
            return self._outcome(checks)
        finally:
            file.write_text(text, encoding="utf-8")  # its new time tells ninja to build it again

    def left_out(self) -> list[str]:
        """The checks that do not pass on this machine without a mutant, as far as they were tried."""
        return sorted(name for name, seconds in self.seconds_.items() if seconds is None)

    def _outcome(self, checks: list[Check]) -> Outcome:
        is_another_program = False
        for check in checks:
            if check.program:
                if not self._builds(check):
                    return Outcome(INVALID)
                if self._hash(check) == self.hashes_[check.name]:
                    continue
            is_another_program = True
            if self._passes(check) and (failure := self._failure(check)):
                return Outcome(CAUGHT, f"{check.name}: {failure}")
        return Outcome(SURVIVED if is_another_program else SAME)

    def _passes(self, check: Check) -> bool:
        """Whether the check passes without a mutant. It is run once."""
        if check.name not in self.seconds_:
            if check.program and not self._builds(check):
                raise Broken(f"{check.program} does not build without a mutant:\n{self.said_[-2000:]}")
            if check.program:
                self.hashes_[check.name] = self._hash(check)
            start = time.monotonic()
            passes = not self._failure(check)
            self.seconds_[check.name] = time.monotonic() - start if passes else None
        return self.seconds_[check.name] is not None

    def _failure(self, check: Check) -> str:
        """The name of the test that failed, or how the program ended; "" if all pass. A test that fails only once of
        twice was disturbed by something else."""
        usual = self.seconds_.get(check.name)
        limit = FIRST_SECONDS if usual is None else max(LEAST_SECONDS, TIMES * usual)
        venv = self.root / ".venv/bin/python"
        places = {"tree": self.root, "build": self.build_, "python": venv if venv.exists() else sys.executable}
        shown = [path for path in (self.root, venv.parents[1].resolve(), self.programs_) if path and path.exists()]
        command = [word.format(**places) if word.startswith("{") else word for word in check.command]
        said = ""
        for _ in range(2):
            try:
                code, said = wall.run(command, limit, self.root / check.folder if check.folder else None, tuple(shown))
            except wall.Ended as how:
                return str(how)
            if code == 0:
                return ""
        found = FAILED.search(said)
        return next(name for name in found.groups() if name) if found else f"exit code {code}"

    def _builds(self, check: Check) -> bool:
        ninja = ["ninja", "-C", str(self.build_), check.program]
        environment = os.environ | {"CCACHE_BASEDIR": str(self.root), "CCACHE_NOHASHDIR": "1"}
        environment["CCACHE_SLOPPINESS"] = "pch_defines,time_macros"
        if not (self.build_ / "build.ninja").exists():
            configure = ["cmake", "-S", str(self.root), "-B", str(self.build_), "-G", "Ninja", *CONFIGURE]
            if shutil.which("ccache"):
                configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
            subprocess.run(configure, check=True, capture_output=True, env=environment)
        done = subprocess.run(ninja, capture_output=True, text=True, env=environment)
        self.said_ = done.stdout
        return done.returncode == 0

    def _hash(self, check: Check) -> str:
        whole = hashlib.sha256()
        for name in (check.program, *check.starts):
            whole.update(hashlib.sha256((self.build_ / name).read_bytes()).digest())
        return whole.hexdigest()


def _bring_up_to_date(tree: Path) -> None:
    """Copies the checkout, but leaves files alone that are the same, so that they are not built again."""
    new = tree.with_name(f"{tree.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    copy_of_tree(new)
    wanted = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
    for name in wanted:
        to = tree / name
        if not to.exists() or to.read_bytes() != (new / name).read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(new / name, to)  # with the time of the copy
    for path in tree.rglob("*"):
        name = path.relative_to(tree)
        if path.is_file() and name not in wanted and name.parts[0] not in ("build", ".venv"):
            path.unlink()
    shutil.rmtree(new)
    venv = tree / ".venv"
    if (ROOT / ".venv").exists() and not venv.exists():
        venv.symlink_to((ROOT / ".venv").resolve())
