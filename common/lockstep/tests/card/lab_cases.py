"""The calls of labs' solutions that are measured on a card: command lines of lab_case, relative to the build."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
import lab_binary

LABS = Path(__file__).resolve().parents[4] / "labs"
STRESS = "common/lockstep/tests/"


def labs() -> list[tuple[str, dict]]:
    """Every CUDA lab: its folder's name and its lab.json."""
    found = [(file.parent.name, json.loads(file.read_text(encoding="utf-8"))) for file in LABS.glob("*/lab.json")]
    return sorted((name, facts) for name, facts in found if facts["source"].endswith(".cu"))


def call(lab: str, contract: str, entry: str, n: int, below: int = 256) -> list[str]:
    """One call. All input bytes are less than `below`."""
    sizes = [n, *lab_binary.arrays(contract, entry).sizes(n), below]
    return [STRESS + "lab_case", f"labs/{lab}/solution", entry, *map(str, sizes)]


def device_entries(facts: dict) -> list[str]:
    return [entry for entry in facts["entries"] if not entry.endswith("_cpu")]


def lab_cases(sizes: Sequence[int]) -> Iterator[list[str]]:
    """Each function that launches kernels, at these sizes or the lab's largest; histograms also of only two values."""
    for lab, facts in labs():
        largest = facts["sizes"].get("largest", max(sizes))
        for entry in device_entries(facts):
            for n in sorted({min(n, largest) for n in sizes}):
                yield call(lab, facts["contract"], entry, n)
                if facts["family"] == "histogram":
                    yield call(lab, facts["contract"], entry, n, below=2)
