"""fault_table: the corpus and compute-sanitizer's findings in it on a card → the tables in docs/faults.md and in its
Chinese page, between two markers. lockstep's findings are not measured here: the tests lockstep.faults.* compare them
with the cases.

Without --write, only says whether the pages are up to date."""

import argparse
import csv
import re
import sys
from collections import Counter
from pathlib import Path

from corpus import FOLDER, KINDS, Case, read_corpus

ROOT = FOLDER.parents[3]
sys.path.append(str(ROOT))
from common.pictures import words  # noqa: E402  needs the line above

PAGES = (ROOT / "docs" / "faults.md", ROOT / "docs" / "zh" / "faults.md")
BEGIN, END = "<!-- made by fault_table.py -->\n", "<!-- until here -->\n"


def newest_measurement() -> Path:
    found = sorted((ROOT / "docs" / "measurements").glob("*/sanitizer_[0-9]*.csv"), key=lambda path: path.stem)
    if not found:
        sys.exit("docs/measurements holds no sanitizer_[0-9]*.csv. Next: run sanitizer.py on a machine with a GPU.")
    return found[-1]


def read_measurement(path: Path) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The head, and each case's line."""
    lines = path.read_text().splitlines()
    head = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return head, {row["case"]: row for row in rows}


def counts_by_kind(cases: list[Case], rows: dict[str, dict[str, str]]) -> list[str]:
    out = [
        "| kind | cases | lockstep | compute-sanitizer | both | only lockstep | only compute-sanitizer | neither |",
        "|---|---|---|---|---|---|---|---|",
    ]
    total: Counter[str] = Counter()
    for kind in [*KINDS, "all"]:
        count: Counter[str] = Counter()
        for case in cases:
            # A case of two kinds counts for the second, which needs the first: an unread error needs a bad launch.
            if kind != "all" and case.expected[-1].kind != kind:
                continue
            ours, its = not case.missed, rows[case.name]["verdict"] == "found"
            count.update(cases=1, ours=ours, its=its, both=ours and its)
        total = count
        numbers = [count["cases"], count["ours"], count["its"], count["both"], count["ours"] - count["both"]]
        numbers += [count["its"] - count["both"], count["cases"] - count["ours"] - count["its"] + count["both"]]
        name = "**all**" if kind == "all" else f"`{kind}`"
        out.append(f"| {name} | {' | '.join(str(number) for number in numbers)} |")
    assert total["cases"] == len(cases)
    return out


def plain(text: str) -> str:
    """Text for a cell, with underscores and stars escaped."""
    return re.sub(r"([_*|])", r"\\\1", text.strip())


def told(row: dict[str, str]) -> str:
    """Each tool's finding in a case, in short."""
    tools = ["memcheck", "racecheck", "initcheck", "synccheck"]
    if all(row[tool] == "timeout" for tool in tools):
        return "nothing; the program hung under all four tools"
    said = [f"{tool}: {row[tool]}" for tool in tools if row[tool] != "-"]
    return "; ".join(said) or "nothing"


def differences(cases: list[Case], rows: dict[str, dict[str, str]]) -> list[str]:
    out = []
    for title, ours, its in [
        ("Found by lockstep only", True, False),
        ("Found by compute-sanitizer only", False, True),
        ("Found by neither", False, False),
    ]:
        some = [c for c in cases if (not c.missed, rows[c.name]["verdict"] == "found") == (ours, its)]
        if not some:
            continue
        out += [
            "",
            f"### {title}",
            "",
            "| case | kind | the wrong belief (and the fact) | compute-sanitizer said |",
            "|---|---|---|---|",
        ]
        for case in some:
            why = f" ({case.missed})" if case.missed else ""
            out.append(
                f"| `{case.name}` | {', '.join(case.kinds)} | {plain(case.text)}{why} | {told(rows[case.name])} |"
            )
    return out


def false_alarms(cases: list[Case], rows: dict[str, dict[str, str]]) -> list[str]:
    verdicts = Counter(rows[case.name]["verdict"] for case in cases)
    blamed, handled = verdicts["blamed"], verdicts["api error"]
    out = [
        "",
        f"There are {len(cases)} right programs. lockstep blames {sum(bool(c.missed) for c in cases)} of them, and "
        f"compute-sanitizer blames {blamed}. In {handled} more, compute-sanitizer reports an error that the program "
        "expects and handles.",
    ]
    some = [c for c in cases if c.missed or rows[c.name]["verdict"] != "clean"]
    if some:
        out += [
            "",
            "| right program | what it looks like (and the fact) | lockstep | compute-sanitizer said |",
            "|---|---|---|---|",
        ]
    for case in some:
        out.append(f"| `{case.name}` | {plain(case.text)} | {case.missed or 'nothing'} | {told(rows[case.name])} |")
    return out


def tables() -> str:
    path = newest_measurement()
    head, rows = read_measurement(path)
    cases = read_corpus()
    measured = [case for case in cases if rows.get(case.name, {}).get("verdict", "not run") != "not run"]
    left = len(cases) - len(measured)
    out = [
        f"compute-sanitizer {head['compute-sanitizer']} (CUDA {head['toolkit']}, driver {head['driver']}) on one "
        f"{head['device']}, {head['date']}: {path.relative_to(ROOT)}."
        + (f" {left} cases are newer than this record or were not run; they are not counted." if left else ""),
        "",
        *counts_by_kind([c for c in measured if not c.innocent], rows),
        *false_alarms([c for c in measured if c.innocent], rows),
        *differences([c for c in measured if not c.innocent], rows),
        "",
    ]
    return "\n".join(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    english = tables()
    for path, table in zip(PAGES, (english, words.chinese(english))):
        page = path.read_text(encoding="utf-8")
        if page.count(BEGIN) != 1 or page.count(END) != 1:
            sys.exit(f"{path} needs these two lines once each:\n{BEGIN}{END}")
        before, rest = page.split(BEGIN)
        after = rest.split(END)[1]
        wanted = f"{before}{BEGIN}{table}{END}{after}"
        if options.write:
            path.write_text(wanted, encoding="utf-8")
        elif page != wanted:
            sys.exit(
                f"{path} does not say what the corpus and the newest measurement say. Next: python3 {__file__} --write."
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
