"""ladder: the labs and the progress → which labs are passed, where the learner is, and what comes next."""

from dataclasses import dataclass
from enum import Enum

from launcher.labs import Lab, all_labs, find_lab

from . import progress


class State(Enum):
    PASSED = "passed"
    BEGUN = "begun"
    OPEN = "open"  # not begun, and everything that it needs is passed
    LATER = "later"


MARKS = {State.PASSED: "✓", State.BEGUN: "▸", State.OPEN: "·", State.LATER: " "}


@dataclass(frozen=True)
class Rung:
    lab: Lab
    entry: progress.Entry
    state: State

    @property
    def is_passed(self) -> bool:
        return self.state is State.PASSED


def rungs() -> list[Rung]:
    labs, entries = all_labs(), progress.load()
    kept = {lab.number: progress.entry(entries, lab.name) for lab in labs}
    passed = {number for number, entry in kept.items() if entry["first_pass"]}
    return [Rung(lab, kept[lab.number], _state(lab, kept[lab.number], passed)) for lab in labs]


def here(ladder: list[Rung]) -> Rung | None:
    """Where the learner is: the lab that was checked last, or the next one if that lab is passed. None: at the top."""
    checked = [rung for rung in ladder if rung.entry["last"]]
    last = max(checked, key=lambda rung: rung.entry["last"]["date"], default=None)
    return last if last and not last.is_passed else following(ladder)


def following(ladder: list[Rung], besides: str = "") -> Rung | None:
    """The next lab: the first that is not passed and that needs nothing that is not passed either. besides: the number
    of a lab that is left out."""
    left = [rung for rung in ladder if not rung.is_passed and rung.lab.number != besides]
    ready = [rung for rung in left if rung.state is not State.LATER]
    return next(iter(ready or left), None)


def chosen(wanted: str | None) -> Lab | None:
    """The lab that a command names, or the one where the learner is. None: none is named, and all are passed."""
    if wanted is not None:
        return find_lab(wanted)
    place = here(rungs())
    return place.lab if place else None


def _state(lab: Lab, entry: progress.Entry, passed: set[str]) -> State:
    if lab.number in passed:
        return State.PASSED
    if entry["last"]:
        return State.BEGUN
    return State.OPEN if passed.issuperset(lab.needs) else State.LATER
