"""mistakes_page: runs the cases of mistakes.cu → the page mistakes.md: for each mistake what a learner believes, what
lockstep said of it before its messages were rewritten (mistakes_before.json), and what it says now.

Without --write, only says whether the page is up to date. Paths and addresses are left out: they differ."""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from corpus import FOLDER, Case, program_of, read_corpus

PAGE, BEFORE = FOLDER / "mistakes.md", FOLDER / "mistakes_before.json"
HEAD = """# Typical mistakes, and what lockstep says

The programs are in [mistakes.cu](mistakes.cu). *Before* is the text that lockstep printed until its messages were
rewritten; *now* is its text of today, which a test compares with this page. The lines begin with `lockstep: ` in a
terminal. Schedule: forward.
"""


def plain(text: str) -> str:
    """What lockstep printed, without what differs from run to run."""
    said = [line.removeprefix("lockstep: ") for line in text.splitlines() if line.startswith("lockstep: ")]
    text = re.sub(r"\S*/(mistakes\.cu)", r"\1", "\n".join(said))
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", text)


def run(case: Case, options: argparse.Namespace) -> str:
    environment = dict(os.environ, LD_LIBRARY_PATH=str(options.library), LOCKSTEP_CHECKS="all")
    command = [program_of(case, options.programs), case.name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return plain(done.stderr)


def page(cases: list[Case], options: argparse.Namespace) -> str:
    before = json.loads(BEFORE.read_text(encoding="utf-8"))
    text = HEAD
    for case in cases:
        old = before.get(case.name, "") or "(nothing; the call returned cudaErrorInvalidValue)"
        text += f"\n## {case.name}\n\nThe belief: {case.text.strip()}\n\nBefore:\n\n```\n{old}\n```\n"
        text += f"\nNow:\n\n```\n{run(case, options)}\n```\n"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="folder of the built programs")
    parser.add_argument("--library", type=Path, required=True, help="folder of lockstep's libcudart")
    parser.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args()
    now = page(read_corpus(["mistakes"]), options)
    if options.write:
        PAGE.write_text(now, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != now:
        print(f"{PAGE} is not what lockstep says now. Next: {Path(__file__).name} --write with the same options")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
