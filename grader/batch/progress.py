"""progress: shows how far a batch is: by a bar on a terminal, elsewhere by a line for each task."""

import sys
from typing import Any

from launcher.console import say
from launcher.language import _
from rich import progress


class Progress(progress.Progress):
    def __init__(self, tasks: int) -> None:
        super().__init__(
            progress.TextColumn(_("Grading")),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[last]}", markup=False),
            progress.TimeRemainingColumn(),
            disable=not sys.stdout.isatty(),
            transient=True,
        )
        self.add_task("", total=tasks, last="")

    def graded(self, record: dict[str, Any]) -> None:
        [task] = self.tasks
        score = _("no score") if record["score"] is None else f"{record['score']:g}"
        last = f"{record['student']}, {record['lab']}: {_(record['verdict'])}{_(', ')}{score}"
        self.update(task.id, advance=1, last=last)
        if self.disable:
            say(f"[{task.completed:.0f}/{task.total}] {last} ({record['seconds']:.0f} s)")
