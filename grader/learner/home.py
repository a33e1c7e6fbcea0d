"""home: ./lab alone shows the ladder and the place on it; ./lab next says how to begin the next lab."""

import textwrap
from argparse import Namespace
from itertools import groupby

from launcher.console import paint, say, width
from launcher.labs import Lab
from launcher.paths import shown

from . import handout, ladder
from .ladder import MARKS, Rung, State

TOP = "Every lab is passed: you are at the top of the ladder."


def run(_: Namespace) -> int:
    rungs = ladder.rungs()
    place = ladder.here(rungs)
    say(
        paint(f"Warpladder: {sum(rung.is_passed for rung in rungs)} of {len(rungs)} labs passed", "strong"), styled=True
    )
    say()
    for line in overview(rungs, place.lab if place else None):
        say(line, styled=True)
    say()
    if place is None:
        say(TOP)
        return 0
    begun = place.state is State.BEGUN
    say(paint(f"{'You are at' if begun else 'Next:'} {place.lab.number} {place.lab.title}", "good"), styled=True)
    say(f"    read  {shown(place.lab.folder)}/README.md")
    say(f"    edit  {shown(place.lab.source)}")
    say()
    for command, what in commands_for(place.lab, begun):
        say(f"    {command:<16}  {what}")
    return 0


def show_next(_: Namespace) -> int:
    rungs = ladder.rungs()
    rung = ladder.following(rungs)
    if rung is None:
        say(TOP)
        return 0
    for line in introduction(rung):
        say(line, styled=True)
    return 0


def introduction(rung: Rung) -> list[str]:
    lab = rung.lab
    lines = [paint(f"{lab.number} {lab.title}", "good")]
    lines += [paint(line, "") for line in textwrap.wrap(handout.goal(lab), width())]
    if rung.state is State.LATER:
        lines.append(f"It builds on {', '.join(lab.needs)}.")
    lines += ["", f"    read  {shown(lab.folder)}/README.md", f"    edit  {shown(lab.source)}", ""]
    return lines + [f"    {command:<16}  {what}" for command, what in commands_for(lab, False)]


def overview(rungs: list[Rung], place: Lab | None) -> list[str]:
    """A line or two for each family: the numbers of its labs with their marks."""
    lines = []
    by_family = sorted(rungs, key=lambda rung: [other.lab.family for other in rungs].index(rung.lab.family))
    for family, members in groupby(by_family, key=lambda rung: rung.lab.family):
        cells = [(f"{rung.lab.number}{MARKS[rung.state]}", _style(rung, place)) for rung in members]
        in_a_line = max((width() - 14) // 4, 1)
        for start in range(0, len(cells), in_a_line):
            row = " ".join(paint(cell, style) for cell, style in cells[start : start + in_a_line])
            lines.append(f"  {family if start == 0 else '':<10}  {row}".rstrip())
    return [
        *lines,
        "",
        paint(
            f"  {MARKS[State.PASSED]} passed  {MARKS[State.BEGUN]} begun  {MARKS[State.OPEN]} you can begin it", "weak"
        ),
    ]


def _style(rung: Rung, place: Lab | None) -> str:
    if place is not None and rung.lab.number == place.number:
        return "strong"
    return "new" if rung.is_passed else ""


def commands_for(lab: Lab, begun: bool) -> list[tuple[str, str]]:
    number = lab.number
    found = [
        (f"./lab watch {number}", "grades the file each time you save it"),
        (f"./lab check {number}", "grades it once"),
        (f"./lab hint {number}", "shows one hint more"),
    ]
    if begun:
        found += [
            (f"./lab diff {number}", "shows what you have changed"),
            (f"./lab reset {number}", "goes back to the starter, keeps a copy"),
        ]
    return [*found, ("./lab list", "lists all labs"), ("./lab --help", "lists all commands")]
