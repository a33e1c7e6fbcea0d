#!/usr/bin/env python3
"""A class whose names and files come from every program that ever packed one: bytes that are not UTF-8, names that
differ in case, in a space or in a form of Unicode alone, control characters, formulas, and archives that are refused.

    hostile_class.py FOLDER [--count 300] [--seed 1] [--lab 02]

writes the submissions into FOLDER, and beside it FOLDER.canvas.csv and FOLDER.moodle.csv, the rosters of the course.
Each submission is the lab's reference solution, with a comment of its own; in tests, an order for the fake judge.
"""

import argparse
import csv
import io
import os
import random
import sys
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "grader"))
from launcher.labs import find_lab  # noqa: E402

# {} is a number, or nothing. Names in one tuple look the same to somebody: a file system, a gradebook, or a reader.
FAMILIES: tuple[tuple[bytes, ...], ...] = (
    (b"Ada{}", b"ada{}", b"ADA{}"),
    (b"Anna Lee{}", b"annalee{}", b"Anna  Lee{}", b"anna_lee{}"),
    ("José{}".encode(), "Jose\u0301{}".encode(), b"Jos\xe9{}", b"Jos\x82{}"),
    (b"Max{}", b"Max{}.", b"Max{} ", b" Max{}"),
    ("Straße{}".encode(), b"Strasse{}", b"STRASSE{}", b"Stra\xdfe{}"),
    ("Ａｄａ{}".encode(), "ﬁnn{}".encode(), b"finn{}"),
    (b"\xff\xfe{}", b"\xfe\xff{}", b"{}\x80\x81"),
    (b"a\nb{}", b"a\tb{}", b"a\x1b[31mb{}", b"a\x7fb{}", b"a\xc2\x9bb{}"),
    ("\u202egnp{}".encode(), "\u2066x{}\u2069".encode(), "a\u200bb{}".encode(), "\u061c{}".encode()),
    (b"=1+1+{}", b"+{}", b"-{}", b"@{}", b"=cmd|' -C calc'!A{}", "＝1+{}".encode()),
    (
        b"<script>alert({})<",
        b"a&b\"c'd{}",
        b"{{{{ {} }}}}",
        b"{}%s%n",
        b"x..{}",
        b"~{}x",
        b"CON{}",
        b"a:b{}",
        b"a\\b{}",
    ),
    ("לאה{}".encode(), "合計{}".encode(), "😀{}".encode(), "\U00010400{}".encode() * 12, b"x" * 200 + b"{}"),
    (b"Points Possible{}", b"Muted{}", b"[starter]{}", b"(reference solution){}", b"results{}", b"Doe, Jane{}"),
)
CANVAS, MOODLE = 5000, 9000  # the systems' numbers for people begin here
FORMS = ("folder", "zip", "tar.gz", "moodle", "canvas")


@dataclass(frozen=True)
class Student:
    entry: bytes  # in the folder of submissions
    name: str  # as the course has it; bytes that are not UTF-8 as Python writes them
    number: int
    is_refused: bool


def make(
    folder: Path, size: int, chance: random.Random, source: Callable[[int], bytes], lab: str = "02"
) -> list[Student]:
    """source: the number of a student → the source that is handed in."""
    folder.mkdir(parents=True)
    made, names = [], _names()
    for number in range(size):
        name, form, is_refused = next(names), chance.choice(FORMS), chance.random() < 0.06
        if form == "canvas":  # leaves out what is no letter
            name = bytes(c for c in name if c > 127 or chr(c).isalnum()) or b"nobody"
        files = _files(number, None if is_refused else source(number), lab)
        entry = _write(os.fsencode(folder), name, form, number, files)
        made.append(Student(entry, os.fsdecode(name), number, is_refused))
    return made


def _names() -> Iterator[bytes]:
    """Family by family, without end and each once."""
    for round_ in count(0):
        for family in FAMILIES:
            yield from (name.replace(b"{}", b"%d" % round_ if round_ else b"") for name in family)


def _files(number: int, code: bytes | None, lab: str) -> dict[bytes, bytes]:
    """Name → bytes, with what people leave beside their sources. code: None for an entry that must be refused."""
    beside = {b"R\xc9ADME.txt": b"x", b"a\x1b[2J\n.log": b"x", b".DS_Store": b"x"}
    main = [b"reduce.cu", b"\xdcbung.cu", "Übung (1).cu".encode(), b"my reduce.cu"][number % 4]
    return beside if code is None else {f"{lab}/".encode() + main: code, **beside}


def _write(folder: bytes, name: bytes, form: str, number: int, files: dict[bytes, bytes]) -> bytes:
    """Returns the name of the entry."""
    lab, main = next(iter(files)).split(b"/") if len(files) > 3 else (b"02", b"")
    if form in ("folder", "moodle"):
        entry = name if form == "folder" else name + b"_%d_assignsubmission_file" % (MOODLE + number)
        _write_folder(folder + b"/" + entry, files)
        return entry
    if form == "canvas":
        entry, data = name + b"_%d_%d_%s.cu" % (CANVAS + number, 77000 + number, lab), files.get(lab + b"/" + main)
    else:
        entry, data = name + b"." + form.encode(), (_zip if form == "zip" else _tar)(files)
    with open(folder + b"/" + entry, "wb") as stream:  # noqa: PTH123
        stream.write(bytes(2 << 20) if data is None else data)
    return entry


def _write_folder(folder: bytes, files: dict[bytes, bytes]) -> None:
    for name, data in files.items():
        os.makedirs(os.path.dirname(folder + b"/" + name), exist_ok=True)  # noqa: PTH103, PTH120
        with open(folder + b"/" + name, "wb") as stream:  # noqa: PTH123
            stream.write(data)


def _zip(files: dict[bytes, bytes]) -> bytes:
    """As an old program does it: bytes without the mark that says UTF-8."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.decode("cp437"), data)
    return out.getvalue()


def _tar(files: dict[bytes, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.GNU_FORMAT) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(os.fsdecode(name))
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def rosters(folder: Path, students: list[Student]) -> tuple[Path, Path]:
    """What Canvas and Moodle export for this class: names without control characters, and bytes as Latin-1."""
    canvas, moodle = folder.with_name(folder.name + ".canvas.csv"), folder.with_name(folder.name + ".moodle.csv")
    names = [_in_a_gradebook(os.fsencode(one.name)) for one in students]
    with canvas.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section"])
        table.writerows([name, CANVAS + one.number, f"s{one.number}", "", "A"] for name, one in zip(names, students))
    with moodle.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["Identifier", "Full name", "Grade", "Maximum grade", "Feedback comments"])
        table.writerows(
            [f"Participant {MOODLE + one.number}", name, "", "100", ""] for name, one in zip(names, students)
        )
    return canvas, moodle


def _in_a_gradebook(name: bytes) -> str:
    try:
        text = name.decode()
    except UnicodeDecodeError:
        text = name.decode("latin-1")
    return "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cf"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lab", default="02")
    arguments = parser.parse_args()
    solution = find_lab(arguments.lab).solution.read_bytes()
    chance = random.Random(arguments.seed)
    students = make(
        arguments.folder, arguments.count, chance, lambda number: solution + b"// %d\n" % number, arguments.lab
    )
    files = rosters(arguments.folder, students)
    refused = sum(one.is_refused for one in students)
    print(f"{len(students)} students in {arguments.folder}, {refused} to be refused; rosters: {files[0]}, {files[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
