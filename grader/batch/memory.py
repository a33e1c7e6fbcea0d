"""memory: what a tree of processes uses, and what this machine has left, out of /proc."""

import os
import threading
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Self

SAMPLE_SECONDS = 0.25


def descendants(root: int) -> list[int]:
    """Every process below this one, parents before children."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                # The name, in brackets, may hold anything; the parent is the second field behind it.
                children[int((entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])].append(
                    int(entry.name)
                )
    found = [root]
    for pid in found:  # grows as it goes
        found += children[pid]
    return found[1:]


def used(pids: list[int]) -> int:
    """Bytes: pages that several processes share count once among all who share them."""
    return sum(_used(pid) for pid in pids)


def available() -> int:
    """Bytes that can be used before this machine starts to swap."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0


class Peak:
    """The most that a process and those below it used at once, sampled; what lives shorter may be missed."""

    def __init__(self, root: int) -> None:
        self.root_, self.peak = root, 0
        self.ended_ = threading.Event()
        self.thread_ = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self.thread_.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended_.set()
        self.thread_.join()

    def _watch(self) -> None:
        while not self.ended_.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, used([self.root_, *descendants(self.root_)]))


def _used(pid: int) -> int:
    for name in ("smaps_rollup", "statm"):
        with suppress(OSError, IndexError, ValueError):
            text = Path(f"/proc/{pid}/{name}").read_text(encoding="utf-8")
            if name == "statm":
                return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE")
            return sum(int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("Pss:"))
    return 0
