"""What ncu would print: values only where lockstep has them, and each with how it was counted."""

import csv
import io
import unittest
from typing import Any

from report import details

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
                          "launch__shared_mem_per_block_dynamic": 0, "launch__shared_mem_per_block_static": 2112},
            "modelled": {"NVIDIA H200": {"us": 2.816}},
            "notes": ["ptxas may unroll the loop"],
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
        self.assertEqual(told["Branch Efficiency"], (75.0, "%", "ptx-level"))
        self.assertEqual(told["Executed Instructions"], (5280, "inst", "ptx-level"))
        self.assertEqual(told["Avg. Executed Instructions Per Scheduler"], (10, "inst", "ptx-level"))
        self.assertEqual(told[WAVEFRONTS], (7, "wavefront", "ptx-level"), "the launch doubts it")

    def test_what_lockstep_has_not_is_not_counted(self) -> None:
        found = self.found()
        for name in (
            "Registers Per Thread",
            "Achieved Occupancy",
            "L2 Hit Rate",
            "SM Frequency",
            "Theoretical Occupancy",
        ):
            self.assertEqual((found[name].value, found[name].how), (None, "not counted"), name)

    def test_no_branch_gives_no_efficiency(self) -> None:
        launch = REPORT["launches"][0]
        still = launch | {"counters": launch["counters"] | {"smsp__sass_branch_targets.sum": 0, PARTED: 0}}
        (found,) = (one for one in details.metrics(still, REPORT["counter_kinds"]) if one.name == "Branch Efficiency")
        self.assertEqual(found.how, "not counted")

    def test_the_text_has_sections_with_columns(self) -> None:
        text = details.text(REPORT)
        self.assertIn("Section: Launch Statistics", text)
        self.assertRegex(text, r"Block Size +256 exact")
        self.assertRegex(text, r"Duration +us +2\.82 modelled")
        self.assertRegex(text, r"Registers Per Thread +– not counted")
        self.assertIn("Note: ptxas may unroll the loop", text)

    def test_the_csv_survives_the_name_of_a_kernel(self) -> None:
        rows = list(csv.DictReader(io.StringIO(details.as_csv(REPORT))))
        self.assertEqual({row["Kernel Name"] for row in rows}, {'k<"a,b">(int)'})
        self.assertEqual({row["Block Size"] for row in rows}, {"(128, 2, 1)"})
        (duration,) = (row for row in rows if row["Metric Name"] == "Duration")
        self.assertEqual((duration["Metric Value"], duration["Counted"]), ("2.816", "modelled"))
        self.assertTrue(all(not row["Metric Value"] for row in rows if row["Counted"] == "not counted"))


if __name__ == "__main__":
    unittest.main()
