"""bars: values → a row of bars for each rung. The first rung is at the bottom, since a ladder is climbed upwards. The
axis is linear and begins at 0: a bar twice as long means twice as much."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from .measured import UNMEASURED
from .shapes import ACTIVE, IDLE, NORMAL, SMALL, TEXT


@dataclass(frozen=True)
class Bar:
    """value: None if no card has run the rung. words: behind the bar."""

    value: float | None
    words: str = ""
    colour: str = ACTIVE


def draw(axes: Axes, names: Sequence[str], rows: Sequence[Sequence[Bar]], unit: str, *, room: float = 0.15) -> None:
    """rows: the bars of each rung, from below; none, if it has no place in these axes. room: what is left for words
    behind the longest bar, of its length."""
    most = max((bar.value for row in rows for bar in row if bar.value is not None), default=1)
    for y, row in enumerate(rows):
        thick = 0.6 / max(1, len(row))
        for i, bar in enumerate(row):
            at = y + (i - (len(row) - 1) / 2) * thick
            axes.barh(at, bar.value or 0, 0.92 * thick, color=bar.colour)
            axes.annotate(
                UNMEASURED if bar.value is None else bar.words, (bar.value or 0, at), xytext=(5, 0),
                textcoords="offset points", va="center", color=TEXT, fontsize=SMALL,
                path_effects=[withStroke(linewidth=2.5, foreground="white")],
            )  # fmt: skip
    axes.set_yticks(range(len(names)), names, fontsize=SMALL, color=TEXT)
    axes.set_ylim(-0.6, len(names) - 0.2)
    axes.set_xlim(0, (1 + room) * most)
    axes.set_xlabel(unit, fontsize=NORMAL, color=TEXT)
    axes.tick_params(axis="x", labelsize=SMALL, labelcolor=TEXT)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.6g}")
    axes.grid(axis="x", color=IDLE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(IDLE)


def times_as_fast(first: float, value: float, number: str) -> str:
    """Two digits: more would say more than the measurement."""
    return f", {float(f'{first / value:.2g}'):,g} times as fast as {number}"
