"""Compaction in a warp: the ends that two lanes find in their 32 bytes become one word for each of many lanes."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, SMALL, arrow, cell, figure, label, legend, panel

TEXT = b"The cat and the dog, and the old bird: the cat saw the dog. End."
LANE_BYTES = 32
RECORDS = [Record("top_words", TEXT)]


def found_ends(trace: Trace) -> dict[int, tuple[int, int]]:
    """Place in s_ends → the lane that stored it, and the end."""
    found = {}
    for access in trace.select(array="s_ends", op="store"):
        for lane in access.lanes:
            found[lane.index] = (lane.thread, int(lane.value))
    return found


def word_before(end: int) -> tuple[int, str]:
    begin = end
    while begin > 0 and TEXT[begin - 1 : begin].isalpha():
        begin -= 1
    return begin, TEXT[begin:end].decode()


def draw_bytes(axes: Axes, ends: dict[int, tuple[int, int]]) -> None:
    """A row for each lane; the byte behind a word is marked."""
    marked = {end for _, end in ends.values()}
    for at, byte in enumerate(TEXT):
        row, x = divmod(at, LANE_BYTES)
        shown = "␣" if byte == ord(" ") else chr(byte)
        cell(axes, x, 1.3 * row, shown, OTHER if at in marked else IDLE, width=0.94, height=0.9)
    for row in range(len(TEXT) // LANE_BYTES):
        label(axes, -0.9, 1.3 * row, f"lane {row} finds", at="right")


def draw_words(axes: Axes, ends: dict[int, tuple[int, int]]) -> None:
    """A cell for each place of s_ends, below the byte of the row above it or near it."""
    wide = LANE_BYTES / len(ends)
    for place, (lane, end) in sorted(ends.items()):
        x = (place + 0.5) * wide - 0.5
        arrow(axes, (end % LANE_BYTES, 1.3 * lane + 0.5), (x, 4.4), OTHER)
        cell(axes, x, 4.9, str(end), OTHER, width=wide * 0.94, height=0.9)
        begin, word = word_before(end)
        assert word, f"no word ends at {end}"
        cell(axes, x, 6.1, word.lower(), ACTIVE, width=wide * 0.94, height=0.9)
        label(axes, x, 7.0, f"lane {place}", size=SMALL)
    label(axes, -0.9, 4.9, "s_ends", at="right")
    label(axes, -0.9, 6.1, "it reads", at="right")


def draw(trace: Trace) -> Figure:
    ends = found_ends(trace)
    made, (axes,) = figure(12, 4.2)
    draw_bytes(axes, ends)
    draw_words(axes, ends)
    panel(axes, "Each lane looks at 32 bytes. Then each lane has a word", -5, LANE_BYTES, -0.8, 7.6)
    legend(made, {OTHER: "the byte behind a word", ACTIVE: "a word, read backwards from there"})
    return made
