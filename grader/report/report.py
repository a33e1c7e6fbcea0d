"""report: ./lab report and ./lab compare. They build what is missing, let the judge run, and write the page."""

import os
import sys
import webbrowser
from argparse import Namespace
from pathlib import Path

from launcher import build, judge, labs, setup, toolkit
from launcher.console import Failure, say
from launcher.language import _
from launcher.paths import BUILD, shown
from learner import ladder

from . import compare as comparison
from . import details, page, runs

MOST_ELEMENTS = 64


def run(arguments: Namespace) -> int:
    """./lab report."""
    lab = ladder.chosen(arguments.lab)
    if lab is None:
        raise Failure(_("every lab is passed. Name one: ./lab report 05"))
    file = _readable(arguments.file, "--file") if arguments.file else lab.source
    if arguments.csv and arguments.page != "details":
        raise Failure(_("--csv goes with --page details"))
    made = _runs(lab, [file], arguments)[0]
    if arguments.page == "details":
        return _details(made, arguments)
    target = _writable(arguments.out, BUILD / f"report_{lab.number}.html")
    _write(target, page.html([page.data(made)]), arguments.open)
    return 0


def compare(arguments: Namespace) -> int:
    """./lab compare."""
    lab = labs.find_lab(arguments.lab)
    files = [_readable(name, "") for name in (arguments.a, arguments.b)]
    both = _runs(lab, files, arguments)
    rows = comparison.rows(*both)
    say(comparison.text(*both, rows))
    if arguments.out or arguments.open:
        target = _writable(arguments.out, BUILD / f"compare_{lab.number}.html")
        summary = {"files": [file.name for file in files], "differences": comparison.cells(rows)}
        _write(target, page.html([*map(page.data, both), summary]), arguments.open)
    return 0


def _runs(lab: labs.Lab, files: list[Path], arguments: Namespace) -> list[runs.Runs]:
    entry, count, block = arguments.entry or "", arguments.elements, arguments.block
    known = runs.entries(lab)
    if entry and entry not in known:
        raise Failure(
            _("--entry {entry}: lab {lab} has {entries}", entry=entry, lab=lab.number, entries=", ".join(known))
        )
    if not 1 <= count <= MOST_ELEMENTS:
        raise Failure(_("--elements is a number from 1 to {most}, not {count}", most=MOST_ELEMENTS, count=count))
    if block is not None and block not in lab.facts.get("blocks", []):
        blocks = ", ".join(map(str, lab.facts.get("blocks", []))) or _("none: its entries take no block size")
        raise Failure(
            _("--block {block}: lab {lab} has blocks of {blocks}", block=block, lab=lab.number, blocks=blocks)
        )
    nvcc = setup.prepare(opencl=lab.is_opencl)
    toolkit.need(nvcc, lab.nvcc, lab.name)
    tree = build.configure("lockstep", nvcc)
    wanted = judge.targets([lab]) + ([f"lab{lab.number}.report"] if lab.has_reference and not lab.is_opencl else [])
    build.build(tree, wanted, _("Building what grades {lab}", lab=lab.name))
    return [runs.make(tree, lab, file, entry=entry, count=count, block=block) for file in files]


def _details(made: runs.Runs, arguments: Namespace) -> int:
    """What ncu would print of the measured case; of the recorded call, if the measured case did not end."""
    report = made.measured or made.recorded
    if report is None or not report["launches"]:
        raise Failure(_("lab {lab} has no details: {why}", lab=made.lab.number, why=page.missing(made)))
    text = details.as_csv(report) if arguments.csv else f"{_about(made)}\n{details.text(report)}"
    if arguments.out:
        _writable(arguments.out, BUILD).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


def _about(made: runs.Runs) -> str:
    return f"[lockstep] {made.file.name}, {made.entry}: {page.counted(made)}"


def _write(target: Path, text: str, wants_open: bool) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    say(_("The page is {target}", target=shown(target)))
    if wants_open and not webbrowser.open(target.as_uri()):
        say(_("No browser could be started here; open the file yourself."))


def _readable(name: str, option: str) -> Path:
    path = Path(name).absolute()
    if not path.is_file():
        raise Failure(_("{option} {name}: there is no such file", option=option, name=name).strip())
    if not os.access(path, os.R_OK):
        raise Failure(_("{option} {name} cannot be read; chmod u+r {name} may help", option=option, name=name).strip())
    return path


def _writable(name: str | None, otherwise: Path) -> Path:
    if name is None:
        return otherwise
    path = Path(name).absolute()
    if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Failure(_("--out {name} cannot be written", name=name))
    return path
