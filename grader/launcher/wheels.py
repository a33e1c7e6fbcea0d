"""wheels: Python packages in .venv, pinned by hash. A set counts as installed after its mark is written."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from .console import Failure, last_lines, run_logged
from .language import _
from .paths import LOGS, ROOT, VENV, shown

PICTURE = ROOT / "requirements-picture.txt"
STYLE = ROOT / "requirements-style.txt"
WATCH = ROOT / "requirements-watch.txt"
CUDA = ROOT / "requirements-cuda.txt"
GRADE = ROOT / "requirements-grade.txt"
SASS = ROOT / "requirements-sass.txt"
BROWSER = ROOT / "requirements-browser.txt"
EDITOR = ROOT / "requirements-editor.txt"
COMPLETION = ROOT / "requirements-completion.txt"
TOOLS = ROOT / "requirements-tools.txt"
DOCS = ROOT / "requirements-docs.txt"
WHEEL = ROOT / "requirements-wheel.txt"
PYTHON = VENV / "bin" / "python"


def installed(requirements: Path) -> bool:
    mark = _mark(requirements)
    return mark.exists() and PYTHON.exists() and mark.read_text(encoding="ascii") == _digest(requirements)


def install(requirements: Path, what: str, finish: Callable[[], None] = lambda: None) -> None:
    """Installs the set, runs finish, and writes the mark last, so that an interrupted set-up is repeated."""
    if not venv_works():
        make = [sys.executable, "-m", "venv", "--clear", VENV]
        code, output = run_logged(_("Setting up: {what}", what=shown(VENV)), make, LOGS / "setup-venv.log")
        if code != 0:
            raise Failure(_("{said}\n{folder} could not be made.", said=last_lines(output, 6), folder=shown(VENV)))
    pip = [PYTHON, "-m", "pip", "install", "--require-hashes", "--only-binary", ":all:", "--no-input"]
    pip += ["--disable-pip-version-check", "--retries", "2", "-r", requirements]
    title = _("Setting up: {what} (pip, into {folder})", what=_(what), folder=shown(VENV))
    code, output = run_logged(title, pip, LOGS / "setup-pip.log", announce=True)
    if code != 0:
        if not any(VENV.glob("*.installed")):  # it has nothing useful yet
            shutil.rmtree(VENV, ignore_errors=True)
        raise Failure(_("{said}\npip could not install {file}.", said=last_lines(output, 3), file=requirements.name))
    finish()
    mark = _mark(requirements)
    unfinished = mark.with_suffix(".new")
    unfinished.write_text(_digest(requirements), encoding="ascii")
    unfinished.replace(mark)


def venv_works() -> bool:
    return PYTHON.exists() and subprocess.run([PYTHON, "-c", "import pip"], capture_output=True).returncode == 0


def cuda_folder() -> Path:
    """The folder into which the toolkit's wheels are unpacked, with bin, include, lib and nvvm as in a toolkit."""
    found = sorted(VENV.glob("lib/python3*/site-packages/nvidia/cu13"))
    return found[-1] if found else VENV / "lib/python3/site-packages/nvidia/cu13"


def _mark(requirements: Path) -> Path:
    return VENV / f"{requirements.stem}.installed"


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
