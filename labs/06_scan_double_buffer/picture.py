"""Eight sums move from buffer to buffer, and what the threads do with each buffer between two barriers."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, TEXT, arrow, cell, figure, label, legend, line, panel, row

VALUES = [3, 1, 7, 0, 4, 1, 6, 3]
RECORDS = [Record("scan_inclusive", VALUES)]
ROUNDS = 4  # with strides 1, 2, 4 the sums grow; after that all eight are complete
PHASES = 6  # of the lower strip; a phase lies between two barriers
APART = 11  # from buffer 0 to buffer 1
GAP = 1.7


def block_size(trace: Trace) -> int:
    return trace.launches[0].block[0]


def draw_sums(axes: Axes, trace: Trace) -> None:
    """A row for the sums that each round stores, below the buffer that gets them; lines from the sum that was read."""
    size, count = block_size(trace), len(VALUES)
    read: dict[int, int] = {}  # thread → the thread whose sum it read since its last store
    for round_ in range(ROUNDS):
        stored = {
            lane.thread: (lane.index // size, lane.value)
            for access in trace.select(op="store", array="s_sum", step=round_)
            for lane in access.lanes
            if lane.thread < count
        }
        (buffer,) = {buffer for buffer, _ in stored.values()}
        colours = [ACTIVE if thread in read else IDLE for thread in range(count)]
        texts = [f"{stored[thread][1]:g}" for thread in range(count)]
        word = " and ".join(sorted({f"stride {thread - source}" for thread, source in read.items()})) or "in"
        side = {"left": word} if buffer else {"right": word}
        row(axes, GAP * round_, texts, colours, x=APART * buffer, **side)
        for thread, source in read.items():
            start = (APART * (1 - buffer) + source, GAP * (round_ - 1) + 0.4)
            line(axes, start, (APART * buffer + thread, GAP * round_ - 0.4))
        loads = trace.select(op="load", array="s_sum", step=round_ + 1)
        lanes = [lane for access in loads for lane in access.lanes if lane.thread < count]
        assert {lane.index // size for lane in lanes} <= {buffer}
        read = {lane.thread: lane.index % size for lane in lanes}
    for buffer in range(2):
        label(axes, APART * buffer + (count - 1) / 2, -0.7, f"s_sum[{buffer}]", at="bottom")


def draw_strip(axes: Axes, trace: Trace) -> None:
    """Time goes to the right. A cell is what all threads do with a buffer between two barriers."""
    size = block_size(trace)
    for step in range(PHASES):
        for access in trace.select(
            array="s_sum", step=step, warp=size // 32 - 1
        ):  # all its lanes have a left neighbour
            buffer = access.lanes[0].index // size
            colour, word = (OTHER, "store") if access.op == "store" else (ACTIVE, "read")
            cell(axes, 2 * step, buffer, word, colour, width=1.7, height=0.8)
        line(axes, (2 * step + 1, -0.6), (2 * step + 1, 1.6), TEXT)
    barriers = {access.step for access in trace.select(op="barrier")}
    for buffer in range(2):
        label(axes, -1.3, buffer, f"s_sum[{buffer}]", at="right")
    label(axes, 2 * PHASES - 0.8, 0.5, f"… {len(barriers)} barriers", at="left")
    arrow(axes, (-1, 2), (2 * PHASES - 1, 2))
    label(axes, -1.3, 2, "time", at="right")


def draw(trace: Trace) -> Figure:
    made, (top, bottom) = figure(9, 5.8, rows=2, heights=[2.3, 1.1])
    draw_sums(top, trace)
    panel(top, "8 elements: a sum is read in one buffer, and goes to the other", -0.7, APART + 7.7, -1.3, 5.7)
    draw_strip(bottom, trace)
    panel(bottom, "What the threads do with each buffer, from barrier to barrier", -3.4, 15.5, -0.9, 2.4)
    legend(made, {ACTIVE: "reads a sum and adds it", OTHER: "stores its sum", IDLE: "adds nothing"})
    return made
