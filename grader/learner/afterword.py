"""afterword: what stands below a passing verdict: the predictions beside the figures, what was gained over the starter,
the learner's own rungs of this family, and the next lab."""

from typing import Any

from launcher.console import paint
from launcher.labs import Lab
from launcher.table import MODELLED
from launcher.verdict_text import GOOD

from . import ladder
from .ladder import Rung

TITLE = 24  # columns
COLUMNS = (("instructions", "instructions"), ("sectors", "sectors"), ("picoseconds", "picoseconds"))


def lines(lab: Lab, verdict: dict[str, Any], answered: list[str]) -> list[str]:
    """answered: what the prediction lines say, if this pass gave the answers."""
    if verdict["verdict"] not in GOOD:
        return []
    rungs = ladder.rungs()
    parts = [
        ("Predictions", answered),
        ("Gained over the starter", gained(lab, verdict)),
        (f"Your rungs so far, {lab.family}, for each element", table(rungs, lab)),
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
        per = f" per {rule['per']}" if rule["per"] else ""
        found.append(f"    {rule['name']}: {before:.4g} before, {now:.4g} now{per}{_ratio(before, now)}")
    return found


def _ratio(before: float, now: float) -> str:
    if not before or not now:
        return ""
    return f", {before / now:.3g} × less" if now < before else f", {now / before:.3g} × more"


def table(rungs: list[Rung], lab: Lab) -> list[str]:
    """The best figures of each lab of the family that is passed. None if this lab is the first: there is nothing to
    compare with."""
    mine = [rung for rung in rungs if rung.is_passed and rung.lab.family == lab.family and rung.entry["best"]]
    if len(mine) < 2:
        return []
    rows = [" " * (TITLE + 2) + "".join(f"{heading:>{len(heading) + 1}}" for _, heading in COLUMNS)]
    for rung in mine:
        name = f"{rung.lab.number} {rung.lab.title}"[:TITLE]
        cells = "".join(f"{_cell(rung, key):>{len(heading) + 1}}" for key, heading in COLUMNS)
        rows.append(paint(f"  {name:{TITLE}}{cells}", "good" if rung.lab.name == lab.name else ""))
    if any(rung.entry["best"].get("modelled") for rung in mine):
        rows.append(paint(f"  ~ modelled for the {MODELLED}, not measured", "weak"))
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
        return paint("  Every lab is passed: you are at the top of the ladder.", "strong")
    return paint(f"  Next: {rung.lab.number} {rung.lab.title}. ./lab next says how to begin.", "strong")
