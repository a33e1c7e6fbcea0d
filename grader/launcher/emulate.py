"""emulate: runs any program that nvcc built on lockstep. The exit code of the command is the program's, or REFUSED.

./lab emulate builds lockstep first; the installed command `lockstep` (lockstep.py) has it beside itself."""

import os
import platform
import re
import shutil
from argparse import Namespace
from pathlib import Path
from typing import NoReturn

from . import build, elf, language, setup, teller
from .console import Failure, talk_on_stderr
from .language import _

CHECKS = ("memory", "initialised", "races", "synchronisation", "launch", "volatile")
REFUSED = 125  # the exit code of a program that was refused something, and that would end with 0
MAKE = "./lab make"
MACHINES = {62: "x86_64", 183: "aarch64"}


def run(arguments: Namespace) -> int:
    """./lab emulate."""
    talk_on_stderr()
    program, facts = read(arguments)
    tree = build.configure("lockstep", setup.prepare())
    target, library = _library(tree, facts.cudart(), program.name)
    build.build(tree, [target], _("Building lockstep"))
    start(program, facts, arguments, library)


def read(arguments: Namespace) -> tuple[Path, elf.Program]:
    """The program, and what it is. Refuses a program or an option that lockstep could not take."""
    program = _program(arguments.program)
    facts = _checked(program)
    if arguments.schedule and not re.fullmatch(r"forward|reverse|random:\d+", arguments.schedule):
        raise Failure(_('--schedule is forward, reverse or random:SEED, not "{schedule}"', schedule=arguments.schedule))
    if arguments.threads and not (arguments.threads.isdecimal() and 1 <= int(arguments.threads) <= 1024):
        raise Failure(_('--threads is a whole number from 1 to 1024, not "{threads}"', threads=arguments.threads))
    if arguments.fail and not re.fullmatch(r"(profiled:)?0*[1-9]\d*", arguments.fail):
        raise Failure(
            _('--fail is the number of a call, from 1, such as 3 or profiled:3; not "{fail}"', fail=arguments.fail)
        )
    if arguments.checks and not {*arguments.checks.split(",")} <= {"all", "none", *CHECKS}:
        raise Failure(
            _(
                '--checks is all, none, or some of {all}; not "{checks}"',
                all=",".join(CHECKS),
                checks=arguments.checks,
            )
        )
    for option in ("report", "trace"):
        if name := getattr(arguments, option):
            setattr(arguments, option, _writable(f"--{option}", name))
    return program, facts


def start(program: Path, facts: elf.Program, arguments: Namespace, library: Path) -> NoReturn:
    """library: lockstep's, which takes the place of the program's libcudart."""
    env = dict(os.environ)
    env["LD_LIBRARY_PATH"] = ":".join(filter(None, [str(library.parent), env.get("LD_LIBRARY_PATH", "")]))
    if facts.rpath:
        # An RPATH is searched before LD_LIBRARY_PATH; a preloaded library of the wanted name comes before both.
        env["LD_PRELOAD"] = " ".join(filter(None, [str(library), env.get("LD_PRELOAD", "")]))
    for option in ("report", "trace", "checks", "schedule", "threads", "fail"):
        if value := getattr(arguments, option):
            env[f"LOCKSTEP_{option.upper()}"] = str(value)
    env.setdefault("LOCKSTEP_REFUSED", str(REFUSED))
    if language.chosen() != language.ENGLISH:
        env["LOCKSTEP_TELL"] = f"fd:{teller.begin()}"
    # The program replaces this process, so that it has the signals, the terminal and the exit code.
    os.execve(program, [arguments.program, *arguments.arguments], env)


def _library(tree: Path, cudart: str, name: str) -> tuple[str, Path]:
    """What to build, and the library that takes the place of the program's libcudart."""
    built = build.runtimes(tree)
    cudart = cudart or next(iter(built))  # the program's kernels are in a library that it loads
    if cudart not in built:
        raise Failure(
            _(
                "{name} was built for {cudart}; lockstep is {built} here, as the CUDA of this machine is. "
                "Build it again:\n    ./lab nvcc {flags} …",
                name=name,
                cudart=cudart,
                built=_(" and ").join(built),
                flags=FLAGS,
            )
        )
    return built[cudart], tree / "lockstep" / cudart


def _program(name: str) -> Path:
    path = Path(name)
    if not path.exists() and "/" not in name and (found := shutil.which(name)):
        path = Path(found)
    if not path.exists():
        raise Failure(
            _("there is no program {name}. Build one first:\n    nvcc {flags} -o prog prog.cu", name=name, flags=FLAGS)
        )
    if path.is_dir():
        raise Failure(_("{name} is a folder. Name the program in it.", name=name))
    if not os.access(path, os.R_OK):
        raise Failure(_("{name} cannot be read. Give yourself leave to:\n    chmod u+r {name}", name=name))
    if not os.access(path, os.X_OK):
        if path.suffix in (".cu", ".cpp", ".cc"):
            raise Failure(
                _(
                    "{name} is source code. Build it first:\n    nvcc {flags} -o {stem} {name}",
                    name=name,
                    flags=FLAGS,
                    stem=path.stem,
                )
            )
        raise Failure(_("{name} is not executable:\n    chmod u+x {name}", name=name))
    return path.absolute()


ARCH = "-gencode arch=compute_75,code=compute_75"
FLAGS = f"-cudart shared -lineinfo -Xcompiler -g1 {ARCH}"


def _checked(program: Path) -> elf.Program:
    """Refuses a program that lockstep could not run, and names the missing flag of nvcc."""
    name = program.name
    try:
        facts = elf.read_program(program)
    except elf.NotElf:
        raise Failure(
            _("{name} is not a 64-bit ELF program (a script, perhaps). Give the binary that nvcc wrote.", name=name)
        ) from None
    if (built_for := MACHINES.get(facts.machine, f"machine {facts.machine}")) != platform.machine():
        raise Failure(
            _(
                "{name} is built for {built_for}; this machine is {machine}. Build it here.",
                name=name,
                built_for=built_for,
                machine=platform.machine(),
            )
        )
    cudart = facts.cudart()
    if not cudart and not facts.has_fatbin:
        raise Failure(
            _(
                "{name} holds no CUDA code and does not use the CUDA runtime: there is nothing to "
                "emulate.\nIf its kernels are in a library that it loads, link the program with nvcc "
                "-cudart shared.",
                name=name,
            )
        )
    why, flags = [], []  # all that is missing is told at once
    if not cudart:
        why.append(_("has the CUDA runtime linked in (nvcc's default), so that lockstep cannot take its place"))
        flags.append("-cudart shared")
    if facts.has_code() and not facts.has_ptx():
        if facts.lto:
            why.append(_("was built for link-time optimisation (-dlto, or code=lto_…), which leaves no PTX"))
            flags.append("-rdc=true without -dlto")
        else:
            why.append(_("holds machine code for GPUs but no PTX, which is what lockstep runs"))
        flags.append(ARCH)
    if why:
        raise Failure(
            _(
                "{name} {why}. Link it again with\n    {flags}\nIf make builds it, these flags need no "
                "change of its Makefile:\n    make clean; {make}",
                name=name,
                why=_(", and ").join(why),
                flags=" ".join(flags),
                make=MAKE,
            )
        )
    return facts


def _writable(option: str, name: str) -> Path:
    file = Path(name).absolute()
    if not file.parent.is_dir():
        raise Failure(
            _(
                "{option} {name}: there is no folder {folder}. Make it first, or name another file.",
                option=option,
                name=name,
                folder=file.parent,
            )
        )
    if file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
        raise Failure(_("{option} {name} cannot be written. Name another file.", option=option, name=name))
    return file
