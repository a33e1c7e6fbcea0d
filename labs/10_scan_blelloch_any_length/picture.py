"""The last elements of a tile in the sweeps, where the tile's sum exists only for a moment; and the offsets that three
tiles add."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, arrow, cell, figure, label, legend, panel
from common.pictures.trace import Lane

TILE, COUNT = 512, 1300
TILES = [range(first, min(first + TILE, COUNT)) for first in range(0, COUNT, TILE)]
VALUES = [5 * i % 7 / 4 + 0.5 * (i < TILE) for i in range(COUNT)]  # fractions, and sums that differ
RECORDS = [Record("scan_exclusive", VALUES)]
SHOWN = 8  # elements of the tile, its last ones
ACROSS = 2.1  # from one of them to the next
WIDE, GAP = 9.0, 1.75  # of a tile in the lower part, in cells; between rows


def stored(trace: Trace, launch: int, code: str) -> list[Lane]:
    """The values that this kernel stores in the lines with this code, in the order of the array."""
    accesses = trace.select(launch=launch, op="store")
    return sorted((x for access in accesses if code in access.code for x in access.lanes), key=lambda x: x.index)


def draw_tile(axes: Axes, trace: Trace) -> None:
    """Tile 0. Its root is its last word; thread 0 adds there, stores the sum and clears it, all within one step."""
    launch, sums = trace.launches[0].launch, "sums[blockIdx.x] = "
    (up,) = [x for x in trace.select(launch=launch, block=0, op="store", array="s_tile") if x.code.count("= 0.0f;")]
    root = up.lanes[0].index
    before_last = trace.contents("s_tile", up.step - 1)
    summed = [x.lanes[0].value for x in trace.select(block=0, step=up.step, op="store") if "+=" in x.code]
    last_step = max(access.step for access in trace.select(block=0, op="store", array="s_tile"))
    rows = [
        ("loaded", trace.contents("s_tile", 0)),
        ("up-sweep", before_last | {root: summed[0]}),
        ("root cleared", trace.contents("s_tile", up.step)),
        ("down-sweep", trace.contents("s_tile", last_step)),
    ]
    words = range(root - SHOWN + 1, root + 1)
    assert words[0] % 33 + SHOWN <= 33  # no padding among them
    for number, (word, contents) in enumerate(rows):
        label(axes, -0.8, GAP * number, word, at="right")
        for i, index in enumerate(words):
            colour = OTHER if number in (1, 2) and index == root else ACTIVE if number == 3 else IDLE
            cell(axes, ACROSS * i + 0.5, GAP * number, f"{contents[index]:g}", colour, width=2, height=0.8)
    for i in range(SHOWN):
        label(axes, ACROSS * i + 0.5, -0.5, str(TILE - SHOWN + i), at="bottom", size=7)
    (total,) = [x.value for x in stored(trace, launch, sums) if x.index == 0]
    edge = ACROSS * (SHOWN - 1) + 1.6
    arrow(axes, (edge, GAP), (edge + 2, GAP))
    cell(axes, edge + 3.6, GAP, f"{total:g}", OTHER, width=3, height=0.8)
    label(axes, edge + 5.3, GAP, "sums[0]", at="left")
    lacking = total - rows[-1][1][root]
    assert lacking == VALUES[TILE - 1]
    label(axes, edge + 0.1, 3 * GAP, f"the last result lacks element {TILE - 1}: {lacking:g}", at="left")


def draw_tiles(axes: Axes, trace: Trace) -> None:
    """First and last result of each tile before and after the fan-out, and the offset that its block loaded."""
    scan, scan_sums, add = (launch.launch for launch in trace.launches)
    sums = stored(trace, scan, "sums[blockIdx.x] = ")
    offsets = stored(trace, scan_sums, "out[")
    scanned = {x.index: x.value for x in stored(trace, scan, "out[")}
    final = {x.index: x.value for x in stored(trace, add, "out[")}
    added = {}
    for access in trace.select(launch=add, op="load"):
        if "offsets[tile]" in access.code:
            (written,) = {x.lanes[0].index // TILE for x in trace.select(launch=add, op="store", block=access.block)}
            added[written] = access.lanes[0].index - offsets[0].index
    for number, tile in enumerate(TILES):
        x = WIDE * number + 3.3
        ends = (tile[0], tile[-1])
        cell(axes, x, 0, " … ".join(f"{scanned[i]:g}" for i in ends), ACTIVE, width=7.6, height=0.8)
        cell(axes, x, GAP, f"{sums[number].value:g}", OTHER, width=3, height=0.8)
        cell(axes, x, 2 * GAP, f"{offsets[number].value:g}", OTHER, width=3, height=0.8)
        colour = ACTIVE if number in added else IDLE
        cell(axes, x, 3 * GAP, " … ".join(f"{(scanned | final)[i]:g}" for i in ends), colour, width=7.6, height=0.8)
        label(axes, x, -0.5, f"tile {number}: elements {tile[0]} … {tile[-1]}", at="bottom", size=8)
        arrow(axes, (x, 0.45), (x, GAP - 0.45))
        for later in range(number + 1, len(TILES)):
            arrow(axes, (x + 1, GAP + 0.42), (WIDE * later + 3.3 - 0.6, 2 * GAP - 0.42), OTHER)
        if number in added:
            arrow(axes, (WIDE * added[number] + 3.3, 2 * GAP + 0.45), (x, 3 * GAP - 0.45), OTHER)
        assert offsets[number].value == sum(x.value for x in sums[:number])
    for number, word in enumerate(("scanned", "sums", "offsets", "fanned out")):
        label(axes, -0.8, GAP * number, word, at="right")


def draw(trace: Trace) -> Figure:
    made, (top, bottom) = figure(10, 6.4, rows=2)
    draw_tile(top, trace)
    panel(top, f"The last {SHOWN} of a tile's {TILE} elements in shared memory", -4, 27.5, -1, 3 * GAP + 0.6)
    draw_tiles(bottom, trace)
    panel(bottom, f"{COUNT} elements, tiles of {TILE}", -4, 27.5, -1, 3 * GAP + 0.6)
    legend(made, {ACTIVE: "a tile's results", OTHER: "its sum, and the scan of the sums", IDLE: "unchanged"})
    return made
