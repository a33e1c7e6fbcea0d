"""Calls a lab's function in a lab's binary: the judge's side of common/runner/protocol.h."""

import fcntl
import json
import os
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

GUARD = 4096  # bytes
FIRST_FD = 64  # above the numbers that the runner expects: 3 jobs, 4 replies, 5 input, 6 result


@dataclass
class Call:
    seconds: float  # time of the function, measured by the runner
    peak_kib: int  # resident memory of the whole process
    value: object  # the function's result
    output: bytes  # the array that it wrote


CONTRACTS = Path(__file__).resolve().parents[2] / "contracts"
ELEMENT_BYTES = {"float": 4, "int": 4, "unsigned": 4, "long": 8, "byte": 1}


@dataclass(frozen=True)
class Arrays:
    """What a contract says of an entry's arrays. The bytes of an element are those of a whole pair."""

    element: str  # the type of the first number in an element
    element_bytes: int
    out_bytes_per_element: int
    fixed_out_bytes: int
    on_host: bool

    def sizes(self, n: int) -> tuple[int, int]:
        """Bytes of the input and of the output."""
        return n * self.element_bytes, n * self.out_bytes_per_element + self.fixed_out_bytes


def arrays(contract: str, entry: str) -> Arrays:
    """An entry's own values come before those of its contract."""
    whole = json.loads((CONTRACTS / f"{contract}.json").read_text(encoding="utf-8"))
    facts = whole | next(one for one in whole["entries"] if one["name"] == entry)
    types, out = facts["element"], facts["output_bytes"]
    size = sum(ELEMENT_BYTES[one] for one in types)
    return Arrays(types[0], size, out["per_element"], out["fixed"], facts["memory"] == "host")


def input_of(contract: str, given: Arrays, n: int) -> bytes:
    """Numbers from 0 to 255: bytes for a histogram, small ints, floats whose sums are exact; or words."""
    if contract == "words":
        return bytes(random.Random(1).choices(b"aeiost  ,", k=n))
    if given.element == "byte":
        return random.Random(1).randbytes(n)
    width = ELEMENT_BYTES[given.element]
    small = [i * 7919 % 256 for i in range(4096)]
    whole = b"".join(
        FLOATS[value % len(FLOATS)] if given.element == "float" else value.to_bytes(width, "little") for value in small
    )
    size = given.sizes(n)[0]
    return (whole * (size // len(whole) + 1))[:size]


FLOATS = (b"\0\0\0\0", b"\0\0\x80\x3f", b"\0\0\0\x40", b"\0\0\x80\x40")  # 0, 1, 2, 4


def peak_kib(pid: int) -> int:
    """The peak resident memory of the process; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(found[1]) if found else 0


def call(binary: Path, contract: str, entry: str, n: int, environment: dict[str, str]) -> Call:
    """Raises RuntimeError with the runner's reply if the call fails."""
    given = arrays(contract, entry)
    in_bytes, out_bytes = given.sizes(n)
    input_fd, result_fd = os.memfd_create("input"), os.memfd_create("result")
    with os.fdopen(os.dup(input_fd), "wb") as file:
        file.write(input_of(contract, given, n))
    os.ftruncate(result_fd, in_bytes + out_bytes + 4 * GUARD)
    jobs_read, jobs = os.pipe()
    replies, replies_write = os.pipe()
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD, FIRST_FD) for fd in (jobs_read, replies_write, input_fd, result_fd)]

    def take_their_places() -> None:
        for place, fd in enumerate(high, start=3):
            os.dup2(fd, place)

    child = subprocess.Popen(
        [binary], env=environment, preexec_fn=take_their_places, close_fds=False, stdout=subprocess.DEVNULL
    )
    for fd in (jobs_read, replies_write, *high):
        os.close(fd)
    job = {"id": 1, "entry": entry, "n": n, "block": 256, "in_bytes": in_bytes, "out_bytes": out_bytes}
    job |= {"on_host": given.on_host, "guard": GUARD, "in_offset": 0, "out_offset": 0}
    job |= {"return_input": False, "timed": False, "profiled": False, "answers": False, "sealed": False}
    with os.fdopen(replies) as lines, os.fdopen(jobs, "w") as to:
        lines.readline()  # ready
        to.write(json.dumps(job) + "\n")
        to.flush()
        reply = json.loads(lines.readline() or "{}")
        peak = peak_kib(child.pid)
        to.write('{"quit":true}\n')
    child.wait()
    if reply.get("status") != "ok":
        raise RuntimeError(f"{binary}: {reply}")
    output = os.pread(result_fd, out_bytes, in_bytes + 3 * GUARD)
    os.close(input_fd)
    os.close(result_fd)
    return Call(reply["host_ms"] / 1e3, peak, reply["value"], output)


@dataclass
class Lab:
    name: str
    binary: Path  # the lab's solution
    contract: str
    entry: str  # the function that is measured
    real_size: int
    largest: int


def find_labs(source: Path, built: Path) -> list[Lab]:
    """source: the folder labs/; built: the build tree's labs/."""
    labs = []
    for file in sorted(source.glob("*/lab.json")):
        lab = json.loads(file.read_text())
        if not lab["source"].endswith(".cu"):
            continue  # OpenCL: lockstep would count nothing
        entry = lab.get("measured", lab["entries"][-1])
        real = lab["sizes"]["real"]
        binary = built / file.parent.name / "solution"
        labs.append(Lab(file.parent.name, binary, lab["contract"], entry, real, lab["sizes"].get("largest", real)))
    return labs
