"""nvcc on this machine, and the folder of Python packages: which one is taken, what is refused, what is installed."""

import os
import sys
import unittest
from pathlib import Path
from unittest import mock

from launcher import toolkit, wheels
from launcher.console import Failure
from launcher.tests.machines import InAFolder


class Search(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        patch = mock.patch.dict(
            os.environ, PATH=str(self.folder / "path"), WARPLADDER_TOOLKITS=f":{self.folder}/cuda-*"
        )
        patch.start()
        self.addCleanup(patch.stop)
        none = mock.patch.object(wheels, "installed", lambda _: False)
        none.start()
        self.addCleanup(none.stop)

    def nvcc(self, folder: str, says: str) -> Path:
        file = self.folder / folder / "nvcc"
        file.parent.mkdir(parents=True)
        file.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
        file.chmod(0o755)
        return file

    def test_the_newest_that_is_new_enough(self) -> None:
        for version in ("9.2", "12.4", "13.0", "13.1"):
            self.nvcc(f"cuda-{version}", f"Cuda compilation tools, release {version}, V{version}.131")
        newest = self.folder / "cuda-13.1" / "nvcc"
        self.assertEqual(toolkit.search(), (newest, []))
        self.assertEqual(toolkit.version(newest), "13.1")
        newest.chmod(0o644)
        self.assertEqual(toolkit.search(), (self.folder / "cuda-13.0" / "nvcc", []), "it cannot be run")

    def test_the_one_in_the_path_comes_first(self) -> None:
        mine = self.nvcc("path", "release 13.0, V13.0.1")
        self.nvcc("cuda-13.1", "release 13.1, V13.1.1")
        self.assertEqual(toolkit.search(), (mine, []))

    def test_each_that_cannot_be_used_is_named_with_the_reason(self) -> None:
        silent, old = self.nvcc("path", ""), self.nvcc("cuda-12.3", "release 12.3, V12.3.1")
        reasons = [f"{silent} does not answer --version as nvcc does"]
        reasons.append(f"{old} is CUDA 12.3; 12.4 or later is needed")
        self.assertEqual(toolkit.search(), (None, reasons))
        self.assertIsNone(toolkit.version(silent))
        good = self.nvcc("cuda-5", "release 13.0, V13.0.1")
        self.assertEqual(toolkit.search(), (good, reasons))

    def test_twelve_is_taken_where_nothing_newer_is(self) -> None:
        mine = self.nvcc("path", "release 12.4, V12.4.131")
        self.nvcc("cuda-12.9", "release 12.9, V12.9.1")
        self.assertEqual(toolkit.search(), (mine, []))
        newer = self.nvcc("cuda-13.0", "release 13.0, V13.0.1")
        self.assertEqual(toolkit.search(), (newer, []))

    def test_a_lab_for_a_newer_nvcc_is_refused_by_name(self) -> None:
        nvcc = self.nvcc("path", "release 12.7, V12.7.1")
        said = r"^99_new needs nvcc 12\.8 or later; .*/path/nvcc is CUDA 12\.7\. All other labs work with it\.$"
        with self.assertRaisesRegex(Failure, said):
            toolkit.need(nvcc, "12.8", "99_new")
        toolkit.need(nvcc, "12.7", "99_new")
        toolkit.need(nvcc, "", "99_new")

    def test_our_own_wheels_come_last(self) -> None:
        own = self.nvcc("wheels/bin", "release 13.0, V13.0.1")
        with mock.patch.multiple(wheels, installed=lambda _: True, cuda_folder=lambda: self.folder / "wheels"):
            self.assertEqual(toolkit.search(), (own, []))
            other = self.nvcc("cuda-13.1", "release 13.1, V13.1.1")
            self.assertEqual(toolkit.search(), (other, []))


class Install(InAFolder):
    """Packages, with a pip that is played."""

    def setUp(self) -> None:
        super().setUp()
        self.venv = self.folder / ".venv"
        self.python = self.venv / "bin" / "python"
        self.pins = self.folder / "requirements-x.txt"
        self.pins.write_text("a==1\n", encoding="ascii")
        self.ran: list[list[str]] = []
        self.fails = ""  # the word of a command that fails
        patch = mock.patch.multiple(wheels, VENV=self.venv, PYTHON=self.python, run_logged=self.run_logged)
        patch.start()
        self.addCleanup(patch.stop)

    def run_logged(self, _: str, command: list[str | Path], *__: object, **___: object) -> tuple[int, str]:
        words = [str(word) for word in command]
        self.ran.append(words)
        if self.fails and self.fails in words:
            return 1, "no network\n"
        if "venv" in words:
            self.make_python("exit 0")
        return 0, ""

    def make_python(self, script: str) -> None:
        self.python.parent.mkdir(parents=True, exist_ok=True)
        self.python.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
        self.python.chmod(0o755)

    def test_the_folder_is_made_once_and_the_packages_are_pinned(self) -> None:
        self.assertFalse(wheels.installed(self.pins))
        wheels.install(self.pins, "x")
        make, pip = self.ran
        self.assertEqual(make, [sys.executable, "-m", "venv", "--clear", str(self.venv)])
        self.assertEqual(pip[:4], [str(self.python), "-m", "pip", "install"])
        self.assertIn("--require-hashes", pip)
        self.assertEqual(pip[-2:], ["-r", str(self.pins)])
        self.assertTrue(wheels.installed(self.pins))
        wheels.install(self.pins, "x")
        self.assertEqual(len(self.ran), 3, "pip again, and the folder stays")
        self.pins.write_text("a==2\n", encoding="ascii")
        self.assertFalse(wheels.installed(self.pins), "other pins")

    def test_a_folder_without_pip_is_made_again(self) -> None:
        self.make_python("exit 1")
        wheels.install(self.pins, "x")
        self.assertIn("--clear", self.ran[0])

    def test_what_fails_is_told_and_counts_as_missing(self) -> None:
        self.fails = "venv"
        with self.assertRaisesRegex(Failure, "no network\n.*could not be made"):
            wheels.install(self.pins, "x")
        self.fails = "pip"
        with self.assertRaisesRegex(Failure, "no network\npip could not install requirements-x.txt"):
            wheels.install(self.pins, "x")
        self.assertFalse(self.venv.exists(), "it held nothing useful")
        self.fails = ""

        def finish() -> None:
            raise Failure("no space")

        with self.assertRaisesRegex(Failure, "no space"):
            wheels.install(self.pins, "x", finish)
        self.assertFalse(wheels.installed(self.pins), "it was interrupted, so it is repeated")
        wheels.install(self.pins, "x")
        self.fails = "pip"
        with self.assertRaises(Failure):
            wheels.install(self.pins.rename(self.folder / "requirements-y.txt"), "y")
        self.assertTrue(self.venv.exists(), "it holds what was installed before")


if __name__ == "__main__":
    unittest.main()
