"""Which elements of its tile a warp loads before the first barrier, and all warps' loads between the barriers."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, cell, figure, label, legend, line, panel, warp_rows

RECORDS = [Record("reduce_sum", [1] * 4096)]
WARPS, CELLS = 16, 128  # of a block; a cell is the 32 elements of one load


def draw_tile(axes: Axes, trace: Trace) -> None:
    before = trace.select(step=0, warp=0)
    loads = [access for access in before if access.op == "load"]
    (store,) = [access for access in before if access.op == "store"]
    of_warp = {load.lanes[0].index // 32 for load in loads}

    def x(number: int) -> float:
        return number + number // WARPS  # a gap after each block of data

    for number in range(CELLS):
        cell(axes, x(number), 0, colour=ACTIVE if number in of_warp else IDLE, height=2)
    for load in loads:
        first = load.lanes[0].index
        label(axes, x(first // 32) - 0.5, -1.6, f"{first}", at="left")
        line(axes, (x(first // 32), 1.2), (x(store.lanes[0].index // 32), 4.3))
    for number in range(WARPS):
        cell(axes, x(number), 5.5, colour=OTHER if number == store.lanes[0].index // 32 else IDLE, height=2)
    label(axes, x(WARPS), 5.5, "the 512 sums, in the place of the first 512 elements", at="left")
    label(axes, -1.5, 0, "data", at="right")
    label(axes, -1.5, 5.5, "sums", at="right")
    title = f"Warp 0 before the first barrier: {len(loads)} loads of 32 elements, one store"
    panel(axes, title, -7, x(CELLS), -3, 7)


def draw_warps(axes: Axes, trace: Trace) -> None:
    places = warp_rows(axes, trace, WARPS)
    steps = 1 + max(access.step for access in trace.select(op="barrier"))
    for step in range(steps):
        flow = trace.flows(warp=0, step=step)[0]  # of thread 0: after the first step, elements 0 and stride
        at = [x for x, access in places if access.step == step]
        word = f"stride {flow.sources[1]}" if step == 1 else f"{flow.sources[1]}"
        label(axes, sum(at) / len(at), -1, word if step else f"{len(flow.sources)} elements a thread", at="bottom")
    for warp in (0, WARPS - 1):
        label(axes, -0.8, warp, f"warp {warp}", at="right")
    panel(axes, "All 16 warps, from left to right", -4, 43, -1.8, WARPS, room=8)


def draw(trace: Trace) -> Figure:
    made, (tile, warps) = figure(10, 5.6, rows=2, heights=[1, 2.2])
    draw_tile(tile, trace)
    draw_warps(warps, trace)
    legend(made, {ACTIVE: "load", OTHER: "store", IDLE: "waits at the barrier, or left to other warps"})
    return made
