"""The wheel for linux/arm64: ./lab wheel --machine aarch64 makes it in a Debian that has the cross compiler. pip
installs it in a Debian for arm64, under qemu, where lab 00's starter and reference get their verdicts.

It prints the seconds. They are those of qemu: no machine with such a processor takes that long.
"""

import re
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

from grader.launcher.paths import ROOT
from grader.launcher.tests.debian import COURSE, ArmRoot, Root, missing_for_arm

# What the course needs anyway (grader/launcher/setup.py), the cross compiler, and qemu for the other root. TBB
# and OpenCL are missing for this processor: the wheel is made without them.
PACKAGES = (
    *("g++", "cmake", "ninja-build", "binutils", "ccache", "git", "python3", "python3-venv", "nlohmann-json3-dev"),
    *("libssl-dev", "libzstd-dev", "liblz4-dev", "libseccomp-dev", "bubblewrap"),
    *("g++-aarch64-linux-gnu", "qemu-user-static"),
    *(f"lib{name}-dev:arm64" for name in ("zstd", "lz4", "ssl", "seccomp", "tbb")),
)
ON_ARM = ("g++", "python3", "python3-venv", "ca-certificates")
CUDA = "usr/local/cuda"
REFERENCE = "solutions/00_hello/saxpy.cu"


def made(maker: Root) -> Path:
    """The wheel of the last commit of this course, which is made where the root already has built files."""
    course, out = maker.folder / COURSE[1:], maker.folder / "root/wheel"
    if not course.exists():
        subprocess.run(["git", "clone", "-q", ROOT, course], check=True)
    subprocess.run(["git", "-C", course, "fetch", "-q", ROOT, "HEAD"], check=True)
    subprocess.run(["git", "-C", course, "reset", "-q", "--hard", "FETCH_HEAD"], check=True)
    shutil.rmtree(out, ignore_errors=True)
    maker.must("./lab", "wheel", "--machine", "aarch64", "--out", "/root/wheel", at=COURSE)
    [wheel] = out.glob("*_aarch64.whl")
    return wheel


def add_cuda(root: Root) -> None:
    """NVIDIA's wheels for arm64, by the course's pins. This machine's pip unpacks them: under qemu it takes minutes."""
    place = root.folder / CUDA
    if place.exists():
        return
    unpacked = root.folder / "root/nvidia"
    shutil.rmtree(unpacked, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--require-hashes", "--no-deps", "--only-binary", ":all:"]
    pip += ["--platform", "manylinux2014_aarch64", "--platform", "manylinux_2_17_aarch64", "--python-version", "3.13"]
    for pins in ("cuda", "sass"):
        command = [*pip, "--target", str(unpacked / pins), "-r", str(ROOT / f"requirements-{pins}.txt")]
        subprocess.run(command, check=True)
    toolkit = unpacked / "cuda/nvidia/cu13"
    shutil.copy(unpacked / "sass/nvidia/cu13/bin/nvdisasm", toolkit / "bin")
    (toolkit / "lib/libcudart.so").symlink_to("libcudart.so.13")
    (toolkit / "lib64").symlink_to("lib")
    place.parent.mkdir(parents=True, exist_ok=True)
    toolkit.rename(place)


@unittest.skipIf(missing_for_arm(), missing_for_arm())
class WheelOnArm(unittest.TestCase):
    def test_verdicts(self) -> None:
        maker = Root("bookworm", "main", name="bookworm-cross")
        maker.make(PACKAGES, "arm64")
        wheel = made(maker)
        root = ArmRoot("trixie", maker.folder / "usr/bin/qemu-aarch64-static")
        root.make(ON_ARM)
        add_cuda(root)
        self.assertEqual(root.must("/usr/bin/python3", "-c", "import platform; print(platform.machine())"), "aarch64\n")
        home = root.folder / "root"
        for name in ("v", "learner"):
            shutil.rmtree(home / name, ignore_errors=True)
        (home / "learner").mkdir()
        shutil.copy(wheel, home)
        shutil.copy(ROOT / REFERENCE, home / "learner/reference.cu")
        # ensurepip takes minutes under qemu; python3-venv brings the pip from which it installs.
        root.must("python3", "-m", "venv", "--without-pip", "v")
        [pip] = (root.folder / "usr/share/python-wheels").glob("pip-*.whl")
        self.timed(root, 0, f"/usr/share/python-wheels/{pip.name}/pip", "--python", "v/bin/python", "install", "-q",
                   "--no-index", "--no-compile", wheel.name, program="python3")  # fmt: skip
        said = self.timed(root, 1, "check", "00")
        self.assertIn("wrong answer · case.saxpy.1.ones", said)
        self.assertNotIn("are built", said)
        self.assertIn("accepted", self.timed(root, 0, "check", "00", "--file", "/root/learner/reference.cu"))

    def timed(self, root: Root, code: int, *words: str, program: str = "/root/v/bin/warpladder") -> str:
        begin = time.monotonic()
        at = "/root" if program == "python3" else "/root/learner"
        done = root.run(program, *words, at=at)
        print(f"{Path(program).name} {' '.join(words)}: {time.monotonic() - begin:.0f} s\n{done.stdout}", flush=True)
        self.assertEqual(done.returncode, code)
        return re.sub(r"\x1b\[\d+m", "", done.stdout)


if __name__ == "__main__":
    unittest.main()
