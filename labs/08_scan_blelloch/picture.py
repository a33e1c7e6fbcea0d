"""The two sweeps over 8 elements, and how many words of a bank the lanes of a warp want in each step."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Flow, Record, Trace
from common.pictures.shapes import ACTIVE, CONFLICT, IDLE, OTHER, bank_rows, figure, label, legend, line, panel, row

VALUES = [3, 1, 7, 0, 4, 1, 6, 3]
RECORDS = [Record("scan_exclusive", VALUES), Record("scan_exclusive", [1] * 512)]
TILE = "s_tile"
STEPS = 9  # of each sweep over a tile of 512; step 0 fills the tile
SHOWN = 3  # steps that add inside the first 8 elements


def is_sum(access: Access) -> bool:
    return "+" in access.code


def flows(trace: Trace, step: int) -> list[tuple[Flow, str]]:
    """For the first 8 elements: the values passed on, and the values added. A thread works at one node in a step."""
    loaded: dict[int, set[int]] = {}
    result = []
    for access in trace.select(array=TILE, step=step, block=0):
        for lane in access.lanes:
            if lane.index >= len(VALUES):
                continue
            if access.op == "load":
                loaded.setdefault(lane.thread, set()).add(lane.index)
            elif is_sum(access):
                sources = tuple(sorted(loaded[lane.thread]))
                result.append((Flow(lane.thread, sources, lane.index, lane.value), ACTIVE))
            else:
                (source,) = loaded[lane.thread] - {lane.index}
                result.append((Flow(lane.thread, (source,), lane.index, lane.value), OTHER))
    return result


def stride(trace: Trace, step: int) -> int:
    """The distance of the two elements that thread 0 loads."""
    first = [access.lanes[0].index for access in trace.select(array=TILE, step=step, warp=0, op="load")]
    return max(first) - min(first)


def shown(trace: Trace, step: int) -> list[str]:
    after = trace.contents(TILE, step)
    return [f"{after[i]:g}" for i in range(len(VALUES))]


def sweep(axes: Axes, trace: Trace, x: float, first: tuple[str, int], steps: range) -> None:
    """The tile before the steps, and after each of them. first: a word, and the step after which the tile is drawn."""
    gap = 1.7
    row(axes, 0, shown(trace, first[1]), x=x, left=first[0])
    for number, step in enumerate(steps, 1):
        y, colours = gap * number, [IDLE] * len(VALUES)
        for flow, colour in sorted(flows(trace, step), key=lambda one: one[1] == ACTIVE):
            colours[flow.target] = colour
            for source in flow.sources:
                aside = 0.15 * ((source > flow.target) - (source < flow.target))
                line(axes, (x + source, y - gap + 0.4), (x + flow.target + aside, y - 0.4), colour)
        row(axes, y, shown(trace, step), colours, x=x, left=f"stride {stride(trace, step)}")


def draw(small: Trace, tile: Trace) -> Figure:
    made, (top, bottom) = figure(10, 7.2, rows=2, heights=[1, 1.25])

    last, down = 2 * STEPS, 13.5
    sweep(top, small, 0, ("elements", 0), range(1, SHOWN + 1))
    label(top, 3.5, -0.9, "up: each node's sum, in its last element", at="bottom")
    label(top, 3.5, 5.8, f"… and {STEPS - SHOWN} more steps, up to the root", at="top")
    before = last - SHOWN
    sweep(top, small, down, (f"stride {stride(small, before)}", before), range(before + 1, last + 1))
    label(top, down + 3.5, -0.9, f"down: the sum before each node, {STEPS - SHOWN} steps below the root", at="bottom")
    panel(top, "The first 8 of 512 elements", -2.8, down + 8, -1.6, 6.5)

    rows = []
    for step in range(1, STEPS + 1):
        loads = tile.select(array=TILE, step=step, warp=0, op="load")
        right = max(loads, key=lambda access: access.lanes[0].index)
        rows.append((f"stride {stride(tile, step)}", right))
    bank_rows(bottom, rows)
    panel(bottom, "Words that warp 0 wants of each bank: the right ends of its nodes", -6.5, 38, -0.8, 8.6, room=16)

    legend(
        made,
        {
            ACTIVE: "added up, or wanted once",
            OTHER: "handed on",
            CONFLICT: "wanted several times",
            IDLE: "left as it is",
        },
    )
    return made
