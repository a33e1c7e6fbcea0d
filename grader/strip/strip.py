"""strip: ./lab strip FOLDER. Makes a learners' repository of the last commit, or brings one up to date.

Its history is its own: one commit for each ./lab strip. A filtered history of the course would need every older form
of every file to be looked at; a tree can be looked at as a whole, and audit does so before FOLDER has anything.
"""

import os
import re
import shutil
import tempfile
from argparse import Namespace
from pathlib import Path

from launcher import build, labs, setup
from launcher.console import Failure, say
from launcher.language import _
from launcher.paths import ROOT, shown

from . import audit, baselines, course, pages
from .audit import Secrets
from .course import File, Files, git

AUTHORS = "The Warpladder authors"
MADE_FROM = "Made by ./lab strip from the course's commit"


def run(arguments: Namespace) -> int:
    folder = Path(arguments.folder).absolute()
    if not labs.has_solutions():
        raise Failure(_("this is a learners' repository: it has no solutions that could be stripped."))
    is_there = _is_learners(folder)
    if arguments.check and not is_there:
        raise Failure(
            _("{folder} is not a learners' repository. ./lab strip {folder} makes one.", folder=shown(folder))
        )
    if folder.is_relative_to(ROOT):
        raise Failure(
            _(
                "{folder} is in the course. Name a folder beside it: ../{name}",
                folder=shown(folder),
                name=folder.name,
            )
        )
    if not is_there and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Failure(
            _(
                "{folder} is not an empty folder, and ./lab strip did not make it. Name another one.",
                folder=shown(folder),
            )
        )
    files = course.committed(ROOT)
    secret = audit.secrets(ROOT, files, _published(folder) if is_there else ())
    if arguments.check:
        return _check(folder, files, secret)
    if git(ROOT, "status", "--porcelain", "--untracked-files=no"):
        say(_("What you changed since the last commit is not in it."))
    made = learners_files(files, _kept_objects(folder) if is_there else {})
    _write(folder, made, secret, is_there=is_there)
    return 0


def learners_files(files: Files, kept: Files) -> Files:
    """files: the course. kept: objects that were compiled before."""
    facts = course.lab_facts(files)
    compared = course.compared_with(facts)
    made = course.for_learners(files)
    tree = build.configure("lockstep", setup.prepare())
    for lab in compared:
        name = baselines.name(lab, facts[lab], files)
        if name not in kept:
            say(f"    {name}")
        made[name] = kept.get(name) or baselines.compiled(lab, facts[lab], files, tree / "labs" / lab / "build.json")
    made["baselines/README.md"] = baselines.readme(compared)
    known = {str(place) for name in made for place in (Path(name), *Path(name).parents)}
    for name, file in made.items():
        if name.endswith(".md"):
            made[name] = File(pages.stripped(name, file.text(), known).encode())
    return made


def _write(folder: Path, made: Files, secret: Secrets, *, is_there: bool) -> None:
    """Commits in a folder beside it. FOLDER is touched only if the audit finds nothing."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".warpladder-", dir=folder.parent) as place:
        new = Path(place) / "course"
        if is_there:
            git(folder, "clone", "-q", "--no-hardlinks", str(folder), str(new))
            git(new, "rm", "-rq", ".")
        else:
            git(folder.parent, "init", "-q", "--template=", "-b", "main", str(new))
        for name, file in made.items():
            target = new / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.data)
            target.chmod(0o755 if file.is_program else 0o644)
        git(new, "add", "--all", "--force")
        if is_there and not git(new, "status", "--porcelain"):
            say(_("{folder} is up to date.", folder=shown(folder)))
            return
        commit = _commit(new)
        if found := audit.complaints(new, secret):
            listed = "\n".join(f"    {line}" for line in found[:20])
            raise Failure(
                _(
                    "{count} traces of solutions:\n{listed}\nNothing was written. LEFT_OUT in "
                    "grader/strip/course.py says what stays away.",
                    count=len(found),
                    listed=listed,
                )
            )
        if is_there:
            git(folder, "pull", "-q", "--ff-only", str(new), "HEAD")
        else:
            if folder.exists():
                folder.rmdir()
            shutil.move(new, folder)
    say(
        _(
            "{folder}: the course without its solutions, {count} files, commit {commit}.",
            folder=shown(folder),
            count=len(made),
            commit=commit,
        )
    )
    say(_("To publish it: git remote add origin …; git push -u origin main. docs/adopt.md says more."))


def _commit(new: Path) -> str:
    """With the date of the course's commit: the same course gives the same hash everywhere."""
    commit, date = git(ROOT, "log", "-1", "--format=%h %cI").decode().split()
    people = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", AUTHORS), ("EMAIL", ""), ("DATE", date))
    }
    message = f"The course without its solutions\n\n{MADE_FROM} {commit}."
    settings = ("-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null")
    git(new, *settings, "commit", "-q", "-m", message, env=os.environ | people)
    return git(new, "rev-parse", "--short", "HEAD").decode().strip()


def _check(folder: Path, files: Files, secret: Secrets) -> int:
    """./lab strip FOLDER --check: is there a trace of a solution, and is a baseline older than its source?"""
    facts = course.lab_facts(files)
    wanted = {baselines.name(lab, facts[lab], files) for lab in course.compared_with(facts)}
    there = set(_kept_objects(folder))
    found = audit.complaints(folder, secret)
    found += [_("{name}: its source has changed, or is gone", name=name) for name in sorted(there - wanted)]
    found += [_("{name}: missing", name=name) for name in sorted(wanted - there)]
    for line in found:
        say(line)
    if not found:
        say(_("{folder}: no traces of solutions or old baselines.", folder=shown(folder)))
    elif len(found) == 1:
        say(_("{folder}: 1 trace of solutions or old baselines.", folder=shown(folder)))
    else:
        say(_("{folder}: {count} traces of solutions or old baselines.", folder=shown(folder), count=len(found)))
    return 1 if found else 0


def _is_learners(folder: Path) -> bool:
    return (folder / ".git").exists() and (folder / "baselines" / "README.md").exists()


def _published(folder: Path) -> list[str]:
    """The commits of the course that this learners' repository was made of, if the course still has them."""
    found = re.findall(rf"{re.escape(MADE_FROM)} (\w+)\.", git(folder, "log", "--all", "--format=%b").decode())
    every = git(ROOT, "rev-list", "--all").decode().split()
    return [commit for commit in found if any(one.startswith(commit) for one in every)]


def _kept_objects(folder: Path) -> Files:
    found = course.committed(folder)
    return {name: file for name, file in found.items() if name.startswith("baselines/") and name.endswith(".o")}
