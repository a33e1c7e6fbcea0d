"""old_cards: builds programs whose Makefile names a card that nvcc does not support any longer. nvcc 13 refuses every
card that is older than compute capability 7.5. lockstep needs only the PTX, so PTX for a newer card will do.

Makefiles call nvcc by PATH, or by CUDA_HOME or CUDA_PATH. So ./lab make gives them a toolkit of links, in which
grader/nvcc.py stands in nvcc's place."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from .console import warn
from .language import _
from .paths import ROOT

OPTION = re.compile(r"(?:-arch|--gpu-architecture|-code|--gpu-code|-gencode|--generate-code)(=.*)?", re.DOTALL)
CARD = re.compile(r"\b(compute|sm|lto)_(\d+)\b")


def renewed(arguments: list[str], oldest: int) -> tuple[list[str], list[str]]:
    """The arguments of nvcc with no card older than `oldest` (75: compute capability 7.5), and the cards that they had:
    ["sm_35"]."""
    found: dict[str, None] = {}  # in their order

    def card(match: re.Match[str]) -> str:
        if int(match[2]) >= oldest:
            return match[0]
        found[match[0]] = None
        return f"{match[1]}_{oldest}"

    result, is_value = [], False
    for argument in arguments:
        option = OPTION.fullmatch(argument)
        result.append(CARD.sub(card, argument) if option or is_value else argument)
        is_value = option is not None and option[1] is None
    return result, list(found)


def start(nvcc: Path, arguments: list[str]) -> None:
    """Replaces this process by nvcc. Tells which cards it has dropped."""
    listed = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, text=True, check=False).stdout
    oldest = min((int(card) for _kind, card in CARD.findall(listed)), default=0)
    arguments, dropped = renewed(arguments, oldest)
    if dropped:
        cards = ", ".join(dropped)
        warn(_("this nvcc does not know {cards}. It builds for compute_{oldest} instead.", cards=cards, oldest=oldest))
    os.execv(nvcc, [str(nvcc), *arguments])


def toolkit(nvcc: Path, folder: Path) -> Path:
    """Makes `folder` a toolkit with this nvcc behind start(). All else in it are links. Returns it."""
    top = nvcc.resolve().parent.parent
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    for original in [*top.iterdir(), *(top / "bin").iterdir()]:
        if original.name not in ("bin", "nvcc"):
            _replace(folder / original.relative_to(top), lambda link, to=original: link.symlink_to(to))
    words = shlex.join([sys.executable, "-B", str(ROOT / "grader" / "nvcc.py"), str(nvcc)])

    def write(script: Path) -> None:
        script.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
        script.chmod(0o755)

    _replace(folder / "bin" / "nvcc", write)
    return folder


def _replace(path: Path, make: Callable[[Path], None]) -> None:
    """In one step: another ./lab make may be using it."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    make(new)
    new.replace(path)
