"""One pass over a short array: keys go to their places by one digit, and equal digits keep their order."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, CONFLICT, IDLE, OTHER, arrow, cell, figure, label, legend, panel

DIGITS = [2, 0, 1, 2, 2, 3, 0, 1, 0, 3, 2, 1, 1, 0, 2, 3]
VALUES = [i << 8 | digit for i, digit in enumerate(DIGITS)]  # the upper bits tell the place in the input
RECORDS = [Record("sort_by_digit", VALUES)]
COLOURS = (ACTIVE, OTHER, CONFLICT, IDLE)


def draw_pass(axes: Axes, trace: Trace) -> None:
    stored = [lane for access in trace.select(op="store", array="keys_out") for lane in access.lanes]
    place_of = {int(lane.values[0]) >> 8: lane.index for lane in stored}
    assert sorted(place_of) == list(range(len(DIGITS)))
    for i, digit in enumerate(DIGITS):
        cell(axes, i, 0, str(digit), COLOURS[digit], width=0.94, height=0.6)
        cell(axes, place_of[i], 2.4, str(digit), COLOURS[digit], width=0.94, height=0.6)
        arrow(axes, (i, 0.34), (place_of[i], 2.06))
        label(axes, i, -0.55, f"key {i}", size=7)
        label(axes, place_of[i], 2.95, f"key {i}", size=7)
    starts = [DIGITS.index(digit) for digit in range(4)]
    assert all(place_of[starts[k]] == sum(DIGITS.count(d) for d in range(k)) for k in range(4))
    label(axes, -0.8, 0, "digits, in", at="right")
    label(axes, -0.8, 2.4, "digits, out", at="right")
    panel(axes, "A pass: by one digit, and equal digits keep their order", -2.6, len(DIGITS), -0.9, 3.3)


def draw(trace: Trace) -> Figure:
    made, (axes,) = figure(11, 3.4)
    draw_pass(axes, trace)
    legend(made, {colour: f"digit {digit}" for digit, colour in enumerate(COLOURS)})
    return made
