"""One warp's scan by shuffles, and how the sums of eight warps come together between two barriers."""

from math import nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, TEXT, figure, label, legend, line, panel, row
from common.pictures.trace import as_float

WARPS = 8
VALUES = [(5 * i + i // 7) % 3 for i in range(32 * WARPS)]
RECORDS = [Record("scan_inclusive", VALUES)]
GAP = 1.9


def draw_warp(axes: Axes, trace: Trace) -> None:
    """Warp 0 before the first shuffle and after each. The record has the value that every lane received. The sums are
    added up here, and compared with the values that other lanes receive and with the values that the lanes store."""
    (load,) = trace.select(op="load", array="in", warp=0)
    (store,) = trace.select(op="store", array="out", warp=0)  # warp 0 has no sum before it to add
    sums = [lane.value for lane in load.lanes]
    row(axes, 0, [f"{x:g}" for x in sums], left="in", width=0.94)
    for number, access in enumerate(trace.select(op="shuffle", warp=0, step=0), 1):
        y = GAP * number
        taken = {lane.lane: lane for lane in access.lanes if lane.source != lane.lane}
        (stride,) = {target - lane.source for target, lane in taken.items()}
        for lane in access.lanes:
            assert as_float(int(lane.value)) == sums[lane.source]
        sums = [x + (as_float(int(taken[i].value)) if i in taken else 0) for i, x in enumerate(sums)]
        colours = [ACTIVE if lane in taken else IDLE for lane in range(32)]
        row(axes, y, [f"{x:g}" for x in sums], colours, left=f"up by {stride}", width=0.94)
        ends = [end for target, lane in taken.items() for end in (lane.source, target, nan)]
        heights = [y - GAP + 0.4, y - 0.4, nan] * len(taken)
        axes.plot(ends, heights, color=ACTIVE, linewidth=1)  # one path, with gaps: a smaller file
    assert sums == [lane.value for lane in store.lanes]


def draw_block(axes: Axes, trace: Trace) -> None:
    """s_before as the warps store it and as warp 0 changes it, and the value that each warp then reads."""
    before, after = trace.contents("s_before", 0), trace.contents("s_before", 1)
    scanners = {access.warp for access in trace.select(op="store", array="s_before", step=1)}
    writers = {access.lanes[0].index: access.warp for access in trace.select(op="store", array="s_before", step=0)}
    reads = {
        access.warp: access.lanes[0]
        for access in trace.select(op="load", array="s_before", step=2)
        if access.warp < WARPS
    }
    across = 4  # cells a warp
    for index in range(WARPS):
        x = across * index + 1.5
        row(axes, 0, [f"{before[index]:g}"], ACTIVE, x=x, width=3.6)
        label(axes, x, -0.5, f"warp {writers[index]}", at="bottom")
        row(axes, GAP, [f"{after[index]:g}"], OTHER, x=x, width=3.6)
        word = f"+ {reads[index].value:g}" if index in reads else ""
        row(axes, 2 * GAP, [word], ACTIVE if index in reads else IDLE, x=x, width=3.6)
        if index in reads:
            line(axes, (across * reads[index].index + 1.5, GAP + 0.4), (x, 2 * GAP - 0.4))
    for y, word in (
        (0, "its lane 31 stores"),
        (GAP, f"warp {', '.join(map(str, sorted(scanners)))} scans"),
        (2 * GAP, "each lane adds"),
    ):
        label(axes, -0.8, y, word, at="right")
    for step in {access.step for access in trace.select(op="barrier")}:
        y = GAP * (step + 0.5)
        axes.plot([-0.4, 31.4], [y, y], color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        label(axes, 31.7, y, "barrier", at="left")


def draw(trace: Trace) -> Figure:
    made, (top, bottom) = figure(10.5, 6.6, rows=2, heights=[1.75, 1])
    draw_warp(top, trace)
    panel(top, "One warp, 32 lanes: five shuffles, no shared memory, no barrier", -6.2, 34, -0.8, 10.1)
    draw_block(bottom, trace)
    panel(bottom, f"The first {WARPS} of 32 warps: their sums in shared memory", -6.2, 34, -1.3, 4.5)
    legend(made, {ACTIVE: "each warp", OTHER: "one warp for all", IDLE: "adds nothing"})
    return made
