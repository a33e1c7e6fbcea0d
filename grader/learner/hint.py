"""hint: ./lab hint shows the folded hints of a handout, one more each time. Progress remembers how many."""

from argparse import Namespace

from launcher.console import paint, say, width
from launcher.labs import Lab
from launcher.language import _
from launcher.paths import shown

from . import handout, ladder, progress
from .home import TOP


def run(arguments: Namespace) -> int:
    lab = ladder.chosen(arguments.lab)
    if lab is None:
        say(_(TOP))
        return 0
    for line in lines(lab, again=arguments.again, all_of_them=arguments.all):
        say(line, styled=True)
    return 0


def lines(lab: Lab, *, again: bool = False, all_of_them: bool = False) -> list[str]:
    """The next hint. again: those that were shown already; all_of_them: all that there are."""
    hints = handout.hints(lab)
    if not hints:
        return [_("{file} has no hints.", file=f"{shown(lab.folder)}/README.md")]
    command = f"./lab hint {lab.number}"
    seen = min(progress.entry(progress.load(), lab.name)["hints"], len(hints))
    first, end = seen, seen + 1
    if all_of_them:
        first, end = 0, len(hints)
    elif again:
        if seen == 0:
            text = _(
                "You have read no hint of lab {lab} yet. The first one: {command}", lab=lab.number, command=command
            )
            return [text]
        first, end = 0, seen
    elif seen == len(hints):
        first, end = seen - 1, seen
    if end > seen:
        progress.change(lab.name, lambda entry: entry.update(hints=max(entry["hints"], end)))
    found: list[str] = []
    for number in range(first, end):
        found += [*_one(lab, hints[number], number + 1, len(hints)), ""]
    return found + [_afterwards(lab, end, len(hints), was_last=seen == len(hints))]


def _one(lab: Lab, hint: handout.Hint, number: int, count: int) -> list[str]:
    title = _(
        "Lab {lab}, hint {number} of {count}: {title}", lab=lab.number, number=number, count=count, title=hint.title
    )
    return [paint(title, "strong"), *(paint(line, "") for line in handout.for_terminal(hint.text, width()))]


def _afterwards(lab: Lab, shown_now: int, count: int, *, was_last: bool) -> str:
    command = f"./lab hint {lab.number}"
    if shown_now < count:
        return paint(_("The next hint: {command}", command=command), "weak")
    again = _("You have read all {count}.", count=count) if was_last else _("That was the last one.")
    return paint(_("{again} All of them again: {command}", again=again, command=f"{command} --all"), "weak")
