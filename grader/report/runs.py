"""runs: a learner's file → what the judge and lockstep say of it, by three runs of the judge side by side: the verdict,
the report of the measured case, and the recording of a small call. None of them is a part of another's time."""

import json
import struct
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from launcher import judge
from launcher.console import Failure, last_lines
from launcher.labs import Lab
from launcher.language import _

from common.pictures.record import FORMATS, element_types
from common.pictures.trace import Trace, parse

# Small and not zero, so that each sum tells which elements are in it; some are equal, so that bins fill up.
VALUES = (3, 1, 7, 2, 4, 1, 6, 3)
MOST_LINES = 20_000  # of a recording that are read; a few blocks need a tenth

Json = dict[str, Any]


@dataclass(frozen=True)
class Runs:
    """measured, recorded: lockstep's reports; None where a run did not come to its end, and for OpenCL. beside: those
    of the measured cases of "starter", where it works, and of "reference"."""

    lab: Lab
    file: Path
    source: str
    entry: str
    elements: tuple[int, ...]
    verdict: Json
    measured: Json | None = None
    recorded: Json | None = None
    trace: Trace = field(default_factory=lambda: Trace((), ()))
    is_whole: bool = True  # the recording was read to its end
    says: str = ""  # why a recording is missing
    beside: dict[str, Json] = field(default_factory=dict)

    @property
    def measured_n(self) -> int:
        return int(self.lab.facts["sizes"]["real"])

    @property
    def is_float(self) -> bool:
        return element_types(self.lab.facts["contract"], self.entry)[0] == "float"


def entries(lab: Lab) -> list[str]:
    """The functions of the lab; the one that is measured comes first."""
    every = list(lab.facts["entries"])
    first = lab.facts.get("measured", every[-1])
    return [first, *(entry for entry in every if entry != first)]


def make(tree: Path, lab: Lab, file: Path, *, entry: str = "", count: int = 16, block: int | None = None) -> Runs:
    """tree: the build, with what grades the lab. count: the elements of the recorded call."""
    entry = entry or entries(lab)[0]
    elements = tuple(VALUES[i % len(VALUES)] for i in range(count))
    command = [*judge.command(tree, lab, "lockstep"), "--file", str(file)]
    source = file.read_text(encoding="utf-8", errors="replace")
    with tempfile.TemporaryDirectory(prefix="warpladder-") as name, ThreadPoolExecutor(2) as pool:
        folder = Path(name)
        verdict = pool.submit(_verdict, command, folder)
        if lab.is_opencl:
            return Runs(lab, file, source, entry, elements, verdict.result(), says=_("lockstep does not run OpenCL"))
        recording = pool.submit(_record, command, folder, lab, entry, elements, block)
        measured = pool.submit(_run, [*command, "--report", str(folder / "measured")])
        measured.result()
        trace, whole, says = recording.result()
        return Runs(
            lab, file, source, entry, elements, verdict.result(),
            _read(folder / "measured"), _read(folder / "recorded"), trace, whole, says, _beside(tree, lab),
        )  # fmt: skip


def _beside(tree: Path, lab: Lab) -> dict[str, Json]:
    """A starter that works is the kernel of the rung over which the lab's speedup is."""
    rungs = {"starter": lab.facts["baseline"], "reference": lab.number}
    files = {who: next(iter((tree / "labs").glob(f"{rung}_*/report.json")), None) for who, rung in rungs.items()}
    return {who: json.loads(file.read_text(encoding="utf-8")) for who, file in files.items() if file}


def _run(command: list[str]) -> str:
    """The judge's text. It says with 0 or 1 that it has come to a result."""
    result = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if result.returncode not in (0, 1):
        raise Failure(_("{said}\nThe judge could not run the file.", said=last_lines(result.stdout + result.stderr, 8)))
    return result.stdout


def _verdict(command: list[str], folder: Path) -> Json:
    _run([*command, "--json", str(folder / "verdict")])
    return json.loads((folder / "verdict").read_text(encoding="utf-8"))


def _record(
    command: list[str], folder: Path, lab: Lab, entry: str, elements: tuple[int, ...], block: int | None
) -> tuple[Trace, bool, str]:
    types = element_types(lab.facts["contract"], entry)
    data, trace = folder / "data", folder / "trace"
    data.write_bytes(b"".join(struct.pack(f"{len(elements)}{FORMATS[name]}", *elements) for name in types))
    command = [*command, "--case", entry, "--input", str(data), "--trace", str(trace)]
    command += ["--report", str(folder / "recorded"), *(["--block", str(block)] if block else [])]
    text = _run(command)
    if not trace.exists() or trace.stat().st_size == 0:
        return Trace((), ()), True, text.strip()
    with trace.open(encoding="utf-8") as lines:
        read = list(islice(lines, MOST_LINES + 1))
    return parse(read[:MOST_LINES]), len(read) <= MOST_LINES, ""


def _read(file: Path) -> Json | None:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return json.loads(text) if text else None
