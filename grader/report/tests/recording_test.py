"""A recording as data for the page: packed lists, masks, and what is left out."""

import json
import unittest

from report import recording
from report.tests.recordings import access, event, trace


class Recording(unittest.TestCase):
    def test_numbers_that_ascend_evenly_are_short(self) -> None:
        self.assertEqual(recording.pack([4, 6, 8]), {"a": 4, "d": 2})
        self.assertEqual(recording.pack([7]), {"a": 7, "d": 0})
        self.assertEqual(recording.pack([1, 2, 4]), [1, 2, 4])
        self.assertEqual(recording.pack([1.0, 2.0]), [1.0, 2.0], "a float keeps its type")
        self.assertEqual(recording.pack([None, 1]), [None, 1])

    def test_large_numbers_become_text(self) -> None:
        self.assertEqual(recording.pack([1 << 60, 1]), [str(1 << 60), 1], "JavaScript would round it")

    def test_an_access(self) -> None:
        (launch,), left_out = recording.launches(
            trace(access("store", "s_tile", [33, 34], [5, 6], line=7)), is_float=False
        )
        self.assertEqual(left_out, [])
        self.assertEqual(
            launch["events"],
            [
                {
                    "o": "store",
                    "b": 0,
                    "w": 0,
                    "s": 0,
                    "l": 7,
                    "m": 3,
                    "a": 0,
                    "i": {"a": 33, "d": 1},
                    "v": {"a": 5, "d": 1},
                }
            ],
        )
        self.assertEqual(
            launch["arrays"],
            [{"id": 0, "name": "s_tile", "space": "shared", "bytes": 4, "bank": 0, "low": 33, "high": 34}],
        )

    def test_a_branch_has_two_masks(self) -> None:
        (launch,), _ = recording.launches(trace(event("branch", [0, 1, 31], taken=[1])), is_float=False)
        self.assertEqual((launch["events"][0]["m"], launch["events"][0]["k"]), (0x80000003, 2))

    def test_what_is_left_out_is_said(self) -> None:
        many = [event("barrier", [0], block=[block, 0, 0]) for block in range(9)]
        (launch,), left_out = recording.launches(trace(*many, grid=[9, 1, 1]), is_float=False)
        self.assertEqual(launch["blocks"], [0, 1, 2, 3])
        self.assertEqual(left_out, ["launch 1: the first 4 of 9 blocks are shown"])
        long = [event("barrier", [0], step=step) for step in range(recording.MOST_EVENTS + 1)]
        (launch,), left_out = recording.launches(trace(*long), is_float=False)
        self.assertEqual(len(launch["events"]), recording.MOST_EVENTS)
        self.assertEqual(left_out, ["launch 1: the first 6,000 of 6,001 recorded instructions are shown"])

    def test_it_is_json(self) -> None:
        launches, _ = recording.launches(trace(access("load", "in", [0], [None])), is_float=True)
        self.assertIn('"v":[null]', json.dumps(launches, separators=(",", ":"), allow_nan=False))


if __name__ == "__main__":
    unittest.main()
