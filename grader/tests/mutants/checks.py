"""checks: a source file → the tests that may catch its mutants, the cheapest first. The folders say which: the tests of
a room stand in the folder of its name.
"""

import re
from dataclasses import dataclass
from pathlib import Path

SUITE = re.compile(r"^TEST(?:_F|_P)?\((\w+),", re.MULTILINE)
LOCKSTEP = "common/lockstep/tests"
JUDGE = "grader/tests"
FAULTS = f"{LOCKSTEP}/faults"
# $1: the suites; $2: the device_server in which the device runs, or nothing.
ONE_BY_ONE = """
set -o pipefail
[ -z "$2" ] || export LOCKSTEP_DEVICE_SERVER="$2" LOCKSTEP_MEMORY=64M  # a file, which may be as large as in wall
suite=
"$0" --gtest_list_tests --gtest_filter="$1" | while read -r name rest; do
  case $name in
    Running) ;;
    *.) suite=$name ;;
    *) "$0" --gtest_brief=1 --gtest_filter="$suite$name" || exit 1 ;;
  esac
done
"""
JUDGING, SERVER = "grader/judge", "lockstep/device_server"


@dataclass(frozen=True)
class Check:
    """One program that runs tests. {tree} in the command is the copy with the mutant, {build} its build tree."""

    name: str
    command: tuple[str, ...]
    program: str = ""  # the target that must be built first, and its file in the build tree; "": nothing is built
    starts: tuple[str, ...] = ()  # other programs that it starts; its target builds them, too
    folder: str = ""  # where it runs, from the root of the tree; "": in its folder for temporary files


def checks_of(file: str, root: Path, programs: Path | None = None) -> list[Check]:
    """programs: a build tree with what nvcc built of the fault corpus; its programs then run on the mutant, too."""
    parts = Path(file).parts
    if file.startswith("common/lockstep/"):
        return _of_lockstep(parts[2], root) + (_of_faults(programs) if programs else [])
    if file.startswith("grader/judge/"):
        return _of_judge(parts[2], root)
    return _of_python(Path(file), root)


def _of_lockstep(room: str, root: Path) -> list[Check]:
    """The room's own test, then the others in the order of their names; a test in which nothing has changed is not
    run."""
    rooms = {path.parent.name for path in (root / LOCKSTEP).glob("*/*_test.cc")}
    rooms = sorted(rooms, key=lambda name: (name != room, name))
    checks = [_gtest(f"{LOCKSTEP}/{name}/lockstep_{name}_test") for name in rooms]
    if room in ("device", "runtime"):  # as CTest does: the same tests with the device in its own process
        program = f"{LOCKSTEP}/runtime/lockstep_runtime_test"
        command = _one_by_one(program, "RuntimeApi.*", f"{{build}}/{SERVER}")
        checks.append(Check("lockstep_runtime_test (device_server)", command, program, (SERVER,)))
    return checks


def _of_judge(room: str, root: Path) -> list[Check]:
    suites = sorted({suite for path in (root / JUDGE / room).glob("*_test.cc") for suite in SUITE.findall(_text(path))})
    own = ":".join(f"{suite}.*" for suite in suites)
    program = f"{JUDGE}/judge_test"
    found = [_gtest(program, own, room, (JUDGING,))] if suites else []
    return [*found, _gtest(program, f"-{own}" if suites else "*", "the others" if suites else "", (JUDGING,))]


def _gtest(program: str, suites: str = "*", what: str = "", starts: tuple[str, ...] = ()) -> Check:
    if program.endswith("lockstep_runtime_test"):  # its tests count on a fresh device: a process for each
        return Check(Path(program).name, _one_by_one(program), program, starts)
    command = (f"{{build}}/{program}", "--gtest_fail_fast", f"--gtest_filter={suites}", "--gtest_brief=1")
    return Check(Path(program).name + (f" ({what})" if what else ""), command, program, starts)


def _one_by_one(program: str, suites: str = "*", server: str = "") -> tuple[str, ...]:
    return "bash", "-c", ONE_BY_ONE, f"{{build}}/{program}", suites, server


def _of_faults(programs: Path) -> list[Check]:
    """The fault corpus, a file of it at a time. lockstep's library has the name that CUDA's has, 12 or 13."""
    [cudart] = (f"lockstep/{path.name}" for path in (programs / "lockstep").glob("libcudart.so.*"))
    built = sorted(path for path in (programs / FAULTS).glob("*") if path.is_file() and (path.stat().st_mode & 0o100))
    script = f"{{tree}}/{FAULTS}/faults.py"
    options = ("--programs", str(programs / FAULTS), "--library", "{build}/lockstep")
    return [
        Check(f"faults.{path.name}", ("python3", "-B", script, path.name, *options), cudart, (SERVER,))
        for path in built
    ]


def _of_python(file: Path, root: Path) -> list[Check]:
    """The tests that name the module, then the other tests of its folder. A test that does not pass without a mutant on
    this machine is not used: some need a whole build."""
    folder = Path(*file.parts[:2])  # grader/batch
    tests = sorted((root / folder / "tests").glob("*_test.py"))
    name = re.compile(rf"\b{file.parent.name if file.stem == '__init__' else file.stem}\b")

    def rank(test: Path) -> tuple[bool, bool]:
        return test.stem != f"{file.stem}_test", not name.search(_text(test))

    return [_unittest(folder.name, test.stem) for test in sorted(tests, key=rank)]


def _unittest(package: str, module: str) -> Check:
    command = ("{python}", "-B", "-m", "unittest", "--failfast", f"{package}.tests.{module}")
    return Check(f"{package}.{module}", command, folder="grader")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
