"""check: ./lab check. Builds what is missing, lets the judge grade one file, and says where the picture is."""

import json
import os
import shlex
import subprocess
import tempfile
from argparse import Namespace
from pathlib import Path
from typing import Any

from . import build, device, judge, labs, picture, setup, table
from .console import Failure, say
from .paths import BUILD, shown


def run(arguments: Namespace) -> int:
    lab = labs.find_lab(arguments.lab)
    file = _readable(arguments.file, "--file") if arguments.file else lab.source
    bytes_of = _readable(arguments.input, "--input") if arguments.input else None
    if bytes_of and lab.facts["family"] != "histogram":
        raise Failure(f"--input is for labs that count bytes; {lab.name} is a {lab.facts['family']}.")
    verdict = _writable(arguments.json) if arguments.json else None
    where = device.choose(arguments.device)

    tree = build.configure(where, setup.prepare(picture=bytes_of is not None, opencl=lab.is_opencl))
    build.build(tree, judge.targets([lab]), f"Building what grades {lab.name}")
    command = [*judge.command(tree, lab, where), "--file", str(file)]
    command += ["--command", _repeated(arguments)]
    for option in ("case", "seed", "schedules"):
        if (value := getattr(arguments, option)) is not None:
            command += [f"--{option}", str(value)]
    with tempfile.TemporaryDirectory(prefix="warpladder-") as folder:
        written = verdict or Path(folder) / "verdict.json"
        command += ["--json", str(written)]
        if arguments.thorough:
            command.append("--thorough")
        if bytes_of:
            command += ["--input", str(bytes_of)]
        code = subprocess.run(command).returncode
        if bytes_of and written.exists():
            _show_histogram(json.loads(written.read_text(encoding="utf-8")), bytes_of, lab)
    return code if code >= 0 else 2


def _repeated(arguments: Namespace) -> str:
    """The command as the learner typed it, without the options that only repeat one run."""
    words = ["./lab", "check", arguments.lab]
    for option in ("file", "input", "device"):
        if (value := getattr(arguments, option)) not in (None, "auto"):
            words += [f"--{option}", str(value)]
    return shlex.join(words)


def _show_histogram(verdict: dict[str, Any], bytes_of: Path, lab: labs.Lab) -> None:
    if "histogram" not in verdict:
        return
    counts = verdict["histogram"]
    say(table.histogram(counts))
    target = BUILD / f"histogram_{lab.number}.png"
    picture.draw("histogram", {"file": bytes_of.name, "counts": counts}, target)
    say(f"The histogram of {bytes_of.name} is drawn in {shown(target)}")


def _readable(name: str, option: str) -> Path:
    path = Path(name).absolute()
    if not path.exists():
        raise Failure(f"{option} {name}: there is no such file")
    if path.is_dir():
        raise Failure(f"{option} {name} is a folder; give a file")
    if not os.access(path, os.R_OK):
        raise Failure(f"{option} {name} cannot be read; chmod u+r {name} may help")
    return path


def _writable(name: str) -> Path:
    path = Path(name).absolute()
    if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Failure(f"--json {name} cannot be written")
    return path
