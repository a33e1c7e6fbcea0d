"""The records in docs/measurements/ are complete, and fit the labs as they are now. A lab without a record is not
measured yet, which is allowed."""

import json
import sys
import unittest

from launcher import demo
from launcher.labs import all_labs
from launcher.tests.machines import ROOT


class Records(unittest.TestCase):
    def test_the_newest_of_each_card_says_what_was_measured_and_on_what(self) -> None:
        # A card on which only the benchmark ran has no ladder.
        ladders = [sorted(folder.glob("ladder*.json")) for folder in demo.RECORDS.iterdir() if folder.is_dir()]
        self.assertTrue(any(ladders), f"no card has a ladder in {demo.RECORDS}")
        for newest in (files[-1] for files in ladders if files):
            record = json.loads(newest.read_text(encoding="utf-8"))
            for key in ("device", "driver", "toolkit", "date", "commit"):
                self.assertTrue(record[key], f"{newest} does not say its {key}")
            recorded = [row["lab"] for row in record["rows"]]
            here = [lab.name for lab in all_labs()]
            self.assertEqual(
                recorded, [name for name in here if name in recorded], "a lab has another name: measure again"
            )
            for name in demo.unmeasured(record, here):
                print(f"{name} is not measured on {record['device']} yet", file=sys.stderr)
            for row in record["rows"]:
                with self.subTest(record=newest.name, lab=row["lab"]):
                    self.check_row(row)

    def test_a_lab_without_a_record_is_not_measured_yet(self) -> None:
        """The ladder has a row for it, without a time."""
        new = {"lab": "42_new", "family": "scan", "size": 1024}
        drawn = demo.panels({"device": "lockstep", "rows": [new]})
        self.assertTrue(drawn)
        for panel in drawn:
            self.assertIn("measured", panel["title"])
            self.assertEqual([row for row in panel["rows"] if row["value"] is None], [{**new, "value": None}])

    def check_row(self, row: dict) -> None:
        facts = json.loads((ROOT / "labs" / row["lab"] / "lab.json").read_text(encoding="utf-8"))
        self.assertEqual(row["size"], facts["sizes"]["real"], "the lab's real size has changed: measure again")
        self.assertEqual(row["verdict"], "accepted")
        self.assertEqual(row["cases_passed"], row["cases_planned"])
        # A card measures no rules, so that its record stays right when rules change.
        counted = [rule["name"] for rule in row["rules"] if rule["value"] is not None]
        if counted:
            named = [rule["name"] for rule in facts.get("rules", [])]
            self.assertEqual(counted, named, "the lab's rules have changed: measure again")
        self.assertGreater(row["time"]["ms"], 0)
        self.assertTrue(row["time"]["measured"])


if __name__ == "__main__":
    unittest.main()
