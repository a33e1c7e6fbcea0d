"""The sums of a warp's lanes from shuffle to shuffle, and how the warps' sums meet behind the barrier."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, TEXT, cell, figure, label, legend, line, panel, row

LANES = 32
RECORDS = [Record("reduce_sum", [i % LANES for i in range(512)] + [0] * 3584)]  # lane i begins with the sum i


def added(sums: list[int], shuffle: Access) -> list[int]:
    """The lanes' sums after each lane has added the value that it got from the shuffle."""
    return [own + int(lane.value) for own, lane in zip(sums, shuffle.lanes, strict=True)]


def needed(shuffles: list[Access]) -> list[set[int]]:
    """Lanes whose sum reaches lane 0 in the end: before each shuffle, and after the last."""
    wanted = [{0}]
    for shuffle in reversed(shuffles):
        wanted.append(wanted[-1] | {shuffle.lanes[lane].source for lane in wanted[-1]})
    return wanted[::-1]


def lanes_row(axes: Axes, y: float, sums: list[int], lanes: set[int], left: str, *, all_sums: bool = True) -> None:
    """Only the first len(lanes) lanes count. all_sums: the numbers of the other lanes are shown too."""
    shown = LANES if all_sums else len(lanes)
    row(axes, y, sums[:shown], [ACTIVE if lane in lanes else IDLE for lane in range(shown)], left=left, width=0.94)
    if shown < LANES:
        cell(axes, (shown + LANES - 1) / 2, y, width=LANES - shown - 0.06, height=0.7)


def draw_shuffles(axes: Axes, trace: Trace) -> None:
    sums = [0] * LANES
    loads = trace.select(op="load", array="data", warp=0)
    for load in loads:
        sums = [own + int(lane.value) for own, lane in zip(sums, load.lanes, strict=True)]
    shuffles = trace.select(op="shuffle", warp=0, step=0)
    wanted = needed(shuffles)
    lanes_row(axes, 0, sums, wanted[0], f"{len(loads)} loads")
    for number, shuffle in enumerate(shuffles, 1):
        y = 1.5 * number
        sums = added(sums, shuffle)
        for lane in wanted[number]:
            source = shuffle.lanes[lane].source
            line(axes, (source, y - 1.5 + 0.36), (lane + 0.2, y - 0.36))
            line(axes, (lane, y - 1.5 + 0.36), (lane, y - 0.36))
        lanes_row(axes, y, sums, wanted[number], f"offset {shuffle.lanes[0].source}", all_sums=shuffle is shuffles[-1])
    for lane in range(0, LANES, 4):
        label(axes, lane, -0.55, str(lane), at="bottom", size=7)
    panel(
        axes,
        "One warp: lane i begins with i; in five steps it adds the sum of the lane `offset` above it",
        -4,
        32,
        -1.1,
        8,
    )


def draw_meeting(axes: Axes, trace: Trace) -> None:
    stores = trace.select(op="store", array="s_warp_sums")
    (load,) = trace.select(op="load", array="s_warp_sums")
    words = {lane.index: lane.value for store in stores for lane in store.lanes}
    for store in stores:
        for lane in store.lanes:
            label(axes, lane.index, -0.55, f"w{store.warp}", at="bottom", size=7)
    row(axes, 0, [words[i] for i in sorted(words)], OTHER, left="s_warp_sums", width=0.94)

    axes.plot([-0.5, 31.5], [0.95, 0.95], color=TEXT, linewidth=1.2, linestyle=(0, (4, 2)))
    label(axes, 31.5, 0.75, "the only barrier", at="right")
    sums = [0] * LANES
    for lane in load.lanes:
        sums[lane.lane] = int(lane.value)
        line(axes, (lane.index, 0.36), (lane.lane, 1.54), OTHER)
    shuffles = trace.select(op="shuffle", warp=load.warp, step=load.step)
    lanes_row(axes, 1.9, sums, {lane.lane for lane in load.lanes}, f"warp {load.warp}")
    for shuffle in shuffles:
        sums = added(sums, shuffle)
    label(axes, -0.8, 3.6, f"{len(shuffles)} shuffles", at="right")
    cell(axes, 0.38, 3.6, str(sums[0]), ACTIVE, width=1.7, height=0.7)
    for lane in load.lanes:
        line(axes, (lane.lane, 2.26), (0.05 * lane.lane, 3.24))
    panel(axes, "One block: a word for each of its 16 warps, and the first warp adds them", -4, 32, -1.2, 4.1)


def draw(trace: Trace) -> Figure:
    made, (top, bottom) = figure(10.5, 7.4, rows=2, heights=[9.1, 5.3])
    draw_shuffles(top, trace)
    draw_meeting(bottom, trace)
    legend(
        made, {ACTIVE: "counts for the sum in lane 0", OTHER: "shared memory", IDLE: "takes part, and nobody needs it"}
    )
    return made
