"""own_file: the learner's file of a lab beside the starter and the reference: ./lab reset, ./lab diff, ./lab solution.

The starter is the file as git has it: in the newest commit that this branch shares with its upstream, else in HEAD.
Somebody who has committed their own work names the commit that has the starter (--from)."""

import datetime
import difflib
import shutil
import subprocess
from argparse import Namespace
from pathlib import Path

from launcher.console import Failure, paint, say
from launcher.labs import Lab, find_lab
from launcher.language import _
from launcher.paths import ROOT, shown

from . import ladder, progress
from .home import TOP

STYLES = {"-": "gone", "+": "new", "@": "code"}


def reset(arguments: Namespace) -> int:
    lab = find_lab(arguments.lab)
    commit = arguments.commit or _course_commit()
    starter = _starter(lab, commit)
    if not lab.source.exists():
        lab.source.write_bytes(starter)
        say(_("{file} is the starter again.", file=shown(lab.source)))
        return 0
    if lab.source.read_bytes() == starter:
        say(_("{file} is the starter already: it is as in the commit {commit}.", file=shown(lab.source), commit=commit))
        if not arguments.commit:
            say(_("If you have committed your own work, name the commit that has the starter:"))
            say(f"    git log --oneline -- {shown(lab.source)}")
            say(f"    ./lab reset {lab.number} --from COMMIT")
        return 0
    try:
        kept = _keep(lab.source)
        lab.source.write_bytes(starter)
    except OSError as error:
        text = _("{file} cannot be replaced: {why}. Nothing is lost.", file=shown(lab.source), why=error.strerror)
        raise Failure(text) from error
    say(_("{file} is the starter again.", file=shown(lab.source)))
    say(_("Your own file is kept: {file}", file=shown(kept)))
    return 0


def diff(arguments: Namespace) -> int:
    lab = ladder.chosen(arguments.lab)
    if lab is None:
        say(_(TOP))
        return 0
    mine = _mine(lab)
    if arguments.solution:
        _may_see_solution(lab, arguments.yes, f"./lab diff {lab.number} --solution --yes")
        other, name = lab.solution.read_bytes(), shown(lab.solution)
        lines = _difference(mine, other, shown(lab.source), name)
    else:
        commit = arguments.commit or _course_commit()
        lines = _difference(_starter(lab, commit), mine, _("the starter, {commit}", commit=commit), shown(lab.source))
    for line in lines:
        say(paint(line, STYLES.get(line[:1], "")), styled=True)
    if not lines:
        same = name if arguments.solution else _("the starter")
        say(_("{file} is the same as {other}.", file=shown(lab.source), other=same))
    return 0


def solution(arguments: Namespace) -> int:
    lab = find_lab(arguments.lab)
    _may_see_solution(lab, arguments.yes, f"./lab solution {lab.number} --yes")
    say(paint(lab.solution.read_text(encoding="utf-8").rstrip("\n"), ""), styled=True)
    say()
    text = _("This is {file}; notes.md beside it says why it is written so.", file=shown(lab.solution))
    say(paint(text, "strong"), styled=True)
    return 0


def _may_see_solution(lab: Lab, says_yes: bool, command: str) -> None:
    lab.need_solution()
    if says_yes or progress.entry(progress.load(), lab.name)["first_pass"]:
        return
    raise Failure(
        _(
            "you have not passed lab {lab} yet. The solution takes away what you would find out yourself.\n"
            "A hint helps with less:\n    {hint}\nTo see the solution all the same:\n    {command}",
            lab=lab.number,
            hint=f"./lab hint {lab.number}",
            command=command,
        )
    )


def _mine(lab: Lab) -> bytes:
    if not lab.source.exists():
        command = f"./lab reset {lab.number}"
        raise Failure(
            _("{file} is not there. `{command}` brings the starter back.", file=shown(lab.source), command=command)
        )
    return lab.source.read_bytes()


def _difference(old: bytes, new: bytes, old_name: str, new_name: str) -> list[str]:
    before, after = (text.decode("utf-8", "replace").splitlines() for text in (old, new))
    return [line.rstrip("\n") for line in difflib.unified_diff(before, after, old_name, new_name, lineterm="")]


def _keep(file: Path) -> Path:
    """Copies the file to a dated name beside it. Its ending says that it is not a source, so nothing compiles it."""
    now = datetime.datetime.now()
    for name in (f"{file.name}.{now:%Y-%m-%d-%H%M%S}", f"{file.name}.{now:%Y-%m-%d-%H%M%S-%f}"):
        kept = file.with_name(name)
        if not kept.exists():
            break
    return shutil.copy2(file, kept)


def _course_commit() -> str:
    """The commit whose files are the course's own."""
    shared = _git("merge-base", "HEAD", "@{upstream}")
    return (_git("rev-parse", "--short", shared.decode().strip() if shared else "HEAD") or b"HEAD").decode().strip()


def _starter(lab: Lab, commit: str) -> bytes:
    text = _git("show", f"{commit}:./{lab.source.relative_to(ROOT)}")
    if text is None:
        raise Failure(
            _(
                "git has no {file} in the commit {commit}. The starter comes from git: this needs a clone of the "
                "course.",
                file=shown(lab.source),
                commit=commit,
            )
        )
    return text


def _git(*words: str) -> bytes | None:
    """What git prints, or None if it fails."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
