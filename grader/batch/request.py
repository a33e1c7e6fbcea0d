"""request: the options of ./lab grade → what they name. A wrong option is refused here, before anything is installed,
built or written. It needs only Python's own library."""

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from launcher import build, labs, paths
from launcher.console import Failure
from launcher.labs import Lab
from launcher.language import _

from . import key, reports
from .hidden import read_hidden


@dataclass(frozen=True)
class Request:
    folder: Path  # of the submissions
    out: Path  # it may not exist yet
    only: Lab | None
    hidden: bytes | None
    options: reports.Options


def read(arguments: Namespace) -> Request:
    folder, out = _folders(arguments)
    only = labs.find_lab(arguments.lab) if arguments.lab else None
    if arguments.scheduler:
        key.check_client(arguments.scheduler, arguments.key)
    return Request(folder, out, only, read_hidden(arguments.hidden), reports.options_of(arguments))


def _folders(arguments: Namespace) -> tuple[Path, Path]:
    folder, out = Path(arguments.submissions).absolute(), Path(arguments.out).absolute()
    if folder.is_file():
        raise Failure(_("{folder} is a file. Unpack it into a folder, and name that.", folder=arguments.submissions))
    if not folder.is_dir():
        raise Failure(_("{folder}: there is no such folder. Check the path.", folder=arguments.submissions))
    try:
        is_empty = next(folder.iterdir(), None) is None
    except OSError as error:
        raise Failure(
            _(
                "{folder} cannot be read: {why}. Check its permissions.",
                folder=arguments.submissions,
                why=error.strerror,
            )
        ) from error
    if is_empty:
        raise Failure(
            _(
                "{folder} is empty. There, each student has a folder or an archive by their name.",
                folder=arguments.submissions,
            )
        )
    if out == folder or folder in out.parents or out in folder.parents:
        raise Failure(_("--out: choose a folder beside the submissions, not one inside them or around them."))
    if out.resolve() in {tree.resolve() for tree in (paths.ROOT, *build.TREES.values())}:
        # The build locks these folders. We hold the lock of --out, so it would wait for us for ever.
        raise Failure(
            _("--out {out} is the course's own folder: choose another, such as --out grades.", out=arguments.out)
        )
    if out.exists() and not out.is_dir():
        raise Failure(_("--out {out} is a file: choose another name.", out=arguments.out))
    return folder, out
