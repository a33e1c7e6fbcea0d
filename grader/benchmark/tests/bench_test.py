"""./lab bench with and without a card. The programs that would run on one are stand-ins that write a few rows."""

import contextlib
import io
import json
import subprocess
import tempfile
import unittest
from argparse import Namespace
from pathlib import Path
from unittest import mock

from benchmark import bench, programs
from benchmark.tests.bench_record_test import HEAD, row
from launcher.console import Failure

ROWS = HEAD + row("CUB 3.0.1", 3) + row("ours", 2) + row("copy 256 x 1", 1)
CPU_ROWS = HEAD + row("std::inclusive_scan (TBB), 2 threads", 50, launch="host")


class Bench(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        for change in (
            mock.patch.object(programs, "PLACE", self.folder),
            mock.patch.object(bench.setup, "prepare", lambda **_: Path("nvcc")),
        ):
            change.start()
            self.addCleanup(change.stop)

    def run_it(self, **options: object) -> tuple[int, str]:
        given = {"out": str(self.folder / "out"), "cub": None, "whole": False, "dirty": False, "commit": "abc1234"}
        said = io.StringIO()
        with mock.patch.object(bench, "say", lambda text="": print(text, file=said)), contextlib.redirect_stdout(said):
            code = bench.run(Namespace(**given | options))
        return code, said.getvalue()

    def with_card(self, rows: str) -> None:
        def run(_title: str, command: list[object]) -> None:
            self.commands.append([str(word) for word in command])
            if len(command) > 1:
                text = rows if "bench" in str(command[0]) else CPU_ROWS
                Path(str(command[1])).write_text(text, encoding="utf-8")

        self.commands: list[list[str]] = []
        found = programs.Programs([Path("check")], Path("bench"), Path("cpu"), [Path("toolkit.so"), Path("newest.so")])
        for owner, name, instead in (
            (bench.device, "choose", lambda _: "gpu"),
            (bench.device, "card", lambda: "NVIDIA X1"),
            (bench.device, "driver", lambda: "1.2"),
            (programs, "newest_cub", lambda _: None),
            (programs, "compile_for_card", lambda *_: found),
            (programs, "compile_for_cpu", lambda: Path("cpu")),
            (programs, "toolkit_version", lambda _: "13.0"),
            (programs, "run", run),
        ):
            change = mock.patch.object(owner, name, instead)
            change.start()
            self.addCleanup(change.stop)

    def test_on_a_card(self) -> None:
        self.with_card(ROWS)
        code, said = self.run_it()
        self.assertEqual(code, 0, said)
        self.assertEqual(self.commands[0], ["check"])
        self.assertEqual(self.commands[1][2:], ["clean", "quick", "toolkit.so", "newest.so"])
        self.assertRegex(said, r"1,024 +stream +0\.50 +2\.0000 .* 3\.0\.1 +3\.0000 +1\.50 +50\.0")
        [kept] = (self.folder / "out").glob("bench_*.json")
        record = json.loads(kept.read_text(encoding="utf-8"))
        self.assertEqual((record["device"], record["commit"], len(record["rows"])), ("NVIDIA X1", "abc1234", 4))
        self.assertGreater(kept.with_suffix(".png").stat().st_size, 10_000)

    def test_a_wrong_result_fails(self) -> None:
        self.with_card(ROWS.replace("2,2,2,2,2,1,yes", "2,2,2,2,2,1,NO"))
        code, said = self.run_it(dirty=True, whole=True)
        self.assertEqual(code, 1)
        self.assertIn("Wrong results: 1. The first: ours, scan of 1,024.", said)
        self.assertEqual(self.commands[1][2:4], ["dirty", "whole"])

    def test_without_a_card_the_records_are_shown(self) -> None:
        with (
            mock.patch.object(bench.device, "choose", lambda _: "lockstep"),
            mock.patch.object(programs, "compile_for_cpu", lambda: None),
        ):
            code, said = self.run_it()
        self.assertEqual(code, 0)
        self.assertIn("no kernel can be timed here", said)
        self.assertIn("Recorded on NVIDIA H200", said)
        self.assertIn("histogram, u8, uniform: share of reading", said)
        self.assertTrue((self.folder / "out" / "bench_H200.png").exists())
        self.assertTrue((self.folder / "out" / "bench_H100.png").exists())

    def test_bad_options_name_the_next_step(self) -> None:
        file = self.folder / "file"
        file.touch()
        with self.assertRaisesRegex(Failure, "Name a folder"):
            self.run_it(out=str(file))
        with self.assertRaisesRegex(Failure, "holds the folder cub"):
            programs.newest_cub(self.folder)

    def test_the_processors_part_runs(self) -> None:
        cpu = programs.compile_for_cpu()
        if cpu is None:
            self.skipTest("TBB is not here")
        subprocess.run([cpu, self.folder / "cpu.csv", "tiny"], check=True)
        rows = bench.bench_record.read_rows(self.folder / "cpu.csv")
        self.assertEqual({one["family"] for one in rows}, {"reduce", "scan", "histogram", "select", "sort"})
        self.assertEqual(bench.bench_record.wrong({"rows": rows}), [])


if __name__ == "__main__":
    unittest.main()
