"""measured: the files of docs/measurements/ and the folders of labs/ → figures by name, for pictures and pages.

alone.02  alone.15.constant  alone.18.scan_exclusive    ms of the kernels alone on the card, at the lab's real size
n.02                                                    that size
limit.read_ints  limit.cub_scan …                       ms of programs beside the labs, measured alike, at their size
large.07  large.copy  large.cub_scan …                  the same at 2^28 elements
variant.scan.10.unpadded  variant.tiles.09              ms by events, also of right but slower forms
opencl.device.268435456  opencl.call.4194304            ms of lab 20, by a profiling queue and by the host's clock
first.02  first.11.by_2  first.copy …                   ms, the course's first measurements, by events
source.02  source.gpu …                                 measurements of the text from which a lab grew
bench.22.i32.random.65536.ours  … .cub                  ms by ./lab bench, from a stream: a lab, the best of CUB
bench.22.i32.random.65536.times  … .share               CUB's time over ours; share of the speed of reading or copying
words.1073741824.device  … .CPU_(TBB)  … .ratio         ms of lab 26 on made-up words, and of the host's library
rule.03.divergence  starter.03.divergence               the value of a rule on lockstep, for reference and starter
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import bench_record
from .ladder import Rung, rungs

LARGE = 1 << 28
UNMEASURED = "not measured yet"  # for a rung that no card has run


@dataclass(frozen=True)
class Time:
    """The quartiles of the kernels' time alone, over 7 runs on a card, in ms."""

    n: int
    launches: int
    ms_q1: float
    ms: float
    ms_q3: float


@dataclass
class Measured:
    ladder: list[Rung]
    times: dict[str, Time] = field(default_factory=dict)  # by the names above that begin with alone, limit, large
    figures: dict[str, float] = field(default_factory=dict)  # by all names
    written: dict[str, str] = field(
        default_factory=dict
    )  # those that begin with first, variant, opencl, source, as they were noted
    bench: dict[str, list[bench_record.Task]] = field(default_factory=dict)  # by the number of the lab

    def of(self, family: str) -> list[Rung]:
        """The rungs of the family that are written in CUDA. Only these are measured."""
        return [rung for rung in self.ladder if rung.family == family and not rung.is_opencl]


def rows(file: Path) -> Iterator[dict[str, str]]:
    """A CSV whose first lines may be comments."""
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(line for line in lines if not line.startswith("#"))


def newest(card: Path, kind: str) -> Path | None:
    return max(card.glob(f"{kind}_[0-9]*.csv"), default=None)


def load(root: Path, card: str = "h200") -> Measured:
    folder = root / "docs" / "measurements"
    ladder = rungs(root / "labs")
    kernels = newest(folder / card, "kernels")
    if kernels is None:
        raise SystemExit(f"{folder / card}/kernels_DATE.csv: there is no such file; labs_on_card.py writes one")
    made = Measured(ladder)
    _kernels(made, kernels)
    limits = newest(folder / card, "limits")
    if limits is not None:
        _limits(made, limits)
    made.figures |= {name: time.ms for name, time in made.times.items()}
    made.written |= {f"first.{row['what']}": row["ms"] for row in rows(folder / card / "first_measurements.csv")}
    variants = newest(folder / card, "variants")
    if variants is not None:
        made.written |= {f"variant.{row['what']}": row["ms"] for row in rows(variants)}
    opencl = newest(folder / card, "opencl")
    if opencl is not None:
        made.written |= {f"opencl.{row['what']}.{row['n']}": row["ms"] for row in rows(opencl)}
    made.written |= {f"source.{row['what']}": row["value"] for row in rows(folder / "sources.csv")}
    made.figures |= {name: float(noted) for name, noted in made.written.items()}
    record = bench_record.newest(folder / card)
    if record is not None:
        _bench(made, record)
    words = newest(folder / card, "words")
    if words is not None:
        _words(made, words)
    for rung in ladder:
        made.figures[f"n.{rung.number}"] = rung.size
        for rule in rung.rules:
            made.figures[f"rule.{rung.number}.{rule.name}"] = rule.reference
            if rule.starter is not None:
                made.figures[f"starter.{rung.number}.{rule.name}"] = rule.starter
    return made


def _time(row: dict[str, str]) -> Time:
    return Time(int(row["n"]), int(row["launches"]), float(row["ms_q1"]), float(row["ms"]), float(row["ms_q3"]))


def _kernels(made: Measured, file: Path) -> None:
    """The time under a lab's number is the time of its measured entry on random input."""
    known = {rung.folder: rung for rung in made.ladder}
    for row in rows(file):
        rung = known.get(row["lab"])
        if rung is None:
            continue
        name = f"alone.{rung.number}"
        if row["below"] == "1":  # histograms: all bytes are 0
            name += ".constant"
        elif row["entry"] != rung.measured:
            name += f".{row['entry']}"
        made.times[name] = _time(row)


def _limits(made: Measured, file: Path) -> None:
    for row in rows(file):
        what = row["what"].split("_", 1)[0] if row["what"][0].isdigit() else row["what"]
        name = "large" if int(row["n"]) == LARGE else "limit"
        made.times[f"{name}.{what}"] = _time(row)


def _bench(made: Measured, record: bench_record.Record) -> None:
    for task in bench_record.tasks(record):
        if task.launch != "stream":
            continue
        number = bench_record.LABS[task.family]
        made.bench.setdefault(number, []).append(task)
        name = f"bench.{number}.{task.type.replace(' ', '_')}.{task.input}.{task.n}"
        known = {"ours": task.ours["ms"], "cub": task.cub and task.cub["ms"], "times": task.ratio, "share": task.share}
        made.figures |= {f"{name}.{what}": value for what, value in known.items() if value is not None}


def _words(made: Measured, file: Path) -> None:
    """The first rows of a size are those of the text of made-up words."""
    for row in rows(file):
        name = f"words.{row['bytes']}"
        made.figures.setdefault(f"{name}.{row['side'].replace(' ', '_')}", float(row["median_ms"]))
        made.figures.setdefault(f"{name}.ratio", float(row["ratio"]))
