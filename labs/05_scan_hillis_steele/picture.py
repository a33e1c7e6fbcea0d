"""Which sum each of 16 threads adds in each step, and what they do with the shared array between two barriers."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Flow, Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, TEXT, arrow, cell, figure, flow_rows, label, legend, line, panel

VALUES = [3, 1, 7, 0, 4, 1, 6, 3, 2, 5, 1, 8, 2, 0, 4, 1]
RECORDS = [Record("scan_inclusive", VALUES)]
STRIDES = 4  # after them all 16 sums are complete
PHASES = 8  # of the lower strip; a phase lies between two barriers


def added(trace: Trace, step: int) -> list[Flow]:
    """For each thread with an element: the thread whose sum it read in this step. Its own sum is in a register."""
    reads = trace.select(op="load", array="s_sum", step=step)
    lanes = [lane for access in reads for lane in access.lanes if lane.thread < len(VALUES)]
    return [Flow(lane.thread, (lane.thread, lane.index), lane.thread, lane.value) for lane in lanes]


def draw_strip(axes: Axes, trace: Trace) -> None:
    """Time goes to the right. A cell is what all threads do with the array between two barriers."""
    for step in range(PHASES):
        accesses = trace.select(array="s_sum", step=step)
        (op,) = {access.op for access in accesses}
        threads = sum(len(access.lanes) for access in accesses)
        colour = OTHER if op == "store" else ACTIVE
        cell(axes, 2 * step, 0, f"{'store' if op == 'store' else 'read'} {threads}", colour, width=1.7, height=0.8)
        if trace.select(op="barrier", step=step):
            line(axes, (2 * step + 1, -0.6), (2 * step + 1, 0.6), TEXT)
    barriers = {access.step for access in trace.select(op="barrier")}
    label(axes, -1.3, 0, "s_sum", at="right")
    label(axes, 2 * PHASES - 0.8, 0, f"… {len(barriers)} barriers", at="left")
    arrow(axes, (-1, 1), (2 * PHASES - 1, 1))
    label(axes, -1.3, 1, "time", at="right")


def draw(trace: Trace) -> Figure:
    made, (top, bottom) = figure(9, 5.8, rows=2, heights=[3.4, 1])

    rounds = []
    for round_ in range(STRIDES):
        flows, after = added(trace, 2 * round_ + 1), trace.contents("s_sum", 2 * round_ + 2)
        stride = flows[0].sources[0] - flows[0].sources[1]
        rounds.append((f"stride {stride}", [f"{after[i]:g}" for i in range(len(VALUES))], flows))
    flow_rows(top, VALUES, rounds, left="in")
    panel(top, "16 elements: each thread adds the sum that lies one stride to its left", -3.2, 15.7, -0.8, 7.1)

    draw_strip(bottom, trace)
    panel(bottom, "What 1024 threads do with the shared array, from barrier to barrier", -3.4, 19, -1, 1.3)

    legend(made, {ACTIVE: "reads a sum and adds it", OTHER: "stores its sum", IDLE: "adds nothing"})
    return made
