"""package: ./lab gradescope. The zip holds the course as it is committed, setup.sh and run_autograder at the root,
where Gradescope looks for them, and a description of the assignment: one lab or any, with hidden cases or without."""

import io
import json
import subprocess
import zipfile
from argparse import Namespace
from pathlib import Path
from typing import Any

from launcher import labs
from launcher.console import Failure, say
from launcher.language import _
from launcher.paths import ROOT, shown

from .. import judging
from ..hidden import read_hidden
from ..reports.gradescope import trouble

HERE = Path(__file__).parent
PROGRAMS = ("setup.sh", "run_autograder")
BEFORE_IT_STARTED = "The autograder did not get as far as starting; its setup may not have ended well."


def write(arguments: Namespace) -> int:
    lab = labs.find_lab(arguments.lab) if arguments.lab else None
    out = Path(arguments.out or f"gradescope_{lab.number if lab else 'all'}.zip").absolute()
    hidden = read_hidden(arguments.hidden)
    commit = _git("rev-parse", "--short=12", "HEAD").decode().strip()
    assignment = {
        "lab": lab.name if lab else None,
        "commit": commit,
        "minutes": arguments.minutes,
        "seed": judging.seed_of(hidden),
        "hidden_until": arguments.hidden_until,
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f".{out.name}.new")
    unfinished.write_bytes(_zip(assignment, hidden))
    unfinished.replace(out)
    if _git("status", "--porcelain", "--untracked-files=no"):
        say(_("The zip holds the course as of commit {commit}; what you changed since is not in it.", commit=commit))
    what, points = (lab.name, "100") if lab else (_("any lab"), _("100 for each lab handed in"))
    names = {"file": shown(out), "lab": what, "commit": commit}
    if hidden is None:
        say(_("{file}: autograder for {lab}, commit {commit}.", **names))
    else:
        say(_("{file}: autograder for {lab}, commit {commit}, with hidden cases.", **names))
    say(_("Points: {points}. docs/instructors.md says what to set at Gradescope.", points=points))
    return 0


def _zip(assignment: dict[str, Any], hidden: bytes | None) -> bytes:
    whole = io.BytesIO(_git("archive", "--format=zip", "--prefix=course/", "HEAD"))
    with zipfile.ZipFile(whole, "a", zipfile.ZIP_DEFLATED) as archive:
        date = archive.infolist()[0].date_time  # of the commit
        own = {name: (HERE / name).read_bytes() for name in (*PROGRAMS, "requirements-cmake.txt")}
        own["assignment.json"] = (json.dumps(assignment, indent=1) + "\n").encode()
        own["trouble.json"] = trouble(BEFORE_IT_STARTED).encode()
        if hidden is not None:
            own["hidden"] = hidden
        for name, data in own.items():
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100755 if name in PROGRAMS else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _git(*words: str) -> bytes:
    try:
        answer = subprocess.run(["git", *words], cwd=ROOT, capture_output=True)
    except OSError as error:
        raise Failure(
            _("the zip is made of a commit, and there is no git here. On Debian: apt-get install git")
        ) from error
    if answer.returncode != 0:
        said = answer.stderr.decode(errors="replace").strip()
        raise Failure(
            _(
                "git {command}: {said}\nThe zip is made of a commit: run this in a clone of the repository.",
                command=words[0],
                said=said,
            )
        )
    return answer.stdout
