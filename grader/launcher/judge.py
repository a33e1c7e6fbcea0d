"""judge: the targets that grading a lab needs, and the command line of the judge, which gives the verdict."""

from pathlib import Path

from .labs import Lab


def targets(labs: list[Lab], *, solutions: bool = False) -> list[str]:
    """The targets that grading needs. The judge itself compiles the learner's file, so that compile errors are a
    verdict."""
    wanted = {"judge", "cudart_lockstep"}
    for lab in labs:
        wanted.add(f"runner_{lab.facts['contract']}")
        if solutions and lab.has_reference:
            wanted.add(f"lab{lab.number}.solution")
        if (below := lab.facts["baseline"]) != "cpu":
            wanted.add(f"lab{below}.report")
        if set(lab.folder.glob("*.cc")) - {lab.source}:  # programs that the handout runs
            wanted.add(f"lab{lab.number}")  # those of them that this machine can build: one needs TBB
    return sorted(wanted)


def is_built(tree: Path) -> bool:
    return (tree / "grader" / "judge").exists()


def command(tree: Path, lab: Lab, where: str) -> list[str]:
    """The command line of the judge for this lab, without --file or --binary."""
    build_json = tree / "labs" / lab.name / "build.json"
    judge = tree / "grader" / "judge"
    return [str(judge), "--lab", str(lab.folder), "--build", str(build_json), "--device", where]
