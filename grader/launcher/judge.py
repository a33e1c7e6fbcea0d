"""judge: builds what grading needs and calls the judge, whose verdict it is."""

import subprocess
from pathlib import Path

from . import build, device
from .labs import Lab


def tree_for(where: str, nvcc: Path) -> Path:
    """The configured build tree for this device."""
    if where == "gpu":
        return build.configure("gpu", nvcc, device.archs())
    return build.configure("lockstep", nvcc)


def targets(labs: list[Lab], *, solutions: bool = False) -> list[str]:
    """What grading needs. Not a lab's own file: the judge compiles that, so that its errors are a verdict."""
    wanted = {"judge", "cudart_lockstep"}
    for lab in labs:
        wanted.add(f"runner_{lab.facts['contract']}")
        if solutions:
            wanted.add(f"lab{lab.number}.solution")
        if (below := lab.facts["baseline"]) != "cpu":
            wanted.add(f"lab{below}.report")
        programs = set(lab.folder.glob("*.cc")) - {lab.source}  # the handout runs them
        wanted |= {f"lab{lab.number}.{program.stem}" for program in programs}
    return sorted(wanted)


def command(tree: Path, lab: Lab, where: str) -> list[str]:
    """The judge on this lab; --file or --binary is still to come."""
    build_json = tree / "labs" / lab.name / "build.json"
    judge = tree / "grader" / "judge"
    return [str(judge), "--lab", str(lab.folder), "--build", str(build_json), "--device", where]


def grade_solution(tree: Path, lab: Lab, where: str, verdict: Path, log: Path) -> None:
    """Writes the verdict on the reference solution, as JSON, and what the judge said of it."""
    solution = tree / "labs" / lab.name / "solution"
    with log.open("w", encoding="utf-8") as said:
        subprocess.run(
            [*command(tree, lab, where), "--binary", solution, "--json", verdict],
            stdout=said,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
