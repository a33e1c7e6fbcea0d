"""Which thread of the grid takes which element, and which bytes the first warp's load moves."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, cell, figure, label, legend, line, panel

N = 300  # elements: two blocks have more threads than that
RECORDS = [Record("saxpy", [1] * (2 * N))]
X = "x"
WARP, SECTOR = 32, 32  # threads; bytes


def draw_grid(axes: Axes, trace: Trace) -> None:
    """A column for each block, a row for each warp; as wide as its lanes. Lanes that store are coloured."""
    (launch,) = trace.launches
    threads = launch.block[0]
    for block in range(launch.grid[0]):
        left = 10.6 * block
        label(axes, left + 4, -1, f"block {block}: threads 0 … {threads - 1}", at="bottom")
        for warp in range(threads // WARP):
            y = 0.9 * warp
            stores = trace.select(op="store", block=block, warp=warp)
            elements = [lane.index for access in stores for lane in access.lanes]
            width = 8 * len(elements) / WARP
            cell(axes, left + 4, y, width=8, height=0.74)
            if elements:
                text = f"{elements[0]} … {elements[-1]}"
                roomy = width > 4
                cell(axes, left + width / 2, y, text if roomy else "", ACTIVE, width=width, height=0.74)
                if not roomy:
                    label(axes, left + width + 0.2, y, text, at="left", size=8)
            if block == 0:
                label(axes, -0.3, y, f"warp {warp}", at="right")
    panel(axes, f"{N} elements of out, and the threads that compute them", -2.5, 18.8, -1.9, 0.9 * threads / WARP)


def draw_load(axes: Axes, load: Access) -> None:
    """The lanes of a warp above the floats that they want, with gaps between the sectors."""
    across, gap = 0.6, 0.35
    for lane in load.lanes:
        sector = lane.address // SECTOR
        x, below = across * lane.lane + 1.5 * gap, across * lane.index + gap * sector
        line(axes, (x, 0.42), (below, 1.95))
        cell(axes, x, 0, width=across, height=0.8, colour=ACTIVE)
        cell(axes, below, 2.4, width=across, height=0.8, colour=OTHER)
        if lane.lane % 8 == 0:
            middle = below + 3.5 * across
            label(axes, x, -0.6, str(lane.lane), at="bottom", size=8)
            label(axes, middle, 3.0, f"sector {sector}", at="top")
            label(axes, middle, 3.6, f"x[{lane.index}] … x[{lane.index + 7}]", at="top", size=8)
    label(axes, across * 15.5 + 1.5 * gap, -1.25, "lanes of warp 0, block 0", at="bottom")
    title = f"one load of a warp: one request, {load.sectors} sectors of {SECTOR} bytes"
    panel(axes, title, -0.6, across * WARP + 4 * gap, -2.4, 5)


def draw(trace: Trace) -> Figure:
    made, (left, right) = figure(10.5, 3.9, columns=2, widths=[1.08, 1])
    draw_grid(left, trace)
    draw_load(right, trace.select(op="load", array=X, block=0, warp=0)[0])
    legend(made, {ACTIVE: "threads with an element", IDLE: "threads without: they return", OTHER: "floats in memory"})
    return made
