"""courses: a copy of this tree as a git repository, from which learners' repositories are made."""

import os
import subprocess
from pathlib import Path

from launcher.tests.machines import copy_of_tree

ENV = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
OLDER = "// An older line of this solution, which is in its history alone.\n"


def git(folder: Path, *words: str, given: bytes = b"") -> bytes:
    done = subprocess.run(["git", *words], cwd=folder, env=os.environ | ENV, input=given, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def commit(course: Path, **files: str) -> None:
    """Writes the files, by their path, and commits."""
    for name, text in files.items():
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_text(text, encoding="utf-8")
    git(course, "add", "-A")
    git(course, "commit", "-q", "-m", "a change")


def a_course(folder: Path) -> Path:
    """This tree, changed files and all, in two commits: the first has another solution of lab 02."""
    course = copy_of_tree(folder)
    git(course, "init", "-q", "-b", "main")
    solution = course / "solutions" / "02_reduce_neighbored" / "reduce.cu"
    now = solution.read_text(encoding="utf-8")
    commit(course, **{str(solution.relative_to(course)): OLDER + now})
    commit(course, **{str(solution.relative_to(course)): now})
    return course
