"""flows: a recording → which element was added into which: the rows of a reduction tree, of a scan's steps, or of a
histogram, as textbooks draw them. They follow from what each thread loaded before it stored, and from the values; no
formula of an algorithm is here. A wrong kernel is drawn as it ran.

A cell is an element of an array, or a lane's register that it gives to a shuffle. A flow is a store into a cell, and
the cells that its thread had read since its last store. A flow stands one row below the last writes of the cells that
it needs. Only the cells that can be traced back to the input are shown, up to MOST_CELLS: a tile that is filled up with
zeros would hide the others."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from launcher.language import _

from common.pictures.trace import Access, Lane, Number, as_float

MOST_CELLS = 64  # of one array
MOST_ROWS = 40
NEAR = 16  # elements between two cells of one row of neighbours
BITS = {1: 8, 2: 16, 4: 32, 8: 64}
Json = dict[str, Any]


class Cell(NamedTuple):
    array: str
    index: int


@dataclass
class Flow:
    """kind: "sum" of its sources, "copy" of one of them, "count" (an atomic), "use" (another function of them), or
    "set" without any. sources: cells, and the rows in which their values were written."""

    event: int  # its number among the events of the launch
    thread: int
    line: int
    step: int
    target: Cell
    sources: dict[Cell, int]
    value: Number | None
    kind: str
    row: int = 0
    is_global: bool = False


class Held(NamedTuple):
    value: Number | None
    row: int  # in which it was written


@dataclass
class _Thread:
    read: dict[Cell, Held] = field(default_factory=dict)
    step: int = 0  # of these reads
    is_used: bool = False  # by a store; the next load begins anew
    last: Cell | None = None  # what it stored last, and may still hold in a register
    held: Held = Held(None, 0)

    def load(self, cell: Cell, held: Held, step: int) -> None:
        if self.is_used:
            self.read, self.is_used = {}, False
        self.read[cell], self.step = held, step


def typed(bits: Number, is_float: bool) -> Number | None:
    """What went through a shuffle, which has no type."""
    if not is_float:
        return bits - (1 << 32) if bits >= 1 << 31 else bits
    value = as_float(int(bits))
    return value if math.isfinite(value) else None


def rows(events: Sequence[Access], block: int, *, is_float: bool) -> list[Json]:
    """The rows of one block; the input comes first. A row is {"title", "step", "cells": [{"x", "i", "v", "changed"}],
    "flows": [{"e", "t", "to", "from": [[row, x]], "hidden": names, "kind"}]}."""
    block_run = _Run(is_float)
    for number, event in enumerate(events):
        if event.block == block:
            block_run.take(number, event)
    shown = _shown(block_run.found, block_run.first)
    before = {cell: value for cell, value in (block_run.counted | block_run.first).items() if cell in shown}
    return _drawn([flow for flow in block_run.found if flow.target in shown], before, shown)


class _Run:
    """The events of one block become flows. Rows follow the barriers, and inside of a step what depends on what."""

    def __init__(self, is_float: bool) -> None:
        self.is_float = is_float
        self.found: list[Flow] = []
        self.first: dict[Cell, Number | None] = {}  # global cells that were loaded before they were written: the input
        self.counted: dict[Cell, Number | None] = {}  # what atomics found in global cells that nobody had written
        self.threads: dict[int, _Thread] = {}
        self.written: dict[Cell, Flow] = {}  # the last write of each cell
        self.bottom = {0: 0}  # step → the last row of the steps before it
        self.deepest = 0

    def take(self, number: int, event: Access) -> None:
        if event.step not in self.bottom:
            self.bottom[event.step] = self.deepest
        begin = len(self.found)
        for lane in event.lanes:
            thread = self.threads.setdefault(lane.thread, _Thread())
            if event.op == "shuffle":
                cell = Cell(_("registers of warp {warp}", warp=event.warp), lane.lane)
                self._store(number, event, lane, cell, typed(lane.given, self.is_float))
            elif event.op in ("store", "atomic") and event.space != "local":
                for i, (index, value) in enumerate(zip(lane.elements(), lane.values)):
                    cell = Cell(lane.array, index)
                    if lane.before and event.space == "global" and cell not in self.written:
                        self.counted.setdefault(cell, lane.before[i])
                    self._store(number, event, lane, cell, value)
            elif event.op == "load" and event.space != "local":
                for index, value in zip(lane.elements(), lane.values):
                    cell = Cell(lane.array, index)
                    thread.load(cell, Held(value, self._row(cell)), event.step)
                    if event.space == "global" and cell not in self.written:
                        self.first.setdefault(cell, value)
        self._level(self.found[begin:])
        if event.op == "shuffle":  # every lane gives before a lane takes
            for lane in event.lanes:
                cell = Cell(_("registers of warp {warp}", warp=event.warp), lane.source)
                held = Held(typed(lane.value, self.is_float), self._row(cell))
                self.threads[lane.thread].load(cell, held, event.step)

    def _level(self, flows: Sequence[Flow]) -> None:
        """The lanes of one instruction store at the same time: in one row."""
        row = max((flow.row for flow in flows), default=0)
        self.deepest = max(self.deepest, row)
        for flow in flows:
            flow.row = row
            thread = self.threads[flow.thread]
            if thread.last == flow.target:
                thread.held = Held(thread.held.value, row)

    def _row(self, cell: Cell) -> int:
        return self.written[cell].row if cell in self.written else 0

    def _store(self, number: int, event: Access, lane: Lane, target: Cell, value: Number | None) -> None:
        thread = self.threads[lane.thread]
        kind, sources = _relation(thread, target, value, event)
        if kind != "keep":
            before = self.written.get(target)
            together = kind == "count" and before is not None and (before.kind, before.step) == (kind, event.step)
            row = self._row(target) + (0 if together else 1)
            row = max([row, self.bottom[event.step] + 1, *(above + 1 for above in sources.values())])
            is_global = event.space == "global"
            flow = Flow(number, lane.thread, event.line, event.step, target, sources, value, kind, row, is_global)
            self.found.append(flow)
            self.written[target] = flow
        thread.is_used, thread.last, thread.held = True, target, Held(value, self._row(target))


def _relation(thread: _Thread, target: Cell, value: Number | None, event: Access) -> tuple[str, dict[Cell, int]]:
    """How the value that is stored follows from what its thread has read, and from what it had stored before. A store
    that writes again what is there is a "keep"."""
    last, held = thread.last, thread.held
    is_fresh = bool(thread.read) and not thread.is_used
    # A second store may use the same reads, as for two children of a node; after a barrier that is unlikely.
    read = thread.read if is_fresh or thread.step == event.step else {}
    sources = {cell: one.row for cell, one in read.items()}
    if event.op == "atomic":
        return "count", sources
    if value is None or any(one.value is None for one in read.values()):
        return ("use", sources) if is_fresh else ("set", {})
    is_total = bool(read) and (is_fresh or value != 0) and _same(value, sum(one.value for one in read.values()), event)
    if is_total and not is_fresh and len(read) > 1:
        return "sum", sources
    if not is_fresh and last is not None and value == held.value and (value != 0 or last == target):
        return ("keep", {}) if last == target else ("copy", {last: held.row})
    if is_fresh and len(read) == 1 and target in read and read[target].value == value:
        return "keep", {}
    if is_fresh and last is not None and last not in read and held.value is not None:
        with_last = _same(value, held.value + sum(one.value for one in read.values()), event)
        if with_last and (last.array == target.array or not is_total):
            return "sum", {last: held.row, **sources}
    if is_total:
        return ("sum" if len(read) > 1 else "copy"), sources
    for cell, one in read.items():
        if one.value == value and (is_fresh or value != 0):
            return "copy", {cell: one.row}
    return ("use", sources) if is_fresh else ("set", {})


def _same(value: Number, other: Number, event: Access) -> bool:
    if isinstance(value, float) or isinstance(other, float):
        return math.isclose(value, other, rel_tol=1e-5)
    return (value - other) % (1 << BITS.get(event.bytes, 32)) == 0


def _shown(found: Sequence[Flow], first: dict[Cell, Number | None]) -> set[Cell]:
    """The first cells of the input, and the cells into which nothing flows but them. What a thread that works on them
    stores out of a register is shown as well, in global memory: it is the result."""
    shown = set(sorted(first)[:MOST_CELLS])
    workers: set[int] = set()
    for flow in found:
        is_known = all(source in shown for source in flow.sources)
        is_result = not flow.sources and flow.is_global and bool(flow.value) and flow.thread in workers
        if is_result or (flow.sources and is_known):
            workers.add(flow.thread)
            is_full = sum(cell.array == flow.target.array for cell in shown) >= MOST_CELLS
            if flow.target not in shown and not is_full:
                shown.add(flow.target)
    return shown


def _groups(shown: set[Cell]) -> dict[Cell, tuple[str, int]]:
    """Cell → its group and its place there. A group is a row of neighbours in one array, such as one half of a pair of
    buffers. Arrays that begin near 0 begin at 0, so that equal indices stand below each other."""
    places: dict[Cell, tuple[str, int]] = {}
    array, start, before = "", 0, 0
    for cell in sorted(shown):
        if cell.array != array or cell.index > before + NEAR:
            array, start = cell.array, cell.index if cell.index >= NEAR else 0
        places[cell] = (f"{array}[{start}…]" if start else array, cell.index - start)
        before = cell.index
    return places


def _drawn(found: Sequence[Flow], before: dict[Cell, Number | None], shown: set[Cell]) -> list[Json]:
    places = _groups(shown)
    values = dict(before)
    writes: dict[Cell, list[int]] = {}  # cell → the rows that write it
    for flow in found:
        writes.setdefault(flow.target, []).append(flow.row)
    drawn: list[Json] = []
    levels: dict[str, list[tuple[int, int]]] = {}  # group → (row of the flows, row of the drawing)
    read = {cell for flow in found for cell in flow.sources}
    for group in dict.fromkeys(places[cell][0] for cell in sorted(values) if cell in read):
        levels[group] = [(0, len(drawn))]
        drawn.append({"group": group, "title": _("before"), "cells": _cells(values, places, group, set()), "flows": []})
    by_row: dict[int, list[Flow]] = {}
    for flow in found:
        by_row.setdefault(flow.row, []).append(flow)
    for row, of_row in sorted(by_row.items()):
        for group in dict.fromkeys(places[flow.target][0] for flow in of_row):
            here = [flow for flow in of_row if places[flow.target][0] == group]
            for flow in here:
                values[flow.target] = _after(values.get(flow.target), flow)
            if all(flow.kind == "set" for flow in here) and not any(flow.target in before for flow in here):
                continue  # it is filled with zeros, as a rule
            arrows = [_arrow(flow, places, levels, writes) for flow in here]
            levels.setdefault(group, []).append((row, len(drawn)))
            cells = _cells(values, places, group, {flow.target for flow in here})
            drawn.append({"group": group, **_title(here), "cells": cells, "flows": arrows})
    return drawn[:MOST_ROWS]


def _title(flows: Sequence[Flow]) -> Json:
    lines, steps = sorted({flow.line for flow in flows}), sorted({flow.step for flow in flows})
    step = str(steps[0]) if len(steps) == 1 else f"{steps[0]}–{steps[-1]}"
    listed = ", ".join(map(str, lines))
    title = _("lines {lines}", lines=listed) if len(lines) > 1 else _("line {line}", line=listed)
    return {"title": title, "step": step}


def _after(before: Number | None, flow: Flow) -> Number | None:
    if flow.kind != "count":
        return flow.value
    return None if before is None or flow.value is None else before + flow.value


def _cells(
    values: dict[Cell, Number | None], places: dict[Cell, tuple[str, int]], group: str, changed: set[Cell]
) -> list[Json]:
    return [
        {"x": place, "i": cell.index, "v": values.get(cell), "changed": cell in changed}
        for cell, (of, place) in sorted(places.items())
        if of == group
    ]


def _arrow(
    flow: Flow, places: dict[Cell, tuple[str, int]], levels: dict[str, list[tuple[int, int]]],
    writes: dict[Cell, list[int]],
) -> Json:  # fmt: skip
    """Where the flow comes from: [row, place] in the lowest row above that still has the value that was read; a source
    that is not shown is named."""
    sources, hidden = [], []
    for source, row in flow.sources.items():
        group, place = places.get(source, ("", 0))
        until = min((one for one in writes.get(source, ()) if one > row), default=flow.row)
        above = [drawn for level, drawn in levels.get(group, ()) if level < min(until, flow.row)]
        if above:
            sources.append([above[-1], place])
        else:
            hidden.append(f"{source.array}[{source.index}]")
    to = places[flow.target][1]
    return {"e": flow.event, "t": flow.thread, "to": to, "from": sources, "hidden": hidden, "kind": flow.kind}
