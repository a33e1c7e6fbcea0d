"""Tests of callgrind.py, with a program in valgrind's place: what it prints is what the command says; and of Tree.

With the path of lockstep_classes as an argument, valgrind itself counts a kind of instruction, too.
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path

import bench
import callgrind

FAKE = """#!/bin/sh
# valgrind --tool=… --callgrind-out-file=… COMMAND
shift 2
exec "$@" >&2
"""
WARPS = 1000  # warp instructions


class Counts(unittest.TestCase):
    def setUp(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        tool = Path(folder) / "valgrind"
        tool.write_text(FAKE)
        tool.chmod(0o755)
        self.environment = {"PATH": f"{folder}:{os.environ['PATH']}"}

    def difference(self, less: str, more: str) -> int:
        commands = (["/bin/sh", "-c", script] for script in (less, more))
        return callgrind.difference(*commands, self.environment, WARPS * callgrind.WARP)

    def test_start_and_end_cancel(self) -> None:
        self.assertEqual(self.difference("echo Collected : 50000", "echo Collected : 80000"), 30000)

    def test_a_count_that_misses_the_launch_is_an_error(self) -> None:
        for less, more in ((1078, 1078), (1078, 2078), (80000, 50000)):
            with self.assertRaisesRegex(RuntimeError, "cannot run 32000 thread-instructions"):
                self.difference(f"echo Collected : {less}", f"echo Collected : {more}")

    def test_no_count_and_two_counts_are_errors(self) -> None:
        for said in ("true", "echo Collected :", "echo Collected : 80000; echo Collected : 90000"):
            with self.assertRaisesRegex(RuntimeError, "[02] counts"):
                self.difference("echo Collected : 5", said)

    def test_a_program_that_fails_is_an_error(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "exit code 3"):
            self.difference("echo Collected : 5", "echo Collected : 80000; exit 3")


class Programs(unittest.TestCase):
    def test_what_is_not_built_is_named_with_its_target(self) -> None:
        build = Path(self.enterContext(tempfile.TemporaryDirectory()))
        tree = bench.Tree(build, build)
        for name, target in (("lockstep_classes", "lockstep_classes"), ("orders", "lockstep_program_orders")):
            with self.assertRaisesRegex(SystemExit, f"not built.*--build {build} --target .*{target}$"):
                tree.program(name)
        binary = build / "common/lockstep/bench/orders"
        binary.parent.mkdir(parents=True)
        binary.touch()
        self.assertEqual(tree.program("orders"), binary)


class RealCount(unittest.TestCase):
    binary: Path | None = None

    def test_a_kind_is_counted(self) -> None:
        if not self.binary:
            self.skipTest("no lockstep_classes")
        if not callgrind.installed():
            self.skipTest("no valgrind")
        host, threads = bench.host_instructions(self.binary, "integer arithmetic")
        self.assertGreater(host * 8, threads)  # AVX2, the widest code that lockstep has, computes 8 words at once


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        RealCount.binary = Path(sys.argv.pop(1))
    unittest.main()
