"""Two blocks of one warp each: they zero their counters, count their bytes, and merge the counts. Only those of the 256
bins that occur are drawn."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, TEXT, cell, figure, label, legend, line, panel

BYTES = b"Ada met Lena, Lena met a lambda.Lena sang; a llama had a banana."
THREADS = 32  # of a block
RECORDS = [Record("histogram_block", BYTES, block=THREADS)]
WIDTH, GAP = 32, 3  # of a block's part, and between the two
ZEROED, LOADED, COUNTED, MERGED = 0, 2.6, 7, 12  # rows, downwards
S_BINS, BINS = "s_bins", "parameter 3"


def shown(byte: int) -> str:
    return "␣" if byte == ord(" ") else chr(byte)


def places(bins: Sequence[int], left: float, width: float) -> dict[int, float]:
    """bin → x of its cell"""
    return {bin_: left + width * (i + 0.5) / len(bins) for i, bin_ in enumerate(bins)}


def draw_counters(axes: Axes, y: float, at: Mapping[int, float], values: Mapping[int, object], colour: str) -> None:
    for bin_, x in at.items():
        value = values[bin_]
        cell(axes, x, y, str(value), colour if value else IDLE, width=1.5, height=0.9)


def draw_block(axes: Axes, trace: Trace, block: int, at: Mapping[int, float], left: float) -> None:
    label(axes, left + WIDTH / 2, ZEROED - 1.2, f"block {block}", at="bottom")
    draw_counters(axes, ZEROED, at, trace.contents(S_BINS, 0, block), ACTIVE)
    for load in trace.select(block=block, op="load", array="parameter 1"):
        for lane in load.lanes:
            cell(axes, left + lane.thread + 0.5, LOADED, shown(lane.value), ACTIVE, height=0.9)
    for access in trace.select(block=block, op="atomic", array=S_BINS):
        for lane in access.lanes:
            line(axes, (left + lane.thread + 0.5, LOADED + 0.5), (at[lane.index], COUNTED - 0.5), ACTIVE)
    draw_counters(axes, COUNTED, at, trace.contents(S_BINS, 1, block), ACTIVE)
    for y in (ZEROED + 1.2, COUNTED + 1.2):
        line(axes, (left, y), (left + WIDTH, y), TEXT)


def draw(trace: Trace) -> Figure:
    loads = trace.select(op="load", array="parameter 1")
    bins = sorted({lane.value for load in loads for lane in load.lanes})
    blocks = sorted({load.block for load in loads})
    lefts = {block: i * (WIDTH + GAP) for i, block in enumerate(blocks)}
    right = lefts[blocks[-1]] + WIDTH
    merged, sums = places(bins, 0, right), dict.fromkeys(bins, 0)

    made, (axes,) = figure(10.5, 5.2)
    for block, left in lefts.items():
        at = places(bins, left, WIDTH)
        draw_block(axes, trace, block, at, left)
        for access in trace.select(block=block, op="atomic", array=BINS):
            for lane in access.lanes:
                if lane.index in merged:
                    line(axes, (at[lane.index], COUNTED + 0.5), (merged[lane.index], MERGED - 0.5), OTHER)
                    sums[lane.index] += lane.value
    draw_counters(axes, MERGED, merged, sums, OTHER)
    for bin_ in bins:
        label(axes, merged[bin_], MERGED + 0.7, shown(bin_), at="top")
        for left in lefts.values():
            label(axes, places(bins, left, WIDTH)[bin_], ZEROED - 0.6, shown(bin_), at="bottom", size=7)
    words = {
        ZEROED: "zero\ns_bins",
        ZEROED + 1.2: "barrier",
        LOADED: "count\nbytes",
        COUNTED: "s_bins",
        COUNTED + 1.2: "barrier",
        MERGED: "merge\nbins",
    }
    for y, word in words.items():
        label(axes, -1, y, word, at="right")
    title = "zero, count, merge: each block has a histogram of its own (only the bins that occur)"
    panel(axes, title, -6, right + 0.5, -2.2, MERGED + 1.6)
    legend(made, {ACTIVE: "shared memory: an addition a byte", OTHER: "global memory: an addition a bin and block"})
    return made
