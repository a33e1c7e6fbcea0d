"""How a tree is configured and built: what is asked of CMake, what is left alone, and what is shown of a failure."""

import io
import os
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from launcher import build, console, device
from launcher.console import Failure
from launcher.lock import alone_in
from launcher.tests.machines import ROOT, InAFolder

NINJA_SAYS = """[1/3] Building CXX object good.o
[2/3] Building CXX object bad.o
FAILED: labs/02/bad.o labs/02/bad.d
/usr/bin/c++ -O2 -c bad.cc -o bad.o
cd /tmp && true
bad.cc:3:5: error: expected ';'
  3 | int x
[3/3] Building CXX object other.o
other.cc:1:1: warning: not shown
ninja: build stopped: subcommand failed.
"""


class Trees(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.tree = self.folder / "gpu"
        self.ran: list[list[str]] = []
        self.answer = 0, ""
        for patch in (
            mock.patch.multiple(build, TREES={"lockstep": self.tree, "gpu": self.tree}, run_logged=self.run_logged),
            mock.patch.object(device, "archs", lambda: ["80", "90"]),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def run_logged(self, _: str, command: list[str | Path], __: Path, **___: object) -> tuple[int, str]:
        with self.assertRaisesRegex(Failure, "busy"), alone_in(self.tree, or_fail="busy"):
            pass  # meanwhile no other ./lab works in this tree
        self.ran.append([str(word) for word in command])
        return self.answer

    def configured(self, nvcc: str, archs: str = "80;90") -> None:
        """As CMake leaves the tree."""
        (self.tree / "build.ninja").touch()
        cache = f"// a comment\nWARPLADDER_NVCC:FILEPATH={nvcc}\nWARPLADDER_GPU_ARCHS:STRING={archs}\nX:BOOL=ON\n"
        (self.tree / "CMakeCache.txt").write_text(cache, encoding="utf-8")

    def test_a_tree_is_configured_if_its_settings_changed(self) -> None:
        self.assertEqual(build.configure("gpu", Path("/cuda/nvcc")), self.tree)
        [command] = self.ran
        self.assertIn("-DWARPLADDER_NVCC=/cuda/nvcc", command)
        self.assertIn("-DWARPLADDER_GPU_ARCHS=80;90", command)
        self.assertEqual(command[command.index("--preset") + 1], "gpu")
        self.assertEqual(command[command.index("-B") + 1], str(self.tree))
        self.assertNotIn("--fresh", command)
        self.configured("/cuda/nvcc")
        self.assertEqual(build.configure("gpu", Path("/cuda/nvcc")), self.tree)
        self.assertEqual(len(self.ran), 1, "nothing has changed")
        for nvcc, archs in (("/other/nvcc", "80;90"), ("/cuda/nvcc", "90")):
            self.configured(nvcc, archs)
            build.configure("gpu", Path("/cuda/nvcc"))
            self.assertIn("--fresh", self.ran.pop())
        (self.tree / "build.ninja").unlink()  # an earlier configuration was interrupted
        self.configured("/cuda/nvcc")
        (self.tree / "build.ninja").unlink()
        build.configure("gpu", Path("/cuda/nvcc"))
        self.assertIn("--fresh", self.ran.pop())

    def test_lockstep_does_not_ask_for_cards(self) -> None:
        build.configure("lockstep", Path("/cuda/nvcc"))
        self.assertNotIn("ARCHS", " ".join(self.ran[0]))

    def test_names_of_locksteps_library(self) -> None:
        self.tree.mkdir()
        self.configured("/cuda/nvcc")
        with (self.tree / "CMakeCache.txt").open("a", encoding="utf-8") as cache:
            cache.write("WARPLADDER_CUDART:FILEPATH=/cuda/lib64/libcudart.so.13\n")
            cache.write("WARPLADDER_CUDART_12:FILEPATH=WARPLADDER_CUDART_12-NOTFOUND\n")
        self.assertEqual(build.runtimes(self.tree), {"libcudart.so.13": "cudart_lockstep"})
        with (self.tree / "CMakeCache.txt").open("a", encoding="utf-8") as cache:
            cache.write("WARPLADDER_CUDART_12:FILEPATH=/usr/lib/libcudart.so.12\n")
        self.assertEqual(build.runtimes(self.tree)["libcudart.so.12"], "cudart_lockstep_12")

    def test_what_cmake_could_not_configure_is_shown_from_its_error(self) -> None:
        self.answer = 1, "-- fine\nCMake Error at x:1\n  no compiler\n"
        with self.assertRaisesRegex(Failure, r"^CMake Error at x:1\n  no compiler\nCMake could not configure .*gpu"):
            build.configure("gpu", Path("/cuda/nvcc"))

    def test_targets(self) -> None:
        self.tree.mkdir()
        build.build(self.tree, ["judge", "lab02"])
        build.build(self.tree)
        start = ["cmake", "--build", str(self.tree)]
        self.assertEqual(self.ran, [[*start, "--target", "judge", "lab02"], start])

    def test_of_a_failed_build_the_errors_are_shown(self) -> None:
        self.tree.mkdir()
        self.answer = 1, NINJA_SAYS
        with self.assertRaises(Failure) as failed:
            build.build(self.tree)
        shown, _, last = str(failed.exception).rpartition("\n")
        self.assertEqual(shown, "labs/02/bad.o:\nbad.cc:3:5: error: expected ';'\n  3 | int x")
        self.assertRegex(last, r"^The build failed; all of it is in .*logs/build-gpu\.log$")
        for said, kept in (("-- fine\nCMake Error: y\n", "CMake Error: y"), ("a\nno FAILED line\n", "no FAILED line")):
            self.answer = 1, said
            with self.assertRaisesRegex(Failure, f"{kept}\nThe build failed"):
                build.build(self.tree)


class Logged(InAFolder):
    """A long command with its progress."""

    def logged(self, script: str, out: io.StringIO, **options: bool) -> tuple[int, str]:
        self.log = self.folder / "logs" / "x.log"
        with mock.patch.object(console, "_stream", out), mock.patch.object(console, "QUIET_SECONDS", 0.0):
            return console.run_logged("Building", ["sh", "-c", script], self.log, **options)

    def test_its_output_goes_to_the_log(self) -> None:
        out = io.StringIO()
        said = "[1/9] a\nerror\n"
        self.assertEqual(self.logged("echo '[1/9] a'; echo error >&2; exit 3", out), (3, said))
        self.assertEqual(self.log.read_text(encoding="utf-8"), said)
        self.assertEqual(out.getvalue().splitlines(), ["Building [1/9]", "Building: failed (0 s)"])

    def test_progress_in_a_file_is_a_line_from_time_to_time(self) -> None:
        out = io.StringIO()
        self.assertEqual(self.logged("echo '[1/9]'; echo '[2/9]'", out, announce=True)[0], 0)
        self.assertEqual(out.getvalue().splitlines(), ["Building …", "Building: done (0 s)"])

    def test_short_work_shows_nothing(self) -> None:
        out = io.StringIO()
        with mock.patch.object(console, "_stream", out):
            console.run_logged("Building", ["true"], self.folder / "x.log")
        self.assertEqual(out.getvalue(), "")

    def test_progress_on_a_terminal_is_one_line(self) -> None:
        out = io.StringIO()
        out.isatty, out.fileno = lambda: True, lambda: 1
        with mock.patch("os.get_terminal_size", return_value=os.terminal_size((20, 9))):
            self.logged("echo '[1/9]'", out, announce=True)
        self.assertEqual(out.getvalue(), "\r\033[KBuilding …\r\033[KBuilding: done (0 s)\n")

    def test_the_last_lines(self) -> None:
        self.assertEqual(console.last_lines("a\nb\nc\n\n", 2), "b\nc")


class Cards(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        patch = mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        patch.start()
        self.addCleanup(patch.stop)

    def nvidia_smi(self, says: str, code: int = 0) -> None:
        file = self.folder / "nvidia-smi"
        file.write_text(
            f"#!/bin/sh\necho \"$*\" > {self.folder}/asked\nprintf '{says}'\nexit {code}\n", encoding="utf-8"
        )
        file.chmod(0o755)

    def test_what_nvidia_smi_says(self) -> None:
        self.nvidia_smi("9.0\\n8.6\\n\\n9.0\\n")
        self.assertEqual(device.archs(), ["86", "90"])
        self.assertIn("--query-gpu=compute_cap --format=csv,noheader", (self.folder / "asked").read_text())
        self.nvidia_smi("NVIDIA H200\\nNVIDIA H100\\n")
        self.assertEqual((device.card(), device.count()), ("NVIDIA H200", 2))
        self.nvidia_smi("570.1\\n570.1\\n")
        self.assertEqual(device.driver(), "570.1")

    def test_without_cards(self) -> None:
        self.nvidia_smi("No devices were found\\n", 6)
        self.assertEqual((device.archs(), device.count(), device.driver(), device.card()), ([], 0, None, "GPU"))
        with mock.patch("subprocess.run", side_effect=FileNotFoundError):
            self.assertEqual(device.archs(), [])

    def libcuda(self, version: int, code: int = 0) -> None:
        """A driver that knows CUDA up to this version, in the folder of nvidia-smi."""
        says = f'extern "C" int cuDriverGetVersion(int* version) {{ *version = {version}; return {code}; }}'
        command = ["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", self.folder / "libcuda.so.1"]
        subprocess.run(command, input=says, text=True, check=True)

    def choose(self, wanted: str, *, card: bool = True, nvcc: str = "13.0") -> tuple[str, str]:
        """The device, or the failure; and what a person reads. In a process of its own, which loads the driver."""
        script = (
            "from pathlib import Path; from launcher import device, toolkit\n"
            f"toolkit.search = lambda: (Path('nvcc'), []); toolkit.version = lambda _: '{nvcc}'\n"
            f"Path.exists = lambda path: {card} if str(path) == '/dev/nvidia0' else None\n"
            f"try: print(device.choose('{wanted}'))\n"
            "except device.Failure as failure: print(failure)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "LD_LIBRARY_PATH": str(self.folder)},
            cwd=ROOT / "grader",
            capture_output=True,
            text=True,
        )
        return done.stdout.strip(), done.stderr.strip()

    def test_the_device(self) -> None:
        self.nvidia_smi("9.0\\n")
        for version in (13000, 13020, 14010):
            self.libcuda(version)
            self.assertEqual(self.choose("auto"), ("gpu", ""), version)
            self.assertEqual(self.choose("gpu"), ("gpu", ""), version)
        self.assertEqual(self.choose("lockstep"), ("lockstep", ""))
        self.assertEqual(self.choose("auto", card=False), ("lockstep", ""))
        self.assertRegex(self.choose("gpu", card=False)[0], "there is no NVIDIA GPU here.*--device lockstep")

    def test_a_driver_too_old_for_cuda_13(self) -> None:
        self.nvidia_smi("9.0\\n")
        self.libcuda(12040)
        why = "The card's driver knows CUDA up to 12.4; CUDA 13 needs driver 580 or later."
        self.assertEqual(self.choose("auto"), ("lockstep", f"lab: {why} lockstep runs the kernels instead."))
        self.assertEqual(self.choose("gpu"), (f"{why} --device lockstep needs no driver.", ""))
        self.assertEqual(self.choose("lockstep"), ("lockstep", ""))
        self.assertEqual(self.choose("auto", nvcc="12.9"), ("gpu", ""), "CUDA 12 runs on every driver of CUDA 12")

    def test_a_driver_that_programs_cannot_load(self) -> None:
        self.nvidia_smi("9.0\\n")
        (self.folder / "libcuda.so.1").write_text("no library")
        self.assertIn("libcuda.so.1, cannot be loaded", self.choose("gpu")[0])
        self.libcuda(13000, code=999)
        self.assertEqual(self.choose("auto")[0], "lockstep")

    def test_a_card_too_old_for_cuda_13(self) -> None:
        self.nvidia_smi("7.0\\n9.0\\n12.0\\n")
        self.libcuda(13000)
        device, said = self.choose("auto")
        self.assertEqual(device, "lockstep")
        self.assertIn("has compute capability 7.0; CUDA 13 needs 7.5 or later.", said)


if __name__ == "__main__":
    unittest.main()
