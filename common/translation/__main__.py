"""python -m common.translation [PAGE…]: compares Chinese pages with their English ones and with the glossary.

--checked   somebody has read both sides: write the record of the pages that are named
--mend      give links the targets that they must have: translated pages, and their headings
"""

import argparse
import sys
from pathlib import Path

from . import parity, terms

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs" / "zh" / "glossary.md"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="Chinese pages; without one, all")
    parser.add_argument("--checked", action="store_true")
    parser.add_argument("--mend", action="store_true")
    given = parser.parse_args()
    if given.checked and not given.pages:
        parser.error("--checked: name the pages that were read.")
    pages = [page.resolve() for page in given.pages] or parity.translated(ROOT)
    for page in pages:
        if not page.exists() or not parity.original(page).exists():
            parser.error(f"{page} is no Chinese page of an English one. They are README.zh.md and docs/zh/*.md.")
    bad = 0
    for page in pages:
        if given.mend and parity.mend_links(page):
            print(f"{page.relative_to(ROOT)}: links mended")
        complaints = list(parity.differences(page))
        if given.checked and not complaints:
            parity.write_record(page)
        complaints += [*terms.wrong(page), *terms.avoided(page, GLOSSARY)]
        complaints += [f"“{title}” has changed since both sides were read" for title in parity.stale(page)]
        bad += bool(complaints)
        for complaint in complaints:
            print(f"{page.relative_to(ROOT)}: {complaint}")
    for page in parity.missing(ROOT):
        print(f"{page.relative_to(ROOT)}: not translated yet")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
