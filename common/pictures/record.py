"""record: runs one call of a lab's reference on lockstep, through the judge → a Trace."""

import json
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .trace import Trace, parse

CONTRACTS = Path(__file__).resolve().parents[1] / "contracts"
FORMATS = {
    "float": "f",
    "int": "i",
    "unsigned": "I",
    "long": "q",
    "byte": "B",
}  # struct's letter for each type of a contract's elements


@dataclass(frozen=True)
class Record:
    """An order to record this entry point of the lab on these elements (on bytes for a histogram). A starter that is
    the working kernel of the rung below can be recorded too, to show before and after. An entry that takes a block size
    gets `block`, or the lab's first size. `smaller` changes a line of the reference, so that the whole of its work fits
    into a picture: (line as it is, line for the picture). `schedule` is lockstep's: forward runs blocks one by one."""

    entry: str
    data: Sequence[int] | Sequence[float] | bytes
    binary: str = "solution"  # or "starter"
    block: int | None = None
    smaller: tuple[str, str] | None = None
    schedule: str = "forward"


def changed(lab: Path, source: str, lines: tuple[str, str], folder: Path) -> Path:
    """A copy of the reference in this folder, with one of its lines changed."""
    text = (lab.parents[1] / "solutions" / lab.name / source).read_text(encoding="utf-8")
    if text.count(lines[0]) != 1:
        raise SystemExit(
            f"solutions/{lab.name}/{source}: picture.py changes the line '{lines[0]}', which must be there once"
        )
    copy = folder / source
    copy.write_text(text.replace(*lines), encoding="utf-8")
    return copy


def element_types(contract: str, entry: str) -> list[str]:
    """Of the entry's input: those of its contract, unless it has its own."""
    facts = json.loads((CONTRACTS / f"{contract}.json").read_text(encoding="utf-8"))
    own = next(one for one in facts["entries"] if one["name"] == entry)
    return own.get("element", facts["element"])


def run(record: Record, lab: Path, build: Path) -> Trace:
    """lab: its folder. build: the build tree, with the judge, lockstep and the lab's solution (or starter) in it."""
    judge = build / "grader" / "judge"
    if not judge.exists():
        raise SystemExit(f"{judge}: not there. Build it first: cmake --build {build}")
    facts = json.loads((lab / "lab.json").read_text(encoding="utf-8"))
    types = element_types(facts["contract"], record.entry)
    with tempfile.TemporaryDirectory() as name:
        data, trace = Path(name) / "data", Path(name) / "trace.jsonl"
        data.write_bytes(struct.pack(f"{len(record.data)}{FORMATS[types[0]]}", *record.data))
        built = build / "labs" / lab.name
        command = [judge, "--lab", lab, "--build", built / "build.json"]
        command += ["--case", record.entry, "--input", data, "--trace", trace]
        if record.smaller is None:
            command += ["--binary", built / record.binary]
        else:
            command += ["--file", changed(lab, facts["source"], record.smaller, Path(name))]
        if record.block is not None:
            command += ["--block", str(record.block)]
        if record.schedule != "forward":
            command += ["--schedules", record.schedule]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise SystemExit(f"{result.stdout}{result.stderr}{lab.name}: its reference could not be recorded")
        with trace.open(encoding="utf-8") as lines:
            return parse(lines)
