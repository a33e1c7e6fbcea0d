"""Machines that lack something: the message is clear and names the next step, the exit code is not 0, no file stays."""

import os
import shutil
import unittest
from pathlib import Path
from unittest import mock

from launcher import demo, labs, setup
from launcher.console import Failure
from launcher.tests.machines import ROOT, InAFolder, Machine

HAVE_NOTHING_TO_INSTALL = "echo 'E: Unable to locate package' >&2; exit 100\n"


class BadMachines(InAFolder):
    def machine(self, *lacks: str) -> Machine:
        machine = Machine(self.folder, ("nvcc", *lacks))
        machine.add_program("apt-get", HAVE_NOTHING_TO_INSTALL)
        return machine

    def test_no_nvcc_and_no_network(self) -> None:
        machine = self.machine()
        answer = machine.lab("demo")
        self.assertEqual(answer.code, 2, answer.text)
        self.assertIn("no nvcc 12.4 or later", answer.text)
        self.assertIn("install CUDA 13 from NVIDIA", answer.text)
        self.assertNotIn("Traceback", answer.text)
        self.assertFalse((machine.root / ".venv").exists(), "an empty .venv stayed behind")

    def test_nvcc_too_old(self) -> None:
        machine = self.machine()
        machine.add_program("nvcc", "echo 'Cuda compilation tools, release 12.3, V12.3.107'\n")
        answer = machine.lab("test")
        self.assertEqual(answer.code, 2, answer.text)
        self.assertIn(f"{machine.programs}/nvcc is CUDA 12.3; 12.4 or later is needed", answer.text)

    def test_what_is_no_nvcc(self) -> None:
        machine = self.machine()
        machine.add_program("nvcc", "exit 0\n")
        answer = machine.lab("demo")
        self.assertEqual(answer.code, 2, answer.text)
        self.assertIn("does not answer --version", answer.text)

    def test_apt_cannot_install(self) -> None:
        machine = self.machine("cmake", "ninja")
        answer = machine.lab("demo")
        self.assertEqual(answer.code, 2, answer.text)
        self.assertIn("cmake", answer.text)
        self.assertIn("ninja-build", answer.text)
        self.assertIn("apt-get install", answer.text)

    def test_no_apt_at_all(self) -> None:
        machine = self.machine("ninja", "apt-get")
        (machine.programs / "apt-get").unlink()
        answer = machine.lab("demo")
        self.assertEqual(answer.code, 2, answer.text)
        self.assertIn("lacks what Debian calls ninja-build", answer.text)

    def test_wrong_options_are_told_before_anything_is_set_up(self) -> None:
        machine = self.machine("cmake", "ninja")
        shutil.copytree(ROOT / "grader" / "batch", machine.root / "grader" / "batch")
        (machine.root / "empty").mkdir()
        (machine.root / "full" / "anna").mkdir(parents=True)
        full, out = str(machine.root / "full"), str(machine.root / "out")
        for words, saying in (
            (["grade", "nowhere", "--out", out], "nowhere: there is no such folder"),
            (["grade", b"nowh\xe9re\x1b[2J", "--out", out], "nowh\\xe9re\\u001b[2J: there is no such folder"),
            (["grade", str(machine.root / "empty"), "--out", out], "is empty"),
            (["grade", full, "--out", f"{full}/out"], "beside the submissions"),
            (["grade", full, "--out", out, "--hidden", "nowhere"], "--hidden nowhere cannot be read"),
            (["grade", full, "--out", out, "--canvas", "nowhere.csv"], "nowhere.csv"),
            (["grade", full, "--out", out, "--lab", "99"], "there is no lab"),
            (["grade", full, "--out", out, "--scheduler", "tls://head:8786"], "needs the cluster's key"),
            (["scheduler", "--host", "0.0.0.0"], "could run programs on every worker"),
            (["worker", "tcp://head:8786"], "another machine without a key"),
        ):
            with self.subTest(words[0]):
                answer = machine.lab(*words)
                self.assertEqual(answer.code, 2, answer.text)
                self.assertIn(saying, answer.text)
                self.assertNotIn("apt-get", answer.text)
        self.assertFalse((machine.root / "out").exists())
        self.assertFalse((machine.root / ".venv").exists())
        answer = machine.lab("grade", full, "--out", out)
        self.assertIn("apt-get", answer.text, "this machine does lack something")

    def test_not_root_is_told_the_command(self) -> None:
        with mock.patch("os.geteuid", return_value=1000), self.assertRaises(Failure) as caught:
            setup._install_packages(["cmake", "ninja-build"])
        self.assertIn("sudo apt-get install -y --no-install-recommends cmake ninja-build", str(caught.exception))

    def test_without_opencl_its_labs_are_left_out(self) -> None:
        nowhere = (self.folder / "vendors", "pocl-opencl-icd")
        with (
            mock.patch.object(setup, "OPENCL_DRIVERS", nowhere),
            mock.patch.dict("os.environ"),
        ):
            os.environ.pop("OCL_ICD_VENDORS", None)
            self.assertIn("pocl-opencl-icd", setup.missing_opencl())
            left = demo.buildable(labs.all_labs())
        self.assertFalse(any(lab.is_opencl for lab in left))
        self.assertTrue(left)

    def test_without_a_newer_nvcc_some_labs_are_left_out(self) -> None:
        wanted = {lab.name: lab.nvcc for lab in labs.all_labs()}
        self.assertIn("12.8", wanted.values())
        for has in ("12.7", "12.8", "13.0"):
            nvcc = self.folder / "nvcc"
            nvcc.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release {has}, V{has}.1'\n", encoding="utf-8")
            nvcc.chmod(0o755)
            with (
                mock.patch.object(setup, "missing_opencl", lambda: []),
                mock.patch.object(demo.toolkit, "search", return_value=(nvcc, [])),
            ):
                left = {lab.name for lab in demo.buildable(labs.all_labs())}
            self.assertEqual(
                wanted.keys() - left, {name for name, oldest in wanted.items() if oldest and has == "12.7"}
            )

    def test_no_python(self) -> None:
        machine = self.machine("python3", *(f"python3.{minor}" for minor in range(9, 16)))
        for name in ("python3", "python3.11", "python3.12", "python3.13"):
            machine.add_program(name, "exit 1\n")
        machine.add_program("id", "echo 1000\n")
        answer = machine.lab("list")
        if Path("/usr/bin/python3").exists():  # ./lab finds it although PATH does not
            self.assertEqual(answer.code, 0, answer.text)
        else:
            self.assertEqual(answer.code, 2, answer.text)
            self.assertIn("apt-get install", answer.text)


class Prepare(InAFolder):
    """What is installed on which machine. Nothing is."""

    def prepare(
        self,
        *,
        lacks: tuple[str, ...] = (),
        no_opencl: tuple[str, ...] = (),
        wheels: tuple[str, ...] = ("picture", "grade", "watch", "style", "editor", "completion", "docs"),
        disassembler: bool = True,
        nvcc: Path | None = Path("nvcc"),
        fails: str = "",
        **options: bool,
    ) -> tuple[list[list[str]], list[str]]:
        """Debian packages, in each call, and sets of wheels. lacks: names of programs and headers. fails: a set that
        cannot be installed."""
        packages: list[list[str]] = []
        sets: list[str] = []
        known = setup.wheels
        names = {
            known.PICTURE: "picture",
            known.GRADE: "grade",
            known.CUDA: "cuda",
            known.SASS: "nvdisasm",
            known.WATCH: "watch",
            known.STYLE: "style",
            known.EDITOR: "editor",
            known.COMPLETION: "completion",
            known.DOCS: "docs",
            known.BROWSER: "browser",
            known.TOOLS: "tools",
            known.WHEEL: "wheel",
        }

        def install(pins: Path, *_: object) -> None:
            if names[pins] == fails:
                raise Failure(f"no {fails}")
            sets.append(names[pins])

        found = [(nvcc, []), (Path("nvcc of wheels"), [])]
        with (
            mock.patch.multiple(
                setup, ROOT=self.folder, missing_opencl=lambda: list(no_opencl), say=mock.DEFAULT
            ) as said,
            mock.patch.object(setup, "_is_here", lambda what: what not in lacks),
            mock.patch.object(setup, "_install_packages", packages.append),
            mock.patch.object(setup, "picture_python", lambda: "python" if "picture" in wheels else None),
            mock.patch.object(setup.toolkit, "search", side_effect=found),
            mock.patch.object(setup.toolkit, "has_disassembler", lambda _: disassembler),
            mock.patch.object(setup.wheels, "installed", lambda pins: names[pins] in wheels),
            mock.patch.object(setup.wheels, "install", install),
        ):
            self.found = setup.prepare(**options)
        self.said = " ".join(str(call.args[0]) for call in said["say"].call_args_list)
        return packages, sets

    def test_a_machine_that_has_everything_installs_nothing(self) -> None:
        everything = dict.fromkeys(("picture", "extras", "opencl", "grade", "watch", "editor"), True)
        self.assertEqual(self.prepare(**everything), ([], []))
        self.assertEqual((self.found, self.said), (Path("nvcc"), ""))

    def test_a_bare_machine_gets_all_packages_at_once(self) -> None:
        found = self.prepare(lacks=("ninja", "openssl/hmac.h", "tbb/tbb.h"), no_opencl=("pocl-opencl-icd",))
        self.assertEqual(found, ([["ninja-build", "libssl-dev", "libtbb-dev", "pocl-opencl-icd"]], []))

    def test_nvdisasm_is_fetched_once_where_the_toolkit_has_none(self) -> None:
        self.assertEqual(self.prepare(disassembler=False), ([], ["nvdisasm"]))
        self.assertEqual(self.prepare(disassembler=False, wheels=("picture", "grade", "nvdisasm")), ([], []))

    def test_without_nvdisasm_all_goes_on(self) -> None:
        self.assertEqual(self.prepare(disassembler=False, fails="nvdisasm"), ([], []))
        self.assertIn("calls fewer counters exact: no nvdisasm", self.said)

    def test_what_is_optional_is_installed_only_for_those_who_ask(self) -> None:
        lacks = {"lacks": ("gtest/gtest.h",), "no_opencl": ("pocl-opencl-icd",)}
        self.assertEqual(self.prepare(**lacks)[0], [])
        self.assertEqual(self.prepare(**lacks, extras=True)[0], [["libgtest-dev", "pocl-opencl-icd"]])
        self.assertEqual(self.prepare(**lacks, opencl=True)[0], [["pocl-opencl-icd"]])
        self.assertEqual(self.prepare(wheels=()), ([], []))
        self.assertEqual(self.prepare(wheels=(), picture=True), ([], ["picture"]))
        self.assertEqual(self.prepare(wheels=(), grade=True), ([], ["grade"]))
        self.assertEqual(self.prepare(wheels=(), watch=True), ([], ["watch"]))
        self.assertEqual(self.prepare(wheels=(), editor=True), ([], ["editor"]))
        self.assertEqual(self.prepare(wheels=(), wheel=True), ([], ["wheel"]))
        self.assertEqual(self.prepare(wheels=(), extras=True), ([], ["style", "completion", "docs"]))
        self.assertEqual(self.prepare(wheels=("style", "docs"), extras=True), ([], ["completion"]))
        self.assertEqual(self.prepare(lacks=("chromium",), long=True), ([["chromium"]], ["browser", "tools"]))

    def test_what_is_built_already_needs_only_a_compiler(self) -> None:
        lacks = {"lacks": ("g++", "cmake", "ninja", "nlohmann/json.hpp"), "no_opencl": ("pocl-opencl-icd",)}
        self.assertEqual(self.prepare(**lacks, prebuilt=True)[0], [["g++"]])
        self.assertEqual(len(self.prepare(**lacks)[0][0]), 5)

    def test_without_nvcc_the_wheels_have_one(self) -> None:
        self.assertEqual(self.prepare(nvcc=None), ([], ["cuda"]))
        self.assertEqual(self.found, Path("nvcc of wheels"))
        with self.assertRaisesRegex(Failure, "no cuda\nThere is no nvcc 12.4 or later here .looked in PATH"):
            self.prepare(nvcc=None, fails="cuda")

    def test_a_set_for_tests_does_not_hinder_the_next(self) -> None:
        self.assertEqual(self.prepare(wheels=(), extras=True, fails="style"), ([], ["completion", "docs"]))
        self.assertEqual(self.prepare(long=True, fails="browser"), ([], ["tools"]))
        self.assertEqual(self.said, "Some tests are left out, all else is tested: no browser")

    def test_only_tests_can_do_without_what_grades_a_course(self) -> None:
        ready = ("style", "completion", "docs")
        self.assertEqual(self.prepare(wheels=ready, grade=True, extras=True, fails="grade"), ([], []))
        self.assertEqual(self.said, "Some tests are left out, all else is tested: no grade")
        with self.assertRaisesRegex(Failure, "no grade"):
            self.prepare(wheels=(), grade=True, fails="grade")


if __name__ == "__main__":
    unittest.main()
