"""Which elements each thread of the naive scans adds, and how long a warp takes; a warp has eight threads here."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, arrow, cell, figure, label, legend, panel

N = 8  # threads, and elements
RECORDS = [Record("scan_inclusive", [1] * N), Record("scan_exclusive", [1] * N)]


def draw_triangle(axes: Axes, title: str, trace: Trace) -> None:
    """A row for each thread; a column for each turn of its loop, which is also the element that it adds."""
    flows = trace.flows()
    turns = max(len(flow.sources) for flow in flows)
    for flow in flows:
        y = flow.thread + 0.5
        for element in range(turns):
            if element in flow.sources:
                cell(axes, element + 0.5, y, f"in[{element}]", ACTIVE)
            else:
                cell(axes, element + 0.5, y)
        label(axes, -0.2, y, f"thread {flow.thread}", at="right")
        label(axes, turns + 0.2, y, f"out[{flow.target}]", at="left")
    arrow(axes, (0, N + 0.35), (turns, N + 0.35))
    label(axes, turns / 2, N + 0.65, f"turns of the warp's loop: {turns}", at="top")
    panel(axes, title, -1.8, N + 1.4, -0.1, N + 1.3, square=True)


def draw(inclusive: Trace, exclusive: Trace) -> Figure:
    made, (left, right) = figure(10.5, 4.9, columns=2)
    draw_triangle(left, "inclusive", inclusive)
    draw_triangle(right, "exclusive", exclusive)
    legend(made, {ACTIVE: "the thread adds this element", IDLE: "the thread is done; its warp is not"})
    return made
