"""Which element went into which, from what threads read before they store."""

import struct
import unittest
from typing import Any

from report.flows import rows
from report.tests.recordings import access, event, trace


def bits(value: float) -> int:
    return struct.unpack("I", struct.pack("f", value))[0]


def drawn(*lines: str, is_float: bool = True) -> list[dict[str, Any]]:
    return rows(trace(*lines).events, 0, is_float=is_float)


def arrows(row: dict[str, Any]) -> list[tuple[list[list[int]], int, str]]:
    return [(flow["from"], flow["to"], flow["kind"]) for flow in row["flows"]]


class Flows(unittest.TestCase):
    def test_a_sum_of_what_was_read(self) -> None:
        found = drawn(
            access("load", "in", [0, 2], [3, 7]),
            access("load", "in", [1, 3], [1, 2]),
            access("store", "in", [0, 2], [4, 9], line=5),
            access("load", "in", [0], [4], step=1),
            access("load", "in", [2], [9], step=1),
            access("store", "in", [0], [13], step=1, line=5),
        )
        self.assertEqual(
            [[cell["v"] for cell in row["cells"]] for row in found], [[3, 1, 7, 2], [4, 1, 9, 2], [13, 1, 9, 2]]
        )
        self.assertEqual(arrows(found[1]), [([[0, 0], [0, 1]], 0, "sum"), ([[0, 2], [0, 3]], 2, "sum")])
        self.assertEqual(arrows(found[2]), [([[1, 0], [1, 2]], 0, "sum")])
        self.assertEqual((found[2]["title"], found[2]["step"]), ("line 5", "1"))

    def test_a_wrong_sum_is_not_called_one(self) -> None:
        found = drawn(access("load", "in", [0], [3]), access("load", "in", [1], [1]), access("store", "in", [0], [2]))
        self.assertEqual(arrows(found[1]), [([[0, 0], [0, 1]], 0, "use")])

    def test_a_sum_that_a_register_keeps_between_barriers(self) -> None:
        """Hillis and Steele with one buffer: the thread's own sum is not read again."""
        found = drawn(
            access("load", "in", [0, 1], [3, 1]),
            access("store", "s_sum", [0, 1], [3, 1]),
            event(
                "load",
                [1],
                space="shared",
                bytes=4,
                count=1,
                array="s_sum",
                index=[0],
                address=[0],
                bank=[0],
                value=[3],
                step=1,
            ),
            access("store", "s_sum", [0, 1], [3, 4], step=2),
            access("store", "out", [0, 1], [3, 4], step=3),
        )
        self.assertEqual([row["group"] for row in found], ["in", "s_sum", "s_sum", "out"])
        self.assertEqual(arrows(found[2]), [([[1, 1], [1, 0]], 1, "sum")], "element 0 was only written again")
        self.assertEqual(arrows(found[3]), [([[2, 0]], 0, "copy"), ([[2, 1]], 1, "copy")])

    def test_two_stores_after_one_read(self) -> None:
        """The down-sweep: one child gets the sum before, the other the sum of both."""
        found = drawn(
            access("load", "in", [0, 2], [4, 0]),
            access("load", "in", [1, 3], [5, 5]),
            access("store", "in", [0, 2], [5, 5]),
            access("store", "in", [1, 3], [9, 5]),
        )
        self.assertEqual(len(found), 2, "one row, though the second lane adds zero and stores the same number twice")
        self.assertEqual(arrows(found[1])[0], ([[0, 1]], 0, "copy"))
        self.assertEqual(arrows(found[1])[2:], [([[0, 0], [0, 1]], 1, "sum"), ([[0, 2], [0, 3]], 3, "sum")])

    def test_atomics_count_into_one_bin(self) -> None:
        found = drawn(
            access("load", "data", [0, 1, 2], [2, 2, 0]),
            access("atomic", "s_bins", [2, 2, 0], [1, 1, 1], atomic="add", before=[0, 0, 0]),
            is_float=False,
        )
        self.assertEqual([(flow["from"], flow["to"], flow["kind"]) for flow in found[1]["flows"]],
                         [([[0, 0]], 2, "count"), ([[0, 1]], 2, "count"), ([[0, 2]], 0, "count")])  # fmt: skip

    def test_global_counters_begin_with_what_was_there(self) -> None:
        found = drawn(
            access("load", "data", [0, 1], [0, 0]),
            access("atomic", "bins", [0, 0], [1, 1], atomic="add", before=[5, 5]),
            is_float=False,
        )
        self.assertEqual([cell["v"] for cell in found[-1]["cells"]], [7])

    def test_a_shuffle_adds_registers(self) -> None:
        shuffle = {"source": [1, 1], "value": [bits(1), bits(1)], "given": [bits(3), bits(1)]}
        found = drawn(
            access("load", "in", [0, 1], [3, 1]),
            event("shuffle", [0, 1], **shuffle),
            event("store", [0], space="global", bytes=4, count=1, array="out", index=[0], address=[0], value=[4.0]),
        )
        self.assertEqual([row["group"] for row in found], ["in", "registers of warp 0", "out"])
        self.assertEqual(arrows(found[2]), [([[1, 0], [1, 1]], 0, "sum")])

    def test_what_does_not_come_from_the_input_is_left_out(self) -> None:
        """A tile is filled up with zeros, and zeros are added to zeros."""
        found = drawn(
            access("load", "in", [0, 1], [3, 1]),
            access("store", "s_tile", [0, 1], [3, 1]),
            access("store", "s_tile", [60, 61], [0, 0]),
            access("load", "s_tile", [60, 61], [0, 0], step=1),
            access("store", "s_tile", [62, 63], [0, 0], step=1),
        )
        self.assertEqual([cell["i"] for row in found for cell in row["cells"]], [0, 1, 0, 1])

    def test_one_instruction_is_one_row(self) -> None:
        found = drawn(
            access("load", "in", [0, 1], [3, 1]),
            access("store", "in", [1], [3]),
            event("load", [1], space="global", bytes=4, count=1, array="in", index=[1], address=[4], value=[3]),
            access("store", "out", [0, 1], [3, 3]),
        )
        self.assertEqual([row["group"] for row in found], ["in", "in", "out"])
        self.assertEqual(len(found[-1]["flows"]), 2, "though one lane could have stored a row above")

    def test_a_read_begins_in_the_lowest_row_that_still_has_the_value(self) -> None:
        found = drawn(
            access("load", "in", [0, 1], [3, 1]),
            access("store", "s", [0, 1], [3, 1], space="shared", bank=[0, 1]),
            event(
                "load",
                [1],
                space="shared",
                bytes=4,
                count=1,
                array="s",
                index=[1],
                address=[4],
                bank=[1],
                value=[1],
                step=1,
            ),
            event(
                "load",
                [1],
                space="shared",
                bytes=4,
                count=1,
                array="s",
                index=[0],
                address=[0],
                bank=[0],
                value=[3],
                step=1,
            ),
            event(
                "store",
                [1],
                space="shared",
                bytes=4,
                count=1,
                array="s",
                index=[1],
                address=[4],
                bank=[1],
                value=[4],
                step=1,
            ),
            access("store", "out", [0, 1], [3, 4], step=2),
        )
        self.assertEqual(arrows(found[-1]), [([[2, 0]], 0, "copy"), ([[2, 1]], 1, "copy")])


if __name__ == "__main__":
    unittest.main()
