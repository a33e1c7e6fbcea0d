"""The steps of a block in lab 12 and here: which warps add, and at which line of the text each step ends."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, cell, figure, label, legend, line, panel, row

WARPS = 16
ENTRY, DATA = "reduce_sum", "data"
RECORDS = [Record(ENTRY, [1] * 4096, "starter"), Record(ENTRY, [1] * 4096)]


def what_it_does(trace: Trace, step: int) -> str:
    """In words: the stride of this step, or that all threads add the elements that they loaded."""
    flows = trace.flows(array=DATA, step=step)
    strides = [max(flow.sources) - flow.target for flow in flows if len(flow.sources) == 2]
    if not strides:
        return f"{len(flows[0].sources)} loads"
    return f"stride {strides[0]}" if len(set(strides)) == 1 else f"{max(strides)} … {min(strides)}"


def draw_block(axes: Axes, trace: Trace, title: str) -> None:
    """Time goes down. The lines of the kernel may not: where a line comes again, the program has gone back."""
    steps = sorted({access.step for access in trace.accesses})
    ends = {barrier.step: barrier.line for barrier in trace.select(op="barrier")}
    again = {at for at in ends.values() if list(ends.values()).count(at) > 1}
    for step in steps:
        y = 1.4 * step
        adding = {access.warp for access in trace.select(op="store", array=DATA, step=step)}
        colours = [ACTIVE if warp in adding else IDLE for warp in range(WARPS)]
        row(axes, y, [""] * WARPS, colours, left=what_it_does(trace, step), width=1, height=0.8)
        if step not in ends:
            label(axes, WARPS, y, "no barrier", at="left")
            continue
        colour = OTHER if ends[step] in again else IDLE
        cell(axes, WARPS + 1.4, y, f"line {ends[step]}", colour, width=3.6, height=0.8)
        if ends.get(step + 1) == ends[step]:  # a bracket: from here back to the same line
            right = WARPS + 3.7
            line(axes, (WARPS + 3.2, y), (right, y), OTHER)
            line(axes, (right, y), (right, y + 1.4), OTHER)
            line(axes, (right, y + 1.4), (WARPS + 3.2, y + 1.4), OTHER)
    for warp in range(0, WARPS, 4):
        label(axes, warp, -0.6, str(warp), at="bottom", size=7)
    label(axes, WARPS + 1.4, -0.6, "ends at", at="bottom", size=7)
    panel(axes, title, -4.6, WARPS + 4.4, -1.3, 1.4 * steps[-1] + 0.6, room=2)


def draw(loop: Trace, text: Trace) -> Figure:
    made, (left, right) = figure(10.5, 3.6, columns=2)
    draw_block(left, loop, "The starter, as lab 12: three turns of one loop")
    draw_block(right, text, "This lab: three steps, each in its own line")
    legend(made, {ACTIVE: "warp that adds", IDLE: "waits, or is done", OTHER: "the same line again: a branch back"})
    return made
