"""The words of eight tiles over time: which tile publishes what, and which words a tile adds when it looks back."""

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, SMALL, TEXT, cell, figure, label, legend, panel
from common.pictures.trace import as_float

SUMS = [3, 1, 4, 1, 5, 9, 2, 6]
TILE = 256  # elements, in blocks of 32 threads
VALUES = [sum_ if i == 0 else 0 for sum_ in SUMS for i in range(TILE)]
# In reverse, four blocks run at the same time, and the last one of them has its turn first.
RECORDS = [
    Record(
        "scan_inclusive",
        VALUES,
        smaller=("constexpr int kBlock = 256;  // threads", "constexpr int kBlock = 32;  // threads"),
        schedule="reverse",
    )
]
WIDE, HIGH = 0.92, 0.8


@dataclass(frozen=True)
class Word:
    is_prefix: bool
    sum: float


@dataclass(frozen=True)
class Event:
    tile: int
    word: Word  # that the tile publishes
    added: Mapping[int, Word]  # what it found when it looked back, by tile


def as_word(value: float) -> Word | None:
    """Tag above, sum below. Nothing has been published in this call if the tag is zero."""
    tag, half = divmod(int(value), 1 << 32)
    return Word(tag % 2 == 1, as_float(half)) if tag else None


def events(trace: Trace) -> list[Event]:
    """The stores of words in the order in which they happened. A look that was in vain is left out."""
    found: dict[int, dict[int, Word | None]] = {}  # block → what it saw when it looked last
    result = []
    for access in trace.select(array="g_words", op=("load", "store")):
        words = {lane.index: as_word(lane.value) for lane in access.lanes}
        if access.op == "load":
            found[access.block] = words
            continue
        ((tile, word),) = words.items()
        assert word is not None and tile == access.block
        result.append(Event(tile, word, needed(found.get(tile, {})) if word.is_prefix else {}))
    return result


def needed(seen: Mapping[int, Word | None]) -> dict[int, Word]:
    """From the nearest tile to the first prefix."""
    result = {}
    for tile in sorted(seen, reverse=True):
        word = seen[tile]
        assert word is not None
        result[tile] = word
        if word.is_prefix:
            break
    return result


def draw_event(axes: Axes, x: float, event: Event, words: Mapping[int, Word]) -> None:
    """A column: all words behind the event."""
    for tile in range(len(SUMS)):
        word = words.get(tile)
        colour = IDLE if word is None else OTHER if word.is_prefix else ACTIVE
        cell(axes, x, tile, f"{word.sum:g}" if word else "", colour, width=WIDE, height=HIGH)
    left, right, top, bottom = x - 0.5, x + 0.5, event.tile - 0.47, event.tile + 0.47
    axes.plot([left, right, right, left, left], [top, top, bottom, bottom, top], color=TEXT, linewidth=1.6)
    what = "+".join(f"{event.added[tile].sum:g}" for tile in sorted(event.added))
    label(axes, x, len(SUMS) - 0.3, what, size=SMALL)


def draw(trace: Trace) -> Figure:
    happened = events(trace)
    made, (axes,) = figure(11, 4.4)
    words: dict[int, Word] = {}
    for x, event in enumerate(happened):
        words[event.tile] = event.word
        if event.word.is_prefix:
            assert event.word.sum == sum(SUMS[: event.tile + 1])
            assert event.word.sum == SUMS[event.tile] + sum(word.sum for word in event.added.values())
        draw_event(axes, x, event, words)
    for tile in range(len(SUMS)):
        label(axes, -0.8, tile, f"tile {tile}", at="right")
    label(axes, -0.8, len(SUMS) - 0.3, "it adds", at="right")
    label(axes, len(happened) / 2 - 0.5, len(SUMS) + 0.5, "time: in each column the framed tile publishes a word")
    panel(
        axes, "The words of eight tiles: four blocks run at the same time", -2.4, len(happened), -0.7, len(SUMS) + 0.8
    )
    legend(made, {IDLE: "nothing yet", ACTIVE: "the tile's own sum", OTHER: "prefix: everything up to the tile's end"})
    return made
