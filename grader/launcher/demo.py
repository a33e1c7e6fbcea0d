"""demo: grades every reference solution, prints the ladder table, draws it and keeps it as JSON.

The JSON, build/ladder.json, is {"device", "driver", "toolkit", "date", "commit", "rows": [{"lab", "family", "size",
"verdict", …}]}; the records in docs/measurements/ are copies of it from machines with a GPU.
"""

import datetime
import json
import subprocess
import time
from argparse import Namespace
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from . import build, device, judge, labs, picture, setup, table, toolkit, verdict_text
from .console import say
from .language import _, later
from .paths import BUILD, LOGS, ROOT, commit, shown

RECORDS = ROOT / "docs" / "measurements"
INSTRUCTIONS = "smsp__inst_executed.sum"
Row = dict[str, Any]
SECTORS = [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st", "red", "atom")]


def run(arguments: Namespace) -> int:
    nvcc = setup.prepare(picture=True)
    where = device.choose(arguments.device)
    climbed = buildable(labs.all_labs())
    tree = build.configure(where, nvcc)
    build.build(tree, judge.targets(climbed, solutions=True), _("Building lockstep, the grader and the labs"))

    name = device.card() if where == "gpu" else "lockstep"
    say(_("Grading the reference solutions on {name}", name=name))
    if apart := [lab.number for lab in climbed if not lab.has_reference]:
        say(_("Left out, because this course keeps its solutions apart: labs {labs}", labs=", ".join(apart)))
        climbed = [lab for lab in climbed if lab.has_reference]
    # On a card one at a time, since a timed kernel must be alone. Lockstep only counts, and several may run together.
    with ThreadPoolExecutor(1 if where == "gpu" else None) as pool:
        rows = list(pool.map(lambda lab: grade(tree, lab, where), climbed))
    ladder = {
        "device": name,
        "driver": device.driver() if where == "gpu" else None,
        "toolkit": toolkit.version(nvcc),
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "rows": rows,
    }
    (BUILD / "ladder.json").write_text(json.dumps(ladder, indent=1), encoding="utf-8")

    say()
    say(table.ladder(ladder))
    for record in _records():
        if missing := unmeasured(record, [lab.name for lab in climbed]):
            say(_("Not measured on {device} yet: {labs}", device=record["device"], labs=", ".join(missing)))
    say()
    target = BUILD / "ladder.png"
    picture.draw("ladder", {"panels": panels(ladder)}, target)
    say(_("The ladder is drawn in {target}", target=shown(target)))
    return 0 if all(row["verdict"] in ("accepted", "inconclusive") for row in rows) else 1


def buildable(found: list[labs.Lab]) -> list[labs.Lab]:
    """The labs whose tools this machine has. Says which labs it leaves out, and what they need."""
    missing, nvcc = setup.missing_opencl(), toolkit.search()[0]
    kept = []
    for lab in found:
        if missing and lab.is_opencl:
            say(_("{lab} is left out: for OpenCL this machine lacks {what}.", lab=lab.name, what=", ".join(missing)))
        elif why := toolkit.too_old(nvcc, lab.nvcc):
            say(_("{lab} is left out: it {why}.", lab=lab.name, why=why))
        else:
            kept.append(lab)
    return kept


def grade(tree: Path, lab: labs.Lab, where: str) -> dict[str, Any]:
    """One row: the judge's verdict on the reference solution, and facts from lab.json."""
    start = time.monotonic()
    verdict_file = LOGS / f"verdict-{lab.name}.json"
    verdict_file.unlink(missing_ok=True)
    log = LOGS / f"verdict-{lab.name}.txt"
    command = judge.command(tree, lab, where)
    command += ["--binary", str(tree / "labs" / lab.name / "solution"), "--json", str(verdict_file)]
    with log.open("w", encoding="utf-8") as said:
        code = subprocess.run(command, stdout=said, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
    came_to_its_end = code in (0, 1, 2) and verdict_file.exists()  # a signal may kill a judge that has written one
    verdict = json.loads(verdict_file.read_text(encoding="utf-8")) if came_to_its_end else {}
    row = {
        "lab": lab.name,
        "family": lab.facts["family"],
        "size": lab.facts["sizes"]["real"],
        "verdict": later("no verdict"),
    }
    # A record does not need each case by name, nor the path of the binary on this machine.
    row |= {key: value for key, value in verdict.items() if key not in ("cases", "file")}
    seconds = f"{time.monotonic() - start:.0f}"
    say("    " + _("{lab}: {verdict} ({seconds} s)", lab=lab.name, verdict=_(row["verdict"]), seconds=seconds))
    if row["verdict"] not in verdict_text.GOOD:
        for line in verdict_text.dressed(log.read_text(encoding="utf-8"), verdict):
            say("        " + line, styled=True)
    return row


def unmeasured(record: dict[str, Any], names: list[str]) -> list[str]:
    """The labs that are missing from the record of a card."""
    recorded = {row["lab"] for row in record["rows"]}
    return [name for name in names if name not in recorded]


def panels(ladder: dict[str, Any]) -> list[dict[str, Any]]:
    """A panel for each kind of figures. Its title says where they come from: counted by lockstep, or measured on a
    card."""
    records, found = _records(), []
    if ladder["device"] == "lockstep":
        found = [
            _panel(ladder, "Instructions (counted by lockstep)", "warp instructions per element", _instructions),
            _panel(ladder, "Global memory (counted by lockstep)", "32-byte sectors per element", _sectors),
            _panel(ladder, f"Time on {table.MODELLED}, modelled", "picoseconds per element", _modelled),
        ]
    else:
        records.insert(0, ladder)
    for record in records:
        title = f"Time on {record['device']}, measured {record['date']}"
        found.append(_panel(record, title, "picoseconds per element", _picoseconds))
        missing = unmeasured(record, [row["lab"] for row in ladder["rows"]])
        found[-1]["rows"] += [_place(row) | {"value": None} for row in ladder["rows"] if row["lab"] in missing]
    return [panel for panel in found if panel["rows"]]


def _panel(ladder: dict[str, Any], title: str, unit: str, whole_of: Callable[[Row], float | None]) -> dict[str, Any]:
    """whole_of: a row's value for all elements; None or 0 if it is not known."""
    rows = [_place(row) | {"value": whole / row["size"]} for row in ladder["rows"] if (whole := whole_of(row))]
    return {"title": title, "unit": unit, "rows": rows}


def _place(row: Row) -> Row:
    return {key: row[key] for key in ("lab", "family", "size")}


def _instructions(row: Row) -> float | None:
    return row.get("counters", {}).get(INSTRUCTIONS)


def _sectors(row: Row) -> float:
    return sum(row.get("counters", {}).get(name, 0) for name in SECTORS)


def _picoseconds(row: Row) -> float:
    return (row.get("time", {}).get("ms") or 0) * 1e9


def _modelled(row: Row) -> float:
    return (table.modelled_ms(row) or 0) * 1e9


def _records() -> list[dict[str, Any]]:
    """The newest record of each card, from docs/measurements/CARD/."""
    newest = [sorted(folder.glob("ladder*.json"))[-1:] for folder in sorted(RECORDS.glob("*/"))]
    return [json.loads(file.read_text(encoding="utf-8")) for files in newest for file in files]
