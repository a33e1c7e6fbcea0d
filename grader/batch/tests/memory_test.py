"""The memory of a tree of processes: known sizes in a child and in its child are found."""

import subprocess
import sys
import time
import unittest

from batch import memory

MIB = 1 << 20
CHILD = """
import subprocess, sys
block = b"x" * ({mib} << 20)
{more}
print("ready", flush=True)
sys.stdin.read()
"""
GRANDCHILD = CHILD.format(mib=50, more="")


class Memory(unittest.TestCase):
    def test_a_tree(self) -> None:
        more = f"below = subprocess.Popen([sys.executable, '-c', {GRANDCHILD!r}], stdout=subprocess.PIPE)\n"
        more += "below.stdout.readline()"
        with subprocess.Popen(
            [sys.executable, "-c", CHILD.format(mib=100, more=more)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as child:
            assert child.stdout is not None and child.stdin is not None
            child.stdout.readline()
            self.assertEqual(len(memory.descendants(child.pid)), 1)
            with memory.Peak(child.pid) as first, memory.Peak(child.pid) as second:
                while not (first.peak and second.peak):
                    time.sleep(0.01)
            child.stdin.close()
        self.assertAlmostEqual(first.peak, second.peak, delta=5 * MIB)  # pages that other processes share come and go
        self.assertGreater(first.peak, 150 * MIB)
        self.assertLess(first.peak, 200 * MIB)  # with two Pythons of 10 MiB each

    def test_the_machine(self) -> None:
        self.assertGreater(memory.available(), MIB)
        self.assertEqual(memory.descendants(2**22 + 1), [])


if __name__ == "__main__":
    unittest.main()
