"""The wheel of ./lab wheel: the same bytes in every folder, and a first verdict where there are only g++ and Python.

It prints how many seconds pip install and the first verdict take, without the download of nvcc. A busy machine makes
them longer, so the test holds the seconds of the processor.
"""

import hashlib
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from grader.launcher.paths import BUILD, ROOT
from grader.launcher.tests.debian import Root, missing

# Release → the Python that it has for the course. Ubuntu's 3.10 is too old; its archive has another one.
SYSTEMS = {"bookworm": "python3", "trixie": "python3", "jammy": "python3.11", "noble": "python3"}
UBUNTU = ("jammy", "noble")
UBUNTU_KEYS = Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")  # debootstrap checks Ubuntu's packages with it
MOST_SECONDS = 20  # of the processor, from pip install to the verdict, NVIDIA's wheels unpacked as well
PROGRAM = """
#include <cstdio>
__global__ void add(int* out) { atomicAdd(out, 1); }
int main() {
  int *d_out = nullptr, out = 0;
  cudaMalloc(&d_out, sizeof(int));
  cudaMemset(d_out, 0, sizeof(int));
  add<<<2, 64>>>(d_out);
  cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("sum %d\\n", out);
  return cudaFree(d_out) != cudaSuccess;
}
"""


def processor_seconds() -> float:
    """Of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def made(folder: Path) -> Path:
    """The wheel of a new clone of this course in the folder."""
    course = folder / "course"
    subprocess.run(["git", "clone", "-q", ROOT, course], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "WARPLADDER_BUILD_DIR"}
    subprocess.run([course / "lab", "wheel", "--out", folder], check=True, env=environment, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    return wheel


class Wheel(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]
    wheel: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="warpladder-")
        cls.addClassCleanup(cls.folder.cleanup)
        first = Path(cls.folder.name) / "first"
        first.mkdir()
        cls.wheel = made(first)

    def test_the_same_bytes_in_another_folder(self) -> None:
        other = Path(self.folder.name) / "another place"
        other.mkdir()
        both = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in (self.wheel, made(other))]
        self.assertEqual(*both)

    @unittest.skipIf(missing(), missing())
    def test_first_verdict_in_each_system(self) -> None:
        for release, python in SYSTEMS.items():
            is_made = (BUILD / "roots" / f"{release}-wheel.packages").exists()
            if release in UBUNTU and not (is_made or UBUNTU_KEYS.exists()):
                print(f"{release}: untried, there is no {UBUNTU_KEYS}", flush=True)
                continue
            with self.subTest(release):
                print(self.first_verdict(release, python), flush=True)

    def first_verdict(self, release: str, python: str) -> str:
        # Not the root of another test: that one may have a CUDA of its own.
        root = Root(release, "main,universe" if release in UBUNTU else "main", name=f"{release}-wheel")
        root.make(("g++", python, f"{python}-venv"))
        home = root.folder / "root"
        for name in ("v", "learner"):
            shutil.rmtree(home / name, ignore_errors=True)
        (home / "learner").mkdir()
        shutil.copy(self.wheel, home)
        root.must(python, "-m", "venv", "v")
        begin, used = time.monotonic(), processor_seconds()
        root.must("v/bin/pip", "install", "-q", "--no-index", self.wheel.name)
        installed = time.monotonic()
        checked = root.run("/root/v/bin/warpladder", "check", "00", at="/root/learner")
        seconds, used = time.monotonic() - installed, processor_seconds() - used
        self.assertEqual(checked.returncode, 1, checked.stdout)  # the starter
        self.assertIn("wrong answer · case.saxpy.1.ones", checked.stdout)
        self.assertNotIn("are built", checked.stdout)
        fetching = sum(int(found) for found in re.findall(r"Setting up: .*: done \((\d+) s\)", checked.stdout))
        install, verdict = installed - begin, seconds - fetching
        self.assertLess(used, MOST_SECONDS)
        self.runs_any_program(root)
        return f"{release}: pip install {install:.1f} s, first verdict {verdict:.1f} s; NVIDIA's wheels {fetching} s"

    def runs_any_program(self, root: Root) -> None:
        learner = root.folder / "root" / "learner"
        (learner / "sum.cu").write_text(PROGRAM, encoding="utf-8")
        [nvcc] = learner.glob("warpladder/.venv/lib/python3*/site-packages/nvidia/cu13/bin/nvcc")
        flags = ("-cudart", "shared", "-gencode", "arch=compute_75,code=compute_75")
        root.must(f"/{nvcc.relative_to(root.folder)}", *flags, "-o", "sum", "sum.cu", at="/root/learner")
        self.assertEqual(root.must("/root/v/bin/lockstep", "./sum", at="/root/learner"), "sum 128\n")


if __name__ == "__main__":
    unittest.main()
