"""./lab report and ./lab compare from end to end: files, exit codes, and what is said where nothing is counted."""

import csv
import io
import json
import re
import shutil
import unittest
from argparse import Namespace
from pathlib import Path
from typing import Any
from unittest import mock

from launcher.console import Failure
from launcher.tests.machines import ROOT, InAFolder, lab
from report import report

SCAN = ROOT / "solutions" / "05_scan_hillis_steele" / "scan.cu"


def data(file: Path) -> list[dict[str, Any]]:
    found = re.search(r'id="data">(.*?)</script>', file.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(found[1])


class Report(InAFolder):
    def page(self, *arguments: str | Path) -> dict[str, Any]:
        out = self.folder / "page.html"
        answer = lab("report", *arguments, "--out", out)
        self.assertEqual(answer.code, 0, answer.text)
        return data(out)[0]

    def test_a_right_file(self) -> None:
        page = self.page("05", "--file", SCAN, "--elements", "8")
        self.assertEqual(page["verdict"]["verdict"], "accepted")
        self.assertEqual(page["elements"], [3, 1, 7, 2, 4, 1, 6, 3])
        (launch,) = page["launches"]
        self.assertEqual(launch["block"], [1024, 1, 1])
        rows = launch["rows"]["0"]
        self.assertEqual([cell["v"] for cell in rows[-1]["cells"]], [3, 4, 11, 13, 17, 18, 24, 27])
        self.assertEqual(page["counted"], "the measured case, 1,024 elements")
        barriers = next(heat for heat in page["heat"] if heat["name"] == "barrier_instructions")
        self.assertEqual((sum(barriers["lines"].values()), barriers["kind"]), (640, "ptx-level"))
        self.assertTrue(all(rule["you"] == rule["reference"] for rule in page["rules"]))
        self.assertEqual([rung["number"] for rung in page["family"] if rung["here"]], ["05"])
        reference, you = page["roofline"]["points"]
        self.assertGreater(you["y"], 0)
        self.assertEqual(reference | {"who": "you"}, you)

    def test_the_roofline_has_a_starter_that_works(self) -> None:
        starter, reference, you = self.page("06")["roofline"]["points"]
        self.assertEqual([starter["who"], reference["who"]], ["starter", "reference"])
        self.assertEqual(starter | {"who": "you"}, you, "nobody has edited it")
        self.assertNotEqual(reference["instructions"], you["instructions"])

    def test_a_starter_shows_what_it_did(self) -> None:
        page = self.page("05")
        self.assertEqual(page["verdict"]["verdict"], "wrong answer")
        self.assertIn("the measured case did not come to its end", page["counted"])
        self.assertGreater(len(page["launches"][0]["events"]), 0)
        self.assertTrue(all(rule["you"] is None for rule in page["rules"]))
        self.assertIsNone(page["roofline"])

    def test_a_file_that_does_not_compile(self) -> None:
        file = self.folder / "mine.cu"
        file.write_text("int sum(int x) { return x + nonsense; }\n", encoding="utf-8")
        page = self.page("05", "--file", file)
        self.assertEqual((page["verdict"]["check"], page["launches"]), ("compile", []))
        self.assertIn("nonsense", page["verdict"]["printed"] + " ".join(page["verdict"]["steps"]))

    def test_a_hostile_name(self) -> None:
        file = self.folder / "<img src=x onerror=alert(1)>&'\".cu"
        shutil.copy(SCAN, file)
        page = self.page("05", "--file", file, "--elements", "2")
        self.assertEqual(page["file"], file.name)
        self.assertGreater(len(page["heat"]), 3, "its lines are found by that name")

    def test_details_as_text_and_csv(self) -> None:
        answer = lab("report", "05", "--file", SCAN, "--page", "details")
        self.assertEqual(answer.code, 0, answer.text)
        self.assertRegex(answer.text, r"scan_block.*\(1, 1, 1\)x\(1024, 1, 1\)")
        self.assertRegex(answer.text, r"Static Shared Memory Per Block +Kbyte/block +4\.10 exact")
        answer = lab("report", "05", "--file", SCAN, "--page", "details", "--csv")
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        names = {row["Metric Name"]: row for row in rows}
        wavefronts = names["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]
        self.assertEqual((wavefronts["Metric Value"], wavefronts["Counted"]), ("320", "exact"))

    def test_where_nothing_is_counted_it_says_why(self) -> None:
        page = self.page("01", "--file", ROOT / "solutions/01_scan_naive/scan.cu", "--entry", "scan_inclusive_cpu")
        self.assertIn("scan_inclusive_cpu started no kernel", page["says"])
        answer = lab("report", "20", "--page", "details")
        self.assertEqual(answer.code, 2, answer.text)
        self.assertIn("lab 20 has no details: lockstep does not run OpenCL", answer.text)

    def test_an_old_nvcc_is_named(self) -> None:
        nvcc = self.folder / "nvcc"
        nvcc.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 12.7, V12.7.1'\n", encoding="utf-8")
        nvcc.chmod(0o755)
        asked = Namespace(lab="22", file=None, csv=False, page=None, entry=None, elements=8, block=None)
        with (
            mock.patch.object(report.setup, "prepare", return_value=nvcc),
            mock.patch.object(report.build, "configure", side_effect=AssertionError("the build has no such target")),
            self.assertRaisesRegex(Failure, r"22_\w+ needs nvcc 12\.8 or later"),
        ):
            report.run(asked)

    def test_wrong_options(self) -> None:
        for arguments, message in (
            (("05", "--entry", "nothing"), "--entry nothing: lab 05 has scan_inclusive"),
            (("05", "--elements", "65"), "--elements is a number from 1 to 64, not 65"),
            (("05", "--block", "7"), "--block 7: lab 05 has blocks of none"),
            (("05", "--csv"), "--csv goes with --page details"),
            (("05", "--file", "nowhere.cu"), "--file nowhere.cu: there is no such file"),
        ):
            answer = lab("report", *arguments)
            self.assertEqual(answer.code, 2, answer.text)
            self.assertIn(message, answer.text)


class Compare(InAFolder):
    def test_counters_of_two_versions(self) -> None:
        unpadded, padded = (
            ROOT / "solutions" / name / "scan.cu" for name in ("08_scan_blelloch", "09_scan_blelloch_padded")
        )
        answer = lab("compare", "09", unpadded, padded, "--out", self.folder / "both.html")
        self.assertEqual(answer.code, 0, answer.text)
        self.assertRegex(answer.text, r"300 +0 +−300  bank conflicts of shared loads\n")
        self.assertRegex(answer.text, r"A: line 30: \d+")
        first, second, summary = data(self.folder / "both.html")
        self.assertEqual((first["verdict"]["verdict"], second["verdict"]["verdict"]), ("rule broken", "accepted"))
        self.assertEqual(len(summary["files"]), 2)

    def test_a_version_that_fails_is_compared_on_the_small_call(self) -> None:
        answer = lab("compare", "05", ROOT / "labs/05_scan_hillis_steele/scan.cu", SCAN)
        self.assertEqual(answer.code, 0, answer.text)
        self.assertIn("Counted on the recorded call of 16 elements", answer.text)
        self.assertNotIn("Modelled", answer.text)


if __name__ == "__main__":
    unittest.main()
