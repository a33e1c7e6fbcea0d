"""home: ./lab alone shows the ladder and the place on it; ./lab next says how to begin the next lab."""

from argparse import Namespace
from itertools import groupby

from launcher.columns import folded, padded
from launcher.console import paint, say, width
from launcher.labs import Lab
from launcher.language import _, later
from launcher.paths import shown

from . import handout, ladder
from .ladder import MARKS, Rung, State

TOP = later("Every lab is passed: you are at the top of the ladder.")


def run(arguments: Namespace) -> int:
    rungs = ladder.rungs()
    place = ladder.here(rungs)
    passed = sum(rung.is_passed for rung in rungs)
    say(paint(_("Warpladder: {passed} of {labs} labs passed", passed=passed, labs=len(rungs)), "strong"), styled=True)
    say()
    for line in overview(rungs, place.lab if place else None):
        say(line, styled=True)
    say()
    if place is None:
        say(_(TOP))
        return 0
    begun = place.state is State.BEGUN
    lab = f"{place.lab.number} {_(place.lab.title)}"
    say(paint(_("You are at {lab}", lab=lab) if begun else _("Next: {lab}", lab=lab), "good"), styled=True)
    for line in [*_files(place.lab), "", *_commands(place.lab, begun)]:
        say(line)
    return 0


def show_next(arguments: Namespace) -> int:
    rungs = ladder.rungs()
    rung = ladder.following(rungs)
    if rung is None:
        say(_(TOP))
        return 0
    for line in introduction(rung):
        say(line, styled=True)
    return 0


def introduction(rung: Rung) -> list[str]:
    lab = rung.lab
    lines = [paint(f"{lab.number} {_(lab.title)}", "good")]
    lines += [paint(line, "") for line in folded(handout.goal(lab), width())]
    if rung.state is State.LATER:
        lines.append(_("It builds on {labs}.", labs=", ".join(lab.needs)))
    return [*lines, "", *_files(lab), "", *_commands(lab, False)]


def _files(lab: Lab) -> list[str]:
    read, edit = shown(handout.file_of(lab)), shown(lab.source)
    return [f"    {_('read  {file}', file=read)}", f"    {_('edit  {file}', file=edit)}"]


def _commands(lab: Lab, begun: bool) -> list[str]:
    return [f"    {command:<16}  {what}" for command, what in commands_for(lab, begun)]


def overview(rungs: list[Rung], place: Lab | None) -> list[str]:
    """A line or two for each family: the numbers of its labs with their marks."""
    lines = []
    by_family = sorted(rungs, key=lambda rung: [other.lab.family for other in rungs].index(rung.lab.family))
    for family, members in groupby(by_family, key=lambda rung: rung.lab.family):
        cells = [(f"{rung.lab.number}{MARKS[rung.state]}", _style(rung, place)) for rung in members]
        in_a_line = max((width() - 14) // 4, 1)
        for start in range(0, len(cells), in_a_line):
            row = " ".join(paint(cell, style) for cell, style in cells[start : start + in_a_line])
            lines.append(f"  {padded(_(family) if start == 0 else '', 10)}  {row}".rstrip())
    words = {State.PASSED: _("passed"), State.BEGUN: _("begun"), State.OPEN: _("you can begin it")}
    return [*lines, "", paint("".join(f"  {MARKS[state]} {word}" for state, word in words.items()), "weak")]


def _style(rung: Rung, place: Lab | None) -> str:
    if place is not None and rung.lab.number == place.number:
        return "strong"
    return "new" if rung.is_passed else ""


def commands_for(lab: Lab, begun: bool) -> list[tuple[str, str]]:
    number = lab.number
    found = [
        (f"./lab watch {number}", _("grades the file each time you save it")),
        (f"./lab check {number}", _("grades it once")),
        (f"./lab hint {number}", _("shows one hint more")),
    ]
    if begun:
        found += [
            (f"./lab diff {number}", _("shows what you have changed")),
            (f"./lab reset {number}", _("goes back to the starter, keeps a copy")),
        ]
    return [*found, ("./lab list", _("lists all labs")), ("./lab --help", _("lists all commands"))]
