"""facts: the runs of a file → the page's figures: the source with its counters, findings, memory traffic and branches
of the recorded run, the rules between starter and reference, the family's rungs, and the roofline."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from launcher.language import _, later
from launcher.page import said, told
from launcher.paths import ROOT

from common.pictures import measured
from common.pictures.model import card_rows
from common.pictures.trace import Access, Trace

from .runs import Runs

Json = dict[str, Any]
CARD = "NVIDIA H200"
SECTOR = 32
WANTS = {
    "<=": later("at most"),
    ">=": later("at least"),
    "<": later("less than"),
    ">": later("more than"),
    "==": later("exactly"),
}
# What may limit a kernel, as the cost model names it.
BOUNDS = (
    later("dram"),
    later("l2"),
    later("shared"),
    later("issue"),
    later("atomics"),
    later("latency"),
    later("launch"),
)
SCHEDULERS = 4  # of a multiprocessor; each issues one warp instruction a cycle
# The counters that a source line is coloured by, the most telling first. A page offers those that are not all zero.
HEAT = (
    "smsp__inst_executed.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "shared_wavefronts",
    "shared_excess_wavefronts",
    "idle_lanes",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "barrier_instructions",
    "float_additions",
    "global_atomics",
    "shared_atomics",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
)


def own_names(text: str, file: Path) -> str:
    """Without the folder of the learner's file."""
    return re.sub(rf"[^\s\"'(]*/{re.escape(file.name)}\b", lambda found: file.name, text)


def total(report: Json, counter: str) -> float:
    return sum(launch["counters"].get(counter, 0) for launch in report["launches"])


def is_own(name: str, file: Path) -> bool:
    """Whether a report means the learner's file. The judge compiles a file with an odd name under another one."""
    return Path(name or "").name in (file.name, f"submission{file.suffix}")


def heat(report: Json, file: Path, names: Iterable[str] = HEAT) -> list[Json]:
    """Counters by line: {"name", "words", "kind", "lines": {line: number}}. Lines of other files are left out."""
    made = []
    for name in names:
        lines: dict[int, float] = {}
        kinds = {report["counter_kinds"].get(name, "exact")}
        for launch in report["launches"]:
            for line in launch["lines"]:
                number = line["counters"].get(name, 0)
                if number and is_own(line["file"], file):
                    lines[line["line"]] = lines.get(line["line"], 0) + number
                    kinds.add(line.get("counter_kinds", {}).get(name, ""))
        if lines:
            kind = later("ptx-level") if "ptx-level" in kinds else later("exact")
            made.append(
                {"name": name, "words": _(report["counter_names"].get(name, "")), "kind": _(kind), "lines": lines}
            )
    return made


def findings(runs: Runs) -> list[Json]:
    """Those of the recorded run. A race has two sites, which the page draws as two arrows to one place."""
    return [_finding(found, runs.file) for found in (runs.recorded or {}).get("findings", ())]


def _finding(found: Json, file: Path) -> Json:
    made = {key: found.get(key) for key in ("kind", "message", "where", "count")}
    made["message"] = own_names("\n".join(told(found["lines"])), file)
    made["sites"] = [_site(one, file) for one in (found, found.get("other")) if one]
    return made


def _site(found: Json, file: Path) -> Json:
    """is_own: its line is one of the learner's file."""
    made = {key: found.get(key) for key in ("line", "access", "block", "thread")}
    return made | {"is_own": is_own(found.get("file"), file)}


def traffic(trace: Trace) -> list[Json]:
    """Loads and stores of global memory by line: what the lanes want, and what the sectors bring."""
    made: dict[tuple[int, str], Json] = {}
    for event in trace.accesses:
        if event.space != "global" or not event.sectors:
            continue
        row = made.setdefault(
            (event.line, event.op),
            {"line": event.line, "op": event.op, "code": event.code, "requests": 0, "sectors": 0, "wanted": 0},
        )
        row["requests"] += 1
        row["sectors"] += event.sectors
        row["wanted"] += len(_bytes(event))
    for row in made.values():
        row["fetched"] = row["sectors"] * SECTOR
    return [made[key] for key in sorted(made)]


def _bytes(event: Access) -> set[tuple[str, int]]:
    """The distinct bytes that the lanes of the access want."""
    size = event.bytes * event.count
    return {(lane.array, lane.address + byte) for lane in event.lanes for byte in range(size)}


def branches(runs: Runs) -> list[Json]:
    """Branches by line, of the recorded run: how often a warp came to one, how often its lanes parted there."""
    made: dict[int, Json] = {}
    for launch in (runs.recorded or {"launches": []})["launches"]:
        for line in launch["lines"]:
            came = line["counters"].get("smsp__sass_branch_targets.sum", 0)
            if came and is_own(line["file"], runs.file):
                row = made.setdefault(line["line"], {"line": line["line"], "came": 0, "parted": 0, "shares": {}})
                row["came"] += came
                row["parted"] += line["counters"].get("smsp__sass_branch_targets_threads_divergent.sum", 0)
    for event in runs.trace.events:
        if event.op == "branch" and event.line in made:
            jumped = sum(lane.taken for lane in event.lanes)
            share = f"{len(event.lanes) - jumped} + {jumped}"
            shares = made[event.line]["shares"]
            shares[share] = shares.get(share, 0) + 1
    return [made[line] for line in sorted(made)]


def rules(runs: Runs) -> list[Json]:
    """The rules of the lab: the figures of starter and reference, which lab.json notes, and the learner's."""
    measured_rules = {rule["name"]: rule for rule in runs.verdict.get("rules", ())}
    names = (runs.measured or runs.recorded or {}).get("counter_names", {})
    made = []
    for rule in runs.lab.facts.get("rules", ()):
        found = measured_rules.get(rule["name"], {})
        row = {key: rule.get(key) for key in ("name", "counter", "per", "op", "value", "starter", "reference", "why")}
        row |= {key: _(row[key]) for key in ("per", "why") if row[key]}
        row |= {
            "words": _(names.get(rule["counter"], "")),
            "you": found.get("value"),
            "verdict": found.get("verdict", ""),
        }
        row["wants"] = _(WANTS[rule["op"]])
        made.append(row)
    return made


def family(runs: Runs) -> list[Json]:
    """The rungs of the lab's family, with the times of their references on a card, where one has measured them."""
    known = measured.load(ROOT)
    made = []
    for rung in known.ladder:
        if rung.family != runs.lab.facts["family"]:
            continue
        time = known.times.get(f"alone.{rung.number}")
        row = {"number": rung.number, "title": _(rung.title), "here": rung.folder == runs.lab.name, "n": rung.size}
        made.append(row | {"ms": time.ms if time else None, "is_opencl": rung.is_opencl})
    return made


def modelled_ms(report: Json | None) -> float | None:
    """The time of the measured case on the card, as lockstep models it."""
    us = (report or {}).get("modelled", {}).get(CARD)
    return us / 1000 if us else None


def roofline(runs: Runs) -> Json | None:
    """Warp instructions a byte against warp instructions a second. Every axis and point is modelled: the time by the
    cost model, the traffic by its cache, the instructions at the level of the PTX."""
    you = _point("you", runs.measured)
    if runs.measured is None or you is None:
        return None
    beside = [_point(who, report) for who, report in runs.beside.items()]
    card = {parameter: float(value) for name, parameter, value, _source in card_rows() if name in ("all", CARD)}
    bounds = [launch["modelled"][CARD] for launch in runs.measured["launches"]]
    return {
        "card": CARD,
        "gb_s": card["dram_gb_s"] * card["dram_share"],
        "gips": card["multiprocessors"] * SCHEDULERS * card["clock_ghz"],
        "points": [point for point in (*beside, you) if point],
        "bound": _(max(bounds, key=lambda one: one["us"])["bound"]),
        "error": runs.measured.get("modelled_error"),
        "n": runs.measured_n,
    }


def _point(who: str, report: Json | None) -> Json | None:
    """None: it moves nothing, or lockstep has no time for it."""
    ms = modelled_ms(report)
    if report is None or ms is None:
        return None
    works = [launch["work"] for launch in report["launches"]]
    moved = SECTOR * sum(work["sectors_read"] + work["sectors_written"] for work in works)
    instructions = total(report, "smsp__inst_executed.sum")
    if not moved or not instructions:
        return None
    x, y = instructions / moved, instructions / (ms * 1e6)
    return {"who": who, "x": x, "y": y, "ms": ms, "bytes": moved, "instructions": instructions}


def notes(reports: Iterable[Json | None]) -> list[str]:
    """What lockstep doubts, and why."""
    found = (note for report in reports if report for one in report["launches"] for note in one.get("note_parts", ()))
    return sorted(set(map(said, found)))
