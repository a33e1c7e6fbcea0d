"""lock: lets one process at a time use a folder. The lock is on the folder itself and leaves no file behind."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from .console import Failure


@contextlib.contextmanager
def alone_in(folder: Path, *, or_fail: str | None = None) -> Iterator[None]:
    """Waits until no other process holds the lock; with or_fail, raises a Failure with this text instead."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (fcntl.LOCK_NB if or_fail else 0))
        except BlockingIOError as error:
            raise Failure(or_fail) from error
        yield
    finally:
        os.close(descriptor)
