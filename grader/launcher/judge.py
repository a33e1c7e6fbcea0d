"""judge: builds what grading needs and calls the judge, whose verdict it is."""

import os
import subprocess
from pathlib import Path

from . import build, device
from .labs import Lab


def tree_for(where: str, nvcc: Path) -> Path:
    """The configured build tree for this device."""
    if where == "gpu":
        return build.configure("gpu", nvcc, device.archs())
    return build.configure("lockstep", nvcc)


def targets(labs: list[Lab]) -> list[str]:
    return ["judge", "cudart_lockstep", *(f"lab{lab.number}" for lab in labs)]


def command(tree: Path, lab: Lab, file: Path, where: str) -> list[str]:
    build_json = tree / "labs" / lab.name / "build.json"
    judge = [str(tree / "grader" / "judge"), "--lab", str(lab.folder), "--build", str(build_json)]
    return [*judge, "--file", str(file), "--device", where]


def call(arguments: list[str], quiet: bool = False) -> int:
    """0 pass, 1 any other verdict, 2 the judge's own trouble."""
    env = dict(os.environ)
    result = subprocess.run(arguments, stdout=subprocess.DEVNULL if quiet else None, env=env)
    return result.returncode if result.returncode >= 0 else 2
