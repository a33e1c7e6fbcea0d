"""The first threads of the grid take a byte each, and meet at the bins."""

from collections import Counter

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Record, Trace
from common.pictures.shapes import ACTIVE, CONFLICT, IDLE, arrow, cell, figure, label, legend, panel

BYTES = b"a warp, a warp and a bad day"
RECORDS = [Record("histogram", BYTES)]
THREADS = 8  # of the right side, and of one row on the left side


def shown(byte: int) -> str:
    return "␣" if byte == ord(" ") else chr(byte)


def draw_bytes(axes: Axes, load: Access, stride: int) -> None:
    """The data, and which thread loads each byte in the first turn of the loop."""
    for lane in load.lanes:
        y, x = divmod(lane.index, THREADS)
        cell(axes, x, 1.5 * y, shown(lane.value), ACTIVE if lane.thread < THREADS else IDLE)
        label(axes, x, 1.5 * y - 0.55, f"t{lane.thread}", at="bottom", size=7)
    label(axes, THREADS / 2 - 0.5, 5.4, f"next turn, i += stride:\n{stride:,} bytes further", at="top")
    panel(axes, "bytes", -1.9, THREADS - 0.3, -1.4, 6.6, square=True)


def draw_meeting(axes: Axes, atomics: Access) -> None:
    """An arrow from each thread to the bin that it adds to; red where several threads want one bin."""
    bins = sorted({lane.index for lane in atomics.lanes})
    first = atomics.lanes[:THREADS]
    wanted = Counter(lane.index for lane in first)
    gap = 4.6

    def colour(bin_: int) -> str:
        return CONFLICT if wanted[bin_] > 1 else ACTIVE if wanted[bin_] else IDLE

    for lane in first:
        x = lane.thread + (len(bins) - THREADS) / 2
        cell(axes, x, 0, shown(lane.index), colour(lane.index))
        label(axes, x, -0.65, f"t{lane.thread}", at="bottom")
        arrow(axes, (x, 0.55), (bins.index(lane.index), gap - 0.5), colour(lane.index))
    for x, bin_ in enumerate(bins):
        cell(axes, x, gap, f"+{wanted[bin_]}" if wanted[bin_] else "", colour(bin_))
        label(axes, x, gap + 0.65, shown(bin_), at="top")
    panel(axes, f"one atomicAdd a thread: the first {THREADS}", -0.8, len(bins) - 0.2, -1.4, 6.6, square=True)


def draw(trace: Trace) -> Figure:
    (load,), (atomics,) = trace.select(op="load"), trace.select(op="atomic")
    (launch,) = trace.launches
    made, (left, right) = figure(10.5, 4.4, columns=2)
    draw_bytes(left, load, launch.grid[0] * launch.block[0])
    draw_meeting(right, atomics)
    legend(made, {ACTIVE: "alone at its bin", CONFLICT: "several threads at one bin: they queue"})
    return made
