"""device: chooses the device on which a command runs, and asks nvidia-smi about the cards."""

import subprocess
from pathlib import Path

from .console import Failure


def choose(wanted: str) -> str:
    """lockstep or gpu; auto takes a GPU if the machine has one."""
    if wanted == "lockstep":
        return "lockstep"
    if Path("/dev/nvidia0").exists() and archs():
        return "gpu"
    if wanted == "gpu":
        raise Failure("there is no NVIDIA GPU here that nvidia-smi knows. --device lockstep needs none.")
    return "lockstep"


def archs() -> list[str]:
    """Compute capabilities of the cards, as nvcc writes them: ["90"]."""
    return sorted({line.replace(".", "") for line in _ask("compute_cap")})


def card() -> str:
    """The first card's name."""
    return next(iter(_ask("name")), "GPU")


def count() -> int:
    """How many cards there are."""
    return len(_ask("name"))


def driver() -> str | None:
    """The driver's version."""
    return next(iter(_ask("driver_version")), None)


def _ask(field: str) -> list[str]:
    try:
        answer = subprocess.run(
            ["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader"], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [line.strip() for line in answer.stdout.splitlines() if line.strip()] if answer.returncode == 0 else []
