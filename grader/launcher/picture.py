"""picture: draws the ladder, the histogram of a file, and a benchmark, as PNG.

It has two halves: draw(), for the launcher, which does not need matplotlib, and the script that draw() starts with a
Python that has matplotlib:    picture.py ladder|histogram|bench OUT.png < FACTS.json
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAMILIES = {"scan": "#3b6ea5", "reduction": "#c2571a", "histogram": "#4a8b4a", "applications": "#7a5195"}
OTHER = "#777777"
TEXT_COLOUR = "#333333"


def draw(kind: str, facts: dict[str, Any], out: Path) -> None:
    from .console import Failure, last_lines
    from .language import _
    from .setup import picture_python

    out.parent.mkdir(parents=True, exist_ok=True)
    python = picture_python()
    assert python is not None  # prepare(picture=True) went before
    result = subprocess.run([python, __file__, kind, str(out)], input=json.dumps(facts), text=True, capture_output=True)
    if result.returncode != 0:
        raise Failure(_("{said}\n{file} could not be drawn.", said=last_lines(result.stderr, 3), file=out))


def ladder(facts: dict[str, Any], out: str) -> None:
    """facts = {"panels": [{"title", "unit", "rows": [{"lab", "family", "size", "value"}]}]}. value: None if
    no card has run the lab. A row of pictures for each family, since families do different work; a column for each
    panel."""
    from common.pictures import bars, shapes

    panels = facts["panels"]
    every = [row for panel in panels for row in panel["rows"]]
    others = sorted({row["family"] for row in every} - set(FAMILIES))
    families = [family for family in (*others, *FAMILIES) if any(row["family"] == family for row in every)]
    labs = {
        family: sorted({row["lab"]: row for row in every if row["family"] == family}.items()) for family in families
    }
    heights = [1 + len(labs[family]) for family in families]
    size = (2 + 4.4 * len(panels), 0.5 * sum(heights))
    figure, axes = shapes.figure(*size, rows=len(families), columns=len(panels), heights=heights)
    figure.set_layout_engine("constrained")
    places = iter(axes)
    for family in families:
        names = [f"{lab}\nn = {row['size']:,}" for lab, row in labs[family]]
        for panel, axis in zip(panels, places, strict=False):
            values = {row["lab"]: row["value"] for row in panel["rows"]}
            rows = [[bars.Bar(values[lab], _words(values[lab]), FAMILIES.get(family, OTHER))] if lab in values else []
                    for lab, _ in labs[family]]  # fmt: skip
            bars.draw(axis, names if panel is panels[0] else [""] * len(names), rows, panel["unit"], room=0.3)
            axis.set_title(panel["title"] if family == families[0] else "", fontsize=10, loc="left")
    figure.savefig(out, dpi=150)


def _words(value: float | None) -> str:
    return "" if value is None else f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


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


def words(facts: dict[str, Any], out: str) -> None:
    """facts = {"file", "words": [[word, count]]}, the most frequent word first."""
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7, 5), layout="constrained")
    names = [word for word, _ in facts["words"]]
    axis.barh(range(len(names)), [count for _, count in facts["words"]], color=FAMILIES["applications"])
    axis.set_yticks(range(len(names)), names, parse_math=False)
    axis.invert_yaxis()
    axis.set_xlabel("occurrences")
    axis.set_title(f"{facts['file']}: the most frequent words", loc="left")
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(out, dpi=150)


RUNG_FAMILY = {
    "reduce": "reduction",
    "scan": "scan",
    "histogram": "histogram",
    "select": "applications",
    "sort": "applications",
}
# Bytes that a task must move for each element.
ELEMENT_BYTES = {"reduce": 4, "scan": 8, "histogram": 1, "select": 6, "sort": 8}


def bench(facts: dict[str, Any], out: str) -> None:
    """facts = {"record": as common/pictures/bench_record.py describes it, "rungs": [{"lab", "family", "n", "ms"}]}. A
    row for each family: the time over n, and the share of the speed of reading or copying. The other rungs are
    points."""
    import matplotlib.pyplot as plt

    rows = [row for row in facts["record"]["rows"] if row["type"] in ("i32", "u8", "u32")]
    figure, panels = plt.subplots(len(RUNG_FAMILY), 2, figsize=(12, 18), layout="constrained")
    for (times, shares), (family, rung_family) in zip(panels, RUNG_FAMILY.items(), strict=True):
        chosen = [row for row in rows if row["family"] == family and row["input"] in ("random", "uniform")]
        rungs = [rung for rung in facts["rungs"] if rung["family"] == rung_family != "applications"]
        _bench_row(times, shares, family, _curves(chosen), rungs)
    device = facts["record"]["device"]
    title = f"{device}, {facts['record']['date']}: medians, L2 flushed, launched from a stream; ×: rungs, whole calls"
    figure.suptitle(title, fontsize=11)
    figure.savefig(out, dpi=110)


def _curves(rows: list[dict[str, Any]]) -> dict[str, dict[int, float]]:
    """Who → n → ms. The limit and CUB are the fastest of their forms."""
    from common.pictures.bench_record import LABS, OURS

    found: dict[str, dict[int, float]] = {}
    for row in rows:
        what = row["what"]
        limit = "reading" if what.startswith("read ") else "copying" if what.startswith("copy ") else ""
        who = limit or ("CPU" if row["launch"] == "host" else f"lab {LABS[row['family']]}" if what == OURS else "")
        who = who or (" ".join(what.split()[:2]) if what.startswith("CUB ") else "")
        if not who or row["launch"] == "graph":
            continue
        curve = found.setdefault(who, {})
        curve[row["n"]] = min(row["ms"], curve.get(row["n"], row["ms"]))
    return found


def _near(rungs: list[dict[str, Any]]) -> list[tuple[str, int, float]]:
    """Rungs whose points would lie on each other become one, with all their numbers."""
    groups: list[list[dict[str, Any]]] = []
    for rung in sorted(rungs, key=lambda rung: (rung["n"], rung["ms"])):
        if groups and groups[-1][0]["n"] == rung["n"] and rung["ms"] < 1.2 * groups[-1][0]["ms"]:
            groups[-1].append(rung)
        else:
            groups.append([rung])
    return [(", ".join(sorted(r["lab"] for r in group)), group[0]["n"], group[0]["ms"]) for group in groups]


def _bench_row(
    times: "Axes", shares: "Axes", family: str, curves: dict[str, dict[int, float]], rungs: list[dict[str, Any]]
) -> None:
    limit = next((curve for who, curve in curves.items() if who in ("reading", "copying")), {})
    marks = iter("so^vDPX*")
    for who, curve in curves.items():
        style = {"marker": next(marks), "markersize": 5, "label": who}
        if who in ("reading", "copying"):
            style |= {"color": OTHER, "linestyle": "--"}
        elif who.startswith("lab "):
            style |= {"color": FAMILIES[RUNG_FAMILY[family]], "linewidth": 2.5}
        sizes = sorted(curve)
        times.loglog(sizes, [curve[n] for n in sizes], **style)
        common = [n for n in sizes if n in limit]
        if common and who != "CPU":
            shares.semilogx(common, [limit[n] / curve[n] for n in common], **style)
    if limit:
        largest = max(limit)
        speed = largest * ELEMENT_BYTES[family] / limit[largest]  # bytes in a ms
        for labs, n, ms in _near(rungs):
            for axis, value in ((times, ms), (shares, n * ELEMENT_BYTES[family] / speed / ms)):
                axis.plot([n], [value], marker="x", color=TEXT_COLOUR)
                axis.annotate(labs, (n, value), xytext=(5, 2), textcoords="offset points", fontsize=8)
    times.set_title(f"{family}: time", fontsize=10, loc="left")
    times.set_ylabel("ms")
    of = "copying" if "copying" in curves else "reading"
    shares.set_title(f"{family}: share of {of}", fontsize=10, loc="left")
    shares.set_visible(bool(limit))
    shares.set_ylim(0, 1.1)
    for axis in (times, shares):
        axis.set_xlabel("elements")
        axis.grid(visible=True, alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    times.legend(fontsize=8, frameon=False)


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    sys.path.append(str(Path(__file__).resolve().parents[2]))  # for common.pictures
    {"ladder": ladder, "histogram": histogram, "words": words, "bench": bench}[sys.argv[1]](
        json.load(sys.stdin), sys.argv[2]
    )
