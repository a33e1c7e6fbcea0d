"""lockstep: the installed command. It runs a program as ./lab emulate does, on the libraries that were installed with
it, wherever that is. It needs no build and no course."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from . import emulate, options, parser, unchanged
from .console import Failure, talk_on_stderr, visible
from .language import later

LIBRARIES = Path(__file__).resolve().parents[2] / "lockstep"  # lib/lockstep; this file is in lib/warpladder/launcher
ABOUT = later(
    """Runs PROGRAM on lockstep, a CUDA runtime for the CPU. No GPU is needed. Build the program with
    nvcc -cudart shared -lineinfo -Xcompiler -g1 -gencode arch=compute_75,code=compute_75 …
The exit code is the program's own; or 125 if lockstep refused something and the program ended with 0. Diagnoses go to
standard error."""
)


def main() -> int:
    parser.speak()
    wanted = ArgumentParser(
        prog="lockstep", description=ABOUT, formatter_class=parser.LinesFormatter, allow_abbrev=False
    )
    options.of_emulate(wanted)
    arguments = wanted.parse_args()
    emulate.MAKE = f"NVCC_APPEND_FLAGS='{unchanged.FLAGS}' make"
    talk_on_stderr()
    try:
        program, facts = emulate.read(arguments)
        emulate.start(program, facts, arguments, LIBRARIES / (facts.cudart() or "libcudart.so.13"))
    except Failure as failure:
        print(f"lockstep: {visible(failure)}", file=sys.stderr)
        return 2
