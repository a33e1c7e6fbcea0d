"""afterword: what stands below a passing verdict: the predictions beside the figures, what was gained over the starter,
the learner's own rungs of this family, and the next lab."""

from typing import Any

from launcher.columns import columns, cut, flush_right, padded
from launcher.console import paint
from launcher.labs import Lab
from launcher.language import _, later
from launcher.table import MODELLED
from launcher.verdict_text import GOOD

from . import ladder
from .home import TOP
from .ladder import Rung

TITLE, LEAST = 24, 7  # columns: of a title; of a figure
COLUMNS = (later("instructions"), later("sectors"), later("picoseconds"))


def lines(lab: Lab, verdict: dict[str, Any], answered: list[str]) -> list[str]:
    """answered: what the prediction lines say, if this pass gave the answers."""
    if verdict["verdict"] not in GOOD:
        return []
    rungs = ladder.rungs()
    parts = [
        (_("Predictions"), answered),
        (_("Gained over the starter"), gained(lab, verdict)),
        (_("Your rungs so far, {family}, for each element", family=_(lab.family)), table(rungs, lab)),
    ]
    found: list[str] = []
    for title, part in parts:
        if part:
            found += ["", paint(f"  {title}", "strong"), *part]
    return [*found, "", _next(rungs)]


def gained(lab: Lab, verdict: dict[str, Any]) -> list[str]:
    """A line for each rule that tells the learner's kernel from the starter."""
    starters = {rule["name"]: rule["starter"] for rule in lab.facts["rules"]}
    found = []
    for rule in verdict["rules"]:
        before, now = starters.get(rule["name"]), rule["value"]
        if before is None or now is None or abs(before - now) <= 1e-6 * abs(before):
            continue
        name, figures = rule["name"], {"before": f"{before:.4g}", "now": f"{now:.4g}", "ratio": _ratio(before, now)}
        if rule["per"]:
            line = _("{name}: {before} before, {now} now per {per}{ratio}", name=name, per=_(rule["per"]), **figures)
        else:
            line = _("{name}: {before} before, {now} now{ratio}", name=name, **figures)
        found.append(f"    {line}")
    return found


def _ratio(before: float, now: float) -> str:
    if not before or not now:
        return ""
    if now < before:
        return _(", {times} × less", times=f"{before / now:.3g}")
    return _(", {times} × more", times=f"{now / before:.3g}")


def table(rungs: list[Rung], lab: Lab) -> list[str]:
    """The best figures of each lab of the family that is passed. None if this lab is the first: there is nothing to
    compare with."""
    mine = [rung for rung in rungs if rung.is_passed and rung.lab.family == lab.family and rung.entry["best"]]
    if len(mine) < 2:
        return []
    rooms = {key: max(columns(_(key)), LEAST) + 1 for key in COLUMNS}
    rows = [" " * (TITLE + 2) + "".join(flush_right(_(key), room) for key, room in rooms.items())]
    for rung in mine:
        name = padded(cut(f"{rung.lab.number} {_(rung.lab.title)}", TITLE), TITLE)
        cells = "".join(flush_right(_cell(rung, key), room) for key, room in rooms.items())
        rows.append(paint(f"  {name}{cells}", "good" if rung.lab.name == lab.name else ""))
    if any(rung.entry["best"].get("modelled") for rung in mine):
        rows.append(paint("  " + _("~ modelled for the {card}, not measured", card=MODELLED), "weak"))
    return rows


def _cell(rung: Rung, key: str) -> str:
    value = rung.entry["best"].get(key)
    tells_little = key == "picoseconds" and not rung.lab.facts["speed"]  # a launch takes longer than the work
    if value is None or tells_little:
        return "–"
    modelled = "~" if key == "picoseconds" and rung.entry["best"]["modelled"] else ""
    return f"{modelled}{value:.3g}" if 0.01 <= value < 1000 else f"{modelled}{value:,.{4 if value < 1 else 0}f}"


def _next(rungs: list[Rung]) -> str:
    rung = ladder.following(rungs)
    if rung is None:
        return paint(f"  {_(TOP)}", "strong")
    text = _("Next: {lab}. ./lab next says how to begin.", lab=f"{rung.lab.number} {_(rung.lab.title)}")
    return paint(f"  {text}", "strong")
