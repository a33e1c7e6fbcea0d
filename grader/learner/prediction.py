"""prediction: "Predict first". lab.json says what is asked; a counter of the learner's own pass gives the answer.

    "predict": [{"ask": "divergent branches of one block", "counter": NAME, "per": 16384, "reference": 192}, …]

The figure is a counter of the measured case, or what a rule measures ("rule" in place of "counter"), divided by "per",
which is a number or another counter. "input" chooses among several measured inputs. docs/labs.md describes the keys."""

import os
import re
import sys
from argparse import Namespace
from typing import Any

from launcher.console import paint, say
from launcher.labs import Lab
from launcher.language import _

from . import ladder, progress
from .home import TOP

NUMBER = re.compile(r"(\d+|\d{1,3}(,\d{3})+)(\.\d+)?")  # a comma between thousands; no counter is negative
EXACT = 0.005  # a prediction within half a percent is right: people round


def questions(lab: Lab) -> list[dict[str, Any]]:
    return lab.facts.get("predict", [])


def run(arguments: Namespace) -> int:
    """./lab predict: asks everything again, or shows the questions and answers where nobody can be asked."""
    lab = ladder.chosen(arguments.lab)
    if lab is None:
        say(_(TOP))
    elif not questions(lab):
        say(_("Lab {lab} asks for no prediction that a counter answers.", lab=lab.number))
    elif _somebody_answers():
        ask(lab, questions(lab))
        say(_("{command} compares, as soon as your file passes.", command=f"./lab check {lab.number}"))
    else:
        kept = progress.entry(progress.load(), lab.name)["predictions"]
        for question in questions(lab):
            say(f"{_(question['ask'])}: {_state(kept.get(question['ask']))}")
    return 0


def ask_once(lab: Lab) -> None:
    """Asks what was not asked yet, if a person is there to answer. Enter skips a question for good."""
    asked = progress.entry(progress.load(), lab.name)["predictions"]
    left = [question for question in questions(lab) if question["ask"] not in asked]
    if left and _somebody_answers():
        ask(lab, left)


def _somebody_answers() -> bool:
    """In a notebook, !./lab has a terminal, but nobody can type into it. Jupyter sets the variable for its kernels."""
    return sys.stdin.isatty() and sys.stdout.isatty() and "JPY_PARENT_PID" not in os.environ


def ask(lab: Lab, wanted: list[dict[str, Any]]) -> None:
    name = f"{lab.number} {_(lab.title)}"
    say(paint(_("Predict first ({lab}). Enter skips a question.", lab=name), "strong"), styled=True)
    for question in wanted:
        said = _number("  " + _("{question}? ", question=_(question["ask"])))
        progress.change(
            lab.name,
            lambda entry, ask=question["ask"], said=said: entry["predictions"].update(
                {ask: {"said": said, "is": None}}
            ),
        )
    say()


def answer(lab: Lab, verdict: dict[str, Any], entry: progress.Entry) -> list[str]:
    """Puts the figures of a pass beside the predictions. Returns a line for each that had no figure yet, also where
    nothing was predicted: the handout compares with this figure."""
    found = []
    for question in questions(lab):
        kept = entry["predictions"].setdefault(question["ask"], {"said": None, "is": None})
        value = figure(question, verdict)
        if value is None:
            continue
        if kept["is"] is None:
            found.append(compared(question["ask"], kept["said"], value))
        kept["is"] = value
    return found


def compared(ask: str, said: float | None, value: float) -> str:
    if said is None:
        return "    " + _("{ask}: {value}, not predicted", ask=_(ask), value=_shown(value))
    right = abs(said - value) <= EXACT * abs(value)
    text = _("{ask}: you said {said}; it is {value}", ask=_(ask), said=_shown(said), value=_shown(value))
    return paint(f"    {text}", "new" if right else "")


def figure(question: dict[str, Any], verdict: dict[str, Any]) -> float | None:
    """None: this verdict does not hold it. Nothing is counted on a card, or in OpenCL."""
    if "rule" in question:
        values = [rule["value"] for rule in verdict["rules"] if rule["name"] == question["rule"]]
        value = values[0] if values else None
        counters: dict[str, float] = verdict["counters"]
    else:
        counters = verdict["counters"]
        for measured in verdict["measurements"]:
            if measured["input"] == question.get("input"):
                counters = measured["counters"]
        value = counters.get(question["counter"])
    per = question.get("per", 1)
    divisor = counters.get(per) if isinstance(per, str) else per
    return value / divisor if value is not None and divisor else None


def _state(kept: dict[str, float | None] | None) -> str:
    if kept is None or kept["said"] is None:
        return _("no prediction")
    if kept["is"] is None:
        return _("you said {said}", said=_shown(kept["said"]))
    return _("you said {said}; it is {value}", said=_shown(kept["said"]), value=_shown(kept["is"]))


def _number(prompt: str) -> float | None:
    """A number as people write it: 1,024 or 0.25 or 3/4. Asks again if it is not one; Enter is None."""
    while True:
        say(prompt, end="")
        text = sys.stdin.readline().strip()
        if not text:
            return None
        value = parsed(text)
        if value is not None:
            return value
        say("  " + _("A number, please, such as 40 or 0.25 or 3/4. Enter skips the question."))


def parsed(text: str) -> float | None:
    parts = [part.strip() for part in text.split("/")]
    if len(parts) > 2 or not all(NUMBER.fullmatch(part) for part in parts):
        return None
    above, below = (float(part.replace(",", "")) for part in (parts + ["1"])[:2])
    return above / below if below else None


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.4g}"
