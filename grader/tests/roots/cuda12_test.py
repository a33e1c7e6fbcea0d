"""CUDA 12.4 of Debian 13, as many clusters have it: labs, judge and lockstep in a Debian of their own."""

import unittest

from grader.launcher.paths import ROOT
from grader.launcher.tests.debian import COURSE, Root, missing

# nvcc 12.4 and what the course needs anyway (grader/launcher/setup.py).
PACKAGES = (
    *("nvidia-cuda-toolkit", "g++", "cmake", "ninja-build", "binutils", "ccache", "python3", "python3-venv"),
    *("nlohmann-json3-dev", "libssl-dev", "libzstd-dev", "liblz4-dev", "libgtest-dev", "libgmock-dev"),
    *("libtbb-dev", "libseccomp-dev", "bubblewrap"),
)
LABS = ("00", "01", "02", "03", "04", "05", "15", "16", "17", "18", "19")


@unittest.skipIf(missing(), missing())
class Cuda12(unittest.TestCase):
    root: Root

    @classmethod
    def setUpClass(cls) -> None:
        cls.root = Root("trixie")
        cls.root.make(PACKAGES)
        cls.root.take_course()

    def passed(self, tree: str, tests: str) -> int:
        """Runs the tests of a tree whose names match, and returns their number."""
        output = self.root.must("ctest", "--test-dir", tree, "-R", tests, "--output-on-failure", at=COURSE)
        self.assertIn("100% tests passed", output)
        return output.count(" Passed ")

    def test_references_are_accepted(self) -> None:
        for lab in LABS:
            [folder] = (ROOT / "solutions").glob(f"{lab}_*")
            [file] = folder.glob("*.cu")
            with self.subTest(lab):
                output = self.root.must("./lab", "check", lab, "--file", str(file.relative_to(ROOT)), at=COURSE)
                self.assertIn("accepted", output)

    def test_starters_fail_as_their_handouts_say(self) -> None:
        self.root.must("./lab", "check", "00", "--file", "solutions/00_hello/saxpy.cu", at=COURSE)  # configures
        targets = [f"lab{lab}.{part}" for lab in LABS for part in ("starter", "solution")]
        self.root.must("cmake", "--build", "build", "--target", *targets, at=COURSE)
        self.assertEqual(self.passed("build", rf"^(starter|binary)\.({'|'.join(LABS)})$"), 2 * len(LABS))

    def test_unit_tests_of_the_runtime(self) -> None:
        self.root.must("./lab", "check", "00", "--file", "solutions/00_hello/saxpy.cu", at=COURSE)
        targets = ("lockstep_runtime_program_test", "lockstep_twelve", "cudart_lockstep")
        self.root.must("cmake", "--build", "build", "--target", *targets, at=COURSE)
        self.assertGreater(self.passed("build", r"^(Runtime|lockstep\.cuda12)"), 30)
        self.root.must("cmake", "--preset", "dev", "-DWARPLADDER_NVCC=/usr/bin/nvcc", at=COURSE)
        self.root.must("cmake", "--build", "build/dev", "--target", "lockstep_runtime_test", at=COURSE)
        self.assertGreater(self.passed("build/dev", r"^(device_server\.)?(Runtime|Array)Api|Fatbin"), 100)


if __name__ == "__main__":
    unittest.main()
