"""The way of a tile's keys in one pass: into shared memory, in the order of their digits, and then to the output."""

from collections import Counter

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, OTHER, arrow, cell, figure, label, legend, panel

TILE = 384  # keys, one for each thread
EARLIER = [1, 0, 2, 2, 0, 1, 2]  # the digits of tile 0 and of tile 1; all other keys have the highest digit
SHOWN = [2, 0, 1, 2, 3, 0, 2, 1, 1, 3, 0, 2, 3, 1, 0, 2]
BITS, HIGHEST = 8, 255
DIGITS = [*EARLIER, *[HIGHEST] * (TILE - len(EARLIER)), *SHOWN, *[HIGHEST] * (TILE - len(SHOWN))]
KEYS = [(i << BITS) + digit for i, digit in enumerate(DIGITS)]  # above the digit: the key's place in the input
RECORDS = [
    Record(
        "sort_by_digit",
        KEYS,
        smaller=("constexpr int kSmallKeys = 4, kLargeKeys = 20;", "constexpr int kSmallKeys = 1, kLargeKeys = 20;"),
    )
]


def places(trace: Trace, code: str) -> dict[int, int]:
    """Where this line stores each key that the picture shows: its place in the input → its place there."""
    stored = [access for access in trace.select(op="store") if code in access.code]
    lanes = [(int(lane.value), lane.index) for access in stored for lane in access.lanes]
    return {key >> BITS: place for key, place in lanes if key % (1 << BITS) != HIGHEST}


def draw_way(axes: Axes, trace: Trace) -> None:
    shared, out = places(trace, "s.keys[place] = "), places(trace, "keys_out[to] = ")
    assert len(out) == len(EARLIER) + len(SHOWN)
    of_tile_0 = Counter(EARLIER)
    for i, digit in enumerate(SHOWN):
        place = shared[TILE + i]
        cell(axes, i, 0, str(digit), ACTIVE, width=0.9, height=0.7)
        cell(axes, place, 2, str(digit), ACTIVE, width=0.9, height=0.7)
        arrow(axes, (i, 0.4), (place, 1.6))
    for i, place in out.items():
        cell(axes, place, 4, str(DIGITS[i]), ACTIVE if i >= TILE else OTHER, width=0.9, height=0.7)
    for digit, count in sorted(Counter(SHOWN).items()):
        run = [TILE + i for i, other in enumerate(SHOWN) if other == digit]
        start, to = min(shared[i] for i in run), min(out[i] for i in run)
        assert [out[i] - to for i in run] == [shared[i] - start for i in run] == list(range(count))
        arrow(axes, (start + (count - 1) / 2, 2.45), (to + (count - 1) / 2, 3.55))
        label(axes, to - of_tile_0[digit] - 0.4, 4.75, f"{of_tile_0[digit]} earlier", at="left")
    for y, name in ((0, "digits of tile 1"), (2, "shared memory"), (4, "output")):
        label(axes, -0.8, y, name, at="right")
    panel(axes, "One pass: keys with the same digit leave as one run", -4.6, len(out), -0.6, 5.1)


def draw(trace: Trace) -> Figure:
    made, (axes,) = figure(10, 3.8)
    draw_way(axes, trace)
    legend(made, {ACTIVE: "keys of tile 1", OTHER: "keys of tile 0"})
    return made
