"""device: chooses the device on which a command runs, and asks nvidia-smi and the driver about the cards."""

import ctypes
import subprocess
from pathlib import Path

from . import toolkit
from .console import Failure, warn
from .language import _

# What each CUDA needs, by its first number: NVIDIA's driver for Linux, and a card's compute capability. Its later
# versions need no newer ones.
NEEDS = {12: ("525", "50"), 13: ("580", "75")}


def choose(wanted: str) -> str:
    """lockstep or gpu; auto takes a GPU if the machine has one that our CUDA can use, and says if it cannot."""
    if wanted == "lockstep":
        return "lockstep"
    if not (Path("/dev/nvidia0").exists() and archs()):
        if wanted == "gpu":
            raise Failure(_("there is no NVIDIA GPU here that nvidia-smi knows. --device lockstep needs none."))
        return "lockstep"
    if trouble := _trouble():
        if wanted == "gpu":
            raise Failure(_("{trouble} --device lockstep needs no driver.", trouble=trouble))
        warn(_("{trouble} lockstep runs the kernels instead.", trouble=trouble))
        return "lockstep"
    return "gpu"


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


def driver_cuda() -> tuple[int, int] | None:
    """The newest CUDA that the driver can run: (12, 4). None: programs cannot load the driver. The answer is that of
    the library which programs load: it is newer than nvidia-smi's where NVIDIA's package for compatibility is used."""
    number = ctypes.c_int(0)
    try:
        failed = ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number))
    except (OSError, AttributeError):
        return None
    return None if failed else (number.value // 1000, number.value % 1000 // 10)


def _trouble() -> str:
    """Why what nvcc builds cannot run on the cards, in a sentence. Empty: it can."""
    cuda = _cuda()
    needs, oldest = NEEDS.get(cuda, NEEDS[max(NEEDS)])
    if old := [arch for arch in archs() if int(arch) < int(oldest)]:
        return _(
            "A card here has compute capability {has}; CUDA {cuda} needs {needs} or later.",
            has=_dotted(old[0]),
            cuda=cuda,
            needs=_dotted(oldest),
        )
    has = driver_cuda()
    if has is None:
        return _("The card's driver library, libcuda.so.1, cannot be loaded.")
    if has[0] < cuda:
        return _(
            "The card's driver knows CUDA up to {has}; CUDA {cuda} needs driver {needs} or later.",
            has=f"{has[0]}.{has[1]}",
            cuda=cuda,
            needs=needs,
        )
    return ""


def _cuda() -> int:
    """The first number of the CUDA that builds the labs: that of nvcc, or of the one that will be installed."""
    nvcc, _ = toolkit.search()
    version = toolkit.version(nvcc) if nvcc else None
    return int(version.split(".")[0]) if version else max(NEEDS)


def _dotted(arch: str) -> str:
    return f"{arch[:-1]}.{arch[-1]}"


def _ask(field: str) -> list[str]:
    try:
        answer = subprocess.run(
            ["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader"], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [line.strip() for line in answer.stdout.splitlines() if line.strip()] if answer.returncode == 0 else []
