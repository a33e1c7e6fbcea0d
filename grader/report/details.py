"""details: lockstep's report of a run → the sections that `ncu --page details` prints, as text or CSV.

Sections, metrics, units and their order are those that ncu printed on a card (docs/measurements/h200/details_DATE.csv).
A metric that lockstep does not have is left out. A value is exact (a card counts the same), ptx-level (counted in the
PTX; a card may count another number) or modelled."""

import csv
import io
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from launcher.language import _
from launcher.page import said
from launcher.paths import ROOT

from common.pictures import measured

Json = dict[str, Any]
CARD = "NVIDIA H200"
MULTIPROCESSORS, SCHEDULERS = 132, 132 * 4  # of the card that lockstep presents itself as
RAW = "Command line profiler metrics"  # ncu's section for metrics that --metrics names
Key = tuple[str, str]  # section and metric


@dataclass(frozen=True)
class Metric:
    """how: exact, ptx-level or modelled."""

    section: str
    name: str
    unit: str
    value: float
    how: str


@cache
def listed() -> dict[Key, str]:
    """The metrics that ncu printed, in its order, with their units. A unit without a prefix: ncu chooses the prefix by
    the value."""
    newest = measured.newest(ROOT / "docs" / "measurements" / "h200", "details")
    if newest is None:
        return {}
    made: dict[Key, str] = {}
    for row in measured.rows(newest):
        made.setdefault((row["Section Name"], row["Metric Name"]), re.sub("^[KMGT](?=byte)", "", row["Metric Unit"]))
    return made


def metrics(launch: Json, kinds: dict[str, str]) -> list[Metric]:
    """launch: of lockstep's report. kinds: the report's counter_kinds."""
    known = _values(launch, kinds)
    made = [Metric(*key, unit, *known.pop(key)) for key, unit in listed().items() if key in known and key[0] != RAW]
    if known:
        raise KeyError(f"ncu prints no {known}")
    return [*made, *_raw(launch, kinds)]


def _kind(launch: Json, kinds: dict[str, str], name: str) -> str:
    return launch.get("counter_kinds", {}).get(name) or kinds.get(name, "exact")


def _values(launch: Json, kinds: dict[str, str]) -> dict[Key, tuple[float, str]]:
    """What lockstep has of ncu's metrics, and how it was counted."""
    counters, occupancy, made = launch["counters"], launch["occupancy"], {}

    def add(section: str, name: str, value: float | None, how: str = "exact") -> None:
        if value is not None:
            made[section, name] = (value, how)

    add("GPU Speed Of Light Throughput", "Duration", launch.get("modelled", {}).get(CARD, {}).get("us"), "modelled")
    lanes = "smsp__thread_inst_executed_per_inst_executed.ratio"
    how = _kind(launch, kinds, lanes)
    add("Warp State Statistics", "Avg. Active Threads Per Warp", launch["ratios"].get(lanes), how)
    executed = counters["smsp__inst_executed.sum"]
    how = _kind(launch, kinds, "smsp__inst_executed.sum")
    add("Instruction Statistics", "Avg. Executed Instructions Per Scheduler", executed / SCHEDULERS, how)
    add("Instruction Statistics", "Executed Instructions", executed, how)
    block, grid = _product(launch["block"]), _product(launch["grid"])
    static, dynamic = (f"launch__shared_mem_per_block_{kind}" for kind in ("static", "dynamic"))
    add("Launch Statistics", "Block Size", block)
    add("Launch Statistics", "Grid Size", grid)
    add("Launch Statistics", "Dynamic Shared Memory Per Block", occupancy[dynamic])
    add("Launch Statistics", "Static Shared Memory Per Block", occupancy[static], _kind(launch, {}, static))
    add("Launch Statistics", "# SMs", MULTIPROCESSORS)
    add("Launch Statistics", "Registers Per Thread", occupancy.get("launch__registers_per_thread"))
    add("Launch Statistics", "Threads", block * grid)
    add("Occupancy", "Block Limit SM", occupancy["launch__occupancy_limit_blocks"])
    add("Occupancy", "Block Limit Registers", occupancy.get("launch__occupancy_limit_registers"))
    add("Occupancy", "Block Limit Warps", occupancy["launch__occupancy_limit_warps"])
    name = "smsp__sass_branch_targets_threads_divergent.sum"
    came, parted, how = counters["smsp__sass_branch_targets.sum"], counters[name], _kind(launch, kinds, name)
    add("Source Counters", "Branch Efficiency", 100 * (came - parted) / came if came else 0, how)
    add("Source Counters", "Avg. Divergent Branches", parted / SCHEDULERS, how)
    return made


UNITS = {"_sectors_": "sector", "__inst_executed": "inst", "__thread_inst_executed": "inst", "_branch_": "branches"}


def _raw(launch: Json, kinds: dict[str, str]) -> list[Metric]:
    """The metrics that `ncu --metrics NAME` prints, by their own names, which ncu sorts. Units are those that a card's
    ncu was seen to print."""
    made = []
    for name, value in sorted({**launch["counters"], **launch["ratios"]}.items()):
        if name.startswith(("l1tex__", "smsp__")):
            found = next((unit for part, unit in UNITS.items() if part in name), "")
            unit = "" if name.endswith(".ratio") else listed().get((RAW, name), found)
            made.append(Metric(RAW, name, unit, value, _kind(launch, kinds, name)))
    return made


def _product(sides: list[int]) -> int:
    return sides[0] * sides[1] * sides[2]


def _shown(metric: Metric) -> tuple[str, str]:
    """Unit and value as ncu prints them: bytes and times with a prefix, whole numbers without a point."""
    value, unit = metric.value, metric.unit
    prefixes = ["", "K", "M", "G"] if unit.startswith("byte") else []
    while len(prefixes) > 1 and value >= 1000:
        value, prefixes = value / 1000, prefixes[1:]
    unit = (prefixes[0] if prefixes else "") + unit
    return unit, f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def _heading(launch: Json) -> str:
    shape = "x".join(f"({', '.join(map(str, launch[side]))})" for side in ("grid", "block"))
    return f"{launch['kernel']} {shape}, Device 0, CC 9.0 (lockstep)"


def text(report: Json) -> str:
    """All launches, section by section, in columns as wide as ncu's."""
    rows: list[str] = []
    printed: set[Key] = set()
    for launch in report["launches"]:
        rows += [f"  {_heading(launch)}"]
        found = metrics(launch, report["counter_kinds"])
        printed |= {(metric.section, metric.name) for metric in found}
        for section in dict.fromkeys(metric.section for metric in found):
            rows += _table(section, [metric for metric in found if metric.section == section])
        rows += ["    " + _("Note: {note}", note=said(note)) for note in launch.get("note_parts", ())] + [""]
    left = sum(key not in printed for key in listed() if key[0] != RAW)
    about = _(
        "exact: a card counts the same. ptx-level: counted in the PTX; a card may count another number.\n"
        "modelled: calculated for an {card}, not measured. ncu --set full prints {left} metrics more, which\n"
        "lockstep does not have.",
        card=CARD,
        left=left,
    )
    rows += [f"    {line}" for line in about.split("\n")]
    return "\n".join(rows) + "\n"


def _table(section: str, found: list[Metric]) -> list[str]:
    rows = [("Metric Name", "Metric Unit", "Metric Value", "Counted")]
    rows += [(m.name, *_shown(m), m.how) for m in found]
    name, unit, value, how = (max(len(row[i]) for row in rows) for i in range(4))
    line = f"    {'-' * name} {'-' * unit} {'-' * value} {'-' * how}"
    made = [f"    {row[0]:{name}} {row[1]:>{unit}} {row[2]:>{value}} {row[3]}" for row in rows]
    return [f"    Section: {section}", line, made[0], line, *made[1:], line, ""]


def as_csv(report: Json) -> str:
    """A row for each metric, with those of ncu's columns that lockstep has, and one more, "Counted"."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(
        ["ID", "Kernel Name", "Block Size", "Grid Size", "Device", "CC", "Section Name", "Metric Name", "Metric Unit",
         "Metric Value", "Counted"]
    )  # fmt: skip
    for number, launch in enumerate(report["launches"]):
        shapes = [f"({', '.join(map(str, launch[side]))})" for side in ("block", "grid")]
        for metric in metrics(launch, report["counter_kinds"]):
            about = (metric.section, metric.name, *_shown(metric), metric.how)
            writer.writerow([number, launch["kernel"], *shapes, 0, "9.0", *about])
    return out.getvalue()
