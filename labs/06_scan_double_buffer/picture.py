"""The sums of eight threads in registers and buffers, step by step, and what the threads do with each buffer between
two barriers."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, TEXT, arrow, cell, figure, label, legend, line, panel, row

VALUES = [3, 1, 7, 0, 4, 1, 6, 3]
COUNT = len(VALUES)
RECORDS = [Record("scan_inclusive", VALUES)]
ROUNDS = 3  # with strides 1, 2, 4; after that all eight sums are complete
PHASES = 6  # of the lower strip; a phase lies between two barriers
GAP = 1.35  # from the registers to the buffer, and on to the registers


def block_size(trace: Trace) -> int:
    return trace.launches[0].block[0]


def buffer_of(access: Access, trace: Trace) -> int:
    return access.lanes[0].index // block_size(trace)


def stored(trace: Trace, step: int) -> dict[int, str]:
    """Thread → the sum that it stores. It has this sum in its register."""
    accesses = trace.select(op="store", array="s_sum", step=step)
    return {lane.thread: f"{lane.value:g}" for access in accesses for lane in access.lanes if lane.thread < COUNT}


def read(trace: Trace, step: int) -> dict[int, int]:
    """Thread → the thread whose sum it reads and adds to its own."""
    lanes = [lane for access in trace.select(op="load", array="s_sum", step=step) for lane in access.lanes]
    return {lane.thread: lane.index % block_size(trace) for lane in lanes if lane.thread < COUNT}


def draw_round(axes: Axes, trace: Trace, round_: int) -> None:
    """From the registers to the buffer, and from both to the registers."""
    top = 2 * GAP * round_
    middle, bottom = top + GAP, top + 2 * GAP
    buffer = buffer_of(trace.select(op="store", array="s_sum", step=round_)[0], trace)
    row(
        axes,
        middle,
        [stored(trace, round_)[thread] for thread in range(COUNT)],
        OTHER,
        left=f"s_sum[{buffer}]",
        width=0.6,
    )
    sources, after = read(trace, round_ + 1), stored(trace, round_ + 1)
    for thread in range(COUNT):
        line(axes, (thread, top + 0.35), (thread, middle - 0.35), OTHER)
        line(axes, (thread + 0.39, top + 0.35), (thread + 0.39, bottom - 0.35), TEXT, style=":")
    for thread, source in sources.items():
        line(axes, (source, middle + 0.35), (thread, bottom - 0.35), ACTIVE)
    (stride,) = {thread - source for thread, source in sources.items()}
    colours = [ACTIVE if thread in sources else IDLE for thread in range(COUNT)]
    row(axes, bottom, [after[thread] for thread in range(COUNT)], colours, left=f"sum, after stride {stride}")
    label(axes, COUNT + 0.1, (top + middle) / 2, "1. Each thread stores its sum.", at="left")
    label(axes, COUNT + 0.1, middle, "Barrier.", at="left")
    words = f"2. Thread i reads the sum of thread i − {stride},\n    and adds it to the sum that it holds."
    label(axes, COUNT + 0.1, (middle + bottom) / 2, words, at="left")


def draw_sums(axes: Axes, trace: Trace) -> None:
    first = stored(trace, 0)
    row(axes, 0, [first[thread] for thread in range(COUNT)], left="sum, in registers")
    for thread in range(COUNT):
        label(axes, thread, -0.5, f"{thread}", at="bottom", size=7)
    label(axes, -0.8, -0.5, "thread", at="right", size=7)
    for round_ in range(ROUNDS):
        draw_round(axes, trace, round_)


def draw_strip(axes: Axes, trace: Trace) -> None:
    """Time goes to the right. A cell is what all threads do with a buffer between two barriers."""
    last_warp = block_size(trace) // 32 - 1  # all its lanes have a left neighbour
    for step in range(PHASES):
        for access in trace.select(array="s_sum", step=step, warp=last_warp):
            colour, word = (OTHER, "store") if access.op == "store" else (ACTIVE, "read")
            cell(axes, 2 * step, buffer_of(access, trace), word, colour, width=1.7, height=0.8)
        line(axes, (2 * step + 1, -0.6), (2 * step + 1, 1.6), TEXT)
    barriers = {access.step for access in trace.select(op="barrier")}
    for buffer in range(2):
        label(axes, -1.3, buffer, f"s_sum[{buffer}]", at="right")
    label(axes, 2 * PHASES - 0.8, 0.5, f"… {len(barriers)} barriers", at="left")
    arrow(axes, (-1, 2), (2 * PHASES - 1, 2))
    label(axes, -1.3, 2, "time", at="right")


def draw(trace: Trace) -> Figure:
    made, (top, bottom) = figure(10, 7, rows=2, heights=[3.4, 1.1])
    draw_sums(top, trace)
    panel(top, "The first 8 threads: the buffers take turns", -4.2, COUNT + 7, -1.1, 2 * GAP * ROUNDS + 0.5)
    draw_strip(bottom, trace)
    panel(bottom, "What the threads do with each buffer, from barrier to barrier", -3.4, 15.5, -0.9, 2.4)
    legend(
        made,
        {ACTIVE: "read, and added", OTHER: "stored", IDLE: "unchanged; a dotted line: the sum that a thread holds"},
    )
    return made
