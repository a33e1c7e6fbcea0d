"""The pages around the labs: the needs form a ladder, links lead to something, figures are filled in correctly."""

import re
import unittest
from dataclasses import replace
from pathlib import Path

from common.pictures import model, pages
from common.pictures.ladder import ROOT, Rung, complaints, rungs
from common.pictures.measured import load

TREE = Path(__file__).resolve().parents[3]
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def rung(number: str, *needs: str) -> Rung:
    return Rung(f"{number}_x", "x", "scan", needs, 1, "scan_inclusive", ())


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes from the headings."""
    heads = re.findall(r"^#+ +(.+?) *$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


class Ladder(unittest.TestCase):
    def test_every_lab_needs_labs_that_exist_and_none_needs_itself(self) -> None:
        self.assertEqual([], complaints(rungs(TREE / "labs")))

    def test_a_need_that_is_no_lab_is_named(self) -> None:
        self.assertIn("needs 07", complaints([rung(ROOT), rung("01", ROOT, "07")])[0])

    def test_only_the_first_lab_needs_nothing(self) -> None:
        self.assertIn("labs/01_x/lab.json", complaints([rung(ROOT), rung("01")])[0])
        self.assertEqual([], complaints([rung(ROOT), rung("01", ROOT)]))

    def test_a_circle_is_found(self) -> None:
        found = complaints([rung(ROOT), rung("01", ROOT, "03"), rung("02", "01"), rung("03", "02"), rung("04", ROOT)])
        self.assertEqual(["01_x", "02_x", "03_x"], re.findall(r"labs/(\w+):", " ".join(found)))


class Links(unittest.TestCase):
    def test_what_is_linked_is_there(self) -> None:
        files = [TREE / "README.md", *sorted((TREE / "docs").rglob("*.md"))]
        files += [*sorted((TREE / "labs").glob("*/*.md")), *sorted((TREE / "solutions").glob("*/*.md"))]
        for file in files:
            for target, anchor in LINK.findall(FENCED.sub("", file.read_text(encoding="utf-8"))):
                with self.subTest(file=str(file.relative_to(TREE)), link=target, anchor=anchor):
                    page = (file.parent / target).resolve() if target else file
                    self.assertTrue(page.exists(), "there is no such file")
                    if anchor and page.suffix == ".md":
                        self.assertIn(anchor, anchors(page), "there is no such heading")
                    if anchor and page.suffix == ".svg":
                        self.assertIn(f'id="{anchor}"', page.read_text(encoding="utf-8"), "there is no such mark")

    def test_every_handout_marks_its_place_on_the_map(self) -> None:
        for lab in rungs(TREE / "labs"):
            with self.subTest(lab=lab.folder):
                handout = (TREE / "labs" / lab.folder / "README.md").read_text(encoding="utf-8")
                self.assertEqual([f"lab{lab.number}"], re.findall(r"\.\./\.\./docs/map\.svg#(\w*)", handout))

    def test_every_term_of_the_glossary_says_where_one_meets_it(self) -> None:
        terms = (TREE / "docs" / "glossary.md").read_text(encoding="utf-8").split("\n### ")[1:]
        self.assertGreater(len(terms), 40)
        for term in terms:
            with self.subTest(term=term.split("\n")[0]):
                self.assertRegex(term, r"\*(First in|See) \[")

    def test_the_glossary_begins_with_all_its_terms_in_order(self) -> None:
        head, *terms = (TREE / "docs" / "glossary.md").read_text(encoding="utf-8").split("\n### ")
        index = re.findall(r"\[([^]]+)\]\(#", head)
        self.assertEqual(sorted((term.split("\n")[0] for term in terms), key=str.lower), index)


class Figures(unittest.TestCase):
    def test_they_keep_their_digits_and_counts_all_of_them(self) -> None:
        self.assertEqual("0.293", pages.shown(0.293152, 3))
        self.assertEqual("32", pages.shown(31.552, 2))
        self.assertEqual("104,857,600", pages.shown(104857600, 2))
        self.assertEqual("27.0", pages.shown(27, 3, whole=False))
        self.assertEqual("0", pages.shown(0, 3))

    def test_they_are_calculated_from_left_to_right(self) -> None:
        figures = {"alone.02": 0.3, "alone.03": 0.2}
        self.assertAlmostEqual(50, pages.value("alone.02 - alone.03 / alone.03 * 100", figures))
        with self.assertRaises(LookupError):
            pages.value("alone.99", figures)

    def test_a_page_is_filled_in(self) -> None:
        made = replace(load(TREE), figures={"alone.02": 0.293152, "rule.03.requests": 73})
        text = "0.111<!-- alone.02 --> ms, 9<!-- rule.03.requests --> requests, 12 warps"
        self.assertEqual(
            "0.293<!-- alone.02 --> ms, 73<!-- rule.03.requests --> requests, 12 warps",
            pages.filled(text, "reduction", made),
        )

    def test_a_table_is_replaced_as_a_whole(self) -> None:
        text = "<!-- table: counters -->\nold\n<!-- end -->\nafter"
        new = pages.filled(text, "reduction", load(TREE))
        self.assertNotIn("old", new)
        self.assertIn("| divergent branches per element |", new)
        self.assertTrue(new.endswith("<!-- end -->\nafter"))


class Model(unittest.TestCase):
    """The claims of docs/model.md. fit_model.py --check compares model_fit.csv with the model and the measurements."""

    def test_every_rung_is_within_the_factor_also_when_it_is_left_out(self) -> None:
        for rung in model.load():
            with self.subTest(rung=rung.rung):
                self.assertLess(max(rung.ratio, 1 / rung.ratio), model.WITHIN)
                self.assertLess(max(rung.left_out_ratio, 1 / rung.left_out_ratio), model.WITHIN)

    def test_every_lab_with_kernels_is_there(self) -> None:
        measured = {name.split(".")[1] for name in load(TREE).times if name.startswith("alone.")}
        self.assertEqual(measured, {rung.rung.split(".")[0] for rung in model.load()})

    def test_rungs_of_a_family_keep_their_order(self) -> None:
        self.assertEqual([], model.out_of_order(model.load()))

    def test_an_order_that_is_lost_is_seen(self) -> None:
        slow = model.Modelled("02", "scan", 1, (8, 9, 10), 2, 2, "dram")
        fast = model.Modelled("03", "scan", 1, (4, 5, 6), 3, 3, "dram")
        self.assertEqual([("02", "03")], model.out_of_order([slow, fast]))
        self.assertEqual([], model.out_of_order([slow, replace(fast, us=(7, 8, 9))]))  # the measurement cannot tell
        self.assertEqual([], model.out_of_order([slow, replace(fast, family="reduction")]))


if __name__ == "__main__":
    unittest.main()
