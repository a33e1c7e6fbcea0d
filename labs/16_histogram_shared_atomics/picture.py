"""Two blocks of one warp each: they zero their counters, count their bytes, and merge the counts. Only those of the 256
bins that occur are drawn, as bars of one cell a byte."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, OTHER, SMALL, TEXT, arrow, cell, figure, label, legend, line, panel

BYTES = b"a banana and a bandana and a cab" + b"a cab and a can and a band and a"
THREADS = 32  # of a block
RECORDS = [Record("histogram_block", BYTES, block=THREADS)]
COLOURS = (ACTIVE, OTHER)  # of the two blocks
WIDTH, GAP = THREADS, 5  # of a block's part, and between the two
BAR = 1.9  # width of a bar's cell
ZEROED, LOADED, COUNTED = 0, 2.4, 4.2  # rows, downwards
S_BINS, BINS = "s_bins", "bins"


def shown(byte: int) -> str:
    return "␣" if byte == ord(" ") else chr(byte)


def bar(axes: Axes, x: float, y: float, parts: list[tuple[int, str]]) -> None:
    """Cells to the right of x, one for each byte that was counted. parts: numbers and their colours."""
    for count, colour in parts:
        for _ in range(count):
            cell(axes, x + BAR / 2, y, "", colour, width=BAR, height=0.8)
            x += BAR
    label(axes, x + 0.4, y, " + ".join(str(count) for count, _ in parts), at="left", size=SMALL)


def merged(trace: Trace, block: int) -> dict[int, int]:
    """What the block adds to the result: bin → number."""
    accesses = trace.select(block=block, op="atomic", array=BINS)
    return {lane.index: lane.value for access in accesses for lane in access.lanes}


def draw_block(axes: Axes, trace: Trace, block: int, left: float, bins: list[int]) -> None:
    """The bytes of the block's threads, and below them the counters of the block."""
    zeroed = {lane.index for access in trace.select(block=block, op="store", array=S_BINS) for lane in access.lanes}
    label(axes, left + WIDTH / 2, ZEROED, f"{len(zeroed)} counters are 0")
    colour, end = COLOURS[block], left + WIDTH
    label(axes, left + WIDTH / 2, ZEROED - 1.1, f"block {block}: {THREADS} threads, a byte each", at="bottom")
    for load in trace.select(block=block, op="load", array="data"):
        for lane in load.lanes:
            cell(axes, left + lane.thread + 0.5, LOADED, shown(lane.value), colour, height=0.9)
    counts = dict.fromkeys(bins, 0)
    for access in trace.select(block=block, op="atomic", array=S_BINS):
        for lane in access.lanes:
            counts[lane.index] += 1
    assert counts == {bin_: merged(trace, block)[bin_] for bin_ in bins}
    for i, bin_ in enumerate(bins):
        label(axes, left + 0.8, COUNTED + i, shown(bin_), at="right")
        bar(axes, left + 1.3, COUNTED + i, [(counts[bin_], colour)])
    label(axes, end, COUNTED + len(bins) - 1, "s_bins, in shared memory", at="right")


def draw(trace: Trace) -> Figure:
    loads = trace.select(op="load", array="data")
    bins = sorted({lane.value for load in loads for lane in load.lanes})
    blocks = sorted({load.block for load in loads})
    lefts = {block: i * (WIDTH + GAP) for i, block in enumerate(blocks)}
    right, below = lefts[blocks[-1]] + WIDTH, COUNTED + len(bins)
    middle, first = right / 2 - 13, below + 2.4

    made, (axes,) = figure(10, 6)
    for block, left in lefts.items():
        draw_block(axes, trace, block, left, bins)
        arrow(
            axes, (left + WIDTH / 2, below + 0.1), (right / 2 + (-4 if block == 0 else 4), first - 0.8), COLOURS[block]
        )
    for y in (ZEROED + 1.1, below - 0.2):
        line(axes, (0, y), (right, y), TEXT, style=":")
    for i, bin_ in enumerate(bins):
        label(axes, middle - 0.5, first + i, shown(bin_), at="right")
        parts = [(merged(trace, block)[bin_], COLOURS[block]) for block in blocks]
        bar(axes, middle, first + i, [part for part in parts if part[0]])
    label(axes, right, first + len(bins) - 1, "bins, in global memory", at="right")
    words = {
        ZEROED: "zero",
        ZEROED + 1.1: "barrier",
        (LOADED + below) / 2: "count",
        below - 0.2: "barrier",
        first + 2.5: "merge",
    }
    for y, word in words.items():
        label(axes, -1, y, word, at="right")
    title = "Each block counts in a histogram of its own, then adds it to the result (only the bins that occur)"
    panel(axes, title, -6, right + 0.5, -2.2, first + len(bins))
    legend(made, {COLOURS[0]: "block 0", COLOURS[1]: "block 1"})
    return made
