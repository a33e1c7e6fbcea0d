"""baselines: the solutions that other labs are compared with → objects, which a learners' repository links.

An object has no names of files on this machine, no lines and no local symbols, and it is the same in every folder. Its
own name holds a hash of its source: baselines/02_reduce_neighbored.3f1c09a7be52.o.
"""

import hashlib
import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from launcher.console import Failure, last_lines
from launcher.language import _
from launcher.paths import ROOT

from .course import File, Files

README = """# Compiled baselines

Some labs measure a speedup over the solution of the rung below. A learners' repository has no solutions, so these are
here as objects for x86-64 Linux, as nvcc made them. The build links them with its own runner. The name of an object
holds a hash of its source. If `./lab strip` finds another source, it replaces the object.

| object of | is the baseline of |
|---|---|
"""


def readme(compared: dict[str, list[str]]) -> File:
    rows = [f"| `{lab}` | {', '.join(f'`{above}`' for above in labs)} |\n" for lab, labs in compared.items()]
    return File((README + "".join(rows)).encode())


def source_of(lab: str, facts: dict[str, Any]) -> str:
    return f"solutions/{lab}/{facts['source']}"


def name(lab: str, facts: dict[str, Any], files: Files) -> str:
    """The path of the lab's object. The hash is that of the solution and of the headers of the course it includes."""
    source = files[source_of(lab, facts)]
    headers = re.findall(r'^\s*#\s*include\s*"([^"]+)"', source.text(), re.MULTILINE)
    whole = hashlib.sha256()
    for data in (source.data, *(files[header].data for header in headers if header in files)):
        whole.update(hashlib.sha256(data).digest())
    return f"baselines/{lab}.{whole.hexdigest()[:12]}.o"


def compiled(lab: str, facts: dict[str, Any], files: Files, build_json: Path) -> File:
    """The object of the lab's solution, by the command with which CMake compiles it."""
    source = f"baseline{Path(facts['source']).suffix}"
    with tempfile.TemporaryDirectory(prefix="warpladder-") as place:
        folder = Path(place)
        (folder / source).write_bytes(files[source_of(lab, facts)].data)
        for header, file in files.items():
            if header.startswith("common/") and header.endswith(".h") and header.count("/") <= 2:
                (folder / header).parent.mkdir(parents=True, exist_ok=True)
                (folder / header).write_bytes(file.data)
        for command in (_command(build_json, source), ["objcopy", "--strip-unneeded", "baseline.o"]):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
            if done.returncode != 0:
                said = last_lines(done.stdout + done.stderr, 20)
                raise Failure(
                    _(
                        "{said}\nThe solution of {lab} could not be compiled ({command}).",
                        said=said,
                        lab=lab,
                        command=command[0],
                    )
                )
        return File((folder / "baseline.o").read_bytes())


def _command(build_json: Path, source: str) -> list[str]:
    """Without the flags that name lines, with the headers of this folder, and with no number drawn by lot."""
    words = json.loads(build_json.read_text(encoding="utf-8"))["compile"]
    kept = []
    for word in words:
        if word == "-g1":
            kept.pop()  # -Xcompiler
        elif word != "-lineinfo":
            kept.append("-I." if word == f"-I{ROOT}" else word)
    places = {"{source}": source, "{object}": "baseline.o"}
    return [*(places.get(word, word) for word in kept), "-frandom-seed=warpladder"]
