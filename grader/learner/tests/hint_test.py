"""./lab hint: one step at a time, and it remembers."""

import unittest

from launcher.labs import find_lab
from learner import handout, hint, progress
from learner.tests.courses import WithProgress, a_lab


class Hint(WithProgress):
    def titles(self, **options: bool) -> list[str]:
        return [line.split(": ", 1)[1] for line in hint.lines(self.lab, **options) if line.startswith("Lab 05, hint ")]

    def setUp(self) -> None:
        super().setUp()
        self.lab = find_lab("05")
        self.all = [one.title for one in handout.hints(self.lab)]

    def test_one_at_a_time_until_the_last(self) -> None:
        self.assertEqual([self.titles() for _ in range(4)], [[title] for title in (*self.all, self.all[-1])])
        self.assertEqual(progress.load()[self.lab.name]["hints"], 3)

    def test_again_shows_what_was_read_and_counts_nothing(self) -> None:
        self.titles()
        self.titles()
        self.assertEqual(self.titles(again=True), self.all[:2])
        self.assertEqual(progress.load()[self.lab.name]["hints"], 2)

    def test_again_before_the_first_shows_none(self) -> None:
        self.assertIn("no hint of lab 05 yet", hint.lines(self.lab, again=True)[0])
        self.assertEqual(progress.entry(progress.load(), self.lab.name)["hints"], 0)

    def test_all_of_them(self) -> None:
        self.assertEqual(self.titles(all_of_them=True), self.all)
        self.assertEqual(self.titles(), self.all[-1:])

    def test_what_comes_after(self) -> None:
        last = [hint.lines(self.lab)[-1] for _ in range(4)]
        self.assertEqual(last[0], "The next hint: ./lab hint 05")
        self.assertTrue(last[2].startswith("That was the last one"))
        self.assertTrue(last[3].startswith("You have read all 3"))

    def test_a_handout_that_lost_hints(self) -> None:
        progress.change(self.lab.name, lambda entry: entry.update(hints=9))
        self.assertEqual(self.titles(), self.all[-1:])

    def test_no_hints(self) -> None:
        self.assertIn("has no hints", hint.lines(a_lab(self.folder))[0])


if __name__ == "__main__":
    unittest.main()
