"""wall: runs one test of a mutant so that the mutant harms nobody. A mutant of the code that kills processes, removes
folders or limits memory may kill, remove and allocate anything.

It sees the machine's files read-only, has a folder of its own for temporary files, its own processes and no network.
root's tests run as nobody. What is still there at the end of a test is ended with it.
"""

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # grader/

from batch import memory
from launcher.tests.machines import ROOT

NOBODY = 65534
MOST_MEMORY = 4 << 30  # bytes; no test of an unchanged tree needs half of it
MOST_OUTPUT = 1 << 20  # bytes that are kept
MOST_FILE = 256 << 20
NOBODY_CANNOT = "root's tests run as the user nobody, which cannot"
EVERYBODY = "clone to a folder that everybody may read, and run ./lab setup there"


class Ended(Exception):
    """A test that did not come to its end: it took too long or too much memory. It counts as failed."""


@functools.cache
def why_not() -> str:
    """A sentence if this machine cannot make the wall, or the tests behind it cannot run; "" if they can."""
    if shutil.which("bwrap") is None:
        return "bwrap is missing: ./lab setup installs it (Debian: bubblewrap)"
    if trouble := _trouble(["true"]):
        return f"bwrap does not work here: {trouble}"
    if _trouble(["test", "-r", str(ROOT / "lab")], ROOT):
        return f"{NOBODY_CANNOT} read {ROOT}. Next: {EVERYBODY}"
    venv = ROOT / ".venv"
    python = str(venv / "bin" / "python") if venv.exists() else sys.executable
    if _trouble([python, "-c", ""], ROOT, venv.resolve() if venv.exists() else ROOT):
        return f"{NOBODY_CANNOT} start {python}. Next: {EVERYBODY} with a Python that everybody may start"
    return ""


def _trouble(command: list[str], *shown: Path) -> str:
    """What the command says if it fails behind the wall."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        done = subprocess.run(_walled(command, Path(folder), shown=shown), capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"


def run(
    command: list[str], seconds: float, folder: Path | None = None, shown: tuple[Path, ...] = ()
) -> tuple[int, str]:
    """The exit code and the end of the output. Ended if it takes longer, or more memory than it may. It runs in the
    folder, or in the one for its temporary files. shown: what it needs to read, also if that is in /tmp."""
    with tempfile.TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True) as own:
        Path(own).chmod(0o777)
        with (Path(own) / "said").open("w+b") as said:
            walled = _walled(command, Path(own), folder, shown)
            process = subprocess.Popen(
                walled, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
            )
            try:
                code = _wait(process, seconds)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # bwrap takes everything inside with it
                process.wait()
            said.seek(max(0, said.seek(0, os.SEEK_END) - MOST_OUTPUT))
            return code, said.read().decode("utf-8", "replace")


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int:
    deadline = time.monotonic() + seconds
    with memory.Peak(process.pid) as watch:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(0.2)
            if time.monotonic() > deadline:
                raise Ended(f"did not end within {seconds:.0f} s")
            if watch.peak > MOST_MEMORY:
                raise Ended(f"used more than {MOST_MEMORY >> 30} GiB")


def _walled(command: list[str], own: Path, folder: Path | None = None, shown: tuple[Path, ...] = ()) -> list[str]:
    user = []
    if os.geteuid() == 0:
        user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    bwrap = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--die-with-parent"]
    bwrap += ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--bind", str(own), "/tmp"]
    for path in shown:
        bwrap += ["--ro-bind", str(path), str(path)]
    bwrap += ["--bind", str(own), str(own), "--chdir", str(folder or own)]
    bwrap += ["--clearenv", "--setenv", "TMPDIR", str(own), "--setenv", "HOME", str(own)]
    # A test that would build a lab takes minutes. Without nvcc it fails at once, and so it is not used.
    folders = [folder for folder in os.environ["PATH"].split(":") if not Path(folder, "nvcc").exists()]
    bwrap += ["--setenv", "PATH", ":".join(folders), "--setenv", "WARPLADDER_TOOLKITS", ""]
    bwrap += ["--setenv", "WARPLADDER_BUILD_DIR", str(own / "build"), "--setenv", "LANG", "C.UTF-8"]
    return [*user, *bwrap, "--", "prlimit", f"--fsize={MOST_FILE}", "--core=0", "--", *command]
