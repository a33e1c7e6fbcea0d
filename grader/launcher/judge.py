"""judge: knows what grading needs, and calls the judge, which gives the verdict."""

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
    """The targets that grading needs. The judge itself compiles the learner's file, so that compile errors are a
    verdict."""
    wanted = {"judge", "cudart_lockstep"}
    for lab in labs:
        wanted.add(f"runner_{lab.facts['contract']}")
        if solutions:
            wanted.add(f"lab{lab.number}.solution")
        if (below := lab.facts["baseline"]) != "cpu":
            wanted.add(f"lab{below}.report")
        programs = set(lab.folder.glob("*.cc")) - {lab.source}  # programs that the handout runs
        wanted |= {f"lab{lab.number}.{program.stem}" for program in programs}
    return sorted(wanted)


def command(tree: Path, lab: Lab, where: str) -> list[str]:
    """The command line of the judge for this lab, without --file or --binary."""
    build_json = tree / "labs" / lab.name / "build.json"
    judge = tree / "grader" / "judge"
    return [str(judge), "--lab", str(lab.folder), "--build", str(build_json), "--device", where]


def grade_solution(tree: Path, lab: Lab, where: str, verdict: Path, log: Path) -> None:
    """Writes the verdict on the reference solution, as JSON, and the judge's output."""
    solution = tree / "labs" / lab.name / "solution"
    with log.open("w", encoding="utf-8") as said:
        subprocess.run(
            [*command(tree, lab, where), "--binary", solution, "--json", verdict],
            stdout=said,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
