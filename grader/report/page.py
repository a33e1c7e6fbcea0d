"""page: the runs of a file → one HTML file that needs no network. What comes from the learner (names, source, values,
messages) is data in JSON; page.js writes it as text. So no file can become markup or a script."""

import base64
import hashlib
import json
from pathlib import Path
from string import Template
from typing import Any

from . import details, facts, recording
from .runs import Runs

Json = dict[str, Any]
HERE = Path(__file__).resolve().parent
SCRIPTS = ("replay.js", "draw.js", "player.js", "page.js")  # one script, in this order


def data(runs: Runs) -> Json:
    launches, left_out = recording.launches(runs.trace, is_float=runs.is_float)
    if not runs.is_whole:
        left_out.append("the recording goes on; only its beginning was read")
    report = runs.measured or runs.recorded
    return {
        "lab": runs.lab.name,
        "title": runs.lab.title,
        "file": runs.file.name,
        "source": [line.rstrip("\r") for line in runs.source.split("\n")],  # as compilers count lines
        "entry": runs.entry,
        "elements": runs.elements,
        "verdict": verdict(runs),
        "counted": counted(runs),
        "heat": facts.heat(report, runs.file) if report else [],
        "findings": facts.findings(runs),
        "launches": launches,
        "says": "" if launches else missing(runs),
        "left_out": left_out,
        "traffic": facts.traffic(runs.trace),
        "branches": facts.branches(runs),
        "rules": facts.rules(runs),
        "family": facts.family(runs),
        "modelled_ms": facts.modelled_ms(runs.measured),
        "roofline": facts.roofline(runs),
        "notes": facts.notes([runs.measured]),
        "details": details.text(report) if report else "",
    }


def verdict(runs: Runs) -> Json:
    found = runs.verdict
    failure = found.get("failure") or {}
    return {
        "verdict": found["verdict"],
        "check": found.get("failed_check"),
        "cases": f"{found['cases_passed']} of {found['cases_planned']}",
        "steps": [facts.own_names(step, runs.file) for step in failure.get("steps", [])],
        "next": facts.own_names(failure.get("next", ""), runs.file),
        "printed": failure.get("printed", ""),
    }


def missing(runs: Runs) -> str:
    """Why nothing was recorded."""
    return runs.says or f"{runs.entry} started no kernel, so lockstep recorded and counted nothing"


def counted(runs: Runs) -> str:
    """On which run the counters of the page were counted."""
    if runs.measured:
        return f"the measured case, {runs.measured_n:,} elements"
    if runs.recorded:
        return f"the recorded call of {len(runs.elements)} elements, since the measured case did not come to its end"
    return ""


def safe_json(value: object) -> str:
    """JSON that can stand inside of a script element: no character of it ends the element or a line of JavaScript."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def html(pages: list[Json]) -> str:
    """pages: the data of one file, or of two to compare."""
    style = (HERE / "page.css").read_text(encoding="utf-8")
    script = "".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    page = Template((HERE / "page.html").read_text(encoding="utf-8"))
    return page.substitute(
        style=style, style_hash=_hash(style), script=script, script_hash=_hash(script), data=safe_json(pages)
    )


def _hash(text: str) -> str:
    """The policy in the page's head names the only style and the only script that it may use."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
