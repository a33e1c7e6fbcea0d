"""lockstep on linux/arm64: compiled on this machine for the other processor, and run by qemu. Its unit tests and
goldens; the judge, whose sandbox belongs to the machine, is left out."""

import re
import unittest

from grader.launcher.tests.debian import COURSE, Root, missing

# nvidia-cuda-toolkit for CUDA's headers, which are those of every processor, and for CMake, which asks for nvcc.
PACKAGES = (
    *("nvidia-cuda-toolkit", "g++-aarch64-linux-gnu", "qemu-user", "cmake", "ninja-build", "ccache", "python3"),
    *("nlohmann-json3-dev", "libzstd-dev:arm64", "liblz4-dev:arm64", "libgtest-dev:arm64", "libgmock-dev:arm64"),
    "libssl-dev:arm64",
)
ROOMS = ("alu", "ptx", "program", "count", "sass", "engine", "check", "report", "device", "runtime")
# The first start device_server as a program of this machine, which it is not. The others ask whether the access that
# failed was a store: Linux says so in the signal's record esr_context, and qemu (7.2 and 10.0) writes no such record.
STORES = (
    *("WhatWorkWritesIsNeitherReadNorWritten", "WhatWorkReadsMayBeReadToo", "APageThatIsWrittenAndReadIsClosed"),
    "BytesThatNoWorkUsesAreFree",
)
EXCLUDED = rf"^(device_server\..*|HostPages\.({'|'.join(STORES)}))$"
TREE = "build/arm64"


@unittest.skipIf(missing(), missing())
class Arm64(unittest.TestCase):
    def test_units_and_goldens(self) -> None:
        root = Root("trixie")
        root.make(PACKAGES, "arm64")
        root.take_course()
        # WARPLADDER_SANITIZED: unit tests alone. There are no sanitizers here: qemu is slow enough.
        settings = ["-DCMAKE_TOOLCHAIN_FILE=common/cmake/Arm64.cmake", "-DCMAKE_CXX_FLAGS_RELEASE=-O1"]
        settings += ["-DWARPLADDER_SANITIZED=ON", "-DWARPLADDER_LABS=OFF"]
        root.must("cmake", "--preset", "lockstep", "-B", TREE, *settings, at=COURSE)
        root.must("cmake", "--build", TREE, "--target", *(f"lockstep_{room}_test" for room in ROOMS), at=COURSE)
        output = root.must("ctest", "--test-dir", TREE, "-L", "lockstep", "-E", EXCLUDED, "-V", at=COURSE)
        passed = sum(int(count) for count in re.findall(r"\[  PASSED  \] (\d+) tests?\.", output))
        print(f"{passed} tests passed on arm64")
        self.assertIn("100% tests passed", output)
        self.assertGreater(passed, 700)


if __name__ == "__main__":
    unittest.main()
