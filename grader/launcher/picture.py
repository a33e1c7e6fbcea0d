"""picture: draws the ladder, and the histogram of a file, as PNG.

It has two halves: draw(), for the launcher, which does not need matplotlib, and the script that draw() starts with a
Python that has matplotlib:    picture.py ladder|histogram OUT.png < FACTS.json
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAMILIES = {"scan": "#3b6ea5", "reduction": "#c2571a", "histogram": "#4a8b4a"}


def draw(kind: str, facts: dict[str, Any], out: Path) -> None:
    from .console import Failure, last_lines
    from .setup import picture_python

    out.parent.mkdir(parents=True, exist_ok=True)
    python = picture_python()
    assert python is not None  # prepare(picture=True) went before
    result = subprocess.run([python, __file__, kind, str(out)], input=json.dumps(facts), text=True, capture_output=True)
    if result.returncode != 0:
        raise Failure(f"{last_lines(result.stderr, 3)}\n{out} could not be drawn.")


def ladder(facts: dict[str, Any], out: str) -> None:
    """facts = {"panels": [{"title", "unit", "rows": [{"lab", "family", "size", "value"}]}]}. value: None if
    no card has run the lab."""
    import matplotlib.pyplot as plt

    panels = facts["panels"]
    most = max(len(panel["rows"]) for panel in panels)
    figure, axes = plt.subplots(
        1, len(panels), figsize=(1.5 + 5 * len(panels), 1.6 + 0.42 * most), squeeze=False, layout="constrained"
    )
    for axis, panel in zip(axes[0], panels, strict=True):
        _dots(axis, panel)
        axis.set_ylim(-0.6, most - 0.4)
    families = [family for family in FAMILIES if any(r["family"] == family for p in panels for r in p["rows"])]
    swatches = [plt.Line2D([], [], marker="o", linestyle="", color=FAMILIES[family]) for family in families]
    figure.legend(swatches, families, loc="outside lower center", ncols=max(len(families), 1), frameon=False)
    figure.savefig(out, dpi=150)


def _dots(axis: "Axes", panel: dict[str, Any]) -> None:
    """A row for each rung. The first rung of a family is at its bottom, since a ladder is climbed upwards. It draws
    dots, since a logarithmic axis has no zero from which a bar could start. A row names the number of elements, since
    the cost of an element may depend on it."""
    families = list(FAMILIES)
    rows = sorted(panel["rows"], key=lambda row: families.index(row["family"]) if row["family"] in families else -1)
    values = [row["value"] for row in rows if row["value"] is not None]
    left, right = min(values) / 4, max(values) * 12
    for at, row in enumerate(rows):
        colour = FAMILIES.get(row["family"], "#777777")
        value = row["value"]
        if value is None:
            axis.annotate("not measured yet", (left * 1.2, at), va="center", fontsize=8)
            continue
        axis.plot([left, value], [at, at], color=colour, alpha=0.25, linewidth=2)
        axis.plot(value, at, marker="o", markersize=7, color=colour)
        text = f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"
        axis.annotate(text, (value, at), xytext=(8, 0), textcoords="offset points", va="center", fontsize=8)
    axis.set_xscale("log")
    axis.set_xlim(left, right)
    axis.set_yticks(range(len(rows)), [f"{row['lab']}\nn = {row['size']:,}" for row in rows], fontsize=8)
    axis.set_xlabel(panel["unit"])
    axis.set_title(panel["title"], fontsize=10, loc="left")
    axis.spines[["top", "right"]].set_visible(False)


def histogram(facts: dict[str, Any], out: str) -> None:
    """facts = {"file", "counts": 256 numbers, "wanted": None, or the right counts if those are wrong}."""
    import matplotlib.pyplot as plt

    counts, wanted = facts["counts"], facts["wanted"]
    if wanted is None:
        figure, axis = plt.subplots(figsize=(9, 3.6), layout="constrained")
        _bars(axis, counts, f"{facts['file']}: {sum(counts):,} bytes")
    else:
        figure, (mine, right) = plt.subplots(1, 2, figsize=(14, 3.6), sharey=True, layout="constrained")
        wrong = [got != want for got, want in zip(counts, wanted)]
        _bars(mine, counts, f"{facts['file']}: yours, {sum(wrong)} bins wrong (hatched)", wrong)
        _bars(right, wanted, f"right: {sum(wanted):,} bytes")
        mine.set_ylim(0, 1.3 * max(wanted))  # a counter that was never written may hold anything
    figure.savefig(out, dpi=150)


def _bars(axis: "Axes", counts: list[int], title: str, wrong: list[bool] | None = None) -> None:
    """wrong: for each bar whether it is marked, by its colour and by a pattern."""
    bars = axis.bar(range(len(counts)), counts, width=1.0, color=FAMILIES["histogram"])
    for bar, is_wrong in zip(bars, wrong or []):
        if is_wrong:
            bar.set(facecolor="none", edgecolor="#b03030", hatch="////")
    axis.set_xlim(-1, len(counts))
    axis.set_xticks(range(0, 257, 32))
    axis.set_xlabel("byte value")
    axis.set_ylabel("occurrences")
    axis.set_title(title, loc="left")
    axis.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    {"ladder": ladder, "histogram": histogram}[sys.argv[1]](json.load(sys.stdin), sys.argv[2])
