"""figures: a verdict → the figures by which versions of a kernel are compared: what the rules measured, work and
traffic for each element, and the time.

    {"rules": {name: value}, "instructions": per element, "sectors": per element, "picoseconds": per element,
     "modelled": whether the time is the model's}                          a figure that is not known is left out
"""

from typing import Any

from launcher.demo import INSTRUCTIONS, SECTORS
from launcher.labs import Lab
from launcher.table import modelled_ms

Figures = dict[str, Any]


def of(lab: Lab, verdict: dict[str, Any]) -> Figures:
    n = lab.facts["sizes"]["real"]
    found: Figures = {"rules": {rule["name"]: rule["value"] for rule in verdict["rules"] if rule["value"] is not None}}
    counters = verdict["counters"]
    if INSTRUCTIONS in counters:
        found["instructions"] = counters[INSTRUCTIONS] / n
        found["sectors"] = sum(counters.get(name, 0) for name in SECTORS) / n
    measured, modelled = verdict["time"]["ms"], modelled_ms(verdict)
    if (ms := modelled if measured is None else measured) is not None:
        found |= {"picoseconds": ms * 1e9 / n, "modelled": measured is None}
    return found


def best(lab: Lab, kept: Figures, new: Figures) -> Figures:
    """The better of each figure. A measured time replaces one of the model."""
    ops = {rule["name"]: rule["op"] for rule in lab.facts["rules"]}
    merged: Figures = {"rules": dict(kept.get("rules", {}))}
    for name, value in new["rules"].items():
        more = ops.get(name, "").startswith(">")
        old = merged["rules"].get(name, value)
        merged["rules"][name] = max(old, value) if more else min(old, value)
    for name in ("instructions", "sectors"):
        if known := [figures[name] for figures in (kept, new) if name in figures]:
            merged[name] = min(known)
    times = [figures for figures in (kept, new) if "picoseconds" in figures]
    if times:
        fastest = min(times, key=lambda figures: (figures["modelled"], figures["picoseconds"]))
        merged |= {key: fastest[key] for key in ("picoseconds", "modelled")}
    return merged
