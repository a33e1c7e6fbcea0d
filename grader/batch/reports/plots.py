"""plots: grades → SVG for use inside a page: its ids are unique, its text has the page's colour and typeface."""

import io
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from launcher.columns import columns
from launcher.language import _
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

INK = "#010203"  # a placeholder for the page's colour of text
COLOURS = {"good": "#3f8f63", "partial": "#c39a3b", "bad": "#b9594a", "fault": "#8573b3"}  # as in style.css
STYLE = {
    "svg.fonttype": "none",
    "font.size": 8.5,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.transparent": True,
}


def distribution(totals: Sequence[float], most: float) -> str:
    """How many students have how many points, in tenths of the maximum."""

    def draw(axis: Axes) -> None:
        edges = [most * tenth / 10 for tenth in range(11)]
        axis.hist(totals, bins=edges, color=COLOURS["good"], rwidth=0.92)
        axis.set_xticks(edges[::2])
        axis.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        axis.set_xlabel(_("points of {most}", most=f"{most:g}"))
        axis.set_ylabel(_("students"))

    return _svg("distribution", 5, 2.1, draw)


def verdicts(rows: Sequence[tuple[str, Mapping[str, int]]]) -> str:
    """rows: a lab, and how many of its submissions ended good, partial, bad and fault."""

    def draw(axis: Axes) -> None:
        for at, (_lab, counts) in enumerate(rows):
            left, whole = 0.0, sum(counts.values()) or 1
            for kind, colour in COLOURS.items():
                share = 100 * counts.get(kind, 0) / whole
                axis.barh(at, share, left=left, height=0.62, color=colour)
                if share >= 6:
                    axis.text(left + share / 2, at, str(counts[kind]), ha="center", va="center", color="#ffffff")
                left += share
        _name_rows(axis, rows)
        axis.set_xlim(0, 100)
        axis.set_xlabel(_("per cent of submissions"))

    return _svg("verdicts", 5, 0.75 + 0.26 * len(rows), draw)


def speedups(rows: Sequence[tuple[str, Sequence[float]]], kind: str) -> str:
    """rows: a lab, and the speedups of its submissions. The axis is logarithmic: 2 and 1/2 are equally far from 1."""

    def draw(axis: Axes) -> None:
        for at, (_lab, ratios) in enumerate(rows):
            # Dots are spread by a fixed rule, so that they do not hide each other and the plot is always the same.
            heights = [at + 0.5 * ((17 * place) % 29 / 29 - 0.5) for place in range(len(ratios))]
            axis.plot(sorted(ratios), heights, "o", color=COLOURS["good"], alpha=0.55, markersize=4, markeredgewidth=0)
        axis.axvline(1, color=INK, linewidth=0.6, linestyle=(0, (3, 3)))
        axis.set_xscale("log", base=2)
        axis.set_xlim(*_octaves([ratio for _lab, ratios in rows for ratio in ratios]))
        axis.xaxis.set_major_formatter(lambda value, _at: f"{value:g}×")
        _name_rows(axis, rows)
        axis.set_xlabel(_("speedup ({kind})", kind=_(", ").join(map(_, kind.split(", ")))))

    return _svg(f"speedups-{kind}", 5, 0.75 + 0.3 * len(rows), draw)


def _name_rows(axis: Axes, rows: Sequence[tuple[str, object]]) -> None:
    axis.set_yticks(range(len(rows)), [_room_for(lab) + lab for lab, _values in rows])
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)


def _room_for(label: str) -> str:
    """Spaces, which a browser leaves out at the beginning. A Chinese character, which matplotlib's own typeface lacks,
    is measured as 0.6 em wide and not as 1 em, and a space as 0.32 em."""
    return " " * math.ceil((columns(label) - len(label)) * 0.4 / 0.32)


def _octaves(ratios: Sequence[float]) -> tuple[float, float]:
    """Whole powers of two around the ratios and 1."""
    return 2.0 ** math.floor(math.log2(min(1, *ratios)) - 0.1), 2.0 ** math.ceil(math.log2(max(1, *ratios)) + 0.1)


def _svg(name: str, width: float, height: float, draw: Callable[[Axes], None]) -> str:
    with plt.rc_context({**STYLE, "svg.hashsalt": name}):
        figure, axis = plt.subplots(figsize=(width, height), layout="constrained")
        draw(axis)
        out = io.StringIO()
        with warnings.catch_warnings():  # the browser's typeface draws the texts: matplotlib only measures them
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            figure.savefig(out, format="svg")
        plt.close(figure)
    return _for_a_page(out.getvalue(), name)


def _for_a_page(svg: str, name: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<svg ([^>]*?)width=\"[^\"]*\"", r"<svg \1", svg, count=1)
    svg = re.sub(r"<svg ([^>]*?)height=\"[^\"]*\"", r'<svg role="img" \1', svg, count=1)
    used = set(re.findall(r"(?:url\(|href=\")#([^)\"]+)", svg))
    svg = re.sub(r' id="([^"]*)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", svg)
    svg = re.sub(r"(url\(|href=\")#", rf"\1#{name}-", svg)
    svg = re.sub(r"font-family: [^;\"]*; ?", "", svg)
    return svg.replace(INK, "currentColor").strip()
