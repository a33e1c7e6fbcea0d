"""machines: helpers for tests that run ./lab: a folder for each test, a copy of this tree, and machines made of a copy
of the launcher and a PATH without some programs."""

import os
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ELSEWHERE = tempfile.TemporaryDirectory()
PROGRESS = str(Path(ELSEWHERE.name) / "progress.json")  # not that of the person who runs the tests


class InAFolder(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)


@dataclass
class Answer:
    code: int
    text: str  # the output of both streams


def copy_of_tree(to: Path, without: Iterable[str] = ()) -> Path:
    """This checkout without its build trees and its .venv, and without the folders of these names."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        out = {"__pycache__", *without}.intersection(names)
        if Path(folder) == ROOT:
            out |= {name for name in names if name.startswith("build") or name in (".git", ".venv")}
        return out

    shutil.copytree(ROOT, to, ignore=left_out)
    return to


def lab(*arguments: str | bytes | Path, root: Path = ROOT, env: dict[str, str] | None = None) -> Answer:
    done = subprocess.run(
        [root / "lab", *arguments],
        env={**os.environ, "WARPLADDER_PROGRESS": PROGRESS, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=3600,
    )
    return Answer(done.returncode, done.stdout)


@dataclass
class Machine:
    """A checkout of the launcher alone, on a machine without a network and without the programs in lacks."""

    folder: Path
    lacks: Iterable[str] = ()
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root = self.folder / "checkout"
        (self.root / "grader").mkdir(parents=True)
        pins = [file.name for file in ROOT.glob("requirements-*.txt")]
        for name in ("lab", "grader/lab.py", "grader/commands.py", *pins):
            shutil.copy(ROOT / name, self.root / name)
        for room in ("launcher", "learner"):
            shutil.copytree(ROOT / "grader" / room, self.root / "grader" / room)
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        for folder in {Path("/usr/bin").resolve(), Path("/bin").resolve()}:
            for program in folder.iterdir():
                if program.name not in self.lacks:
                    (self.programs / program.name).symlink_to(program)
        for name in {"cmake", "ctest", "ninja"}.difference(self.lacks):  # these may be in another folder
            program = shutil.which(name)
            if program and not (self.programs / name).exists():
                (self.programs / name).symlink_to(program)

    def add_program(self, name: str, script: str) -> None:
        file = self.programs / name
        file.unlink(missing_ok=True)
        file.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        file.chmod(0o755)

    def lab(self, *arguments: str | bytes) -> Answer:
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.folder), "PIP_CONFIG_FILE": os.devnull}
        own = {"PATH": str(self.programs), "WARPLADDER_TOOLKITS": "", "WARPLADDER_BUILD_DIR": ""}
        return lab(*arguments, root=self.root, env={**offline, **own, **self.env})
