"""ladder_map: draws which rung needs which, from the folders alone. A family is a lane; lab 00 is at the bottom.

The picture has a hidden mark for each rung. A link to map.svg#lab09 shows the mark of lab 09, so one file serves all
handouts; a viewer that knows no fragments shows the map without a mark."""

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from .ladder import FAMILIES, Rung, below
from .shapes import ACTIVE, CONFLICT, FOURTH, IDLE, LARGE, NORMAL, OTHER, SMALL, TEXT, arrow, figure, label

COLOURS = {"reduction": CONFLICT, "scan": ACTIVE, "histogram": OTHER, "applications": FOURTH}
MARKS = """[id^="lab"], [id^="here"] { display: none }
[id^="lab"]:target, [id^="lab"]:target + [id^="here"] { display: inline }"""  # the style sheet of the picture
WIDTH, HEIGHT = 2.7, 0.7  # of a box; columns are 3 apart, levels 1
LINE = 24  # letters that fit into a box side by side


def draw(ladder: Sequence[Rung], *, marks: bool = True) -> Figure:
    """marks: with one for each rung; the picture must then have the style sheet MARKS."""
    known = {rung.number: rung for rung in ladder}
    level = {rung.number: _level(known, rung) for rung in ladder}
    column = _columns(ladder, known, level)
    columns, up = 1 + max(column.values()), max(level.values())
    made, (axes,) = figure(11.5, 0.9 + 0.68 * (up + 1))
    middle = (columns - 1) / 2
    at = {n: (column.get(n, middle) * 3, level[n]) for n in known}
    for rung in ladder:
        for other in _direct(known, rung):
            across_families = known[other].family != rung.family
            _edge(axes, at[other], at[rung.number], COLOURS.get(known[other].family, TEXT) if across_families else TEXT)
    for rung in ladder:
        _box(axes, rung, *at[rung.number])
        if marks:
            _mark(axes, rung, *at[rung.number])
    for family in FAMILIES:
        here = sorted({column[rung.number] for rung in ladder if rung.family == family})
        if here:
            x = 3 * (here[0] + here[-1]) / 2
            label(axes, x, up + 0.85, family, size=LARGE, colour=COLOURS[family])
    axes.set_xlim(-1.6, 3 * (columns - 1) + 1.6)
    axes.set_ylim(-0.6, up + 1.1)
    axes.axis("off")
    made.subplots_adjust(top=0.995, bottom=0.005)
    return made


def _level(known: dict[str, Rung], rung: Rung) -> int:
    """The number of rungs below, on the longest way down."""
    return 1 + max((_level(known, known[other]) for other in rung.needs), default=-1)


def _direct(known: dict[str, Rung], rung: Rung) -> list[str]:
    """The needs of a rung, without those that its other needs imply: their lines would say nothing new."""
    implied = {deeper for other in rung.needs for deeper in below(known, known[other])}
    return [other for other in rung.needs if other not in implied]


def _columns(ladder: Sequence[Rung], known: dict[str, Rung], level: dict[str, int]) -> dict[str, int]:
    """A rung goes above the last rung of its family that it needs; if another rung is there, beside it."""
    column: dict[str, int] = {}
    first = 0
    for family in FAMILIES:
        top: list[str] = []  # of each column of this lane
        for rung in sorted((r for r in ladder if r.family == family), key=lambda r: (level[r.number], r.number)):
            parents = [other for other in rung.needs if known[other].family == family]
            free = [i for i, number in enumerate(top) if number in parents]
            place = max(free, key=lambda i: top[i]) if free else len(top)
            top[place : place + 1] = [rung.number]
            column[rung.number] = first + place
        first += max(len(top), 1)
    return column


def _edge(axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    """An arrow from the top of a box to the bottom of another, or to its side if there are levels between."""
    aside = 0.6 * ((end[0] > start[0]) - (end[0] < start[0]))
    top = (start[0] + aside, start[1] + HEIGHT / 2)
    if aside and end[1] - start[1] > 1:
        arrow(axes, top, (end[0] - WIDTH / 2 * (1 if aside > 0 else -1), end[1]), colour)
    else:
        arrow(axes, top, (end[0] - aside, end[1] - HEIGHT / 2), colour)


def _box(axes: Axes, rung: Rung, x: float, y: float) -> None:
    axes.add_patch(_outline(x, y, face=_colour(rung)))
    title = textwrap.wrap(rung.title, LINE)
    label(axes, x, y + 0.19, rung.number, size=NORMAL, colour=_ink(rung))
    for line, down in zip(title, (0.1,) if len(title) == 1 else (0.03, 0.21), strict=True):
        label(axes, x, y - down, line, size=SMALL, colour=_ink(rung))


def _mark(axes: Axes, rung: Rung, x: float, y: float) -> None:
    """A frame, and right behind it in the file (hence zorder) the words."""
    order = 10 + 2 * int(rung.number)
    axes.add_patch(_outline(x, y, edge=TEXT, gid=f"lab{rung.number}", order=order))
    place = {"ha": "left", "va": "center", "gid": f"here{rung.number}", "zorder": order + 1}
    axes.text(x - WIDTH / 2 + 0.12, y + 0.19, "you are here", fontsize=SMALL, color=_ink(rung), **place)


def _outline(
    x: float, y: float, *, face: str = "none", edge: str = "none", gid: str | None = None, order: int = 1
) -> FancyBboxPatch:
    return FancyBboxPatch(
        (x - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, boxstyle="round,pad=0,rounding_size=0.12",
        facecolor=face, edgecolor=edge, linewidth=4, gid=gid, zorder=order,
    )  # fmt: skip


def _colour(rung: Rung) -> str:
    return COLOURS.get(rung.family, IDLE)


def _ink(rung: Rung) -> str:
    return TEXT if _colour(rung) == IDLE else "white"
