"""progress: shows how far a batch is: by a bar on a terminal, elsewhere by a line for each task."""

import sys
from types import TracebackType
from typing import Any, Self

from launcher.console import say
from rich import progress


class Progress:
    def __init__(self, tasks: int) -> None:
        self.tasks_, self.done_ = tasks, 0
        self.bar_ = progress.Progress(
            progress.TextColumn("Grading"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[last]}", markup=False),
            progress.TimeRemainingColumn(),
            disable=not sys.stdout.isatty(),
            transient=True,
        )
        self.task_ = self.bar_.add_task("", total=tasks, last="")

    def __enter__(self) -> Self:
        self.bar_.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar_.stop()

    def advance(self, record: dict[str, Any]) -> None:
        self.done_ += 1
        score = "no score" if record["score"] is None else f"{record['score']:g}"
        last = f"{record['student']}, {record['lab']}: {record['verdict']}, {score}"
        if self.bar_.disable:
            say(f"[{self.done_}/{self.tasks_}] {last} ({record['seconds']:.0f} s)")
        self.bar_.update(self.task_, advance=1, last=last)
