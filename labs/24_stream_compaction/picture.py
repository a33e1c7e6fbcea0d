"""The way of the selected elements of one tile: from the input into shared memory, and from there to the output."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, arrow, cell, figure, label, legend, panel

TILE = 512  # elements, in blocks of 32 threads
SHOWN = 24  # of tile 1
SELECTED = {0, 1, 4, 7, 8, 9, 11, 15, 18, 19, 20, 23}
# Of tile 0, 5 elements are selected.
VALUES = [i + 1 if (i in (3, 100, 200, 300, 400) or i - TILE in SELECTED) else -i - 1 for i in range(2 * TILE)]
RECORDS = [
    Record(
        "select_positive",
        VALUES,
        smaller=("constexpr int kBlock = 128;  // threads", "constexpr int kBlock = 32;  // threads"),
    )
]


def places(trace: Trace, array: str) -> dict[int, int]:
    """Where tile 1 stores each value: value → index."""
    stored = trace.select(op="store", array=array, block=1)
    lanes = [lane for access in stored for lane in access.lanes]
    return {int(value): lane.index + k for lane in lanes for k, value in enumerate(lane.values)}


def draw_way(axes: Axes, trace: Trace) -> None:
    shared = places(trace, "s_selected")
    out = {value: place for value, place in places(trace, "out").items() if value in shared}
    earlier = out[min(out)]
    for i in range(SHOWN):
        selected = i in SELECTED
        cell(axes, i, 0, str(VALUES[TILE + i]), ACTIVE if selected else IDLE, width=0.96, height=0.7, size=7)
        if i % 4 == 0:
            label(axes, i + 1.5, -0.75, f"lane {i // 4}", size=8)
    for value, place in shared.items():
        i = value - 1 - TILE
        assert out[value] == earlier + place
        cell(axes, place, 2, str(value), ACTIVE, width=0.96, height=0.7, size=7)
        arrow(axes, (i, 0.4), (place, 1.6))
    for k in range(earlier):
        cell(axes, k, 4, "", OTHER, width=0.96, height=0.7)
    for value, place in out.items():
        cell(axes, place, 4, str(value), ACTIVE, width=0.96, height=0.7, size=7)
    arrow(axes, (len(shared) / 2, 2.45), (earlier + len(shared) / 2, 3.55))
    for y, name in ((0, "in, tile 1"), (2, "shared memory"), (4, "out")):
        label(axes, -0.8, y, name, at="right")
    label(axes, earlier + len(shared) + 0.2, 3, f"the look-back says: {earlier} before this tile", at="left")
    panel(axes, "The selected elements of a tile meet before they leave", -4.2, SHOWN, -1.2, 4.6)


def draw(trace: Trace) -> Figure:
    made, (axes,) = figure(11, 3.6)
    draw_way(axes, trace)
    legend(made, {ACTIVE: "above zero", IDLE: "not selected", OTHER: "selected by tile 0"})
    return made
