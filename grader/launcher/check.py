"""check: ./lab check as far as it grades: builds what is missing, and lets the judge grade one file. The room `learner`
adds what a learner sees around the verdict."""

import json
import os
import shlex
import subprocess
import tempfile
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import build, console, device, judge, labs, picture, prebuilt, problems, setup, table, toolkit, verdict_text
from .console import Failure, say
from .language import _
from .outlet import Outlet
from .paths import BUILD, shown


@dataclass(frozen=True)
class Request:
    """What ./lab check was asked for. Nothing in it is wrong."""

    lab: labs.Lab
    file: Path
    bytes_of: Path | None
    outlet: Outlet | None
    where: str
    arguments: Namespace

    @property
    def is_whole(self) -> bool:
        """All cases, rules and times, and not a part of them."""
        asked = self.arguments
        return asked.case is None and asked.schedules is None and self.bytes_of is None


@dataclass(frozen=True)
class Graded:
    code: int
    verdict: dict[str, Any]  # the judge's JSON; empty if the judge came to no verdict


def read(arguments: Namespace) -> Request:
    lab = labs.find_lab(arguments.lab)
    file = _readable(arguments.file, "--file") if arguments.file else lab.source
    bytes_of = _readable(arguments.input, "--input") if arguments.input else None
    if bytes_of and lab.facts["contract"] not in ("histogram", "words"):
        raise Failure(
            _("--input is for labs that count bytes or words; {lab} is a {family}.", lab=lab.name, family=_(lab.family))
        )
    outlet = Outlet(arguments.json, "--json") if arguments.json else None
    return Request(lab, file, bytes_of, outlet, device.choose(arguments.device), arguments)


def grade(request: Request) -> Graded:
    """Builds, grades and prints the verdict."""
    lab = request.lab
    tree = prepare(lab, request.where, picture=request.bytes_of is not None)
    with tempfile.TemporaryDirectory(prefix="warpladder-") as folder:
        written = Path(folder) / "verdict.json"
        command = [*judge_command(request, tree), "--json", str(written)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, errors="replace")
        text = written.read_text(encoding="utf-8") if written.exists() else ""
    verdict = json.loads(text) if text else {}
    for line in verdict_text.dressed(done.stdout, verdict):
        say(line, styled=True)
    if request.arguments.problems:
        say("\n".join(["", *problems.lines(verdict)]))
    if request.outlet and text:
        request.outlet.write(text)
    if request.bytes_of:
        _show_histogram(verdict, request.bytes_of, lab)
        _show_words(verdict, request.bytes_of, lab)
    return Graded(done.returncode if done.returncode >= 0 else 2, verdict)


def prepare(lab: labs.Lab, where: str, *, picture: bool = False) -> Path:
    """Sets up and builds what grades the lab, and returns the build tree."""
    built = prebuilt.folder() if where == "lockstep" else None
    nvcc = setup.prepare(picture=picture, opencl=lab.is_opencl, prebuilt=built is not None)
    toolkit.need(nvcc, lab.nvcc, lab.name)
    if built and (tree := prebuilt.tree(built, lab, nvcc)):
        return tree
    if built:
        nvcc = setup.prepare(picture=picture, opencl=lab.is_opencl)
    is_first = not judge.is_built(build.TREES[where])
    if is_first:
        say(_("Once, about a minute: the judge and lockstep are built."))
    tree = build.configure(where, nvcc)
    build.build(tree, judge.targets([lab]), _("Building what grades {lab}", lab=lab.name), announce=is_first)
    return tree


def judge_command(request: Request, tree: Path) -> list[str]:
    asked = request.arguments
    command = [*judge.command(tree, request.lab, request.where), "--file", str(request.file)]
    command += ["--command", _repeated(asked)]
    if console.is_terminal():
        command += ["--columns", str(console.width())]
    for option in ("case", "seed", "schedules"):
        if (value := getattr(asked, option)) is not None:
            command += [f"--{option}", str(value)]
    if asked.thorough:
        command.append("--thorough")
    if request.bytes_of:
        command += ["--input", str(request.bytes_of)]
    return command


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
    counts, wanted = verdict["histogram"], verdict.get("histogram_wanted")
    say(table.histogram(counts) if wanted is None else table.wrong_histogram(counts, wanted))
    target = BUILD / f"histogram_{lab.number}.png"
    picture.draw("histogram", {"file": bytes_of.name, "counts": counts, "wanted": wanted}, target)
    names = {"file": bytes_of.name, "picture": shown(target)}
    if wanted is None:
        say(_("The histogram of {file} is drawn in {picture}", **names))
    else:
        say(_("Your histogram beside the right one, of {file} is drawn in {picture}", **names))


def _show_words(verdict: dict[str, Any], text: Path, lab: labs.Lab) -> None:
    if "words" not in verdict:
        return
    say(table.words(verdict["words"]))
    target = BUILD / f"words_{lab.number}.png"
    picture.draw("words", {"file": text.name, "words": verdict["words"]}, target)
    say(_("The words of {file} are drawn in {picture}", file=text.name, picture=shown(target)))


def _readable(name: str, option: str) -> Path:
    path = Path(name).absolute()
    if not path.exists():
        raise Failure(_("{option} {file}: there is no such file", option=option, file=name))
    if path.is_dir():
        raise Failure(_("{option} {file} is a folder; give a file", option=option, file=name))
    if not os.access(path, os.R_OK):
        raise Failure(_("{option} {file} cannot be read; chmod u+r {file} may help", option=option, file=name))
    return path
