"""labs: reads the folders in labs/. No list elsewhere repeats what a folder says."""

import json
from pathlib import Path
from typing import Any

from .console import Failure
from .language import _
from .paths import ROOT, shown


class Lab:
    def __init__(self, folder: Path, facts: dict[str, Any]) -> None:
        """facts: lab.json."""
        self.folder, self.facts = folder, facts
        self.name = folder.name
        self.number = self.name.split("_", 1)[0]
        self.title = str(facts["title"])
        self.source = folder / str(facts["source"])
        self.family = str(facts["family"])
        self.needs = [str(number) for number in facts.get("needs", [])]
        self.nvcc = str(facts.get("nvcc", ""))  # the oldest that compiles it; empty: any that the course takes
        self.is_opencl = self.source.suffix == ".cc"
        self.solution = ROOT / "solutions" / self.name / str(facts["source"])

    @property
    def has_reference(self) -> bool:
        """The build has its reference: from the solution, or in a learners' repository from an object."""
        return self.solution.exists() or any((ROOT / "baselines").glob(f"{self.name}.*.o"))

    def need_solution(self) -> None:
        if self.solution.exists():
            return
        if has_solutions():
            raise Failure(_("{file} is not here.", file=shown(self.solution)))
        raise Failure(_("this course keeps its solutions apart. They are in your instructor's repository, not here."))


def has_solutions() -> bool:
    """False in a learners' repository, which ./lab strip has made."""
    return (ROOT / "solutions").is_dir()


def read_lab(folder: Path) -> Lab:
    file = folder / "lab.json"
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"{file}: {error}") from error
    for key in ("title", "family", "contract", "source"):
        if not isinstance(facts, dict) or not isinstance(facts.get(key), str):
            raise Failure(_('{file}: "{key}" is missing; docs/labs.md says what a lab.json holds', file=file, key=key))
    return Lab(folder, facts)


def all_labs() -> list[Lab]:
    return [read_lab(file.parent) for file in sorted((ROOT / "labs").glob("*/lab.json"))]


def find_lab(wanted: str) -> Lab:
    """Finds a lab by its number (1, 01), or by the name or path of its folder or of its file."""
    labs = all_labs()
    parts = wanted.rstrip("/").rsplit("/", 2)
    name = parts[-2] if len(parts) > 1 and Path(parts[-1]).suffix else parts[-1]
    for lab in labs:
        if name == lab.name or (name.isdigit() and int(name) == int(lab.number)):
            return lab
    known = "\n".join(f"    {lab.number}  {lab.name.split('_', 1)[-1]}" for lab in labs) or "    –"
    raise Failure(_('there is no lab "{lab}". These are here:\n{labs}', lab=wanted, labs=known))
