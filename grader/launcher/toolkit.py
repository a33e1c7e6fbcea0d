"""toolkit: finds nvcc on this machine: 13 or later, else 12.4 or later. Installs nothing: setup does that."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from . import wheels
from .console import Failure
from .language import _

NEW = (13, 0)
OLDEST = (12, 4)  # for clusters and cards that have nothing newer
USUAL_FOLDERS = "/usr/local/cuda/bin:/usr/local/cuda-*/bin:/opt/cuda/bin"


def search() -> tuple[Path | None, list[str]]:
    """The nvcc to use, and each one that was found before it with the reason why it cannot be used."""
    refused, older = [], None
    for nvcc in _candidates():
        has = _version(nvcc)
        if has is None:
            refused.append(_("{nvcc} does not answer --version as nvcc does", nvcc=nvcc))
        elif has < OLDEST:
            refused.append(_("{nvcc} is CUDA {has}; 12.4 or later is needed", nvcc=nvcc, has=_dotted(has)))
        elif has < NEW:
            older = older or nvcc
        else:
            return nvcc, refused
    return older, refused


def version(nvcc: Path) -> str | None:
    """The version that nvcc prints: "13.0"."""
    has = _version(nvcc)
    return _dotted(has) if has else None


def too_old(nvcc: Path | None, wanted: str) -> str:
    """Why this nvcc cannot do what needs the wanted version; empty: it can, or there is none yet."""
    has = _version(nvcc) if nvcc and wanted else None
    if has is None or has >= tuple(_numbers(Path(wanted))):
        return ""
    return _("needs nvcc {wanted} or later; {nvcc} is CUDA {has}", wanted=wanted, nvcc=nvcc, has=_dotted(has))


def need(nvcc: Path | None, wanted: str, lab: str) -> None:
    """Refuses the lab if this nvcc is too old for it. The build has no target for such a lab."""
    if why := too_old(nvcc, wanted):
        raise Failure(_("{lab} {why}. All other labs work with it.", lab=lab, why=why))


def has_disassembler(nvcc: Path | None) -> bool:
    """Whether nvdisasm is there: beside nvcc or in PATH."""
    return shutil.which("nvdisasm") is not None or (nvcc is not None and (nvcc.resolve().parent / "nvdisasm").exists())


def _candidates() -> list[Path]:
    """In order of preference: from PATH, from the usual folders (the newest first), from our own wheels."""
    on_path = shutil.which("nvcc")
    found = [Path(on_path)] if on_path else []
    for pattern in os.environ.get("WARPLADDER_TOOLKITS", USUAL_FOLDERS).split(":"):
        if pattern:
            found += sorted(Path("/").glob(pattern.lstrip("/") + "/nvcc"), key=_numbers, reverse=True)
    if wheels.installed(wheels.CUDA):
        found.append(wheels.cuda_folder() / "bin" / "nvcc")
    return [path for path in dict.fromkeys(found) if os.access(path, os.X_OK)]


def _version(nvcc: Path) -> tuple[int, int] | None:
    try:
        text = subprocess.run([nvcc, "--version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"release (\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def _numbers(path: Path) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", str(path))]
