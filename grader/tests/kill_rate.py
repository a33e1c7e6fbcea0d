#!/usr/bin/env python3
"""Counts the deliberately wrong variants that are caught, each by the check that its first line names.

    kill_rate.py SOLUTIONS BUILD     BUILD/labs/NN_name/wrong/VARIANT.lockstep.json come from the tests wrong.*
    kill_rate.py SOLUTIONS BUILD --fresh N     judges each variant N times more, with seeds drawn now

Exits with 0 if all are caught. A verdict that is missing, or older than the judged files, counts as not caught.
"""

import argparse
import json
import os
import random
import subprocess
import sys
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

sys.path.insert(0, str(ROOT / "grader"))
from launcher.variants import Variant, all_variants  # noqa: E402


def failed_check(variant: Variant, folder: Path) -> str:
    """The judge's verdict on a variant, or the reason why there is no valid one."""
    verdict, binary = (folder / f"{variant.name}{suffix}" for suffix in (".lockstep.json", ""))
    if not verdict.exists():
        return "not judged"
    patched = folder / f"{variant.name}{variant.code_suffix}"
    # A variant that must not compile has no binary, and a whole file is not patched.
    judged = next(path for path in (binary, patched, variant.file) if path.exists())
    if verdict.stat().st_mtime < judged.stat().st_mtime:
        return "changed since it was judged"
    return json.loads(verdict.read_text(encoding="utf-8"))["failed_check"] or "pass"


def missed_by_seeds(variant: Variant, lab: Path, build: Path, fresh: int, cores: Executor) -> list[str]:
    """What the judge says where a seed lets another check fail than the one that the variant names."""
    folder = build / "labs" / lab.name
    file = Path(json.loads((folder / "wrong" / f"{variant.name}.lockstep.json").read_text(encoding="utf-8"))["file"])
    command = [build / "grader" / "judge", "--lab", ROOT / "labs" / lab.name, "--build", folder / "build.json"]
    command += ["--file" if file.suffix in (".cu", ".cc") else "--binary", file, "--expect", variant.checks[0]]

    def missed(seed: str) -> str | None:
        done = subprocess.run([*command, "--seed", seed], capture_output=True, text=True)
        return f"seed {seed}: {(done.stderr or done.stdout).strip().splitlines()[-1]}" if done.returncode else None

    seeds = [str(random.getrandbits(32)) for _turn in range(fresh)]
    return list(filter(None, cores.map(missed, seeds)))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("solutions", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--fresh", type=int, default=0)
    arguments = parser.parse_args()
    solutions, build = arguments.solutions, arguments.build
    caught = total = 0
    cores = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    for lab in sorted(path for path in solutions.iterdir() if (path / "wrong").is_dir()):
        if not (build / "labs" / lab.name).is_dir():
            print(f"  left out  {lab.name}, which this build has not")
            continue
        variants = all_variants(lab)
        killed = 0
        for variant in variants:
            named, failed = variant.checks[0], failed_check(variant, build / "labs" / lab.name / "wrong")
            if failed != named and not failed.startswith(named + "."):
                print(f"    {variant.name}: {failed}, not {named}")
            elif missed := missed_by_seeds(variant, lab, build, arguments.fresh, cores):
                print(f"    {variant.name}:", *missed, sep="\n      ")
            else:
                killed += 1
        print(f"{killed:3} of {len(variants):3}  {lab.name}")
        caught, total = caught + killed, total + len(variants)
    print(f"{caught} of {total} wrong variants are caught by the check that they name: {100 * caught / total:.1f} %")
    return 0 if caught == total else 1


if __name__ == "__main__":
    sys.exit(main())
