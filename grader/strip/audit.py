"""audit: looks for solutions in a learners' repository: in its tree, its history and every other object of git.

A line of a solution is secret if no lab shows it: no starter, no handout. So is the name of a wrong variant, if no
file of code has that name, too. What a lab showed when it was published is no secret any more.
"""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from launcher.language import _
from launcher.paths import ROOT

from .course import Files, committed, git

CODE = {".h", ".cc", ".py"}
PAGES = {".md", ".txt", ".rst", ".html", ".ipynb"}
LEAST = 24  # characters; a shorter line says little
SAYS = re.compile("(?:[A-Za-z][^A-Za-z]*){8}")  # no table of numbers
MARKS = " \t|>+-`*\"',"  # of a quotation in a page, a message, a patch or a notebook


@dataclass(frozen=True)
class Secrets:
    """What must not be there, with the file that it is from."""

    blobs: dict[str, str]
    lines: dict[str, str]
    names: dict[str, str]


def secrets(root: Path, files: Files, published: Iterable[str] = ()) -> Secrets:
    """files: the course. published: the commits of which there are learners' repositories."""
    hidden = {name: file for name, file in files.items() if name.startswith("solutions/")}
    shown = {name: file.text() for name, file in files.items() if name.startswith("labs/")}
    earlier = [file.text() for commit in published for file in committed(root, commit, "labs").values()]
    known = {line for text in (*shown.values(), *earlier) for line in _lines(text)}
    lines = {line: name for name, file in hidden.items() for line in _lines(file.text()) if line not in known}
    said = "\n".join([*shown, *shown.values(), *(file.text() for name, file in files.items() if _is_code(name))])
    variants = {PurePosixPath(name).stem: name for name in hidden if "/wrong/" in name}
    names = {word: name for word, name in variants.items() if "_" in word and word not in said}
    return Secrets(_blobs(root, ["HEAD", *published]), lines, names)


def complaints(repository: Path, secret: Secrets) -> list[str]:
    """What is there and should not be, a line each."""
    found = []
    paths = git(repository, "log", "--all", "--format=", "--name-only", "-z").decode().split("\0")
    for path in sorted({path.strip("\n") for path in paths}):
        if path.startswith("solutions/") or "/wrong/" in path:
            found.append(_("{path}: a file of the solutions", path=path))
    names = dict(line.split(" ", 1) for line in _list_objects(repository, "--all"))
    for digest, kind, data in _objects(repository):
        name = names.get(digest) or f"{kind} {digest}"
        if digest in secret.blobs:
            found.append(_("{name}: the same as {file}", name=name, file=secret.blobs[digest]))
        found += [f"{name}: {what}" for what in _in_text(name, data, secret)]
    return found


def _in_text(name: str, data: bytes, secret: Secrets) -> Iterator[str]:
    text = data.decode("utf-8", "replace")
    for line in sorted(_lines(text) & secret.lines.keys()):
        yield _("has a line of {file}: {line}", file=secret.lines[line], line=line)
    if PurePosixPath(name).suffix in PAGES:
        for word in sorted(set(re.findall(r"\w+", text)) & secret.names.keys()):
            yield f"names {secret.names[word]}"
        for path in sorted(set(re.findall(r"solutions/\d\d_\w+", text))):
            yield f"names {path}"
    if name.endswith(".o") and str(ROOT).encode() in data:
        yield _("names the folder {root}", root=ROOT)


@cache  # most files of a learners' repository are also files of the course
def _lines(text: str) -> frozenset[str]:
    """The lines that say something, without the marks of a quotation, with their comment and without it. Also those of
    a notebook, which is JSON, and of HTML."""
    found = set()
    for line in html.unescape(text.replace("\\n", "\n").replace('\\"', '"')).splitlines():
        for part in {line, line.split("//")[0]}:
            plain = " ".join(part.strip(MARKS).split())
            if len(plain) >= LEAST and SAYS.search(plain):
                found.add(plain)
    return frozenset(found)


def _is_code(name: str) -> bool:
    file = PurePosixPath(name)
    return file.suffix in CODE and not {"solutions", "tests"}.intersection(file.parts)


def _blobs(root: Path, published: list[str]) -> dict[str, str]:
    """Every content that a file of the solutions ever had, unless a lab shows it."""
    listed = [git(root, "ls-tree", "-r", commit, "labs").decode().splitlines() for commit in published]
    shown = {line.split()[2] for lines in listed for line in lines}
    found = dict(line.split(" ", 1) for line in _list_objects(root, "HEAD", "--", "solutions"))
    return {digest: name for digest, name in found.items() if digest not in shown and PurePosixPath(name).suffix}


def _list_objects(folder: Path, *which: str) -> list[str]:
    """HASH PATH of the trees and blobs."""
    listed = git(folder, "rev-list", "--objects", *which).decode().splitlines()
    return [line for line in listed if " " in line and not line.endswith(" ")]


def _objects(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """Every object of git but the trees, also those that no commit has."""
    every = git(folder, "cat-file", "--batch-all-objects", "--batch-check").decode().splitlines()
    wanted = [line.split()[0] for line in every if line.split()[1] != "tree"]
    data = git(folder, "cat-file", "--batch", given="".join(f"{digest}\n" for digest in wanted).encode())
    at = 0
    for _digest in wanted:
        end = data.index(b"\n", at)
        digest, kind, size = data[at:end].decode().split()
        yield digest, kind, data[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)
