"""similarity: the sources of one lab → pairs that are alike, by copydetect (winnowing, as in MOSS). Names, comments,
layout and the text of the starter do not count. It says where to look; it accuses nobody.

It has two halves: find(), for the reports, and the script that find() starts. The script has limits of time and memory,
since nobody knows what the sources contain:    similarity.py < REQUEST.json > ANSWER.json
"""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from launcher.language import _, later
from launcher.paths import ROOT

THRESHOLD = 0.8  # the share of one file that the other has too; the smaller of the two shares counts
# In place of a student: no key has such brackets.
REFERENCE, STARTER = later("[reference solution]"), later("[starter]")
LONGEST = 64 * 1024  # only so many characters of a file are compared
GRAM = 20  # the length of a run that counts, once each name is one letter: about a line
WINDOW = 12  # one of so many runs in a row is kept; a common part of GRAM + WINDOW - 1 characters is always found
OWN = 120  # a file needs so many characters beside the starter's; with fewer all files are alike
SECONDS_A_FILE, SECONDS_A_LAB, BYTES = 2, 60, 4 << 30


@dataclass(frozen=True)
class Pair:
    lab: str
    first: str
    second: str
    alike: float  # 0 … 1


@dataclass(frozen=True)
class Similar:
    pairs: list[Pair]  # the most alike first
    notes: list[str]


def find(files: Mapping[str, Mapping[str, str]], starters: Mapping[str, str], threshold: float = THRESHOLD) -> Similar:
    """files: lab → student → source."""
    request = {"files": files, "starters": starters, "threshold": threshold}
    try:
        answer = subprocess.run(
            [sys.executable, __file__],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=SECONDS_A_LAB * max(1, len(files)),
            # copydetect uses hash(), and the same file must give the same marks.
            env=dict(os.environ, PYTHONHASHSEED="0", PYTHONPATH=str(ROOT / "grader")),
        )
    except subprocess.TimeoutExpired:
        return Similar(
            [],
            [
                _(
                    "Similarity was not looked for: it took longer than {seconds} seconds a lab.",
                    seconds=SECONDS_A_LAB,
                )
            ],
        )
    if answer.returncode != 0:
        last = (answer.stderr.strip().splitlines() or [_("no message")])[-1]
        return Similar([], [_("Similarity was not looked for: {why}", why=last)])
    said = json.loads(answer.stdout)
    return Similar([Pair(*pair) for pair in said["pairs"]], said["notes"])


def _compare(request: Mapping[str, Any]) -> dict[str, Any]:
    pairs, notes = [], []
    for lab, files in sorted(request["files"].items()):
        marks = {}
        given = sorted(_marks(request["starters"].get(lab, ""), 1, []).hashes)
        for student, text in sorted(files.items()):
            try:
                marks[student] = _marks(text, WINDOW, given)
            except TimeoutError:
                why = _("reading it took longer than {seconds} seconds", seconds=SECONDS_A_FILE)
                notes.append(_("{student}'s {lab} was not compared: {why}", student=student, lab=lab, why=why))
        long_enough = {who: one for who, one in marks.items() if one.token_coverage >= OWN}
        pairs += _pairs(lab, long_enough, request["threshold"])
    return {"pairs": sorted(pairs, key=lambda pair: (-pair[3], *pair[:3])), "notes": notes}


def _pairs(lab: str, marks: Mapping[str, Any], threshold: float) -> list[tuple[str, str, str, float]]:
    from copydetect.detector import compare_files

    found = []
    for (first, one), (second, other) in combinations(marks.items(), 2):
        if one.hashes == other.hashes:
            found.append((lab, first, second, 1.0))
            continue
        common = len(one.hashes & other.hashes)
        if common < threshold / 2 * max(len(one.hashes), len(other.hashes)):  # most pairs need no more arithmetic
            continue
        alike = float(min(1.0, *compare_files(one, other)[1]))
        if alike >= threshold:
            found.append((lab, first, second, round(alike, 3)))
    return found


def _marks(text: str, window: int, boilerplate: list[int]) -> Any:  # noqa: ANN401 (copydetect's own class)
    import io

    from copydetect import CodeFingerprint

    def late(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS_A_FILE)
    try:
        return CodeFingerprint("", GRAM, window, boilerplate, True, "cuda", io.StringIO(text[:LONGEST]))
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    json.dump(_compare(json.load(sys.stdin)), sys.stdout)
