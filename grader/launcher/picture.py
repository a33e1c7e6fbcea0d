"""picture: draws the ladder and a file's histogram as PNG.

Two halves: draw(), for the launcher, which knows no matplotlib; and the script that draw() starts with a Python that
has it:    picture.py ladder|histogram OUT.png < FACTS.json
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
    result = subprocess.run(
        [picture_python(), __file__, kind, str(out)], input=json.dumps(facts), text=True, capture_output=True
    )
    if result.returncode != 0:
        raise Failure(f"{last_lines(result.stderr, 3)}\n{out} could not be drawn.")


def ladder(facts: dict[str, Any], out: str) -> None:
    """One panel a list of bars: facts = {"panels": [{"title", "unit", "rows": [{"lab", "family", "value"}]}]}."""
    import matplotlib.pyplot as plt

    panels = facts["panels"]
    rows = max(len(panel["rows"]) for panel in panels)
    figure, axes = plt.subplots(
        1, len(panels), figsize=(1.5 + 5.5 * len(panels), 1.6 + 0.34 * rows), squeeze=False, layout="constrained"
    )
    for axis, panel in zip(axes[0], panels, strict=True):
        _bars(axis, panel)
    families = [family for family in FAMILIES if any(r["family"] == family for p in panels for r in p["rows"])]
    swatches = [plt.Rectangle((0, 0), 1, 1, color=FAMILIES[family]) for family in families]
    figure.legend(swatches, families, loc="outside lower center", ncols=len(families), frameon=False)
    figure.savefig(out, dpi=150)


def _bars(axis: "Axes", panel: dict[str, Any]) -> None:
    rows = panel["rows"]
    values = [row["value"] for row in rows]
    # The first rung stands at the bottom: a ladder is climbed upwards. On a logarithmic axis a bar has to start
    # somewhere: at a tenth of the smallest value.
    start = min(values) / 10
    colours = [FAMILIES.get(row["family"], "#777777") for row in rows]
    axis.barh(range(len(rows)), [value - start for value in values], left=start, color=colours, height=0.62)
    for at, row in enumerate(rows):
        axis.annotate(
            f"{row['value']:,.4g}",
            (row["value"], at),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    axis.set_xscale("log")
    axis.set_xlim(start, max(values) * 8)
    axis.set_yticks(range(len(rows)), [row["lab"] for row in rows], fontsize=9)
    axis.set_xlabel(panel["unit"])
    axis.set_title(panel["title"], fontsize=10, loc="left")
    axis.spines[["top", "right"]].set_visible(False)


def histogram(facts: dict[str, Any], out: str) -> None:
    """facts = {"file", "counts": 256 numbers}."""
    import matplotlib.pyplot as plt

    counts = facts["counts"]
    figure, axis = plt.subplots(figsize=(9, 3.6), layout="constrained")
    axis.bar(range(len(counts)), counts, width=1.0, color=FAMILIES["histogram"])
    axis.set_xlim(-1, len(counts))
    axis.set_xticks(range(0, 257, 32))
    axis.set_xlabel("byte value")
    axis.set_ylabel("occurrences")
    axis.set_title(f"{facts['file']}: {sum(counts):,} bytes", loc="left")
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(out, dpi=150)


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    {"ladder": ladder, "histogram": histogram}[sys.argv[1]](json.load(sys.stdin), sys.argv[2])
