"""Handouts: their hints and goals are found, and Markdown becomes text for a terminal."""

import unittest

from launcher.labs import all_labs
from learner import handout
from learner.handout import for_terminal, plain, section


class Handout(unittest.TestCase):
    def test_every_handout_has_a_goal_and_hints_in_steps(self) -> None:
        for lab in all_labs():
            with self.subTest(lab.name):
                self.assertRegex(handout.goal(lab), r"^\S.*[.:]$")
                hints = handout.hints(lab)
                self.assertGreaterEqual(len(hints), 3)
                self.assertEqual(handout.text_of(lab).count("<summary>" + hints[0].title), 1)
                self.assertNotIn("What you should have found", [hint.title for hint in hints])
                for hint in hints:
                    self.assertNotIn("<", hint.title)
                    self.assertTrue(hint.text)

    def test_sections_end_at_the_next_heading(self) -> None:
        text = "# T\n\n## Hints\n\nA\n\n### deeper\n\nB\n\n## Then\n\nC\n"
        self.assertEqual(section(text, "Hints"), "A\n\n### deeper\n\nB")
        self.assertEqual(section(text, "Then"), "C")
        self.assertEqual(section(text, "Else"), "")

    def test_marks_are_taken_out_and_code_stays(self) -> None:
        text = "Each *sector* is **32 bytes**; `a * b * c` and `**p`, [see 05](../05/README.md): 2 * 3 * 4"
        self.assertEqual(plain(text), "Each sector is 32 bytes; `a * b * c` and `**p`, see 05: 2 * 3 * 4")

    def test_lines_are_wrapped_and_code_is_not(self) -> None:
        code = "    ./lab check 05 --json a_very_long_name_for_a_verdict.json"
        lines = for_terminal(f"One two three four five six.\n\n{code}\n\n1. first item is long\n2. second", 20)
        self.assertEqual(
            lines, ["One two three four", "five six.", "", code, "", "1. first item is", "   long", "2. second"]
        )


if __name__ == "__main__":
    unittest.main()
