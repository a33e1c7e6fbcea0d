"""details: lockstep's report of a run → the sections that `ncu --page details` prints, as text or CSV.

Only what lockstep has is printed with a value. The other metrics of these sections are listed as not counted, so that
the text reads as it does beside a card. A value is exact (a card counts the same), ptx-level (counted in the PTX; a
card may count another number) or modelled."""

import csv
import io
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
CARD = "NVIDIA H200"
MULTIPROCESSORS, SCHEDULERS = 132, 132 * 4  # of the card that lockstep presents itself as
NOT_COUNTED = "not counted"


@dataclass(frozen=True)
class Metric:
    """how: exact, ptx-level, modelled, or NOT_COUNTED, without a value."""

    section: str
    name: str
    unit: str
    value: float | str | None
    how: str


def metrics(launch: Json, kinds: dict[str, str]) -> list[Metric]:
    """launch: of lockstep's report. kinds: the report's counter_kinds."""
    return [
        *_speed_of_light(launch),
        *_memory(),
        *_instructions(launch, kinds),
        *_launch(launch),
        *_occupancy(launch),
        *_source(launch, kinds),
        *_raw(launch, kinds),
    ]


def _missing(section: str, *names: str) -> list[Metric]:
    return [Metric(section, name, "", None, NOT_COUNTED) for name in names]


def _kind(launch: Json, kinds: dict[str, str], name: str) -> str:
    return launch.get("counter_kinds", {}).get(name) or kinds.get(name, "exact")


def _speed_of_light(launch: Json) -> list[Metric]:
    section = "GPU Speed Of Light Throughput"
    us = launch.get("modelled", {}).get(CARD, {}).get("us")
    duration = [Metric(section, "Duration", "us", us, "modelled")] if us is not None else _missing(section, "Duration")
    names = ("DRAM Frequency", "SM Frequency", "Elapsed Cycles", "Memory Throughput", "DRAM Throughput")
    more = ("L1/TEX Cache Throughput", "L2 Cache Throughput", "SM Active Cycles", "Compute (SM) Throughput")
    return [*_missing(section, *names), *duration, *_missing(section, *more)]


def _memory() -> list[Metric]:
    names = ("Memory Throughput", "Mem Busy", "Max Bandwidth", "L1/TEX Hit Rate", "L2 Hit Rate", "Mem Pipes Busy")
    return _missing("Memory Workload Analysis", *names)


def _instructions(launch: Json, kinds: dict[str, str]) -> list[Metric]:
    counters, name = launch["counters"], "smsp__inst_executed.sum"
    executed, how = counters[name], _kind(launch, kinds, name)
    lanes = "smsp__thread_inst_executed_per_inst_executed.ratio"
    states, statistics = "Warp State Statistics", "Instruction Statistics"
    made = _missing(states, "Warp Cycles Per Issued Instruction", "Warp Cycles Per Executed Instruction")
    if lanes in launch["ratios"]:
        made.append(
            Metric(states, "Avg. Active Threads Per Warp", "", launch["ratios"][lanes], _kind(launch, kinds, lanes))
        )
    made += _missing(states, "Avg. Not Predicated Off Threads Per Warp")
    made.append(Metric(statistics, "Avg. Executed Instructions Per Scheduler", "inst", executed / SCHEDULERS, how))
    made.append(Metric(statistics, "Executed Instructions", "inst", executed, how))
    return made + _missing(statistics, "Avg. Issued Instructions Per Scheduler", "Issued Instructions")


def _launch(launch: Json) -> list[Metric]:
    section, occupancy = "Launch Statistics", launch["occupancy"]
    block, grid = _product(launch["block"]), _product(launch["grid"])
    kinds = launch.get("counter_kinds", {})
    static = "launch__shared_mem_per_block_static"
    return [
        Metric(section, "Block Size", "", block, "exact"),
        *_missing(section, "Function Cache Configuration"),
        Metric(section, "Grid Size", "", grid, "exact"),
        *_missing(section, "Registers Per Thread", "Shared Memory Configuration Size"),
        *_missing(section, "Driver Shared Memory Per Block"),
        Metric(
            section, "Dynamic Shared Memory Per Block", "byte/block",
            occupancy["launch__shared_mem_per_block_dynamic"], "exact",
        ),
        Metric(
            section, "Static Shared Memory Per Block", "byte/block", occupancy[static], kinds.get(static) or "exact"
        ),
        Metric(section, "# SMs", "SM", MULTIPROCESSORS, "exact"),
        Metric(section, "Threads", "thread", block * grid, "exact"),
        *_missing(section, "Waves Per SM"),
    ]  # fmt: skip


def _occupancy(launch: Json) -> list[Metric]:
    section, occupancy = "Occupancy", launch["occupancy"]
    return [
        Metric(section, "Block Limit SM", "block", occupancy["launch__occupancy_limit_blocks"], "exact"),
        *_missing(section, "Block Limit Registers", "Block Limit Shared Mem"),
        Metric(section, "Block Limit Warps", "block", occupancy["launch__occupancy_limit_warps"], "exact"),
        *_missing(section, "Theoretical Active Warps per SM", "Theoretical Occupancy"),
        *_missing(section, "Achieved Occupancy", "Achieved Active Warps Per SM"),
    ]


def _source(launch: Json, kinds: dict[str, str]) -> list[Metric]:
    section, counters = "Source Counters", launch["counters"]
    name = "smsp__sass_branch_targets_threads_divergent.sum"
    came, parted, how = counters["smsp__sass_branch_targets.sum"], counters[name], _kind(launch, kinds, name)
    made = _missing(section, "Branch Instructions Ratio", "Branch Instructions")
    if came:
        made.append(Metric(section, "Branch Efficiency", "%", 100 * (came - parted) / came, how))
    else:
        made += _missing(section, "Branch Efficiency")
    return [*made, Metric(section, "Avg. Divergent Branches", "branches", parted / SCHEDULERS, how)]


UNITS = {"requests": "request", "sectors": "sector", "wavefronts": "wavefront", "inst": "inst"}


def _raw(launch: Json, kinds: dict[str, str]) -> list[Metric]:
    """The metrics that `ncu --metrics NAME` prints, by their own names."""
    section = "Command line profiler metrics"
    made = []
    for name, value in {**launch["counters"], **launch["ratios"]}.items():
        if name.startswith(("l1tex__", "smsp__")):
            unit = next((unit for part, unit in UNITS.items() if f"_{part}_" in name), "")
            made.append(
                Metric(section, name, "" if name.endswith(".ratio") else unit, value, _kind(launch, kinds, name))
            )
    return made


def _product(sides: list[int]) -> int:
    return sides[0] * sides[1] * sides[2]


def _number(value: float | str | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def _heading(launch: Json) -> str:
    shape = "x".join(f"({', '.join(map(str, launch[side]))})" for side in ("grid", "block"))
    return f"{launch['kernel']} {shape}, Device 0, CC 9.0 (lockstep)"


def text(report: Json) -> str:
    """All launches, section by section, in columns as wide as ncu's."""
    rows: list[str] = []
    for launch in report["launches"]:
        rows += [f"  {_heading(launch)}"]
        found = metrics(launch, report["counter_kinds"])
        for section in dict.fromkeys(metric.section for metric in found):
            rows += _table(section, [metric for metric in found if metric.section == section])
        rows += [f"    Note: {note}" for note in launch.get("notes", ())] + [""]
    rows.append("    exact: a card counts the same. ptx-level: counted in the PTX; a card may count another number.")
    rows.append(f"    modelled: calculated for an {CARD}, not measured. not counted: lockstep does not have it.")
    return "\n".join(rows) + "\n"


def _table(section: str, found: list[Metric]) -> list[str]:
    width = max(len("Metric Name"), *(len(metric.name) for metric in found))
    line = f"    {'-' * width} {'-' * 11} {'-' * 15} {'-' * 11}"
    rows = [f"    Section: {section}", line]
    rows += [f"    {'Metric Name':{width}} {'Metric Unit':>11} {'Metric Value':>15} Counted", line]
    rows += [f"    {m.name:{width}} {m.unit:>11} {_number(m.value):>15} {m.how:<11}".rstrip() for m in found]
    return [*rows, line, ""]


def as_csv(report: Json) -> str:
    """A row for each metric, with ncu's names of the columns and one more, "Counted"."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(
        ["ID", "Kernel Name", "Block Size", "Grid Size", "Section Name", "Metric Name", "Metric Unit", "Metric Value",
         "Counted"]
    )  # fmt: skip
    for number, launch in enumerate(report["launches"]):
        shapes = [f"({', '.join(map(str, launch[side]))})" for side in ("block", "grid")]
        for metric in metrics(launch, report["counter_kinds"]):
            value = "" if metric.value is None else metric.value
            writer.writerow(
                [number, launch["kernel"], *shapes, metric.section, metric.name, metric.unit, value, metric.how]
            )
    return out.getvalue()
