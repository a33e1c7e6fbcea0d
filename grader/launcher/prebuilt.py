"""prebuilt: what the Python package `warpladder` brings: the judge, lockstep and the runners, already built.

If they were made from the sources of this course, ./lab check on lockstep builds nothing. Else everything is built.
"""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from . import wheels
from .labs import Lab, find_lab
from .paths import BUILD, ROOT

VARIABLE = "WARPLADDER_BUILT"  # names the package's folder `built`; set by the command `warpladder`
SOURCES = (
    "common/*.h",
    "common/cmake/*",
    "common/contracts/*",
    "common/runner/*",
    "common/lockstep/**/*",
    "grader/CMakeLists.txt",
    "grader/judge/**/*",
)
CUDART = "libcudart.so.13"


def folder() -> Path | None:
    """The package's folder `built`, if it was made from these sources."""
    return next((built for built in _candidates() if _mark(built) == digest()), None)


def _candidates() -> list[Path]:
    """Of the command that runs; of this Python; of the `warpladder` that made this course."""
    if found := os.environ.get(VARIABLE):
        return [Path(found)]
    package = importlib.util.find_spec("warpladder")
    noted = BUILD / "package"
    found = [Path(package.origin).with_name("built")] if package and package.origin else []
    return found + ([Path(noted.read_text(encoding="utf-8"))] if noted.exists() else [])


def _mark(built: Path) -> str:
    mark = built / "sources"
    return mark.read_text(encoding="ascii") if mark.exists() else ""


def digest(root: Path = ROOT) -> str:
    """Of the sources of the judge, of lockstep and of the runners, without their tests."""
    whole = hashlib.sha256()
    for file in sorted({file for pattern in SOURCES for file in root.glob(pattern)}):
        if file.is_file() and not {"tests", "bench", "__pycache__"}.intersection(file.relative_to(root).parts):
            whole.update(f"{file.relative_to(root)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def tree(built: Path, lab: Lab, nvcc: Path) -> Path | None:
    """A folder like a build tree: the judge, and the lab's build.json with the places of this machine. None: the lab or
    nvcc needs a build (OpenCL, a program beside the handout, CUDA 12)."""
    template = built / "labs" / lab.name / "build.json"
    places = _places(nvcc)
    if not template.exists() or not places or not _has_reference(built, lab):
        return None
    made = BUILD / "prebuilt"
    _link(built / "lib" / "warpladder" / "judge", made / "grader" / "judge")
    for report in built.glob("labs/*/report.json"):
        _link(report, made / "labs" / report.parent.name / "report.json")
    places |= {"root": str(ROOT), "built": str(built), "tree": str(made)}
    facts = _filled(json.loads(template.read_text(encoding="utf-8")), places)
    facts["compiler_sees"] = [place for place in facts["compiler_sees"] if Path(place).exists()]
    target = made / "labs" / lab.name / "build.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(facts), encoding="utf-8")
    # The judge hands these two on to the program that asks what became of a kernel.
    os.environ.setdefault("LOCKSTEP_PTXAS", str(Path(places["nvcc"]).resolve().with_name("ptxas")))
    os.environ.setdefault("LOCKSTEP_NVDISASM", places["nvdisasm"])
    return made


def reference(lab: Lab) -> str:
    """A hash of what a lab's report was made from. Empty: the solution is not here, as in a learners' repository."""
    if not lab.solution.exists():
        return ""
    return hashlib.sha256(lab.solution.read_bytes() + (lab.folder / "lab.json").read_bytes()).hexdigest()


def _has_reference(built: Path, lab: Lab) -> bool:
    """The lab below, which modelled times are compared with, is that of the package."""
    if lab.facts["baseline"] == "cpu":
        return True
    below = find_lab(lab.facts["baseline"])
    known = built / "labs" / below.name / "reference"
    return known.exists() and reference(below) in ("", known.read_text(encoding="ascii"))


def _places(nvcc: Path) -> dict[str, str]:
    """Where this machine has what a template names; empty: it has no CUDA 13."""
    plan = subprocess.run(
        [nvcc, "--dryrun", "-x", "cu", "-c", os.devnull, "-o", os.devnull], capture_output=True, text=True
    )
    top = re.search(r"TOP=(\S+)", plan.stderr)
    if plan.returncode != 0 or top is None:
        return {}
    toolkit = Path(top[1]).resolve()
    folders = [toolkit / "lib64", toolkit / "lib", *toolkit.glob("targets/*/lib")]
    cudart = next((str(place.resolve()) for place in folders if (place / CUDART).exists()), "")
    beside = [nvcc.resolve().with_name("nvdisasm"), wheels.cuda_folder() / "bin" / "nvdisasm"]
    nvdisasm = next((str(file) for file in beside if file.exists()), shutil.which("nvdisasm") or "")
    compiler = shutil.which("c++") or shutil.which("g++") or ""
    found = {"nvcc": str(nvcc), "toolkit": str(toolkit), "cudart": cudart, "cxx": compiler}
    return {**found, "nvdisasm": nvdisasm} if all(found.values()) else {}


def _filled(part: Any, places: dict[str, str]) -> Any:  # noqa: ANN401
    if isinstance(part, dict):
        return {key: _filled(value, places) for key, value in part.items()}
    if isinstance(part, list):
        return [_filled(value, places) for value in part]
    return re.sub(r"@(\w+)@", lambda match: places[match[1]], part)


def _link(file: Path, link: Path) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink() or link.readlink() != file:
        link.unlink(missing_ok=True)
        link.symlink_to(file)
