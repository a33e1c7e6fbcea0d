"""problems: a verdict in the form in which compilers report errors, FILE:LINE: error: MESSAGE. Many editors read it;
.vscode/tasks.json tells Visual Studio Code how."""

import re
from pathlib import Path
from typing import Any

from . import page
from .language import _

# nvcc writes FILE(LINE): error: …, the host's compiler FILE:LINE:COLUMN: error: …
COMPILER = re.compile(r"^(\S.*?)(?:\((\d+)\)|:(\d+)(?::\d+)?):\s+(?:catastrophic |fatal )?(error|warning)[^:]*: (.*)$")
PLACE = re.compile(r"(\S+\.(?:cuh?|cc|h)):(\d+)")
MOST = 3  # of the steps that led to a failure; what follows are tables


def lines(verdict: dict[str, Any]) -> list[str]:
    """What an editor is told. Nothing if there is no verdict, or a good one without warnings."""
    if not verdict:
        return []
    file, failure = Path(verdict["file"]), verdict["failure"]
    found = [problem for warning in verdict["compiler_warnings"] for problem in _compilers(file, warning)]
    if failure is None:
        return found
    errors = _compilers(file, failure["printed"]) if verdict["verdict"] == "compile error" else []
    return found + (errors or _judges(file, verdict, failure))


def _compilers(file: Path, printed: str) -> list[str]:
    """The compiler's errors and warnings, without the lines of code that it shows below each."""
    found = [match for line in printed.splitlines() if (match := COMPILER.match(line))]
    return [f"{_path(file, where)}:{a or b}: {kind}: {said}" for where, a, b, kind, said in (m.groups() for m in found)]


def _judges(file: Path, verdict: dict[str, Any], failure: dict[str, Any]) -> list[str]:
    """One error at the first line that the judge names, or at the first line of the file, and a note at each other."""
    known = page.known(verdict.get("page", []))
    steps = [page.again(step, known).rstrip(".。") for step in failure["steps"] if not re.search(r"^ |   ", step)]
    following = page.again(failure["next"], known)
    text = _(". ").join([f"{_(verdict['verdict'])} ({verdict['failed_check']})", *steps[:MOST], following])
    places = {
        f"{path}:{line}": page.again(step, known).strip()
        for step in [*failure["steps"], failure["next"]]
        for name, line in PLACE.findall(step)
        if (path := _path(file, name)).exists()
    }
    first, *others = places or {f"{file}:1": ""}
    return [f"{first}: error: {text}", *(f"{one}: note: {places[one]}" for one in others)]


def _path(file: Path, name: str) -> Path:
    """The judge names the learner's file by its name alone."""
    return file if Path(name).name == file.name else Path(name)
