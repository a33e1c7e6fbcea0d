"""checks: the name of a check → a sentence that says what it saw. The sentences are those of docs/labs.md (checks),
docs/lockstep.md (findings) and lab.json (rules and thresholds), so that no list here repeats them."""

import re
from functools import cache
from pathlib import Path

from launcher.labs import Lab
from launcher.paths import ROOT

TABLES = (("docs/labs.md", "check"), ("docs/lockstep.md", "`--checks`"))  # file, and the title of the first column


def explained(check: str, lab: Lab | None) -> str:
    """Empty if nothing explains it."""
    kind, _, rest = check.partition(".")
    if kind == "rule" and lab is not None:
        found = [rule["why"] for rule in lab.facts.get("rules", []) if rule.get("name") == rest]
    elif kind == "speed" and lab is not None:
        found = [one["why"] for one in lab.facts.get("speed", []) if f"{one.get('speedup'):g}" == rest]
    else:
        found = []
    if kind == "finding":
        found = [_sentences().get(f"finding {rest}", "")]
    return next(filter(None, found), "") or _sentences().get(check) or _sentences().get(kind, "")


@cache
def _sentences() -> dict[str, str]:
    """The name of a check without its last, changing parts, or "finding" and a kind → its sentence."""
    found: dict[str, str] = {}
    for file, title in TABLES:
        for names, sentence in _rows(ROOT / file, title):
            for name in re.findall(r"`([a-z_]+(?:\.[a-z_]+)*)", names):
                found.setdefault(name if title == "check" else f"finding {name}", sentence)
    return found


def _rows(file: Path, title: str) -> list[tuple[str, str]]:
    """The names and the sentence of each row of the table."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:  # a package of the grader without its pages
        return []
    starts = [at for at, line in enumerate(lines) if line.startswith(f"| {title} |")]
    rows = []
    for line in lines[starts[0] + 2 :] if starts else []:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            break
        rows.append((cells[-2], _plain(cells[-1])))
    return rows


def _plain(markdown: str) -> str:
    """Without links and marks, and without the part that explains how the name is made."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown).replace("`", "").replace("*", "")
    return re.sub(r"; [A-Z]{2,} is .*", "", text)
