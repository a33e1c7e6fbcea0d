#!/usr/bin/env python3
"""Under lockstep's checks every lab's solution has the same counters and the same modelled time as without them.

    checks_test.py JUDGE BUILD     for each BUILD/labs/NN_name/solution: two reports of its measured case, made smaller

A grade measures under all checks, and ./lab check without them. Both must read the same figures. And in both the judge
must have asked ptxas what it makes of the kernels, if the build has the tools.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
UNASKED = "launch__shared_mem_per_block_static"  # is doubtful exactly if there is no answer of ptxas


def small_lab(lab: Path, into: Path) -> Path:
    facts = json.loads((lab / "lab.json").read_text(encoding="utf-8"))
    real = facts["sizes"]["real"]
    facts["sizes"]["real"] = min(real, 40_000 if real > 20_000 else 4096)  # below that, the work grows as n²
    folder = into / lab.name
    folder.mkdir()
    (folder / "lab.json").write_text(json.dumps(facts), encoding="utf-8")
    return folder


def report(judge: Path, build: Path, lab: Path, *options: str) -> dict[str, Any]:
    built = build / "labs" / lab.name
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "report.json"
        command = [judge, "--lab", small_lab(lab, Path(name)), "--build", built / "build.json", *options]
        command += ["--binary", built / "solution", "--seed", "1", "--report", file]
        subprocess.run(command, check=True)
        return json.loads(file.read_text(encoding="utf-8"))


def can_ask(build: Path, lab: Path) -> bool:
    facts = json.loads((build / "labs" / lab.name / "build.json").read_text(encoding="utf-8"))
    return any(Path(file).name == "nvdisasm" for file in facts["compiler_sees"])


def differences(judge: Path, build: Path, lab: Path) -> list[str]:
    plain, checked = report(judge, build, lab), report(judge, build, lab, "--thorough")
    if not plain["launches"] or len(plain["launches"]) != len(checked["launches"]):
        return [f"{len(plain['launches'])} launches, and {len(checked['launches'])} under checks"]
    unasked = any(UNASKED in launch.get("counter_kinds", {}) for launch in plain["launches"])
    found = ["ptxas was not asked"] if unasked and can_ask(build, lab) else []
    for number, (one, other) in enumerate(zip(plain["launches"], checked["launches"], strict=True), 1):
        found += [f"launch {number}: {key}" for key in one.keys() | other.keys() if one.get(key) != other.get(key)]
    return found + [key for key in ("modelled", "modelled_error") if plain[key] != checked[key]]


def main() -> int:
    judge, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    solutions = sorted(build.glob("labs/*/solution"))
    wrong = 0
    for solution in solutions:
        lab = ROOT / "labs" / solution.parent.name
        if not list(lab.glob("*.cu")):
            continue  # lockstep counts no OpenCL
        different = differences(judge, build, lab)
        wrong += bool(different)
        print(f"{lab.name}: {', '.join(different) or 'the same'}", flush=True)
    if not solutions:
        print(f"no solution is built in {build}")
    return 1 if wrong or not solutions else 0


if __name__ == "__main__":
    sys.exit(main())
