"""listing: ./lab list, a line for each lab; ./lab status, what the learner has done in each, also for programs."""

import json
from argparse import Namespace
from typing import Any

from launcher.columns import cut, padded
from launcher.console import is_terminal, paint, say, width
from launcher.labs import all_labs
from launcher.language import _
from launcher.outlet import Outlet
from launcher.paths import ROOT

from . import handout, ladder
from .ladder import MARKS, Rung

FORMAT = 1


def show(arguments: Namespace) -> int:
    if arguments.json:
        facts = [{"name": lab.name, "folder": str(lab.folder.relative_to(ROOT)), **lab.facts} for lab in all_labs()]
        say(json.dumps(facts, indent=2))
        return 0
    room = width() if is_terminal() else None
    for rung in ladder.rungs():
        lab = rung.lab
        names = f"{padded(_(lab.family), 10)} {padded(_(lab.title), 42)}"
        line = f"{MARKS[rung.state]} {lab.number}  {names} {lab.source.relative_to(ROOT)}"
        say(paint((cut(line, room) if room else line).rstrip(), "new" if rung.is_passed else ""), styled=True)
    return 0


def status(arguments: Namespace) -> int:
    rungs = ladder.rungs()
    if arguments.json:
        Outlet(arguments.json, "--json").write(json.dumps(facts(rungs), indent=2) + "\n")
        return 0
    for rung in rungs:
        lab = rung.lab
        say(paint(f"{MARKS[rung.state]} {lab.number}  {_(lab.title)}", "new" if rung.is_passed else ""), styled=True)
        for line in _story(rung):
            say(f"       {line}")
    return 0


def facts(rungs: list[Rung]) -> dict[str, Any]:
    place, after = ladder.here(rungs), ladder.following(rungs)
    return {
        "format": FORMAT,
        "passed": sum(rung.is_passed for rung in rungs),
        "here": place.lab.name if place else None,
        "next": after.lab.name if after else None,
        "labs": [_facts(rung) for rung in rungs],
    }


def _facts(rung: Rung) -> dict[str, Any]:
    lab, entry = rung.lab, rung.entry
    return {
        "name": lab.name,
        "number": lab.number,
        "title": lab.title,
        "family": lab.family,
        "source": str(lab.source.relative_to(ROOT)),
        "needs": lab.needs,
        "state": rung.state.value,
        "checks": entry["checks"],
        "last": entry["last"],
        "first_pass": entry["first_pass"],
        "best": entry["best"],
        "hints": {"shown": entry["hints"], "of": len(handout.hints(lab))},
        "predictions": [{"ask": ask, **answer} for ask, answer in entry["predictions"].items()],
    }


def _story(rung: Rung) -> list[str]:
    entry, lines = rung.entry, []
    if entry["first_pass"]:
        lines.append(_("passed first on {date}", date=entry["first_pass"][:10]))
    if entry["checks"]:
        checks = (_("{count} {verdict}", count=count, verdict=_(verdict)) for verdict, count in entry["checks"].items())
        lines.append(_("checks: {checks}", checks=", ".join(checks)))
    if entry["hints"]:
        lines.append(_("hints: {read} of {count} read", read=entry["hints"], count=len(handout.hints(rung.lab))))
    lines += [
        _("predicted {said}, it is {value}: {ask}", said=f"{answer['said']:g}", value=f"{answer['is']:g}", ask=_(ask))
        for ask, answer in entry["predictions"].items()
        if answer["said"] is not None and answer["is"] is not None
    ]
    return lines
