"""One addition of a warp on the same 32 bytes: in one histogram, and in a copy for each lane. Columns are banks."""

from collections import defaultdict

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Record, Trace
from common.pictures.shapes import ACTIVE, CONFLICT, cell, figure, grid, label, legend, numbers, panel

TEXT = b"Ada met Lena, Lena met a lambda."
BANKS = 32
# The starter's lane i takes byte i. The reference's lane i takes 16 bytes; the first of them is that byte.
RECORDS = [
    Record("histogram", TEXT, "starter"),
    Record("histogram", bytes(byte for byte in TEXT for _ in range(16))),
]


def shown(byte: int) -> str:
    return "␣" if byte == ord(" ") else chr(byte)


def draw_lanes(axes: Axes, access: Access, bin_of: dict[int, int]) -> None:
    for lane in access.lanes:
        label(axes, lane.lane, -2.6, shown(bin_of[lane.lane]))
    label(axes, -0.8, -2.6, "lane's byte", at="right")
    numbers(axes, -0.75, BANKS)
    label(axes, -0.8, -1, "bank", at="right")


def draw_words(axes: Axes, access: Access, names: dict[int, str], row_of: dict[int, int]) -> None:
    """The words that the lanes want, in rows of 32. names: word → the bytes whose counter it is."""
    wanted = access.wanted()
    for bank, words in wanted.items():
        for word in words:
            colour = CONFLICT if len(words) > 1 else ACTIVE
            cell(axes, bank, row_of[word // BANKS], names[word], colour)
    turns = max(len(words) for words in wanted.values())  # an atomicAdd of 1 takes as many wavefronts as a load
    label(axes, BANKS - 0.2, max(row_of.values()) / 2, f"{turns} wavefront{'s' * (turns > 1)}", at="left")


def draw_one(axes: Axes, access: Access) -> None:
    grid(axes, 0, 0, BANKS, 8)
    for y in range(8):
        label(axes, -0.8, y, f"bins {y * BANKS} …", at="right", size=7)
    draw_lanes(axes, access, {lane.lane: lane.index for lane in access.lanes})
    draw_words(axes, access, {lane.index: shown(lane.index) for lane in access.lanes}, {y: y for y in range(8)})
    panel(axes, "one histogram: bin b is word b", -5, BANKS + 4, -3.4, 8)


def draw_copies(axes: Axes, access: Access) -> None:
    lanes_of = defaultdict(list)
    for lane in access.lanes:
        lanes_of[lane.index // BANKS].append(lane.lane)
    row_of = {bin_: y for y, bin_ in enumerate(sorted(lanes_of))}
    grid(axes, 0, 0, BANKS, len(row_of))
    for bin_, y in row_of.items():
        label(axes, -0.8, y, f"bin {bin_}", at="right", size=7)
    draw_lanes(axes, access, {lane: bin_ for bin_, lanes in lanes_of.items() for lane in lanes})
    draw_words(axes, access, {lane.index: shown(lane.index // BANKS) for lane in access.lanes}, row_of)
    title = "32 copies, interleaved: bin b of copy k is word 32 b + k (only the rows of these bytes)"
    panel(axes, title, -5, BANKS + 4, -3.4, len(row_of) + 0.2)


def draw(before: Trace, after: Trace) -> Figure:
    first = [trace.select(op="atomic", space="shared", block=0, warp=0)[0] for trace in (before, after)]
    rows = len({lane.index // BANKS for lane in first[1].lanes})
    made, (upper, lower) = figure(10, 6.4, rows=2, heights=(11.4, rows + 3.6))
    draw_one(upper, first[0])
    draw_copies(lower, first[1])
    legend(made, {ACTIVE: "alone in its bank", CONFLICT: "several words of one bank: one wavefront each"})
    return made
