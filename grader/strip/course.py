"""course: the committed files of the course, and those of them that go into a learners' repository.

What stays away stands in LEFT_OUT. Every other file goes in, so that a new page needs no line here. audit looks for
solutions in what went in.
"""

import io
import json
import subprocess
import tarfile
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from launcher.console import Failure
from launcher.language import _

LEFT_OUT = (
    "solutions/*",
    "*/tests/*",  # among them honest submissions, kernels to compare with, recordings of the solutions
    "*/bench/*",  # kernels of the last labs
    "labs/*/picture.py",  # changes lines of the reference
    "docs/*CONTRIBUTING.md",  # how to write solutions and tests; in every language
    "docs/*advice.md",  # names every wrong variant, and what gives it away
    "docs/*messages.md",  # quotes code
    "docs/*climbs/*",  # shows four labs from the starter to a pass
    "docs/report_pages/*",  # pictures of pages that show the code of references
    "docs/measurements/*/tests_*",  # these four name the wrong variants
    "docs/measurements/*/variants_*",
    "docs/measurements/*/unroll_*",
    "docs/measurements/*/waiting_*",
    "docs/measurements/*/sanitizer_words_*",  # names a solution
)


@dataclass(frozen=True)
class File:
    data: bytes
    is_program: bool = False

    def text(self) -> str:
        return self.data.decode("utf-8", "replace")


Files = dict[str, File]  # by path from the root


def committed(root: Path, commit: str = "HEAD", *folders: str) -> Files:
    """The files of a commit. What was changed since is not among them."""
    with tarfile.open(fileobj=io.BytesIO(git(root, "archive", "--format=tar", commit, *folders))) as archive:
        found = {}
        for entry in archive:
            if entry.issym() or entry.islnk():
                raise Failure(_("{entry} is a link. A learners' repository holds files alone.", entry=entry.name))
            if entry.isfile() and (content := archive.extractfile(entry)):
                found[entry.name] = File(content.read(), bool(entry.mode & 0o100))
    return found


def for_learners(files: Files) -> Files:
    return {name: file for name, file in files.items() if not any(fnmatchcase(name, left) for left in LEFT_OUT)}


def lab_facts(files: Files) -> dict[str, dict[str, Any]]:
    """lab.json of each lab, by the name of its folder."""
    found = {name.split("/")[1]: file for name, file in files.items() if fnmatchcase(name, "labs/*/lab.json")}
    return {lab: json.loads(file.data) for lab, file in sorted(found.items())}


def compared_with(facts: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """The labs whose solution is the baseline of other labs, with these labs."""
    found: dict[str, list[str]] = {}
    for lab, own in facts.items():
        below = [name for name in facts if name.split("_")[0] == own["baseline"]]
        for name in below:
            found.setdefault(name, []).append(lab)
    return dict(sorted(found.items()))


def git(folder: Path, *words: str, given: bytes | None = None, env: dict[str, str] | None = None) -> bytes:
    try:
        answer = subprocess.run(["git", *words], cwd=folder, input=given, capture_output=True, env=env)
    except OSError as error:
        raise Failure(_("there is no git here. On Debian: apt-get install git")) from error
    if answer.returncode != 0:
        said = answer.stderr.decode(errors="replace").strip()
        raise Failure(f"git {words[0]} in {folder}: {said}")
    return answer.stdout
