"""ladder: reads the folders of labs/ as rungs: what each builds on, and what its rules count. Measures and draws
nothing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FAMILIES = ("reduction", "scan", "histogram", "applications")  # from left to right
ROOT = "00"  # the lab that needs no other


@dataclass(frozen=True)
class Rule:
    """A rule of lab.json, and its values on lockstep for the starter (None: the starter is wrong) and the reference."""

    name: str
    counter: str
    per: str
    starter: float | None
    reference: float


@dataclass(frozen=True)
class Rung:
    folder: str  # its name, "02_reduce_neighbored"
    title: str
    family: str
    needs: tuple[str, ...]
    size: int
    measured: str  # the entry that the measured case calls
    rules: tuple[Rule, ...]
    is_opencl: bool = False

    @property
    def number(self) -> str:
        return self.folder.split("_", 1)[0]


def rungs(labs: Path) -> list[Rung]:
    """All rungs, in order of their numbers."""
    found = []
    for file in sorted(labs.glob("*/lab.json")):
        facts = json.loads(file.read_text(encoding="utf-8"))
        rules = tuple(
            Rule(rule["name"], rule["counter"], rule.get("per", ""), rule["starter"], rule["reference"])
            for rule in facts.get("rules", [])
        )
        found.append(
            Rung(
                file.parent.name,
                facts["title"],
                facts["family"],
                tuple(facts.get("needs", [])),
                facts["sizes"]["real"],
                facts.get("measured", facts["entries"][-1]),
                rules,
                facts["source"].endswith(".cc"),
            )
        )
    return found


def complaints(ladder: Sequence[Rung]) -> list[str]:
    """A sentence for each mistake in the needs; none if they form a ladder that begins at ROOT."""
    known = {rung.number: rung for rung in ladder}
    wrong = []
    for rung in ladder:
        file = f"labs/{rung.folder}/lab.json"
        wrong += [f"{file}: needs {other}, and there is no such lab" for other in rung.needs if other not in known]
        if not rung.needs and rung.number != ROOT and ROOT in known:
            wrong.append(f"{file}: needs nothing; only lab {ROOT} does")
    if not wrong:
        wrong += [f"labs/{rung.folder}: needs itself, by way of others" for rung in ladder if _reaches(known, rung)]
    return wrong


def _reaches(known: dict[str, Rung], rung: Rung) -> bool:
    """Whether the way down from this rung leads back to it."""
    return rung.number in below(known, rung)


def below(known: dict[str, Rung], rung: Rung) -> set[str]:
    """Every rung that this one builds on, directly or through others."""
    seen: set[str] = set()
    todo = list(rung.needs)
    while todo:
        number = todo.pop()
        if number not in seen:
            seen.add(number)
            todo += known[number].needs
    return seen
