"""The values that the pictures read from a trace."""

import json
import unittest
from collections.abc import Sequence

from common.pictures.trace import VERSION, Flow, Trace, as_float, parse


def line(op: str, lanes: list[int], index: Sequence[int] = (), **more: object) -> str:
    entry = {"launch": 1, "block": [0, 0, 0], "warp": 0, "step": 0, "file": "", "line": 1, "op": op, "lanes": lanes}
    if index:
        entry |= {"space": "shared", "bytes": 4, "count": 1, "array": "s"}
        entry |= {"index": index, "address": [4 * i for i in index], "bank": [i % 32 for i in index]}
    return json.dumps(entry | more)


def trace(*lines: str) -> Trace:
    launch = {"version": VERSION, "launch": 1, "kernel": "k", "grid": [4, 2, 1], "block": [64, 1, 1]}
    return parse([json.dumps(launch), *lines])


class ATrace(unittest.TestCase):
    def test_places(self) -> None:
        (access,) = trace(line("load", [3], index=[7], value=[5], warp=1, block=[1, 1, 0])).accesses
        self.assertEqual((access.block, access.array, access.lanes[0].thread, access.lanes[0].value), (5, "s", 35, 5))

    def test_an_array_for_each_lane(self) -> None:
        (access,) = trace(line("load", [0, 1], index=[0, 0], value=[1, 2], array=["a", "b"])).accesses
        self.assertEqual((access.array, [lane.array for lane in access.lanes]), ("a", ["a", "b"]))

    def test_vectors(self) -> None:
        (access,) = trace(line("load", [0, 1], index=[0, 2], count=2, value=[1, 2, 3, 4])).accesses
        self.assertEqual((access.lanes[1].values, access.lanes[1].elements()), ((3, 4), (2, 3)))

    def test_select(self) -> None:
        whole = trace(line("barrier", [0]), line("syncwarp", [0], step=1), line("barrier", [0], step=2))
        self.assertEqual([access.step for access in whole.select(op="barrier")], [0, 2])
        self.assertEqual([access.op for access in whole.select(step=(0, 1))], ["barrier", "syncwarp"])

    def test_flows(self) -> None:
        whole = trace(
            line("load", [0, 1], index=[0, 1], value=[10, 11]),
            line("load", [1], index=[5], value=[15]),
            line("store", [0, 1], index=[0, 1], value=[10, 26], step=1),
            line("store", [0], index=[9], value=[0], step=1),
        )
        self.assertEqual(whole.flows(), [Flow(0, (0,), 0, 10), Flow(1, (1, 5), 1, 26), Flow(0, (), 9, 0)])
        self.assertEqual(whole.flows(step=1)[1], Flow(1, (), 1, 26))

    def test_contents(self) -> None:
        whole = trace(
            line("load", [0], index=[0], value=[10]),
            line("store", [0, 1], index=[0, 1], value=[20, 21]),
            line("atomic", [0, 1, 2], index=[0, 0, 7], value=[1, 1, 1], atomic="add", step=1),
            line("store", [0], index=[1], value=[31], step=2),
            line("load", [0, 1], index=[1, 2], value=[31, 12], step=3),
        )
        self.assertEqual(whole.contents("s", -1), {0: 10, 2: 12}, "what is written before anybody looks is unknown")
        self.assertEqual(whole.contents("s", 0), {0: 20, 1: 21, 2: 12})
        self.assertEqual(whole.contents("s", 1), {0: 22, 1: 21, 2: 12})
        self.assertEqual(whole.contents("s", 2), {0: 22, 1: 31, 2: 12})

    def test_wanted_words(self) -> None:
        (access,) = trace(line("load", [0, 1, 2], index=[0, 32, 0], value=[0, 0, 0])).accesses
        self.assertEqual(access.wanted(), {0: {0, 32}}, "one word for two lanes")

    def test_branches_are_no_accesses(self) -> None:
        whole = trace(line("branch", [0, 1], taken=[1]), line("barrier", [0]))
        self.assertEqual([access.op for access in whole.accesses], ["barrier"])
        self.assertEqual([lane.taken for lane in whole.events[0].lanes], [False, True])

    def test_another_version_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, f"version {VERSION + 1}"):
            parse([json.dumps({"version": VERSION + 1, "launch": 1, "kernel": "k"})])

    def test_floats_without_a_type(self) -> None:
        self.assertEqual(as_float(0x3F800000), 1.0)


if __name__ == "__main__":
    unittest.main()
