"""./lab alone, ./lab next, and the place on the ladder."""

import unittest

from launcher.labs import all_labs
from launcher.tests.machines import lab
from learner import home, ladder, progress
from learner.ladder import State
from learner.tests.courses import WithProgress, in_terminal


class Home(WithProgress):
    def test_a_beginner_stands_before_lab_00(self) -> None:
        answer = lab(env={"WARPLADDER_PROGRESS": str(self.file)})
        self.assertEqual(answer.code, 0, answer.text)
        self.assertIn(f"0 of {len(all_labs())} labs passed", answer.text)
        self.assertIn("Next: 00 ", answer.text)
        self.assertIn("./lab check 00", answer.text)
        self.assertNotIn("\033", answer.text, "a pipe gets no colours")

    def test_what_is_passed_opens_what_needs_it(self) -> None:
        self.passed("00_hello")
        states = {rung.lab.number: rung.state for rung in ladder.rungs()}
        self.assertEqual(states["00"], State.PASSED)
        self.assertEqual({number for number, state in states.items() if state is State.OPEN}, {"01", "02", "15"})
        self.assertEqual(ladder.following(ladder.rungs()).lab.number, "01")

    def test_here_is_what_was_checked_last(self) -> None:
        self.passed("00_hello")
        last = {"verdict": "wrong answer", "check": "case", "date": progress.now()}
        progress.change("15_histogram_global_atomics", lambda entry: entry.update(last=last))
        self.assertEqual(ladder.here(ladder.rungs()).lab.number, "15")
        self.assertEqual(ladder.chosen(None).number, "15")
        self.assertEqual(ladder.chosen("3").number, "03")
        self.passed("15_histogram_global_atomics")
        self.assertEqual(ladder.here(ladder.rungs()).lab.number, "01")
        self.assertEqual(ladder.following(ladder.rungs(), besides="01").lab.number, "02")

    def test_a_lab_that_was_begun_too_early_is_still_offered(self) -> None:
        self.passed(*(one.name for one in all_labs() if one.number != "00"))
        self.assertEqual(ladder.following(ladder.rungs()).lab.number, "00")

    def test_the_top(self) -> None:
        self.passed(*(one.name for one in all_labs()))
        self.assertIsNone(ladder.here(ladder.rungs()))
        for command in ((), ("next",), ("hint",)):
            answer = lab(*command, env={"WARPLADDER_PROGRESS": str(self.file)})
            self.assertEqual(answer.code, 0, answer.text)
            self.assertIn(home.TOP, answer.text)

    def test_sixty_columns_and_colours(self) -> None:
        self.passed("00_hello", "01_scan_naive")
        for columns in (60, 40):
            said = in_terminal(lambda: home.run(None), columns=columns, NO_COLOR="1")
            if columns == 60:
                self.assertLessEqual(max(map(len, said.splitlines())), columns)
            self.assertNotIn("\033", said)
        self.assertIn("\033[32;1mNext: 02", in_terminal(lambda: home.run(None)))
        self.assertNotIn("\033", in_terminal(lambda: home.run(None), TERM="dumb"))


if __name__ == "__main__":
    unittest.main()
