"""progress: what a learner has done, in .progress.json at the root of the checkout. git ignores the file, so that it
survives an update of the course.

    {"format": 1, "labs": {"02_reduce_neighbored": {…}}}        the keys of an entry: EMPTY, below

Two terminals may write at the same time: every change reads the file, changes one lab and writes the file again, under
a lock. A reader sees the old file or the new one, and never a half of it."""

import copy
import datetime
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from launcher.console import warn
from launcher.language import _
from launcher.lock import alone_in
from launcher.paths import ROOT, shown

FORMAT = 1
Entry = dict[str, Any]
EMPTY: Entry = {
    "checks": {},  # verdict → how often
    "last": None,  # of the last check: {"verdict", "check", "date"}
    "first_pass": None,  # a date
    "best": {},  # figure → the best that a pass has had
    "hints": 0,  # how many were shown
    "predictions": {},  # question → {"said": a number, or null if it was skipped; "is": the figure of a pass, or null}
}


def file() -> Path:
    """The variable chooses another file: for a read-only checkout, and for tests."""
    return Path(os.environ.get("WARPLADDER_PROGRESS") or ROOT / ".progress.json").absolute()


def load() -> dict[str, Entry]:
    """The entries of all labs by name. A lab that was never touched has none; entry() gives an empty one."""
    try:
        text = file().read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        return _set_aside(_("cannot be read ({error})", error=error))
    try:
        whole = json.loads(text)
        number, labs = whole["format"], whole["labs"]
        if number > FORMAT:
            return _set_aside(_("is of a newer Warpladder (format {number})", number=number))
        return {str(name): _complete(entry) for name, entry in labs.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return _set_aside(_("is damaged"))


def entry(labs: dict[str, Entry], name: str) -> Entry:
    return labs.get(name) or copy.deepcopy(EMPTY)


def change(name: str, how: Callable[[Entry], None]) -> Entry:
    """Changes the entry of one lab, and returns it. A file that cannot be written costs a warning and nothing else."""
    try:
        with alone_in(ROOT / "labs"):  # a lock of the root would wait for a set-up in another terminal
            labs = load()
            changed = entry(labs, name)
            how(changed)
            labs[name] = changed
            _write(labs)
    except OSError as error:
        text = _("Your progress is not kept: {file} cannot be written ({why}).", file=shown(file()), why=error.strerror)
        warn(text)
        changed = entry({}, name)
        how(changed)
    return changed


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")


def _complete(kept: Entry) -> Entry:
    """Fills in the keys that an older file lacks. A key of the wrong type makes the file a damaged one."""
    whole = copy.deepcopy(EMPTY) | kept
    for key, example in EMPTY.items():
        if example is not None and not isinstance(whole[key], type(example)):
            raise TypeError(key)
    return whole


def _write(labs: dict[str, Entry]) -> None:
    unfinished = file().with_name(f"{file().name}.{os.getpid()}.new")
    try:
        unfinished.write_text(json.dumps({"format": FORMAT, "labs": labs}, indent=1) + "\n", encoding="utf-8")
        unfinished.replace(file())
    finally:
        unfinished.unlink(missing_ok=True)


def _set_aside(what: str) -> dict[str, Entry]:
    """Moves a file that we cannot use to a name beside it. Nothing that a learner has done is thrown away."""
    kept = file().with_name(f"{file().name}.{datetime.datetime.now():%Y%m%d-%H%M%S-%f}")
    facts = {"file": shown(file()), "what": what}
    try:
        file().replace(kept)
    except OSError as error:
        text = _(
            "{file} {what}, and it cannot be moved away ({why}). Your progress is not shown.",
            why=error.strerror,
            **facts,
        )
        warn(text)
    else:
        warn(_("{file} {what}. It is kept as {kept}, and a new one begins.", kept=shown(kept), **facts))
    return {}
