"""includes: the C++ #include lines and the Python imports of this tree → which file knows which, and which room knows
which. complaints() holds them to the law of the house: a room knows only rooms above it in ORDER, and no files know
each other in a circle. The standard library, NVIDIA's headers and installed packages are left out. layers draws it.

A header and its source count as one file. A room is a folder; tests and benchmarks may know every room.
"""

import ast
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

# One line a room, house by house. A room includes only from its own line upward. Rooms that no line names are refused.
# The CMakeLists.txt of a room says what the room is for; a room without one says it here.
ORDER: dict[str, dict[str, str]] = {
    "lockstep": {
        "common/lockstep/base": "",
        "common/lockstep/ptx": "",
        "common/lockstep/alu": "",
        "common/lockstep/program": "",
        "common/lockstep/count": "",
        "common/lockstep/sass": "",
        "common/lockstep/engine": "",
        "common/lockstep/check": "",
        "common/lockstep/report": "",
        "common/lockstep/device": "",
        "common/lockstep/runtime": "",
        "common/lockstep/driver": "",
        "common/lockstep/libraries": "",
    },
    "labs": {
        "common": "",
        "common/runner": "",
        "common/contracts": "",
        "common/pictures": "",
        "common/translation": "",
        "labs": "",
    },
    "judge": {
        "grader/judge/base": "Plain values: bytes, numbers, JSON; a learner's failure, a fault of the judge.",
        "grader/judge/sandbox": "One process of foreign code: it is started, limited, walled in and ended.",
        "grader/judge/contract": "The functions of a contract: inputs, right answers, tolerance, baseline.",
        "grader/judge/lab": "What lab.json and build.json say.",
        "grader/judge/cases": "The calls by which a lab is judged, public and hidden.",
        "grader/judge/compile": "A learner's file becomes a binary.",
        "grader/judge/run": "A binary at work: jobs go in, answers or a failure come out; lockstep's device beside it.",
        "grader/judge/rules": "Lockstep's report: counters, findings, and whether the rules hold.",
        "grader/judge/speed": "Times, measured or modelled: speedups and thresholds.",
        "grader/judge/verdict": "The result: data, score, text, JSON.",
        "grader/judge/trial": "The whole judgement: options, plan, steps, ledger, main.",
        "grader/judge": "The judge: it runs a learner's code in other processes and gives the verdict.",
    },
    "./lab": {
        "grader/launcher": "",
        "grader/benchmark": "",
        "grader/strip": "",
        "grader/package/warpladder": "",
        "grader/package": "",
        "grader/learner": "",
        "grader/report": "",
        "grader/batch/reports": "",
        "grader/batch": "",
        "grader/batch/autograder": "",
        "grader/website": "",
        "grader/tools": "What connects the course with editors, shells, notebooks, GitHub Classroom and translators.",
        "grader": "",
    },
}
HERE = "common/pictures/includes.py"

PARTS = ("common", "grader", "labs", "solutions")
CPP, PYTHON = (".h", ".cuh", ".cc", ".cu"), ".py"
OPEN = {"tests", "bench"}  # folders that may know every room
BESIDE = {"wrong", "__pycache__"}
NAMED = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
Known = dict[str, set[str]]  # a file or a room → those that it knows


def files(root: Path) -> list[PurePosixPath]:
    """Every source file, as a path from the root of the tree."""
    found = []
    for part in PARTS:
        for path in sorted((root / part).rglob("*")):
            name = PurePosixPath(path.relative_to(root).as_posix())
            if path.suffix in (*CPP, PYTHON) and not BESIDE.intersection(name.parts) and path.is_file():
                found.append(name)
    return found


def unit(file: PurePosixPath) -> str:
    """The name under which the file counts: warp.h and warp.cc are both engine/warp; warp.py is warp.py."""
    return str(file if file.suffix == PYTHON else file.with_suffix(""))


def by_file(root: Path) -> Known:
    found = files(root)
    here = set(found)
    known: Known = {unit(file): set() for file in found}
    for file in found:
        text = (root / file).read_text(encoding="utf-8")
        names = _imports(file, text, here) if file.suffix == PYTHON else _includes(file, text, here)
        known[unit(file)].update(unit(name) for name in names)
    for file, others in known.items():
        others.discard(file)
    return known


def room(file: str) -> str:
    """The folder of the file. The labs and their solutions are one room."""
    top = file.split("/", 1)[0]
    return "labs" if top in ("labs", "solutions") else str(PurePosixPath(file).parent)


def by_room(known: Mapping[str, set[str]]) -> Known:
    """Room → the rooms that it knows. Tests and benchmarks are left out."""
    found: Known = {}
    for file, others in known.items():
        if not _is_open(file):
            mine = found.setdefault(room(file), set())
            mine.update(room(other) for other in others if room(other) != room(file))
    return found


def complaints(known: Mapping[str, set[str]], order: Mapping[str, Iterable[str]] | None = None) -> list[str]:
    """A sentence for each violation of the law; none if the tree keeps it."""
    place = places(order)
    wrong = []
    for file, others in sorted(known.items()):
        if _is_open(file):
            continue
        for other in sorted(others):
            mine, its = place.get(room(file)), place.get(room(other))
            if _is_open(other):
                wrong.append(f"{file} knows {other}: only tests may know tests")
            elif mine is not None and its is not None and its > mine:
                wrong.append(f"{file} knows {other}: {room(file)} stands above {room(other)} in ORDER ({HERE})")
    for name in sorted(by_room(known).keys() - place.keys()):
        wrong.append(f"{name}: a room without a line in ORDER ({HERE}); give it one, below the rooms that it knows")
    return wrong + [f"a circle: {' → '.join(circle)}" for circle in circles(known)]


def places(order: Mapping[str, Iterable[str]] | None = None) -> dict[str, int]:
    """Room → its rank in the order."""
    rooms = [name for house in (order or ORDER).values() for name in house]
    return {name: number for number, name in enumerate(rooms)}


def circles(known: Mapping[str, set[str]]) -> list[list[str]]:
    """One shortest circle of each knot of files that know each other, as a path that ends where it begins."""
    found, seen = [], set()
    for file in sorted(known):
        if file in seen:
            continue
        circle = _way_back(known, file)
        if circle:
            found.append(circle)
            below = reached(known, file)
            seen.update(other for other in below if file in reached(known, other))
    return found


def reached(known: Mapping[str, set[str]], start: str) -> set[str]:
    """Everything that this one knows, directly or through others."""
    seen: set[str] = set()
    todo = list(known.get(start, ()))
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += known.get(name, ())
    return seen


def _way_back(known: Mapping[str, set[str]], start: str) -> list[str]:
    """The shortest path from this file to itself; empty if there is none."""
    before: dict[str, str] = {}
    todo = deque([start])
    while todo:
        name = todo.popleft()
        for other in sorted(known.get(name, ())):
            if other == start:
                path = [start]
                while name != start:
                    path.append(name)
                    name = before[name]
                return [*path, start][::-1]
            if other not in before:
                before[other] = name
                todo.append(other)
    return []


def _is_open(file: str) -> bool:
    return bool(OPEN.intersection(PurePosixPath(file).parts))


def _includes(file: PurePosixPath, text: str, here: set[PurePosixPath]) -> Iterator[PurePosixPath]:
    """The headers that the file includes. A header is searched in the file's own folder, then in each folder around
    it."""
    for name in INCLUDE.findall(text):
        for folder in file.parents:
            if folder / name in here:
                yield folder / name
                break


def _imports(file: PurePosixPath, text: str, here: set[PurePosixPath]) -> Iterator[PurePosixPath]:
    """The modules that the file imports, also inside functions, and those that it loads by name: "batch.grade", or a
    function of it, "batch.grade.run"."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module(file, alias.name, here)
        elif isinstance(node, ast.ImportFrom):
            yield from _imported_from(file, node, here)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED.fullmatch(node.value):
            module, _, _ = node.value.rpartition(".")  # "lab.json" is no function of a module lab
            yield from [*_beside(file, node.value, here)] or (_beside(file, module, here) if "." in module else [])


def _imported_from(file: PurePosixPath, node: ast.ImportFrom, here: set[PurePosixPath]) -> Iterator[PurePosixPath]:
    """`from a import b` knows a/b.py if that is a module, and else a."""
    for alias in node.names:
        if node.level:
            base = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            whole = base / f"{alias.name}.py"
            yield from [whole] if whole in here else _file_of(base, here)
        else:
            assert node.module is not None
            found = list(_module(file, f"{node.module}.{alias.name}", here))
            yield from found or _module(file, node.module, here)


def _module(file: PurePosixPath, name: str, here: set[PurePosixPath]) -> Iterator[PurePosixPath]:
    """The file of a module. It is searched in the script's own folder and then in each folder around it. A script may
    name another folder in sys.path; the module is then the only file with its name."""
    if name.split(".", 1)[0] in sys.stdlib_module_names:
        return
    found = list(_beside(file, name, here))
    if found:
        yield from found
        return
    elsewhere = [other for other in here if other.name == f"{name}.py"]
    if len(elsewhere) == 1:
        yield elsewhere[0]


def _beside(file: PurePosixPath, name: str, here: set[PurePosixPath]) -> Iterator[PurePosixPath]:
    """The nearest module of this name in a folder around the file."""
    for folder in file.parents:
        found = list(_file_of(folder.joinpath(*name.split(".")), here))
        if found:
            yield from found
            return


def _file_of(module: PurePosixPath, here: set[PurePosixPath]) -> Iterator[PurePosixPath]:
    for file in (PurePosixPath(f"{module}.py"), module / "__init__.py"):
        if file in here:
            yield file
            return
