"""recording: lockstep's recording of a small run → the data by which the page replays it, in the order of the run.

A launch has `arrays`, `events`, `rows` (flows.py) and `left_out`, in words. An event is what the lanes of one warp did
at one instruction. Its keys are short, since a page holds thousands:

o operation, b block, w warp, s barriers passed, l line, m lanes (a mask)     every event
a array, i first elements, v values, n elements of each lane                  accesses of memory
x operation, p what memory held before                                        atomics
c wavefronts (shared), t sectors (global)                                     loads and stores
f lanes whose value is taken, v values, g values given                        shuffles
k lanes that jump (a mask)                                                    branches

A list with an entry for each active lane is packed: {"a": first, "d": difference} if its numbers ascend evenly."""

from collections.abc import Iterable, Sequence
from typing import Any

from launcher.language import _

from common.pictures.trace import Access, Lane, Launch, Trace

from . import flows

Json = dict[str, Any]
MOST_EVENTS = 6000  # of a page, so that it stays below 2 MB
MOST_BLOCKS = 4  # of a launch
MOST_LAUNCHES = 6
EXACT = 1 << 53  # JavaScript's numbers are exact below


def launches(trace: Trace, *, is_float: bool) -> tuple[list[Json], list[str]]:
    """The launches, and what the page leaves out."""
    made, left_out = [], []
    room = MOST_EVENTS
    for launch in trace.launches[:MOST_LAUNCHES]:
        every = [event for event in trace.events if event.launch == launch.launch]
        blocks = sorted({event.block for event in every})
        kept = [event for event in every if event.block in blocks[:MOST_BLOCKS]]
        if len(blocks) > MOST_BLOCKS:
            left_out.append(
                _(
                    "launch {launch}: the first {shown} of {count} blocks are shown",
                    launch=launch.launch,
                    shown=MOST_BLOCKS,
                    count=len(blocks),
                )
            )
        if len(kept) > room:
            left_out.append(
                _(
                    "launch {launch}: the first {shown} of {count} recorded instructions are shown",
                    launch=launch.launch,
                    shown=f"{room:,}",
                    count=f"{len(kept):,}",
                )
            )
        made.append(_launch(launch, kept[:room], is_float))
        room -= len(kept[:room])
    if len(trace.launches) > MOST_LAUNCHES:
        left_out.append(
            _(
                "the first {shown} of {count} launches are shown",
                shown=MOST_LAUNCHES,
                count=len(trace.launches),
            )
        )
    return made, left_out


class Arrays:
    """The arrays of a launch, numbered in the order in which they are met."""

    def __init__(self) -> None:
        self.met: dict[tuple[str, str, int], Json] = {}

    def number(self, event: Access, lane: Lane) -> int:
        key = (lane.array, event.space, event.bytes)
        if key not in self.met:
            self.met[key] = {"id": len(self.met), "name": lane.array, "space": event.space, "bytes": event.bytes}
            if event.space == "shared":  # the bank of its first element
                self.met[key]["bank"] = (lane.bank - lane.address // 4) % 32
        array, last = self.met[key], lane.index + len(lane.values) - 1
        array["low"] = min(array.get("low", lane.index), lane.index)
        array["high"] = max(array.get("high", last), last)
        return array["id"]


def _launch(launch: Launch, events: Sequence[Access], is_float: bool) -> Json:
    arrays = Arrays()
    packed = [_event(event, arrays, is_float) for event in events]
    blocks = sorted({event.block for event in events})
    return {
        "number": launch.launch,
        "kernel": launch.kernel,
        "grid": launch.grid,
        "block": launch.block,
        "blocks": blocks,
        "arrays": list(arrays.met.values()),
        "events": packed,
        "rows": {block: flows.rows(events, block, is_float=is_float) for block in blocks},
    }


def _event(event: Access, arrays: Arrays, is_float: bool) -> Json:
    lanes = event.lanes
    made: Json = {"o": event.op, "b": event.block, "w": event.warp, "s": event.step, "l": event.line}
    made["m"] = mask(lane.lane for lane in lanes)
    if event.op == "branch":
        made["k"] = mask(lane.lane for lane in lanes if lane.taken)
    elif event.op == "shuffle":
        made["f"] = pack([lane.source for lane in lanes])
        made["v"] = pack([flows.typed(lane.value, is_float) for lane in lanes])
        made["g"] = pack([flows.typed(lane.given, is_float) for lane in lanes])
    elif event.space:
        numbers = [arrays.number(event, lane) for lane in lanes]
        made["a"] = numbers[0] if len(set(numbers)) == 1 else numbers
        made["i"] = pack([lane.index for lane in lanes])
        made["v"] = pack([value for lane in lanes for value in lane.values])
        if event.op == "atomic":
            made["p"] = pack([value for lane in lanes for value in lane.before])
        more = {"n": event.count if event.count > 1 else 0, "x": event.atomic}
        more |= {"c": event.wavefronts, "t": event.sectors}
        made |= {key: value for key, value in more.items() if value}
    return made


def mask(lanes: Iterable[int]) -> int:
    return sum(1 << lane for lane in lanes)


def pack(numbers: Sequence[Any]) -> Any:  # noqa: ANN401
    """Numbers that JSON can hold: {"a", "d"} or a list. What has no number (NaN, infinity) is None."""
    if all(isinstance(number, int) and abs(number) < EXACT for number in numbers):
        first, *others = numbers
        step = others[0] - first if others else 0
        if all(number == first + i * step for i, number in enumerate(numbers)):
            return {"a": first, "d": step}
    return [str(number) if isinstance(number, int) and abs(number) >= EXACT else number for number in numbers]
