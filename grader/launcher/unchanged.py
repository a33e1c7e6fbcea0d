"""unchanged: ./lab make and ./lab nvcc build other people's programs for lockstep, without a change of their Makefile.
nvcc itself adds the flags that stand in NVCC_APPEND_FLAGS to those of its command line."""

import os
import shutil
from argparse import Namespace
from pathlib import Path

from . import build, old_cards, setup
from .console import Failure, talk_on_stderr
from .language import _

# nvcc takes these beside any -arch and -gencode, and of several -cudart the last one counts. It makes PTX for the
# emulated card beside what the program asks for: code for older cards compiles for it, too.
FLAGS = "-cudart shared -lineinfo -Xcompiler -g1 -gencode arch=compute_90,code=compute_90"


def run(arguments: Namespace) -> int:
    """Replaces this process by make or nvcc. Programs that make runs (make run) find lockstep."""
    talk_on_stderr()
    nvcc = setup.prepare()
    tree = build.configure("lockstep", nvcc)
    build.build(tree, ["cudart_lockstep"], _("Building lockstep"))
    toolkit = old_cards.toolkit(nvcc, tree / "toolkit")
    program = str(toolkit / "bin" / "nvcc") if arguments.command == "nvcc" else shutil.which("make")
    if program is None:
        raise Failure(_("there is no make here. On Debian:\n    apt-get install make"))
    env = dict(os.environ)
    for name in ("CUDA_HOME", "CUDA_PATH"):  # Makefiles ask for either
        if not env.get(name) or Path(env[name]).resolve() == nvcc.resolve().parent.parent:
            env[name] = str(toolkit)
    env["PATH"] = f"{toolkit / 'bin'}:{env.get('PATH', '')}"
    env["NVCC_APPEND_FLAGS"] = " ".join(filter(None, [env.get("NVCC_APPEND_FLAGS"), FLAGS]))
    env["LD_LIBRARY_PATH"] = ":".join(filter(None, [str(tree / "lockstep"), env.get("LD_LIBRARY_PATH")]))
    os.execve(program, [arguments.command, *arguments.rest], env)
