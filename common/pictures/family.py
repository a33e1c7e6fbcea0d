"""family: the measured ladder of one family. In docs/scan.svg, reduction.svg and histogram.svg bars are times of
kernels alone. In docs/applications.svg they are times beside those of a library."""

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from . import bars
from .bars import Bar
from .ladder import Rung
from .measured import LARGE, Measured
from .shapes import ACTIVE, CONFLICT, FOURTH, NORMAL, OTHER, SMALL, TEXT, figure
from .shapes import LARGE as TITLE

BLOCK = 1024  # elements that one block may scan


def draw(family: str, made: Measured) -> Figure:
    drawn = {"reduction": _reduction, "histogram": _histogram, "scan": _scan, "applications": _applications}
    return drawn[family](made)


def _profiled(family: str, made: Measured) -> list[Rung]:
    """The rungs at the limit are timed beside CUB, between events: tables show them, and not bars of kernels alone."""
    return [rung for rung in made.of(family) if rung.number not in made.bench]


def limit(made: Measured, name: str, words: str, n: int, of: int = LARGE) -> tuple[float, str]:
    """The ms at n elements of a program beside the labs, and its name. If it was not timed like the labs, the course's
    first measurement at `of` elements is scaled."""
    timed = made.times.get(f"limit.{name}")
    if timed is not None and timed.n == n:
        return timed.ms, words
    return made.figures[f"first.{name}"] * n / of, f"{words}, by events"


def _reduction(made: Measured) -> Figure:
    """This is also the first picture of README.md, and its readers do not know the labs yet."""
    rungs, n = _profiled("reduction", made), int(made.figures["n.02"])
    picture, (axes,) = figure(10, 1.7 + 0.42 * len(rungs))
    _room(picture, left=0.245)
    bars.draw(axes, _titles(rungs), _times(made, rungs), "ms for 2^24 ints on an H200, kernel alone")
    _line(axes, *limit(made, "read_ints", "reading the ints alone, without adding", n))
    axes.set_title("The same sum, rung by rung", fontsize=TITLE, color=TEXT, pad=18)
    return picture


def _histogram(made: Measured) -> Figure:
    """The first rung is so slow that the others need a panel of their own."""
    rungs, n = _profiled("histogram", made), int(made.figures["n.15"])
    picture, panels = figure(10, 1.7 + 0.7 * len(rungs), columns=2, widths=(1, 1))
    _room(picture, left=0.225, between=0.25)
    kinds = {"": ACTIVE, ".constant": CONFLICT}
    for axes, shown in zip(panels, (rungs, rungs[1:]), strict=True):
        columns = [_times(made, shown, suffix, colour) for suffix, colour in kinds.items()]
        rows = [[bar for column in reversed(columns) for bar in column[y]] for y in range(len(shown))]
        names = _titles(shown) if shown is rungs else [rung.number for rung in shown]
        bars.draw(axes, names, rows, "ms for 100 MiB on an H200, kernel alone", room=0.7)
        axes.set_title("All rungs" if shown is rungs else "The same without 15", fontsize=TITLE, color=TEXT, pad=18)
    _line(panels[1], *limit(made, "read_bytes", "reading", n, n), at="right")
    _line(panels[1], *limit(made, "cub_histogram", "CUB", n, n))
    _legend(picture, {"random bytes": ACTIVE, "constant bytes": CONFLICT})
    return picture


def _scan(made: Measured) -> Figure:
    rungs = _profiled("scan", made)
    tall = [rung for rung in rungs if f"large.{rung.number}" in made.times]
    picture, panels = figure(10, 1.7 + 0.45 * len(rungs), columns=2 if tall else 1, widths=(1.4, 1) if tall else ())
    _room(picture, left=0.235, between=0.2)
    each = [made.times.get(f"alone.{rung.number}") for rung in rungs]
    rows = [
        _bars(rung, time and time.ms * 1e6 / time.n, "ns", OTHER if rung.size <= BLOCK else ACTIVE)
        for rung, time in zip(rungs, each, strict=True)
    ]
    names = [f"{rung.number} {rung.title}\n{rung.size:,} elements" for rung in rungs]
    bars.draw(panels[0], names, rows, "ns per element on an H200, kernels alone", room=0.2)
    panels[0].set_title("Time per element", fontsize=TITLE, color=TEXT, pad=18)
    _legend(picture, {"many blocks": ACTIVE, "one block: most of the card is idle": OTHER})
    if tall:
        copy = made.figures["large.copy"]
        rows = [
            _bars(one, made.figures[f"large.{one.number}"] / copy, "copies") if one in tall else [] for one in rungs
        ]
        names = [rung.number if rung in tall else "" for rung in rungs]
        bars.draw(panels[1], names, rows, "copies of 2^28 elements", room=0.35)
        _line(panels[1], 1, "copying", at="right")
        _line(panels[1], made.figures["large.cub_scan_inclusive"] / copy, "CUB")
        panels[1].set_title("Any length, large", fontsize=TITLE, color=TEXT, pad=18)
    return picture


def _applications(made: Measured) -> Figure:
    titles = {rung.number: f"{rung.number} {rung.title}" for rung in made.of("applications")}
    figures = made.figures
    picture, panels = figure(10, 3.6, columns=2, widths=(1.5, 1))
    _room(picture, left=0.2, between=0.55)
    rows = []
    chosen = (("24", "i32", "half selected"), ("25", "u32", "keys"), ("25", "pairs_of_u32", "pairs"))
    for number, kind, _ in chosen:
        name = f"bench.{number}.{kind}.random.{LARGE}"
        ours, times = figures[f"{name}.ours"], figures[f"{name}.times"]
        rows.append(_beside(ours, ours * times, f"{times:.2f} times as fast"))
    bars.draw(
        panels[0], [f"{titles[number]}\n{what}" for number, _, what in chosen], rows, "ms for 2^28 elements", room=0.6
    )
    panels[0].set_title("On an H200, from a stream", fontsize=TITLE, color=TEXT, pad=18)
    device, host = figures[f"words.{1 << 30}.device"], figures[f"words.{1 << 30}.CPU_(TBB)"]
    pipeline = [_beside(device, host, f"{host / device:.0f} times as fast")]
    bars.draw(panels[1], ["\n".join(textwrap.wrap(titles["26"], 18))], pipeline, "ms for 1 GiB of text", room=0.3)
    panels[1].set_title("From the file to the result", fontsize=TITLE, color=TEXT, pad=18)
    _legend(picture, {"the lab": FOURTH, "the library: CUB; TBB on 16 cores": OTHER})
    return picture


def _beside(ours: float, library: float, words: str) -> list[Bar]:
    return [Bar(library, f"{library:.3g} ms", OTHER), Bar(ours, f"{ours:.3g} ms, {words}", FOURTH)]


def _bars(rung: Rung, value: float | None, unit: str, colour: str = ACTIVE) -> list[Bar]:
    return [Bar(value, "" if value is None else f"{value:#.3g} {unit}", colour)]


def _times(made: Measured, rungs: Sequence[Rung], suffix: str = "", colour: str = ACTIVE) -> list[list[Bar]]:
    """The ms of each rung, and how much faster it is than the first."""
    values = [made.figures.get(f"alone.{rung.number}{suffix}") for rung in rungs]
    first, rows = values[0], []
    for y, value in enumerate(values):
        gain = bars.times_as_fast(first, value, rungs[0].number) if y and first and value else ""
        rows.append([Bar(value, "" if value is None else f"{value:#.3g} ms{gain}", colour)])
    return rows


def _titles(rungs: Sequence[Rung]) -> list[str]:
    return [f"{rung.number} {rung.title}" for rung in rungs]


def _room(picture: Figure, *, left: float, between: float = 0) -> None:
    """Leaves room for names on the left, titles above, units and the legend below."""
    height = picture.get_figheight()
    picture.subplots_adjust(left=left, right=0.97, top=1 - 0.55 / height, bottom=0.95 / height, wspace=between)


def _line(axes: Axes, value: float, words: str, *, at: str = "left") -> None:
    """A line across all rungs. at: the side of the words that touches the line."""
    axes.axvline(value, color=TEXT, linewidth=1, linestyle="--", zorder=1)
    place, aside = (value, axes.get_ylim()[1]), (-2 if at == "left" else 2, 2)
    label = {"fontsize": SMALL, "color": TEXT, "ha": at, "va": "bottom"}
    axes.annotate(words, place, xytext=aside, textcoords="offset points", **label)


def _legend(picture: Figure, colours: dict[str, str]) -> None:
    handles = [Patch(color=colour, label=meaning) for meaning, colour in colours.items()]
    picture.legend(handles=handles, loc="lower center", ncols=len(handles), frameon=False, fontsize=NORMAL)
