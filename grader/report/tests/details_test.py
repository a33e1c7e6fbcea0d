"""What ncu would print: values only where lockstep has them, and each with how it was counted."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from launcher import emulate
from launcher.paths import ROOT
from report import details

from common.pictures import measured

PARTED = "smsp__sass_branch_targets_threads_divergent.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
REPORT: dict[str, Any] = {
    "counter_kinds": {"smsp__inst_executed.sum": "ptx-level", PARTED: "ptx-level", WAVEFRONTS: "exact"},
    "launches": [
        {
            "kernel": 'k<"a,b">(int)', "grid": [4, 1, 1], "block": [128, 2, 1],
            "counters": {"smsp__inst_executed.sum": 5280, "smsp__sass_branch_targets.sum": 40, PARTED: 10,
                         WAVEFRONTS: 7},
            "ratios": {"smsp__thread_inst_executed_per_inst_executed.ratio": 28.5},
            "occupancy": {"launch__occupancy_limit_blocks": 32, "launch__occupancy_limit_warps": 8,
                          "launch__occupancy_limit_registers": 6, "launch__registers_per_thread": 40,
                          "launch__shared_mem_per_block_dynamic": 0, "launch__shared_mem_per_block_static": 2112},
            "modelled": {"NVIDIA H200": {"us": 2.816}},
            "note_parts": [[{"form": "ptxas may unroll the loop", "arguments": {}}]],
            "counter_kinds": {WAVEFRONTS: "ptx-level"},
        }
    ],
}  # fmt: skip


class Details(unittest.TestCase):
    def found(self) -> dict[str, details.Metric]:
        return {metric.name: metric for metric in details.metrics(REPORT["launches"][0], REPORT["counter_kinds"])}

    def test_values_and_how_they_were_counted(self) -> None:
        found = self.found()
        told = {name: (metric.value, metric.unit, metric.how) for name, metric in found.items()}
        self.assertEqual(told["Duration"], (2.816, "us", "modelled"))
        self.assertEqual(told["Block Size"], (256, "", "exact"))
        self.assertEqual(told["Threads"], (1024, "thread", "exact"))
        self.assertEqual(told["Static Shared Memory Per Block"], (2112, "byte/block", "exact"))
        self.assertEqual(told["Block Limit Warps"], (8, "block", "exact"))
        self.assertEqual(told["Block Limit Registers"], (6, "block", "exact"))
        self.assertEqual(told["Registers Per Thread"], (40, "register/thread", "exact"))
        self.assertEqual(told["Branch Efficiency"], (75.0, "%", "ptx-level"))
        self.assertEqual(told["Executed Instructions"], (5280, "inst", "ptx-level"))
        self.assertEqual(told["Avg. Executed Instructions Per Scheduler"], (10, "inst", "ptx-level"))
        self.assertEqual(told[WAVEFRONTS], (7, "", "ptx-level"), "the launch doubts it")

    def test_what_lockstep_has_not_is_not_printed(self) -> None:
        found = self.found()
        for name in ("Achieved Occupancy", "L2 Hit Rate", "SM Frequency"):
            self.assertIn(name, [listed for _, listed in details.listed()], "ncu prints it")
            self.assertNotIn(name, found)

    def test_no_branch_gives_no_efficiency(self) -> None:
        launch = REPORT["launches"][0]
        still = launch | {"counters": launch["counters"] | {"smsp__sass_branch_targets.sum": 0, PARTED: 0}}
        (found,) = (one for one in details.metrics(still, REPORT["counter_kinds"]) if one.name == "Branch Efficiency")
        self.assertEqual(found.value, 0, "as ncu prints it of a vector add")

    def test_the_text_has_sections_with_columns(self) -> None:
        text = details.text(REPORT)
        self.assertIn("Section: Launch Statistics", text)
        self.assertRegex(text, r"Block Size +256 exact")
        self.assertRegex(text, r"Duration +us +2\.82 modelled")
        self.assertNotIn("Achieved Occupancy", text)
        self.assertRegex(text, r"Static Shared Memory Per Block +Kbyte/block +2\.11 exact")
        self.assertIn("Note: ptxas may unroll the loop", text)

    def test_the_csv_survives_the_name_of_a_kernel(self) -> None:
        rows = list(csv.DictReader(io.StringIO(details.as_csv(REPORT))))
        self.assertEqual({row["Kernel Name"] for row in rows}, {'k<"a,b">(int)'})
        self.assertEqual({row["Block Size"] for row in rows}, {"(128, 2, 1)"})
        (duration,) = (row for row in rows if row["Metric Name"] == "Duration")
        self.assertEqual((duration["Metric Value"], duration["Counted"]), ("2.82", "modelled"))


class AsOnTheCard(unittest.TestCase):
    """Against what ncu printed: docs/measurements/h200/details_DATE.csv."""

    def rows(self) -> list[dict[str, str]]:
        file = measured.newest(ROOT / "docs" / "measurements" / "h200", "details")
        assert file
        return list(measured.rows(file))

    def test_numbers_have_its_form(self) -> None:
        compared = 0
        for row in self.rows():
            value = row["Metric Value"]
            # A value that was rounded to a whole number, or has a prefix, does not tell what it was.
            if not re.fullmatch(r"[\d,]+(\.\d\d)?", value) or value.endswith(".00") or "byte" in row["Metric Unit"]:
                continue
            metric = details.Metric("", "", row["Metric Unit"], float(value.replace(",", "")), "")
            self.assertEqual(details._shown(metric), (row["Metric Unit"], value))
            compared += 1
        self.assertGreater(compared, 100)

    def test_units_of_single_metrics(self) -> None:
        for (section, name), unit in details.listed().items():
            if section == details.RAW and not name.endswith(".ratio"):
                guess = next((unit for part, unit in details.UNITS.items() if part in name), "")
                self.assertEqual(guess, unit, name)

    def test_sections_names_units_and_exact_values(self) -> None:
        """The program that ran on the card, on lockstep."""
        report = run_on_lockstep(ROOT / "common" / "lockstep" / "tests" / "card" / "details.cu")
        self.assertEqual(len(report["launches"]), 2)
        equal = 0
        for launch in report["launches"]:
            kernel = launch["kernel"].split("(")[0]
            card = [row for row in self.rows() if row["Kernel Name"] == kernel]
            places = {(row["Section Name"], row["Metric Name"]): i for i, row in enumerate(card)}
            found = [
                one for one in details.metrics(launch, report["counter_kinds"]) if (one.section, one.name) in places
            ]
            order = [places[one.section, one.name] for one in found]
            self.assertEqual(order, sorted(order), "in ncu's order")
            for one in found:
                row = card[places[one.section, one.name]]
                if one.how == "exact":
                    equal += 1
                    self.assertEqual(details._shown(one), (row["Metric Unit"], row["Metric Value"]), one)
                elif one.section != details.RAW:
                    self.assertEqual(details._shown(one)[0], row["Metric Unit"], one)
        self.assertGreater(equal, 16)


def run_on_lockstep(source: Path) -> details.Json:
    nvcc = os.environ.get("WARPLADDER_NVCC") or shutil.which("nvcc")
    tree = Path(os.environ.get("WARPLADDER_BUILD_DIR", ROOT / "build"))
    assert nvcc
    with tempfile.TemporaryDirectory() as name:
        program, report = Path(name) / "program", Path(name) / "report.json"
        subprocess.run([nvcc, "-O3", *emulate.FLAGS.split(), "-o", program, source], check=True)
        lockstep = {"LD_LIBRARY_PATH": str(tree / "lockstep"), "LOCKSTEP_REPORT": str(report)}
        subprocess.run([program], check=True, env={**os.environ, **lockstep})
        return json.loads(report.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
