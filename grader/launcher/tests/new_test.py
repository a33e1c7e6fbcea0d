"""./lab new in a copy of this tree: what it makes, and what it refuses."""

import json
import shutil
import sys
import unittest

from launcher.tests.machines import Answer, InAFolder, copy_of_tree, lab

NAME = "42_reduce_in_registers"


class New(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.root = copy_of_tree(self.folder / "tree", ("tests", "docs", "lockstep"))  # without docs/ no page is drawn

    def new(self, *words: str) -> Answer:
        return lab("new", *words, root=self.root)

    def refused(self, saying: str, *words: str) -> None:
        before = sorted(path for name in ("labs", "solutions") for path in (self.root / name).rglob("*"))
        answer = self.new(*words)
        self.assertEqual(answer.code, 2, answer.text)
        self.assertIn(saying, answer.text)
        after = sorted(path for name in ("labs", "solutions") for path in (self.root / name).rglob("*"))
        self.assertEqual(before, after)

    def test_the_two_folders(self) -> None:
        answer = self.new(NAME, "--from", "3")
        self.assertEqual(answer.code, 0, answer.text)
        below = self.root / "solutions" / "03_reduce_less_divergent" / "reduce.cu"
        for folder in ("labs", "solutions"):
            self.assertEqual((self.root / folder / NAME / "reduce.cu").read_bytes(), below.read_bytes())
        facts = json.loads((self.root / "labs" / NAME / "lab.json").read_text(encoding="utf-8"))
        self.assertEqual((facts["needs"], facts["baseline"], facts["starter_fails"]), (["03"], "03", "pass"))
        self.assertEqual(facts["title"], "Reduce in registers")
        handout = (self.root / "labs" / NAME / "README.md").read_text(encoding="utf-8")
        for section in ("**Goal.**", "## Task", "## Check", "## Hints", "## Further reading"):
            self.assertIn(section, handout)
        variants = list((self.root / "solutions" / NAME / "wrong").iterdir())
        self.assertEqual(1, len(variants))
        self.assertIn("caught by: case.", variants[0].read_text(encoding="utf-8"))
        self.assertIn("./lab check 42", answer.text)
        self.assertIn("42  reduction", lab("list", root=self.root).text)

    def test_a_lab_of_each_contract_can_be_the_one_below(self) -> None:
        for number, below in enumerate(("00", "03", "15", "18", "20"), 50):
            answer = self.new(f"{number}_next", "--from", below)
            self.assertEqual(answer.code, 0, answer.text)

    def test_a_name_that_is_none(self) -> None:
        for name in (
            "reduce",
            "4_reduce",
            "142_reduce",
            "42-reduce",
            "42_Reduce",
            "42_",
            "../42_reduce",
            "42_reduce/x",
        ):
            with self.subTest(name=name):
                self.refused("is not a name of a lab", name, "--from", "3")

    def test_a_number_that_is_taken(self) -> None:
        self.refused("number 02 is taken: labs/02_reduce_neighbored is there. Choose ", "02_other", "--from", "3")
        (self.root / "solutions" / "42_begun").mkdir()
        self.refused("number 42 is taken: solutions/42_begun", NAME, "--from", "3")

    def test_a_lab_below_that_is_not_there(self) -> None:
        self.refused('there is no lab "77"', NAME, "--from", "77")
        self.refused("--from", NAME)

    def test_a_lab_without_its_reference_or_with_a_damaged_variant_is_no_start(self) -> None:
        wrong = min((self.root / "solutions" / "03_reduce_less_divergent" / "wrong").glob("*.patch"))
        text = wrong.read_text(encoding="utf-8")
        wrong.write_text(f"\n{text}", encoding="utf-8")
        self.refused(f"{wrong.name}: the first line must be `caught by: CHECK`", NAME, "--from", "3")
        shutil.rmtree(self.root / "solutions" / "03_reduce_less_divergent")
        self.refused("solutions/03_reduce_less_divergent/reduce.cu is not there", NAME, "--from", "3")

    def test_without_matplotlib_it_says_what_is_to_be_drawn(self) -> None:
        answer = self.new(NAME, "--from", "3")
        for what in ("map", "reduction", "pages"):
            self.assertIn(f"python3 -m common.pictures {what}", answer.text)


if __name__ == "__main__":
    sys.exit(unittest.main())
