"""docs/adopt.md: its syllabus keeps the order of the ladder, and CITATION.cff names nobody who does not exist."""

import re
import unittest

from launcher import labs
from launcher.paths import ROOT

PAGE = (ROOT / "docs" / "adopt.md").read_text(encoding="utf-8")
WEEK = re.compile(r"^\| (\d+) \| ([\d, ]+) \| .* \| (\d+) \|$", re.MULTILINE)


class Adopt(unittest.TestCase):
    def test_each_lab_comes_once_and_not_before_the_labs_that_it_needs(self) -> None:
        rows = WEEK.findall(PAGE)
        self.assertEqual([int(week) for week, *_ in rows], list(range(1, 12)))
        order = [number for _, numbers, _ in rows for number in numbers.split(", ")]
        self.assertEqual(len(order), len(set(order)))
        known = {lab.number: lab for lab in labs.all_labs()}
        self.assertLessEqual(set(order), known.keys())
        for at, number in enumerate(order):
            self.assertLessEqual(set(known[number].needs), set(order[:at]), f"lab {number}")

    def test_the_page_is_short(self) -> None:
        self.assertLessEqual(len(PAGE.split()), 900)

    def test_the_lab_without_a_picture_is_the_one_that_it_names(self) -> None:
        (without,) = re.findall(r"each lab at work \(not lab (\d\d)\)", PAGE)
        known = [lab for lab in labs.all_labs() if lab.number < "27"]  # a new lab may not have its picture yet
        self.assertEqual([lab.number for lab in known if not (lab.folder / "picture.svg").exists()], [without])

    def test_the_citation_names_the_authors_of_the_licence(self) -> None:
        citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
        licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
        (name,) = re.findall(r"^  - name: (.+)$", citation, re.MULTILINE)
        self.assertIn(f"Copyright (c) {name}\n", licence)
        self.assertNotIn("-names:", citation)  # given and family names are a person's


if __name__ == "__main__":
    unittest.main()
