"""An array of four tiles, the last one short: scanned tile by tile, the sums scanned, and each tile raised by its
offset. A curve shows the values that the kernels stored."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, OTHER, arrow, cell, figure, label, legend, line, panel
from common.pictures.trace import Lane, Number

TILE, COUNT = 1024, 3700
TILES = [range(first, min(first + TILE, COUNT)) for first in range(0, COUNT, TILE)]
VALUES = [(3, 1, 2, 3)[i // TILE] + (i % 97 == 0) for i in range(COUNT)]  # a slope for each tile
RECORDS = [Record("scan_inclusive", VALUES)]
WIDE = 8.0  # of a tile, in cells
LOW, SUMS, OFFSETS, HIGH = 3.4, 5.6, 7.9, 16.4  # y of the first curve's foot, the rows, the last curve's foot
SCALE = 6.6  # height of the whole array's sum


def stored(trace: Trace, launch: int, code: str) -> list[Lane]:
    """The values that this kernel stores in the line with this code, in the order of the array."""
    accesses = trace.select(launch=launch, op="store")
    return sorted((x for access in accesses if code in access.code for x in access.lanes), key=lambda x: x.index)


def offsets_added(trace: Trace, launch: int) -> dict[int, Lane]:
    """Tile → the offset that its block loaded."""
    tiles = {access.block: access.lanes[0].index // TILE for access in trace.select(launch=launch, op="store")}
    loads = trace.select(launch=launch, op="load")
    return {tiles[access.block]: access.lanes[0] for access in loads if access.array != "out"}


def draw_curve(axes: Axes, values: Mapping[int, Number], offsets: Mapping[int, Number], foot: float) -> None:
    """A tile's values as an area; below them, in the other colour, the offset that was added to all of them."""
    height = SCALE / sum(VALUES)
    for number, tile in enumerate(TILES):
        shown = [*tile[::32], tile[-1]]
        across = [WIDE * i / TILE for i in shown]
        low = foot - height * offsets.get(number, 0)
        if number in offsets:
            axes.fill([across[0], across[0], across[-1], across[-1]], [foot, low, low, foot], color=OTHER, linewidth=0)
        axes.fill(
            [across[0], *across, across[-1]],
            [low, *(foot - height * values[i] for i in shown), low],
            color=ACTIVE,
            linewidth=0,
        )
        label(axes, across[-1], foot - height * values[tile[-1]] - 0.1, f"{values[tile[-1]]:g}", at="bottom")


def draw(trace: Trace) -> Figure:
    scan, scan_sums, add = trace.launches
    scanned = {x.index: x.value for x in stored(trace, scan.launch, "out[i] = ")}
    final = scanned | {x.index: x.value for x in stored(trace, add.launch, "out[i] += ")}
    sums = [x.value for x in stored(trace, scan.launch, "sums[blockIdx.x] = ")]
    results = stored(trace, scan_sums.launch, "out[i] = ")
    offsets = offsets_added(trace, add.launch)

    made, (axes,) = figure(10, 6.6)
    draw_curve(axes, scanned, {}, LOW)
    draw_curve(axes, final, {tile: x.value for tile, x in offsets.items()}, HIGH)
    for number, tile in enumerate(TILES):
        middle, end = WIDE * (number + 0.5), WIDE * (tile[-1] + 1) / TILE
        cell(axes, middle, SUMS, f"{sums[number]:g}", ACTIVE, width=4, height=0.9)
        cell(axes, middle, OFFSETS, f"{results[number].value:g}", OTHER, width=4, height=0.9)
        arrow(axes, (end, LOW + 0.1), (middle + 1.2, SUMS - 0.5))
        assert results[number].value == sum(sums[: number + 1])
        for before in range(number + 1):
            line(axes, (WIDE * (before + 0.5), SUMS + 0.45), (middle, OFFSETS - 0.45), OTHER)
    for tile, offset in offsets.items():
        start = WIDE * (offset.index - results[0].index + 0.5)
        end = HIGH - SCALE * offset.value / sum(VALUES) - 0.2
        arrow(axes, (start, OFFSETS + 0.5), (WIDE * tile + 1.2, end), OTHER)

    for y, text, launch in ((2.4, "1. scan", scan), (6.75, "2. scan the sums", scan_sums), (14.5, "3. fan out", add)):
        blocks = "1 block" if launch.grid[0] == 1 else f"{launch.grid[0]} blocks"
        label(axes, -0.6, y, f"{text}\n{launch.kernel}\n{blocks}", at="right")
    for y, text in ((SUMS, "sums"), (OFFSETS, "offsets")):
        label(axes, WIDE * len(TILES) + 0.2, y, text, at="left")
    panel(axes, f"{COUNT} elements, tiles of {TILE}: what the kernels store", -5.4, 34.5, 0.4, HIGH + 0.2)
    legend(made, {ACTIVE: "a tile by itself", OTHER: "the sums' scan, and what it adds to a tile"})
    return made
