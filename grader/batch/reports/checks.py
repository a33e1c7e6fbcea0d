"""checks: the name of a check → a sentence that says what it saw. The sentences are those of docs/labs.md (checks),
docs/lockstep.md (findings) and lab.json (rules and thresholds), so that no list here repeats them."""

import re
from functools import cache
from pathlib import Path

from launcher.labs import Lab
from launcher.language import _, chosen
from launcher.paths import ROOT

CHECKS = ("check", "检查")
TABLES = (("labs.md", CHECKS), ("lockstep.md", ("`--checks`",)))  # page, and how its first column is called


def explained(check: str, lab: Lab | None) -> str:
    """Empty if nothing explains it."""
    kind, _dot, rest = check.partition(".")
    if kind == "rule" and lab is not None:
        found = [_(rule["why"]) for rule in lab.facts.get("rules", []) if rule.get("name") == rest]
    elif kind == "speed" and lab is not None:
        found = [_(one["why"]) for one in lab.facts.get("speed", []) if f"{one.get('speedup'):g}" == rest]
    else:
        found = []
    if kind == "finding":
        found = [_sentences(chosen()).get(f"finding {rest}", "")]
    return next(filter(None, found), "") or _sentences(chosen()).get(check) or _sentences(chosen()).get(kind, "")


@cache
def _sentences(language: str) -> dict[str, str]:
    """The name of a check without its last, changing parts, or "finding" and a kind → its sentence."""
    found: dict[str, str] = {}
    for page, titles in TABLES:
        translated = ROOT / "docs" / language / page
        for names, sentence in _rows(translated if translated.exists() else ROOT / "docs" / page, titles):
            for name in re.findall(r"`([a-z_]+(?:\.[a-z_]+)*)", names):
                found.setdefault(name if titles == CHECKS else f"finding {name}", sentence)
    return found


def _rows(file: Path, titles: tuple[str, ...]) -> list[tuple[str, str]]:
    """The names and the sentence of each row of the table."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:  # a package of the grader without its pages
        return []
    starts = [at for at, line in enumerate(lines) if line.startswith(tuple(f"| {title} |" for title in titles))]
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
    return re.sub(r"; [A-Z]{2,} is .*|；[A-Z]{2,} 是.*", "", text)
