"""memory: how much memory a tree of processes uses, and how much this machine has left. Reads /proc."""

import functools
import os
import threading
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Self

SAMPLE_SECONDS = 0.25
PAUSE = 10  # if a sample takes long, wait so many times as long: sampling costs at most a tenth of a core


def descendants(root: int) -> list[int]:
    """Every process below this one, parents before children."""
    return _below(root, _children())


def available() -> int:
    """Bytes that can be used before this machine starts to swap."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0


class Peak:
    """The most memory that a process and those below it used at the same time. It is sampled: a peak between two
    samples may be missed. One thread samples for all objects."""

    watching_: ClassVar[list["Peak"]] = []
    wake_: ClassVar[threading.Condition] = threading.Condition()
    sampler_: ClassVar[threading.Thread | None] = None

    def __init__(self, root: int) -> None:
        self.root_, self.peak = root, 0

    def __enter__(self) -> Self:
        with Peak.wake_:
            Peak.watching_.append(self)
            Peak.wake_.notify()
            if Peak.sampler_ is None:
                Peak.sampler_ = threading.Thread(target=Peak._sample_for_ever, daemon=True)
                Peak.sampler_.start()
        return self

    def __exit__(self, *_: object) -> None:
        with Peak.wake_:
            Peak.watching_.remove(self)

    @staticmethod
    def _sample_for_ever() -> None:
        while True:
            with Peak.wake_:
                Peak.wake_.wait_for(lambda: Peak.watching_)
                watching = list(Peak.watching_)
            start = time.monotonic()
            children = _children()
            used = functools.cache(_used)
            for one in watching:
                one.peak = max(one.peak, sum(used(pid) for pid in [one.root_, *_below(one.root_, children)]))
            time.sleep(max(SAMPLE_SECONDS, PAUSE * (time.monotonic() - start)))


def _children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                # The name is in brackets and may hold any character. The parent is the second field behind it.
                parent = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[1]
                found[int(parent)].append(int(entry.name))
    return found


def _below(root: int, children: dict[int, list[int]]) -> list[int]:
    found = [root]
    for pid in found:  # the loop itself makes the list longer
        found += children.get(pid, [])
    return found[1:]


def _used(pid: int) -> int:
    """In bytes. A page that several processes share is divided among them."""
    with suppress(OSError, IndexError, ValueError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    with suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
