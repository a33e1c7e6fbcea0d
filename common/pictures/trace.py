"""trace: lockstep's recording of a run → plain values, in the order of the run."""

import json
import struct
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

Number = int | float
VERSION = 3  # of the recording's form (docs/lockstep.md, "Traces")


def as_float(bits: int) -> float:
    """The float whose bits went through an instruction without a type, such as a shuffle."""
    return struct.unpack("f", struct.pack("I", bits))[0]


@dataclass(frozen=True)
class Launch:
    launch: int  # from 1, as in Access
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]


@dataclass(frozen=True)
class Lane:
    """One active lane of an instruction."""

    lane: int
    thread: int  # its number in the block
    array: str = ""  # the source's name; "parameter 1" (from 1) where it is not certain; "local memory"
    index: int = 0  # of its first element, in units of Access.bytes
    address: int = 0  # in bytes, from the array's beginning
    bank: int = 0  # shared memory only
    values: tuple[Number, ...] = ()  # loaded, stored, or the operand of an atomic; Access.count of them
    before: tuple[Number, ...] = ()  # atomics only: what memory held
    source: int = 0  # shuffles only: it gets the value of this lane
    given: int = 0  # shuffles only: the value that it gives
    taken: bool = False  # branches only: it jumps

    @property
    def value(self) -> Number:
        return self.values[0]

    def elements(self) -> tuple[int, ...]:
        return tuple(range(self.index, self.index + len(self.values)))


@dataclass(frozen=True)
class Access:
    """One instruction of one warp."""

    launch: int
    block: int  # its number in the grid
    warp: int
    step: int  # how many barriers of the block this warp has passed
    op: str  # "load", "store", "atomic", "shuffle", "barrier", "syncwarp", "branch" (where lanes go different ways)
    line: int
    code: str  # the text of that line
    lanes: tuple[Lane, ...]
    space: str = ""  # "global", "shared", "local"
    array: str = ""  # of the first lane
    bytes: int = 0  # in an element
    count: int = 1  # elements of each lane
    atomic: str = ""  # "add", …
    sectors: int = 0  # of 32 bytes each; for loads and stores of global memory
    wavefronts: int = 0  # turns; for loads and stores of shared memory

    def wanted(self) -> dict[int, set[int]]:
        """Shared memory: bank → the words of 4 bytes that the lanes want there."""
        words: dict[int, set[int]] = {}
        for lane in self.lanes:
            first = lane.bank * 4 + lane.address % 4
            for byte in range(0, self.bytes * self.count, 4):
                words.setdefault((first + byte) // 4 % 32, set()).add((lane.address + byte) // 4)
        return words


@dataclass(frozen=True)
class Flow:
    """A store of a thread, and the elements that it had loaded for it."""

    thread: int
    sources: tuple[int, ...]  # elements, in the order of the loads
    target: int
    value: Number


@dataclass(frozen=True)
class Trace:
    launches: tuple[Launch, ...]
    events: tuple[Access, ...]

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """All but the branches, which pictures do not draw."""
        return tuple(event for event in self.events if event.op != "branch")

    def select(self, **wanted: object) -> list[Access]:
        """The accesses whose attributes have these values. A collection means any of its members."""

        def fits(access: Access) -> bool:
            for name, value in wanted.items():
                found = getattr(access, name)
                one_of = value if isinstance(value, Collection) and not isinstance(value, str) else (value,)
                if found not in one_of:
                    return False
            return True

        return [access for access in self.accesses if fits(access)]

    def flows(self, **wanted: object) -> list[Flow]:
        """The elements that each thread loaded for each of its stores, among the selected accesses of one block. If a
        round of the kernel has two barriers, select both of its steps."""
        loaded: dict[int, tuple[int, ...]] = {}
        result = []
        for access in self.select(**{"launch": 1, "block": 0, "op": ("load", "store"), **wanted}):
            for lane in access.lanes:
                if access.op == "load":
                    loaded[lane.thread] = loaded.get(lane.thread, ()) + lane.elements()
                else:
                    sources = loaded.pop(lane.thread, ())
                    result += [Flow(lane.thread, sources, *one) for one in zip(lane.elements(), lane.values)]
        return result

    def contents(self, array: str, step: int, block: int = 0, launch: int = 1) -> dict[int, Number]:
        """The elements of an array after a step of this block: index → value. It knows the elements that the block has
        written, and those that it reads before it writes them. Step -1 is before the kernel."""
        values: dict[int, Number] = {}
        unknown = set()  # elements that are written in a later step
        for access in self.select(array=array, block=block, launch=launch, op=("load", "store", "atomic")):
            for i, value in ((i, v) for lane in access.lanes for i, v in zip(lane.elements(), lane.values)):
                if access.op == "load":
                    if i not in unknown:
                        values.setdefault(i, value)  # no store came before
                elif access.step > step:
                    if i not in values:
                        unknown.add(i)
                elif access.op == "store":
                    values[i] = value
                elif access.atomic == "add" and i in values:
                    values[i] += value
        return values


@cache
def _lines(file: str) -> list[str]:
    path = Path(file)
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def _access(entry: dict[str, Any], grid: tuple[int, int, int]) -> Access:
    x, y, z = entry["block"]
    arrays, values, count = entry.get("array", ""), entry.get("value", []), entry.get("count", 1)
    before = entry.get("before", [])
    taken, lanes = set(entry.get("taken", ())), []
    for i, lane in enumerate(entry["lanes"]):
        columns = {name: entry[name][i] for name in ("index", "address", "bank", "source", "given") if name in entry}
        lanes.append(
            Lane(
                lane=lane,
                thread=entry["warp"] * 32 + lane,
                array=arrays if isinstance(arrays, str) else arrays[i],
                values=tuple(values[i * count : (i + 1) * count]),
                before=tuple(before[i * count : (i + 1) * count]),
                taken=lane in taken,
                **columns,
            )
        )
    text = _lines(entry["file"])
    return Access(
        **{name: entry[name] for name in ("launch", "warp", "step", "op", "line")},
        **{
            name: entry[name]
            for name in ("space", "bytes", "count", "atomic", "sectors", "wavefronts")
            if name in entry
        },
        block=x + grid[0] * (y + grid[1] * z),
        code=text[entry["line"] - 1].strip() if 0 < entry["line"] <= len(text) else "",
        lanes=tuple(lanes),
        array=lanes[0].array,
    )


def parse(lines: Iterable[str]) -> Trace:
    launches: dict[int, Launch] = {}
    events = []
    for line in lines:
        entry = json.loads(line)
        number = entry["launch"]
        if "kernel" in entry:
            if entry["version"] != VERSION:
                raise ValueError(f"a recording of version {entry['version']}; this program reads version {VERSION}")
            launches[number] = Launch(number, entry["kernel"], tuple(entry["grid"]), tuple(entry["block"]))
        else:
            events.append(_access(entry, launches[number].grid))
    return Trace(tuple(launches.values()), tuple(events))
