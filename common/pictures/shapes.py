"""shapes: the parts of which the labs' pictures are made, so that they look alike. x goes to the right, y downwards,
and a cell is 1 wide.

A colour means the same in every picture: ACTIVE does the work, CONFLICT has to wait in a queue, OTHER does a second
kind of work, IDLE has nothing to do."""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .trace import Access, Flow, Trace

ACTIVE, CONFLICT, OTHER, FOURTH, IDLE = "#3b6ea5", "#c4472f", "#4a8b4a", "#7a5195", "#e3e3e3"
TEXT, LINE = "#333333", "#ffffff"
SMALL, NORMAL, LARGE = 8, 9, 11  # points


def figure(
    width: float,
    height: float,
    *,
    rows: int = 1,
    columns: int = 1,
    heights: Sequence[float] = (),
    widths: Sequence[float] = (),
) -> tuple[Figure, list[Axes]]:
    """A figure of this size in inches, and its panels, row by row. It leaves room for titles above and a legend
    below."""
    made, grid = plt.subplots(
        rows,
        columns,
        figsize=(width, height),
        squeeze=False,
        height_ratios=heights or None,
        width_ratios=widths or None,
    )
    above, below = 0.45 / height, 0.35 / height
    made.subplots_adjust(left=0.01, right=0.99, top=1 - above, bottom=below, wspace=0.03, hspace=0.2)
    return made, list(grid.flat)


def panel(
    axes: Axes,
    title: str,
    left: float,
    right: float,
    top: float,
    bottom: float,
    *,
    square: bool = False,
    room: float = 6,
) -> None:
    """Sets the part of the plane that the panel shows, from (left, top) to (right, bottom). square: a unit is as high
    as it is wide. room: points between the panel and its title."""
    axes.set_title(title, fontsize=LARGE, color=TEXT, pad=room)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    if square:
        axes.set_aspect("equal")
    axes.axis("off")


def legend(figure: Figure, meanings: Mapping[str, str]) -> None:
    """meanings: colour → its meaning."""
    figure.legend(
        handles=[Rectangle((0, 0), 1, 1, color=colour) for colour in meanings],
        labels=list(meanings.values()),
        loc="lower center",
        ncols=len(meanings),
        frameon=False,
        fontsize=NORMAL,
    )


def label(
    axes: Axes, x: float, y: float, text: str, *, at: str = "center", size: float = NORMAL, colour: str = TEXT
) -> None:
    """at: the side of the text that lies at (x, y): center, left, right, top or bottom."""
    across = at if at in ("left", "right") else "center"
    along = at if at in ("top", "bottom") else "center"
    axes.text(x, y, text, ha=across, va=along, fontsize=size, color=colour)


def cell(
    axes: Axes,
    x: float,
    y: float,
    text: str = "",
    colour: str = IDLE,
    *,
    width: float = 1,
    height: float = 1,
    size: float = SMALL,
) -> None:
    """A rectangle centred at (x, y)."""
    corner = (x - width / 2, y - height / 2)
    axes.add_patch(Rectangle(corner, width, height, facecolor=colour, edgecolor=LINE, linewidth=1, clip_on=False))
    if text:
        label(axes, x, y, text, size=size, colour=TEXT if colour == IDLE else "white")


def row(
    axes: Axes,
    y: float,
    texts: Sequence[object],
    colours: Sequence[str] | str = IDLE,
    *,
    x: float = 0,
    left: str = "",
    right: str = "",
    width: float = 0.9,
    height: float = 0.7,
) -> None:
    """Cells side by side, with a word on either side. The centre of the first cell is at (x, y)."""
    for i, text in enumerate(texts):
        cell(axes, x + i, y, str(text), colours if isinstance(colours, str) else colours[i], width=width, height=height)
    if left:
        label(axes, x - 0.8, y, left, at="right")
    if right:
        label(axes, x + len(texts) - 0.2, y, right, at="left")


def line(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str = ACTIVE, *, style: str = "-"
) -> None:
    """style: of matplotlib; "--" makes a second kind of line, also for readers who do not see its colour."""
    axes.plot([start[0], end[0]], [start[1], end[1]], style, color=colour, linewidth=1, clip_on=False)


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str = TEXT) -> None:
    axes.annotate(
        "", end, start, arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
    )


def flow_rows(
    axes: Axes,
    first: Sequence[object],
    rounds: Iterable[tuple[str, Sequence[object], Iterable[Flow]]],
    *,
    left: str = "",
    gap: float = 1.6,
) -> None:
    """An array through the rounds of a kernel. Each round has a row with the contents after it, and lines from the
    elements that a thread loaded to the element that it then stored. rounds: (word on the left, contents, flows)."""
    row(axes, 0, first, left=left)
    for number, (word, contents, flows) in enumerate(rounds, 1):
        y, colours = gap * number, [IDLE] * len(contents)
        for flow in flows:
            colours[flow.target] = ACTIVE
            for source in flow.sources:
                aside = 0.12 * ((source > flow.target) - (source < flow.target))
                line(axes, (source, y - gap + 0.4), (flow.target + aside, y - 0.4))
        row(axes, y, contents, colours, left=word)


def lane_rows(axes: Axes, rows: Iterable[tuple[str, Iterable[int]]], *, lanes: int = 32) -> None:
    """The lanes of a warp. rows: (word on the left, active lanes). The number of active lanes is on the right."""
    for y, (word, active) in enumerate(rows):
        on = set(active)
        colours = [ACTIVE if lane in on else IDLE for lane in range(lanes)]
        row(axes, y, [""] * lanes, colours, left=word, right=f"{len(on)} of {lanes}", width=1, height=0.8)
    numbers(axes, -0.65, lanes)


def warp_rows(axes: Axes, trace: Trace, warps: int) -> list[tuple[float, Access]]:
    """The warps of block 0, one in a row, and their work from left to right. Loads are ACTIVE and other work is OTHER.
    A warp is IDLE while it waits at a barrier, which is a line across all rows; a short line is a barrier of one warp.
    A warp that has ended is not drawn. Returns the x coordinate of each access of warp 0."""
    accesses, places, left = trace.select(block=0), [], 0.0
    for step in sorted({access.step for access in accesses}):
        of_step = [access for access in accesses if access.step == step]
        at = dict.fromkeys(range(warps), left)  # the x coordinate of the warp's next cell
        for access in of_step:
            x, y = at[access.warp], access.warp
            if access.op == "syncwarp":
                line(axes, (x - 0.5, y - 0.5), (x - 0.5, y + 0.5), TEXT)
            elif access.op != "barrier":
                cell(axes, x, y, colour=ACTIVE if access.op == "load" else OTHER, height=0.8)
                at[y] += 1
                if y == 0:
                    places.append((x, access))
        left = max(at.values())
        met = [access.warp for access in of_step if access.op == "barrier"]
        for y in met:
            if at[y] < left:
                cell(axes, (at[y] + left - 1) / 2, y, width=left - at[y], height=0.8)
        if met:
            line(axes, (left - 0.25, -0.7), (left - 0.25, warps - 0.3), TEXT)
            left += 0.5
    return places


def numbers(axes: Axes, y: float, count: int, every: int = 4) -> None:
    for i in range(0, count, every):
        label(axes, i, y, str(i), at="bottom", size=7)


def grid(axes: Axes, x: float, y: float, columns: int, rows: int) -> None:
    """Idle cells; the centre of the first is at (x, y). They are one rectangle with lines, since hundreds of single
    cells would make a large file."""
    left, top, right, bottom = x - 0.5, y - 0.5, x + columns - 0.5, y + rows - 0.5
    axes.add_patch(Rectangle((left, top), columns, rows, facecolor=IDLE, edgecolor="none"))
    for i in range(1, rows):
        line(axes, (left, top + i), (right, top + i), LINE)
    for i in range(1, columns):
        line(axes, (left + i, top), (left + i, bottom), LINE)


def bank_rows(axes: Axes, rows: Sequence[tuple[str, Access]]) -> None:
    """The 32 banks of shared memory. rows: (word on the left, access). A bank shows how many words the lanes want
    there, if more than one. A bank serves one word in a turn."""
    grid(axes, 0, 0, 32, len(rows))
    for y, (word, access) in enumerate(rows):
        wanted = access.wanted()
        for bank, words in wanted.items():
            several = len(words) > 1
            cell(axes, bank, y, str(len(words)) if several else "", CONFLICT if several else ACTIVE)
        times = "at once" if access.wavefronts == 1 else f"in {access.wavefronts} turns"
        label(axes, -0.8, y, word, at="right")
        label(axes, 31.8, y, times, at="left")
    numbers(axes, -0.65, 32)


def save(figure: Figure, out: Path, *, style: str = "") -> None:
    """The same figure gives the same file. Text becomes outlines, which need no font. There is no date. Coordinates
    have two decimals, since machines may differ in further ones. style: a style sheet of the SVG file."""
    if out.suffix != ".svg":
        figure.savefig(out)
        return
    buffer = io.StringIO()
    with plt.rc_context({"svg.hashsalt": "warpladder", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = _smaller(buffer.getvalue())
    if style:
        text = text.replace("</svg>", f"<style>{style}</style>\n</svg>")
    out.write_text(text, encoding="utf-8")


def _smaller(svg: str) -> str:
    def rounded(match: re.Match[str]) -> str:
        return re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), match[0])

    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r' id="(?:patch|text|line2d|axes|figure|legend)_\d+"|; stroke-linejoin: miter(?=")', "", svg)
    svg = re.sub(r' (?:d="|transform="translate\()[^"]*"', lambda m: rounded(m).replace("\n", ""), svg)
    svg = re.sub(r"\n\s*", "\n", svg)
    return re.sub(r"<g>\n(<path [^>]*/>)\n</g>", r"\1", svg)
