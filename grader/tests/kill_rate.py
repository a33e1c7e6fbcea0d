#!/usr/bin/env python3
"""How many of the deliberately wrong variants are caught, each by the check that its first line names.

    kill_rate.py SOLUTIONS BUILD     BUILD/labs/NN_name/wrong/VARIANT.lockstep.json are what the tests wrong.* left

Ends 0 if all are. A verdict that is missing, or older than what it judged, counts as not caught.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from launcher.variants import Variant, all_variants  # noqa: E402


def failed_check(variant: Variant, folder: Path) -> str:
    """What the judge said of a variant; or why there is nothing that counts."""
    verdict, binary = (folder / f"{variant.name}{suffix}" for suffix in (".lockstep.json", ""))
    if not verdict.exists():
        return "not judged"
    patched = folder / f"{variant.name}{variant.code_suffix}"
    # A variant that must not compile has no binary, and a whole file is not patched.
    judged = next(path for path in (binary, patched, variant.file) if path.exists())
    if verdict.stat().st_mtime < judged.stat().st_mtime:
        return "changed since it was judged"
    return json.loads(verdict.read_text(encoding="utf-8"))["failed_check"] or "pass"


def main() -> int:
    solutions, build = map(Path, sys.argv[1:])
    caught = total = 0
    for lab in sorted(path for path in solutions.iterdir() if (path / "wrong").is_dir()):
        if not (build / "labs" / lab.name).is_dir():
            print(f"  left out  {lab.name}, which this build has not")
            continue
        variants = all_variants(lab)
        killed = 0
        for variant in variants:
            named, failed = variant.checks[0], failed_check(variant, build / "labs" / lab.name / "wrong")
            if failed == named or failed.startswith(named + "."):
                killed += 1
            else:
                print(f"    {variant.name}: {failed}, not {named}")
        print(f"{killed:3} of {len(variants):3}  {lab.name}")
        caught, total = caught + killed, total + len(variants)
    print(f"{caught} of {total} wrong variants are caught by the check that they name: {100 * caught / total:.1f} %")
    return 0 if caught == total else 1


if __name__ == "__main__":
    sys.exit(main())
