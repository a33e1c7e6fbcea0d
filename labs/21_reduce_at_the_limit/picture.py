"""Which loads of a warp are in flight together, and how the blocks' sums meet in one word."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, arrow, cell, figure, label, legend, panel

# Four tiles of blocks with one warp, whose lanes make four loads; in the last tile some vectors are missing.
RECORDS = [
    Record(
        "reduce_sum",
        [i % 10 for i in range(3 * 512 + 259)],
        smaller=("    launch<T, 256, 4>(in, n);", "    launch<T, 32, 4>(in, n);"),
    )
]
INTS = 128  # of a load of a warp: 32 lanes with 16 bytes each


def draw_loads(axes: Axes, trace: Trace) -> None:
    blocks = trace.launches[0].grid[0]
    for block in range(blocks):
        label(axes, -0.15, block, f"block {block}", at="right")
        loads = trace.select(op="load", array="data", block=block, count=4)
        together = len(loads) == 4  # a whole tile
        for load in loads:
            first = load.lanes[0].index
            x = (first % (4 * INTS)) / INTS
            width = 4 * len(load.lanes) / INTS
            text = f"ints {first:,} to {first + 4 * len(load.lanes) - 1:,}"
            cell(axes, x + width / 2, block, text, ACTIVE if together else OTHER, width=width - 0.02, height=0.7)
        words = (
            "in flight together: 4 loads, 2048 bytes" if together else "in a loop with a guard; block 0 adds the rest"
        )
        label(axes, 4.1, block, words, at="left")
    rest = trace.select(op="load", array="data", block=0, count=1)[-1]
    x = (rest.lanes[0].index % (4 * INTS)) / INTS
    cell(axes, x + 0.06, blocks - 1, str(len(rest.lanes)), IDLE, width=0.12, height=0.7)
    title = "A tile for each block (here of one warp): a load brings 16 bytes for each lane"
    panel(axes, title, -0.9, 6.4, -0.7, blocks - 0.4)


def halves(word: int) -> tuple[int, int]:
    return word >> 32, word & 0xFFFFFFFF


def draw_word(axes: Axes, adds: list[Access]) -> None:
    word = 0
    for i, add in enumerate([None, *adds]):
        x = 2.6 * i
        if add is not None:
            own = int(add.lanes[0].value)
            arrow(axes, (x - 1.55, 0), (x - 1.02, 0))
            label(axes, x - 1.28, -0.75, f"block {add.block}", at="bottom", size=8)
            label(axes, x - 1.5, 0.6, f"+ {halves(own)[0]:,} | 1", at="top", size=8)
            word = int(add.lanes[0].before[0]) + own
        total, count = halves(word)
        done = count == len(adds)
        cell(axes, x - 0.3, 0, f"{total:,}", ACTIVE if done else IDLE, width=1.26, height=0.8)
        cell(axes, x + 0.62, 0, str(count), ACTIVE if done else IDLE, width=0.56, height=0.8)
    label(axes, -0.3, -0.75, "sum", at="bottom", size=8)
    label(axes, 0.62, -0.75, "blocks", at="bottom", size=8)
    last = 2.6 * len(adds)
    label(axes, last + 0.1, 0.6, "all blocks have added", at="top", size=8)
    panel(axes, "One word of 64 bits: an atomic adds to the sum and counts the block", -1.2, last + 1.2, -1.3, 1.2)


def draw(trace: Trace) -> Figure:
    made, (top, bottom) = figure(10.5, 4.6, rows=2, heights=[4.2, 2])
    draw_loads(top, trace)
    draw_word(bottom, [add for add in trace.select(op="atomic", space="global") if add.atomic == "add"])
    legend(made, {ACTIVE: "whole tiles; the result", OTHER: "the last tile", IDLE: "the rest; sums of some blocks"})
    return made
