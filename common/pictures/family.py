"""family: the measured ladder of one family: docs/scan.svg, reduction.svg, histogram.svg. The first rung is at the
bottom, since a ladder is climbed upwards. Bars and full marks are kernels alone, hollow marks the course's first
measurements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import LogLocator, NullFormatter

from .ladder import Rung
from .measured import LARGE, UNMEASURED, Measured
from .shapes import ACTIVE, CONFLICT, IDLE, NORMAL, OTHER, SMALL, TEXT, figure
from .shapes import LARGE as TITLE

BLOCK = 1024  # elements that one block may scan


@dataclass(frozen=True)
class Mark:
    """How the marks of one kind of times look."""

    colour: str
    hollow: bool = False
    written: bool = False  # with the value above each mark
    below: bool = False  # the value stands below the mark


def draw(family: str, made: Measured) -> Figure:
    return {"reduction": _reduction, "histogram": _histogram, "scan": _scan}[family](made)


def limit(made: Measured, name: str, words: str, n: int, of: int = LARGE) -> tuple[float, str]:
    """The ms at n elements of a program beside the labs, and its name. If it was not timed like the labs, the course's
    first measurement at `of` elements is scaled."""
    timed = made.times.get(f"limit.{name}")
    if timed is not None and timed.n == n:
        return timed.ms, words
    return made.figures[f"first.{name}"] * n / of, f"{words}, by events"


def _reduction(made: Measured) -> Figure:
    """Bars: this is also the first picture of README.md, and its readers do not know the labs yet."""
    rungs, n = made.of("reduction"), int(made.figures["n.02"])
    picture, (axes,) = figure(10, 1.7 + 0.42 * len(rungs))
    _room(picture, left=0.245)
    _rungs(axes, rungs, "ms for 2^24 ints on an H200, kernel alone")
    axes.set_xscale("linear")
    times = _figures(made, rungs, "alone")
    for y, rung in enumerate(rungs):
        ms = times.get(rung.number)
        if ms is None:
            continue
        gain = times[rungs[0].number] / ms
        words = f"{ms:#.3g} ms" + (f", {gain:.2g} times as fast as {rungs[0].number}" if y else "")
        axes.barh(y, ms, 0.6, color=ACTIVE)
        axes.annotate(
            words, (ms, y), xytext=(5, 0), textcoords="offset points", va="center", color=TEXT, fontsize=SMALL
        )
    axes.set_xlim(0, 1.15 * max(times.values(), default=1))
    _unmeasured(axes, rungs, made)
    _line(axes, *limit(made, "read_ints", "reading the ints alone, without adding", n))
    axes.set_title("The same sum, rung by rung", fontsize=TITLE, color=TEXT, pad=18)
    return picture


def _histogram(made: Measured) -> Figure:
    rungs, n = made.of("histogram"), int(made.figures["n.15"])
    picture, (axes,) = figure(10, 1.7 + 0.6 * len(rungs))
    _room(picture, left=0.245)
    _rungs(axes, rungs, "ms, 100 MiB")
    for suffix, colour in (("", ACTIVE), (".constant", CONFLICT)):
        _marks(axes, rungs, _figures(made, rungs, "alone", suffix), Mark(colour, written=True, below=bool(suffix)))
        _marks(axes, rungs, _figures(made, rungs, "first", suffix), Mark(colour, hollow=True))
    _unmeasured(axes, rungs, made)
    _line(axes, *limit(made, "read_bytes", "reading alone", n, n), at="right")
    _line(axes, *limit(made, "cub_histogram", "CUB", n, n))
    meanings = [_mark(ACTIVE, "random bytes"), _mark(CONFLICT, "constant bytes")]
    _legend(picture, [*meanings, _mark(TEXT, "first measurement, by events", True)])
    return picture


def _scan(made: Measured) -> Figure:
    rungs = made.of("scan")
    tall = [rung for rung in rungs if f"large.{rung.number}" in made.times]
    picture, panels = figure(10, 1.7 + 0.45 * len(rungs), columns=2 if tall else 1, widths=(1.4, 1) if tall else ())
    _room(picture, left=0.265, between=0.3)
    axes = panels[0]
    _rungs(axes, rungs, "ns, kernels alone", names="sizes")
    each = {rung.number: made.times.get(f"alone.{rung.number}") for rung in rungs}
    ns = {number: time.ms * 1e6 / time.n for number, time in each.items() if time}
    small = {rung.number for rung in rungs if rung.size <= BLOCK}
    many, one = (
        {number: ms for number, ms in ns.items() if (number in small) == is_small} for is_small in (False, True)
    )
    _marks(axes, rungs, many, Mark(ACTIVE, written=True))
    _marks(axes, rungs, one, Mark(OTHER, written=True))
    _unmeasured(axes, rungs, made)
    most = max(rung.size for rung in rungs)
    copy, words = limit(made, "copy", "copying", most)
    _line(axes, copy * 1e6 / most, words)
    _legend(picture, [_mark(ACTIVE, "many blocks"), _mark(OTHER, "one block: most of the card is idle")])
    axes.set_title("time per element", fontsize=TITLE, color=TEXT, pad=18)
    if tall:
        copy = made.figures["large.copy"]
        _rungs(panels[1], tall, "copies, 2^28 elements", names="numbers")
        panels[1].set_xscale("linear")
        copies = {rung.number: made.figures[f"large.{rung.number}"] / copy for rung in tall}
        _marks(panels[1], tall, copies, Mark(ACTIVE, written=True))
        panels[1].set_xlim(0, 1.35 * max(copies.values()))
        _line(panels[1], 1, "copying", at="right")
        _line(panels[1], made.figures["large.cub_scan_inclusive"] / copy, "CUB")
        panels[1].set_title("any length", fontsize=TITLE, color=TEXT, pad=18)
    return picture


def _room(picture: Figure, *, left: float, between: float = 0) -> None:
    """Leaves room for names on the left, titles above, units and the legend below."""
    height = picture.get_figheight()
    picture.subplots_adjust(left=left, right=0.97, top=1 - 0.55 / height, bottom=0.95 / height, wspace=between)


def _figures(made: Measured, rungs: Sequence[Rung], kind: str, suffix: str = "") -> dict[str, float]:
    names = {rung.number: f"{kind}.{rung.number}{suffix}" for rung in rungs}
    return {number: made.figures[name] for number, name in names.items() if name in made.figures}


def _rungs(axes: Axes, rungs: Sequence[Rung], unit: str, *, names: str = "titles") -> None:
    """A logarithmic axis with a row for each rung. names: titles, sizes (and titles), or numbers."""

    def name(rung: Rung) -> str:
        title = f"{rung.number} {rung.title}"
        choice = {"titles": title, "sizes": f"{title}\n{rung.size:,} elements", "numbers": rung.number}
        return choice[names]

    axes.set_yticks(range(len(rungs)), [name(rung) for rung in rungs], fontsize=SMALL, color=TEXT)
    axes.set_ylim(-0.6, len(rungs) - 0.2)
    axes.set_xscale("log")
    axes.set_xlabel(unit, fontsize=NORMAL, color=TEXT)
    axes.tick_params(axis="x", labelsize=SMALL, labelcolor=TEXT)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(LogLocator(10))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.grid(axis="x", color=IDLE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(IDLE)


def _marks(axes: Axes, rungs: Sequence[Rung], values: Mapping[str, float], mark: Mark) -> None:
    """A mark for each rung that has a value."""
    places = [(values[rung.number], y) for y, rung in enumerate(rungs) if rung.number in values]
    fill, order = ("white", 2) if mark.hollow else (mark.colour, 3)
    axes.plot(*zip(*places), "o", color=mark.colour, markersize=6, markerfacecolor=fill, clip_on=False, zorder=order)
    for value, y in places if mark.written else ():
        axes.annotate(
            f"{value:#.3g}", (value, y), xytext=(0, -5 if mark.below else 5), textcoords="offset points",
            ha="center", va="top" if mark.below else "bottom", color=mark.colour, fontsize=SMALL,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )  # fmt: skip


def _unmeasured(axes: Axes, rungs: Sequence[Rung], made: Measured) -> None:
    """A rung that no card has run says so where its mark would be."""
    for y, rung in enumerate(rungs):
        if f"alone.{rung.number}" not in made.times:
            axes.annotate(
                UNMEASURED, (0.5, y), xycoords=("axes fraction", "data"), fontsize=SMALL, color=TEXT,
                ha="center", va="center",
            )  # fmt: skip


def _line(axes: Axes, value: float, words: str, *, at: str = "left") -> None:
    """A line across all rungs. at: the side of the words that touches the line."""
    axes.axvline(value, color=TEXT, linewidth=1, linestyle="--", zorder=1)
    place, aside = (value, axes.get_ylim()[1]), (-2 if at == "left" else 2, 2)
    label = {"fontsize": SMALL, "color": TEXT, "ha": at, "va": "bottom"}
    axes.annotate(words, place, xytext=aside, textcoords="offset points", **label)


def _mark(colour: str, meaning: str, hollow: bool = False) -> Line2D:
    fill = "white" if hollow else colour
    return Line2D([], [], marker="o", linestyle="", color=colour, markerfacecolor=fill, label=meaning)


def _legend(picture: Figure, marks: Sequence[Line2D]) -> None:
    picture.legend(handles=marks, loc="lower center", ncols=len(marks), frameon=False, fontsize=NORMAL)
