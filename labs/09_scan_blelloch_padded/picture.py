"""Where the tile's elements lie in the 32 banks, and which of them a warp wants: without padding (08), and with it."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Record, Trace
from common.pictures.shapes import ACTIVE, CONFLICT, IDLE, LINE, bank_rows, cell, figure, grid, label, legend, panel

ONES = [1] * 512
RECORDS = [Record("scan_exclusive", ONES, "starter"), Record("scan_exclusive", ONES)]
TILE, BANKS, PADDING = "s_tile", 32, "#a0a0a0"
STEPS = 9  # of the up-sweep; step 0 fills the tile
SHOWN = 5  # stride 16: all in one bank


def right_ends(trace: Trace, step: int) -> Access:
    """The elements that warp 0 loads in this step: the last element of each node."""
    loads = trace.select(array=TILE, step=step, warp=0, op="load")
    return max(loads, key=lambda access: access.lanes[0].index)


def stride(trace: Trace, step: int) -> int:
    """The distance of the two elements that thread 0 loads; only where words are elements."""
    first = [access.lanes[0].index for access in trace.select(array=TILE, step=step, warp=0, op="load")]
    return max(first) - min(first)


def memory(axes: Axes, x: float, title: str, trace: Trace) -> None:
    """Shared memory, a row for every 32 words; the cells that the lanes want hold the lanes' numbers."""
    used = {lane.address // 4 for access in trace.select(array=TILE) for lane in access.lanes}
    access = right_ends(trace, SHOWN)
    wanted = access.wanted()
    rows = max(used) // BANKS + 1
    grid(axes, x, 0, BANKS, rows)
    for word in set(range(rows * BANKS)) - used:
        cell(axes, x + word % BANKS, word // BANKS, colour=PADDING if word < max(used) else LINE)
    for lane in access.lanes:
        word = lane.address // 4
        colour = CONFLICT if len(wanted[lane.bank]) > 1 else ACTIVE
        cell(axes, x + word % BANKS, word // BANKS, str(lane.lane), colour, size=6)
    for bank in range(0, BANKS, 4):
        label(axes, x + bank, -0.7, str(bank), at="bottom", size=7)
    label(axes, x + BANKS / 2, -2.4, f"{title}: {len(wanted)} of 32 banks, turns: {access.wavefronts}", at="bottom")


def draw(before: Trace, after: Trace) -> Figure:
    made, (top, bottom) = figure(10.5, 6.6, rows=2, heights=[1.1, 1])

    lanes = len(right_ends(after, SHOWN).lanes)
    memory(top, 0, "08", before)
    memory(top, BANKS + 5, "padded", after)
    title = f"The tile in the 32 banks; what {lanes} lanes want at stride {stride(before, SHOWN)}"
    panel(top, title, -1, 2 * BANKS + 5, -4, 17)

    rows = []
    for step in range(1, STEPS + 1):
        rows.append((f"stride {stride(before, step)}", right_ends(after, step)))
        label(bottom, 35.4, len(rows) - 1, f"turns in 08: {right_ends(before, step).wavefronts}", at="left")
    bank_rows(bottom, rows)
    panel(bottom, "Banks that the lanes of warp 0 want, padded", -8, 43, -0.8, 8.6, room=16)

    legend(made, {ACTIVE: "wanted once", CONFLICT: "wanted several times", PADDING: "unused word", IDLE: "not wanted"})
    return made
