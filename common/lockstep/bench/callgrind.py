"""How many instructions of the host a piece of work takes: callgrind counts two whole processes, of which the second
does the work more often. The difference is the work alone.

Start, copies and decoding are in both processes and cancel. No function of lockstep is named: a name
can match two overloads, and where one calls the other, the collection would be switched off again.
"""

import re
import shutil
import subprocess
from pathlib import Path

Command = list[str | Path]
WARP = 32  # lanes


def installed() -> bool:
    return shutil.which("valgrind") is not None


def instructions(command: Command, environment: dict[str, str]) -> int:
    """Of the whole process, all its threads. RuntimeError if the program fails, or without exactly one count."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run([*tool, *command], env=environment, capture_output=True, text=True, check=False)
    counts = re.findall(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or len(counts) != 1:
        raise RuntimeError(f"{command}: exit code {done.returncode}, {len(counts)} counts\n{done.stderr}")
    return int(counts[0])


def difference(less: Command, more: Command, environment: dict[str, str], thread_instructions: int) -> int:
    """Host instructions of what `more` does beyond `less`, which is so many of lockstep's thread-instructions.

    RuntimeError if the count cannot be right: each warp instruction takes more than one instruction of the host.
    """
    found = instructions(more, environment) - instructions(less, environment)
    if thread_instructions <= 0 or found * WARP <= thread_instructions:
        raise RuntimeError(f"{more}: {found} host instructions cannot run {thread_instructions} thread-instructions")
    return found
