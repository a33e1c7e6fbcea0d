"""record: a verdict on the learner's own file → the progress of its lab."""

from typing import Any

from launcher.labs import Lab
from launcher.verdict_text import GOOD

from . import figures, prediction, progress


def keep(lab: Lab, verdict: dict[str, Any]) -> list[str]:
    """Returns a line for each prediction that this verdict answers."""
    answered: list[str] = []

    def how(entry: progress.Entry) -> None:
        word, date = verdict["verdict"], progress.now()
        entry["checks"][word] = entry["checks"].get(word, 0) + 1
        entry["last"] = {"verdict": word, "check": verdict["failed_check"], "date": date}
        if word in GOOD:
            entry["first_pass"] = entry["first_pass"] or date
            entry["best"] = figures.best(lab, entry["best"], figures.of(lab, verdict))
            answered.extend(prediction.answer(lab, verdict, entry))

    progress.change(lab.name, how)
    return answered
