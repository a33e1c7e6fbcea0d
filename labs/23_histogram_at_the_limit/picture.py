"""When a warp asks for its bytes and when it counts them: three rounds and the rest."""

from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, cell, figure, label, legend, line, panel

ROUND = 512 * 4 * 16  # bytes of a block
RECORDS = [
    Record(
        "histogram",
        bytes(i * 7 % 256 for i in range(3 * ROUND + ROUND // 2)),
        smaller=(
            "constexpr size_t kFewest = 2048;  // bytes for which a block is started",
            "constexpr size_t kFewest = 1 << 20;",
        ),
    )
]


def kind(access: Access) -> str:
    if access.op == "load" and access.array == "data":
        return "ask"
    if access.op == "atomic" and access.space == "shared":
        return "count"
    return "clear" if access.op == "store" and access.space == "shared" and access.step == 0 else ""


def draw_rounds(axes: Axes, accesses: list[Access]) -> None:
    """x: additions so far, in units of a vector; clearing takes half of one."""
    x, asked, counted = 0.0, [], 0
    for what, group in groupby((one for one in accesses if kind(one)), kind):
        many = len(list(group))
        if what == "ask":
            asked.append((x, many))
        elif what == "clear":
            cell(axes, x + 0.45, -1, "clears", IDLE, width=0.86, height=0.7)
            x += 0.9
        else:
            while many > 0:
                begin, vectors = asked[counted]
                width = float(vectors)
                label(axes, -0.3, counted, f"vectors {4 * counted} to {4 * counted + vectors - 1}", at="right")
                cell(axes, (begin + x) / 2, counted, "", OTHER, width=max(x - begin, 0.1), height=0.34)
                cell(axes, x + width / 2, counted, f"{16 * vectors} additions", ACTIVE, width=width, height=0.7)
                line(axes, (begin, counted - 0.45), (begin, counted + 0.45), OTHER)
                x += width
                many -= 16 * vectors
                counted += 1
    label(axes, -0.3, -1, "this warp", at="right")
    panel(axes, "One warp: the next vectors are under way while it counts", -3, x + 0.2, -1.6, counted - 0.4)


def draw(trace: Trace) -> Figure:
    made, (axes,) = figure(10.5, 3.4)
    draw_rounds(axes, trace.select(block=0, warp=0))
    legend(made, {OTHER: "in flight", ACTIVE: "counts", IDLE: "clears its counters"})
    return made
