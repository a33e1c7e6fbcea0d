"""build: configures a build tree if its settings have changed, and builds targets in it."""

import re
from collections.abc import Sequence
from pathlib import Path

from . import device
from .console import Failure, last_lines, run_logged
from .language import _
from .lock import alone_in
from .paths import BUILD, LOGS, ROOT, shown

TREES = {"lockstep": BUILD, "gpu": BUILD / "gpu", "dev": BUILD / "dev"}


def configure(preset: str, nvcc: Path) -> Path:
    """Configures the build tree of the preset and returns it. Ninja itself notices changed CMake files and new labs."""
    tree = TREES[preset]
    wanted = {"WARPLADDER_NVCC": str(nvcc)}
    if preset == "gpu":
        wanted["WARPLADDER_GPU_ARCHS"] = ";".join(device.archs())
    if (tree / "build.ninja").exists() and wanted.items() <= settings(tree).items():
        return tree
    command: list[str | Path] = ["cmake", "-S", ROOT, "-B", tree, "--preset", preset]
    command += [f"-D{name}={value}" for name, value in wanted.items()]
    if (tree / "CMakeCache.txt").exists():
        command.append("--fresh")  # there is another nvcc now, or an earlier configuration was interrupted
    tree.mkdir(parents=True, exist_ok=True)
    with alone_in(tree):
        code, output = run_logged(_("Configuring {tree}", tree=shown(tree)), command, LOGS / f"configure-{preset}.log")
        if code != 0:
            said = _from_first_error(output)
            raise Failure(_("{said}\nCMake could not configure {tree}.", said=said, tree=shown(tree)))
    return tree


def runtimes(tree: Path) -> dict[str, str]:
    """The names under which a tree can build lockstep's library, each with its target: that of its nvcc comes first."""
    cache = settings(tree)
    known = (("WARPLADDER_CUDART", "cudart_lockstep"), ("WARPLADDER_CUDART_12", "cudart_lockstep_12"))
    names = ((Path(cache.get(setting, "")).name, target) for setting, target in known)
    return {name: target for name, target in names if name.startswith("libcudart")}


def build(tree: Path, targets: Sequence[str] = (), title: str = "", *, announce: bool = False) -> None:
    """announce: it takes long, and says so at once."""
    command: list[str | Path] = ["cmake", "--build", tree, *(["--target", *targets] if targets else [])]
    with alone_in(tree):
        code, output = run_logged(title or _("Building"), command, LOGS / f"build-{tree.name}.log", announce=announce)
    if code != 0:
        log = f"{shown(BUILD / 'logs')}/build-{tree.name}.log"
        raise Failure(_("{steps}\nThe build failed; all of it is in {log}", steps=_failed_steps(output), log=log))


def settings(tree: Path) -> dict[str, str]:
    """The settings of a tree, from CMake's own cache."""
    text = (tree / "CMakeCache.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^(\w+):\w+=(.*)$", text, re.MULTILINE))


def _failed_steps(output: str) -> str:
    """The output of the steps that failed, without their command lines."""
    if "CMake Error" in output:
        return _from_first_error(output)
    kept: list[str] = []
    showing = False
    for line in output.splitlines():
        if line.startswith("FAILED: "):
            showing = True
            kept.append(line.removeprefix("FAILED: ").split(" ")[0] + ":")
        elif re.match(r"\[\d+/\d+\]|ninja: ", line):
            showing = False
        elif showing and len(line) < 1000 and not re.match(r"(cd |/\S+/(c\+\+|g\+\+|nvcc) )", line):
            kept.append(line)
    return "\n".join(kept[:60]) or last_lines(output, 30)


def _from_first_error(output: str) -> str:
    start = output.find("CMake Error")
    return "\n".join(output[max(start, 0) :].strip().splitlines()[:30])
