"""programs: compiles what ./lab bench runs, into one folder: the kernels, CUB in each version, the CPU's library."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from launcher import wheels
from launcher.console import Failure, last_lines, run_logged, say
from launcher.language import _
from launcher.paths import BUILD, LOGS, ROOT, shown

HERE = ROOT / "common" / "bench" / "top"
SOLUTIONS = " ".join(str(file) for lab in (24, 25) for file in ROOT.glob(f"solutions/{lab}_*/*.cu"))
PLACE = BUILD / "bench"
NEWEST = ROOT / "requirements-bench.txt"
EXPORTS = "{ global: top_*; local: *; };\n"  # two versions of a header in one process must not meet

RULES = """rule nvcc
  command = {nvcc} -O3 -std=c++20 -arch=native -cudart shared -I{root} $flags -MMD -MF $out.d $in -o $out $libraries
  depfile = $out.d
rule host
  command = g++ -O3 -march=native -std=c++20 -fopenmp -MMD -MF $out.d $in -o $out -ltbb
  depfile = $out.d
"""


@dataclass(frozen=True)
class Programs:
    checks: list[Path]
    bench: Path
    cpu: Path
    libraries: list[Path]  # CUB, the toolkit's and the newest


def newest_cub(given: Path | None) -> Path | None:
    """The include folder of the newest CUB. None: it could not be had, and the reason was said."""
    if given is not None:
        if not (given / "cub" / "cub.cuh").exists():
            raise Failure(
                _("--cub {given}: there is no cub/cub.cuh. Name the folder that holds the folder cub.", given=given)
            )
        return given.absolute()
    target = PLACE / "newest"
    include = target / "nvidia" / "cu13" / "include" / "cccl"
    if not include.exists():
        python = wheels.PYTHON if wheels.venv_works() else Path(sys.executable)
        pip = [python, "-m", "pip", "install", "--target", target, "--require-hashes", "--only-binary", ":all:"]
        pip += ["--no-deps", "--no-input", "--disable-pip-version-check", "-r", NEWEST]
        code, output = run_logged(_("Setting up: the newest CUB (pip)"), pip, LOGS / "bench-cub.log", announce=True)
        if code != 0:
            say(
                _(
                    "{said}\nOnly the toolkit's CUB is compared. --cub FOLDER names another one.",
                    said=last_lines(output, 1),
                )
            )
            return None
    return include


def compile_for_card(nvcc: Path, newest: Path | None) -> Programs:
    """Compiles again only what has changed."""
    library = f"-shared -Xcompiler -fPIC,-fvisibility=hidden -Xlinker --version-script={PLACE / 'exports'}"
    edges = [
        ("check", "nvcc", "check.cu", "", ""),
        ("check_labs", "nvcc", f"check_labs.cu {SOLUTIONS}", "", ""),
        ("bench", "nvcc", f"bench.cu {SOLUTIONS}", "", "-ldl"),
        ("toolkit.so", "nvcc", "cub.cu", library, ""),
    ]
    if newest:
        edges.append(("newest.so", "nvcc", "cub.cu", f"{library} -I{newest}", ""))
    _build(nvcc, edges, _("Compiling the kernels and CUB"))
    found = [PLACE / name for name, *_ in edges if name.endswith(".so")]
    return Programs([PLACE / "check", PLACE / "check_labs"], PLACE / "bench", PLACE / "cpu", found)


def compile_for_cpu() -> Path | None:
    """None: TBB is not here."""
    try:
        _build(
            Path("nvcc"),
            [("cpu", "host", "cpu.cc", "", "")],
            _("Compiling the CPU's part"),
            folder=PLACE / "host",
        )
    except Failure:
        say(_("The CPU's library is left out: it needs TBB (Debian: libtbb-dev)."))
        return None
    return PLACE / "host" / "cpu"


def run(title: str, command: list[str | Path]) -> None:
    code, output = run_logged(title, command, LOGS / "bench.log", announce=True)
    if code != 0:
        raise Failure(
            _(
                "{said}\n{name} failed; the whole text is in {logs}.",
                said=last_lines(output, 5),
                name=Path(command[0]).name,
                logs=shown(LOGS),
            )
        )


def toolkit_version(nvcc: Path) -> str:
    text = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    return text.partition("release ")[2].partition(",")[0]


def _build(nvcc: Path, edges: list[tuple[str, str, str, str, str]], title: str, folder: Path = PLACE) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "exports").write_text(EXPORTS, encoding="ascii")
    text = RULES.format(nvcc=nvcc, root=ROOT)
    for out, rule, source, flags, libraries in edges:
        sources = " ".join(str(HERE / name) for name in source.split())
        text += f"build {out}: {rule} {sources}\n  flags = {flags}\n  libraries = {libraries}\n"
    (folder / "build.ninja").write_text(text, encoding="utf-8")
    code, output = run_logged(title, ["ninja", "-C", folder], LOGS / f"bench-{folder.name}.log", announce=True)
    if code != 0:
        raise Failure(_("{said}\nThe benchmark could not be compiled.", said=last_lines(output, 5)))
