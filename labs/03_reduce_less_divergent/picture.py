"""Which thread adds which pair, and which warps of a block are active: in the starter (lab 02) and the reference."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Flow, Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, LARGE, OTHER, cell, figure, flow_rows, label, legend, panel

ELEMENTS, BLOCK = [1] * 16, [1] * 1024
RECORDS = [Record("reduce_sum", ELEMENTS), Record("reduce_sum", BLOCK, "starter"), Record("reduce_sum", BLOCK)]
DATA = "data"
WARPS, STEPS = 32, 10
APART = 41  # columns between the two grids


def stride(flows: list[Flow]) -> int:
    return max(flows[0].sources) - flows[0].target


def steps(trace: Trace, count: int) -> list[list[Flow]]:
    return [trace.flows(array=DATA, step=step) for step in range(count)]


def draw_pairs(axes: Axes, trace: Trace) -> None:
    """The pairs of 16 elements; the cell that gets the sum shows the thread that adds."""
    rounds = []
    for flows in steps(trace, 4):
        adds = {flow.target: flow.thread for flow in flows}
        texts = [f"t{adds[i]}" if i in adds else "" for i in range(len(ELEMENTS))]
        rounds.append((f"stride {stride(flows)}", texts, flows))
    flow_rows(axes, range(len(ELEMENTS)), rounds, left="element")
    panel(axes, "The pairs of lab 02; thread i (t0, t1, …) takes the i-th one", -3.2, 15.7, -0.8, 7.1)


def draw_warps(axes: Axes, trace: Trace, x: float, title: str) -> None:
    """A row for each step, a column for each warp; a cell shows how many of its lanes add."""
    for y, flows in enumerate(steps(trace, STEPS)):
        lanes = [sum(flow.thread // 32 == warp for flow in flows) for warp in range(WARPS)]
        cell(axes, x + (WARPS - 1) / 2, y, width=WARPS)
        for warp, n in enumerate(lanes):
            if n > 0:
                cell(axes, x + warp, y, colour=ACTIVE if n == 32 else OTHER)
        label(axes, x - 1, y, str(stride(flows)), at="right")
        label(axes, x + WARPS, y, str(sum(n > 0 for n in lanes)), at="left")
    label(axes, x - 1, -1, "stride", at="right")
    label(axes, x + WARPS, -1, "warps", at="left")
    label(axes, x + WARPS / 2 - 0.5, -1, title, size=LARGE)


def draw(pairs: Trace, before: Trace, after: Trace) -> Figure:
    made, (top, bottom) = figure(9, 6.2, rows=2, heights=[1.7, 1.25])
    draw_pairs(top, pairs)
    draw_warps(bottom, before, 0, "lab 02: 32 warps")
    draw_warps(bottom, after, APART, "lab 03: 32 warps")
    panel(bottom, "The warps of a block of 1024 threads", -5, APART + WARPS + 4, -1.6, STEPS - 0.4)
    legend(made, {ACTIVE: "all 32 lanes add", OTHER: "some lanes add, the others wait", IDLE: "nothing to do"})
    return made
