"""The two sweeps over a whole tree of 8 elements, and how many words of a bank a warp wants in each step."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Flow, Record, Trace
from common.pictures.shapes import (
    ACTIVE,
    CONFLICT,
    IDLE,
    OTHER,
    arrow,
    bank_rows,
    figure,
    label,
    legend,
    line,
    panel,
    row,
)  # fmt: skip

VALUES = [3, 1, 7, 0, 4, 1, 6, 3]
SMALL_TILE = ("constexpr int kBlock = 256;", f"constexpr int kBlock = {len(VALUES) // 2};")  # two elements a thread
RECORDS = [Record("scan_exclusive", VALUES, smaller=SMALL_TILE), Record("scan_exclusive", [1] * 512)]
TILE = "s_tile"
LEVELS = 3  # of a tree of 8: steps of each sweep; step 0 fills the tile
STEPS = 9  # of each sweep over a tile of 512
GAP = 1.7


def is_sum(access: Access) -> bool:
    return "+" in access.code


def flows(trace: Trace, step: int) -> list[tuple[Flow, str]]:
    """The values that a step passes on, and those that it adds. A thread works at one node in a step."""
    loaded: dict[int, set[int]] = {}
    result = []
    for access in trace.select(array=TILE, step=step, block=0):
        for lane in access.lanes:
            if access.op == "load":
                loaded.setdefault(lane.thread, set()).add(lane.index)
            elif is_sum(access):
                sources = tuple(sorted(loaded[lane.thread]))
                result.append((Flow(lane.thread, sources, lane.index, lane.value), ACTIVE))
            elif access is not root_store(trace):
                (source,) = loaded[lane.thread] - {lane.index}
                result.append((Flow(lane.thread, (source,), lane.index, lane.value), OTHER))
    return result


def root_store(trace: Trace) -> Access:
    """The last store before the down-sweep. It replaces the sum of the whole tile."""
    return trace.select(array=TILE, step=LEVELS, op="store")[-1]


def stride(trace: Trace, step: int) -> int:
    """The distance of the two elements that thread 0 loads."""
    first = [access.lanes[0].index for access in trace.select(array=TILE, step=step, warp=0, op="load")]
    return max(first) - min(first)


def sweep(axes: Axes, trace: Trace, x: float, tile: list[str], steps: range, side: str) -> None:
    """The tile after each of the steps, also in `tile`. side: of the words."""
    for number, step in enumerate(steps, 1):
        y, colours = GAP * number, [IDLE] * len(VALUES)
        for flow, colour in sorted(flows(trace, step), key=lambda one: one[1] == ACTIVE):
            colours[flow.target] = colour
            tile[flow.target] = f"{flow.value:g}"
            for source in flow.sources:
                aside = 0.15 * ((source > flow.target) - (source < flow.target))
                start, end = (x + source, y - GAP + 0.4), (x + flow.target + aside, y - 0.4)
                line(axes, start, end, colour, style="--" if colour == OTHER else "-")
        row(axes, y, tile, colours, x=x, **{side: f"stride {stride(trace, step)}"})


def draw_tree(axes: Axes, trace: Trace) -> None:
    down = 13.7  # x of the down-sweep
    after = trace.contents(TILE, 0)
    tile = [f"{after[i]:g}" for i in range(len(VALUES))]
    row(axes, 0, tile, left="elements")
    sweep(axes, trace, 0, tile, range(1, LEVELS + 1), "left")
    label(axes, 3.5, -0.9, "1. Up: a node's last element gets the node's sum.", at="bottom")

    (root,) = root_store(trace).lanes
    total, tile[root.index] = tile[root.index], f"{root.value:g}"
    row(axes, 0, tile, [IDLE] * root.index + [CONFLICT], x=down)
    sweep(axes, trace, down, tile, range(LEVELS + 1, 2 * LEVELS + 1), "right")
    label(axes, down + 3.5, -0.9, "3. Down: a node's last element gets the sum before the node.", at="bottom")

    corner, low = root.index + 1.9, GAP * LEVELS  # the way from the root's sum to its 0
    line(axes, (root.index + 0.5, low), (corner, low), CONFLICT)
    line(axes, (corner, low), (corner, 0), CONFLICT)
    arrow(axes, (corner, 0), (down - 0.6, 0), CONFLICT)
    words = f"""2. {total} is the sum of
all elements. Thread
{root.thread} stores {root.value:g} in its
place: no element
comes before the
whole tree."""
    label(axes, corner + 0.3, low / 2, words, at="left")


def draw(small: Trace, tile: Trace) -> Figure:
    made, (top, bottom) = figure(10, 7.2, rows=2, heights=[1, 1.25])
    draw_tree(top, small)
    panel(top, "A whole tree of 8 elements (your tile has 512)", -2.8, 24.2, -1.6, 5.7)

    rows = []
    for step in range(1, STEPS + 1):
        loads = tile.select(array=TILE, step=step, warp=0, op="load")
        right = max(loads, key=lambda access: access.lanes[0].index)
        rows.append((f"stride {stride(tile, step)}", right))
    bank_rows(bottom, rows)
    panel(
        bottom,
        "A tile of 512: the words that warp 0 wants of each bank (right ends of its nodes)",
        -6.5,
        38,
        -0.8,
        8.6,
        room=16,
    )

    legend(
        made,
        {
            ACTIVE: "added, or wanted once",
            OTHER: "handed on to the left half",
            CONFLICT: "the 0, or wanted several times",
            IDLE: "left as it is",
        },
    )
    return made
