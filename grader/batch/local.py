"""local: tasks graded on this machine, as many judges side by side as its cores, its memory or its cards allow."""

import os
import shutil
import threading
from argparse import Namespace
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from launcher import device, labs
from launcher.console import say
from launcher.labs import Lab
from launcher.language import _

from . import judging, memory, ready
from .judging import Done, Outcomes, Place, Task

DEEPEST = 64  # the most folders without permission, one inside the other, that are still removed


@contextmanager
def workplace(out: Path) -> Iterator[Path]:
    """The folder for temporary files. Nothing of it is left afterwards, nor from an earlier run that was killed."""
    work = out / ".work"
    _remove(work)  # first, since a full disk may be what ended the earlier run
    try:
        yield work
    finally:
        _remove(work)


def run_tasks(tasks: list[Task], work: Path, arguments: Namespace) -> Outcomes:
    """Builds first, and returns the generator of the outcomes after that. Temporary files go to the folder work."""
    by_name = {lab.name: lab for lab in labs.all_labs()}
    where = device.choose(arguments.device)
    tree, fit = ready.make_ready(where, [by_name[name] for name in sorted({task.submission.lab for task in tasks})])
    work.mkdir(exist_ok=True)
    names = {lab.name for lab in fit}
    able = [task for task in tasks if task.submission.lab in names]
    place = Place(tree, work, stop=threading.Event())
    return _outcomes(able, by_name, place, _slots(where, arguments.jobs))


def _outcomes(tasks: list[Task], by_name: dict[str, Lab], place: Place, slots: list[dict[str, str]]) -> Outcomes:
    """slots: one for each judge that runs at the same time, with the environment variables that it alone gets."""
    free: SimpleQueue[dict[str, str]] = SimpleQueue()
    for slot in slots:
        free.put(slot)

    def grade(task: Task) -> Done:
        slot = free.get()
        try:
            return task, judging.grade(task, by_name[task.submission.lab], replace(place, environment=slot))
        finally:
            free.put(slot)

    pool = ThreadPoolExecutor(len(slots))
    try:
        for future in as_completed([pool.submit(grade, task) for task in tasks]):
            yield future.result()
    finally:
        place.stop.set()
        pool.shutdown(cancel_futures=True)


def _remove(folder: Path) -> None:
    """Removes the tree, also folders in it that a submission left without permission to write or to look inside."""
    for _time in range(DEEPEST):
        locked: list[Path] = []
        shutil.rmtree(folder, onerror=partial(_note, locked))
        if not locked or not folder.exists():
            return
        for path in locked:
            for one in (path, path.parent):
                with suppress(OSError):
                    if one.is_dir() and not one.is_symlink():
                        one.chmod(0o700)
    say(_("{folder} could not be removed. Nothing needs it any more: remove it by hand.", folder=folder))


def _note(locked: list[Path], _: object, path: str, __: object) -> None:
    locked.append(Path(path))


def _slots(where: str, wanted: int | None) -> list[dict[str, str]]:
    if where == "gpu":
        # A card that is timed must have no other work.
        cards = device.count()
        count = min(wanted or cards, cards)
        if wanted and wanted > cards:
            say(
                _("--jobs {wanted}: one job at a time on each card, and there are {cards}.", wanted=wanted, cards=cards)
            )
        return [{"CUDA_VISIBLE_DEVICES": str(number)} for number in range(count)] if cards > 1 else [{}]
    cores = len(os.sched_getaffinity(0))
    count, room = wanted or cores, max(1, memory.available() // ready.JUDGE_BYTES)
    if count > room:
        gibibytes = ready.JUDGE_BYTES >> 30
        say(
            _(
                "{room} at a time and not {count}: a judge may use {gibibytes} GiB, and that much memory is free.",
                room=room,
                count=count,
                gibibytes=gibibytes,
            )
        )
    return [{}] * min(count, room)
