#!/usr/bin/env python3
"""A program that a signal ends leaves its report, wherever the signal meets it."""

import argparse
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ARGUMENTS = argparse.Namespace()
# Seconds to wait before the signal, tried one after the other, because the last launch and its loop may begin late. The
# tests fail on a machine where they begin after the last one, 8 s.
LONGER = (0, *(2**n / 1000 for n in range(14)))


class Interrupted(unittest.TestCase):
    def send(self, place: str, *sent: signal.Signals, after: float = 0) -> tuple[int, dict | None]:
        """The program's exit code, and its report. The program gets all signals at once, after so many seconds."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            settings = {"LOCKSTEP_REPORT": str(report), "LOCKSTEP_CHECKS": "races"}
            env = {**os.environ, "LD_LIBRARY_PATH": str(ARGUMENTS.library), **settings}
            with subprocess.Popen([ARGUMENTS.program, place], env=env, stdout=subprocess.PIPE, text=True) as child:
                assert child.stdout
                self.assertEqual(child.stdout.readline(), "ready\n")
                time.sleep(after)
                for one in (signal.SIGSTOP, *sent, signal.SIGCONT):
                    child.send_signal(one)
                code = child.wait()
            return code, json.loads(report.read_text()) if report.exists() else None

    def check(self, place: str, sent: signal.Signals, more: dict[str, int]) -> None:
        code, report = self.send(place, sent)
        self.assertEqual(code, -sent)
        assert report
        self.assertEqual(report["end"], f"interrupted by {sent.name}")
        self.assertEqual({f["kind"] for f in report["findings"]}, {"race"})
        # The signal may come before the last launch.
        self.assertIn(
            {name.split("(")[0]: n for name, n in report["kernels"].items()},
            [{"quick": 3, "race": 1} | m for m in ({}, more)],
        )

    def test_in_a_kernel(self) -> None:
        for sent in (signal.SIGTERM, signal.SIGINT):
            self.check("k", sent, {"for_ever": 1})
            self.check("i", sent, {"counts_for_ever": 1})

    def test_two_signals_at_once_are_one_request(self) -> None:
        for place in "kihc":
            code, report = self.send(place, signal.SIGTERM, signal.SIGINT)
            assert report
            self.assertEqual(report["end"], f"interrupted by {signal.Signals(-code).name}")

    def test_a_later_signal_ends_a_program_that_the_first_cannot_end(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            env = {**os.environ, "LD_LIBRARY_PATH": str(ARGUMENTS.library), "LOCKSTEP_REPORT": str(report)}
            with subprocess.Popen([ARGUMENTS.program, "h"], env=env, stdout=subprocess.PIPE, text=True) as child:
                assert child.stdout
                self.assertEqual(child.stdout.readline(), "ready\n")
                os.mkfifo(f"{report}.tmp{child.pid}")  # nobody reads it, so the report is never written
                while child.poll() is None:
                    child.send_signal(signal.SIGTERM)
                    time.sleep(0.1)
                self.assertEqual(child.returncode, -signal.SIGTERM)

    def test_the_report_says_where_the_kernel_was(self) -> None:
        for place, kernel in (("k", "for_ever"), ("i", "counts_for_ever")):
            in_loop = False
            for after in LONGER:
                _, report = self.send(place, signal.SIGINT, after=after)
                assert report
                if any(name.startswith(kernel) for name in report["kernels"]):
                    self.assertIn(f"kernel {kernel} was stopped", report["stopped_at"])
                    self.assertEqual(report["stopped_at"].count("Next: "), 1)
                    in_loop = ", in the loop of line" in report["stopped_at"]
                    cure = "check that this loop ends" if in_loop else "it was in no loop"
                    self.assertIn(f"Next: {cure}", report["stopped_at"])
                if in_loop:
                    break
            self.assertTrue(in_loop)
        _, report = self.send("h", signal.SIGINT)
        assert report
        self.assertNotIn("stopped_at", report)

    def told_without_a_report(self, after: float) -> str:
        env = {name: value for name, value in os.environ.items() if name != "LOCKSTEP_REPORT"}
        env["LD_LIBRARY_PATH"] = str(ARGUMENTS.library)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen([ARGUMENTS.program, "i"], env=env, **pipes, text=True) as child:
            assert child.stdout and child.stderr
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(after)
            child.send_signal(signal.SIGINT)
            told = child.stderr.read()
            self.assertEqual(child.wait(), -signal.SIGINT)
        return told

    def test_without_a_report_the_program_says_where_it_was(self) -> None:
        said = "lockstep: kernel counts_for_ever was stopped"
        self.assertTrue(any(said in self.told_without_a_report(after) for after in LONGER))

    def test_in_code_of_the_host(self) -> None:
        for sent in (signal.SIGTERM, signal.SIGINT):
            self.check("h", sent, {})
            self.check("c", sent, {})

    def test_the_device_in_its_own_process_ends_with_the_program(self) -> None:
        here, there = socket.socketpair()
        with tempfile.TemporaryDirectory() as folder, here, there:
            report = Path(folder) / "report.json"
            serve = [ARGUMENTS.library / "device_server", str(there.fileno())]
            device_env = {**os.environ, "LOCKSTEP_REPORT": str(report)}
            device = {"LD_LIBRARY_PATH": str(ARGUMENTS.library), "LOCKSTEP_DEVICE": f"fd:{here.fileno()}"}
            program = [ARGUMENTS.program, "i"]
            with (
                subprocess.Popen(serve, env=device_env, pass_fds=[there.fileno()]) as server,
                subprocess.Popen(
                    program, env={**os.environ, **device}, pass_fds=[here.fileno()], stdout=subprocess.PIPE, text=True
                ) as child,
            ):
                here.close()
                there.close()
                assert child.stdout
                self.assertEqual(child.stdout.readline(), "ready\n")
                child.kill()
                self.assertEqual(server.wait(), 0)
            self.assertEqual(json.loads(report.read_text())["end"], "gone")

    def test_a_handler_of_the_program_is_kept(self) -> None:
        self.assertEqual(self.send("o", signal.SIGTERM), (7, None))

    def test_a_signal_that_the_program_ignores_is_ignored(self) -> None:
        code, report = self.send("n", signal.SIGTERM)
        assert report
        self.assertEqual((code, report["end"]), (0, "orderly"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("--library", type=Path, required=True, help="the folder of lockstep's libcudart")
    ARGUMENTS = parser.parse_args()
    for one in (signal.SIGINT, signal.SIGTERM):  # a shell's `&` ignores SIGINT, and a child would inherit that
        signal.signal(one, signal.SIG_DFL)
    unittest.main(argv=[__file__])
