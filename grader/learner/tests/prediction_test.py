"""Predictions: who is asked, what counts as a number, and which figure answers."""

import io
import re
import unittest
from pathlib import Path
from unittest import mock

from launcher import console
from launcher.labs import all_labs, find_lab
from learner import handout, prediction, progress
from learner.prediction import figure, parsed
from learner.tests.courses import WithProgress, a_lab, in_terminal

VERDICT = {
    "verdict": "accepted",
    "rules": [{"name": "waits", "value": 10.0}],
    "counters": {"loads": 96.0, "requests": 24.0, "none": 0.0},
    "measurements": [
        {"input": "random", "counters": {"loads": 96.0}},
        {"input": "constant", "counters": {"loads": 32.0}},
    ],
}
ASKS = [{"ask": "loads", "counter": "loads"}, {"ask": "waits", "rule": "waits"}]


class Prediction(WithProgress):
    def setUp(self) -> None:
        super().setUp()
        self.lab = a_lab(self.folder / "02_mine", predict=ASKS)

    def kept(self) -> dict[str, dict[str, float | None]]:
        return progress.load()["02_mine"]["predictions"]

    def test_a_person_is_asked_once(self) -> None:
        said = in_terminal(lambda: prediction.ask_once(self.lab), typed="1,024\nten\n10\n")
        self.assertIn("loads? ", said)
        self.assertIn("A number, please", said)
        self.assertEqual(self.kept(), {"loads": {"said": 1024, "is": None}, "waits": {"said": 10, "is": None}})
        self.assertEqual(in_terminal(lambda: prediction.ask_once(self.lab)), "")

    def test_enter_skips_for_good(self) -> None:
        in_terminal(lambda: prediction.ask_once(self.lab), typed="\n7\n")
        self.assertEqual(self.kept()["loads"], {"said": None, "is": None})
        self.assertEqual(in_terminal(lambda: prediction.ask_once(self.lab)), "")

    def test_the_end_of_the_input_skips(self) -> None:
        in_terminal(lambda: prediction.ask_once(self.lab), typed="\x04\x04")
        self.assertEqual(self.kept()["waits"], {"said": None, "is": None})

    def test_a_pipe_is_not_asked(self) -> None:
        with (
            mock.patch("sys.stdin", io.StringIO("1\n2\n")),
            mock.patch.object(console, "_stream", io.StringIO()) as said,
        ):
            prediction.ask_once(self.lab)
        self.assertEqual(said.getvalue(), "")
        self.assertFalse(self.file.exists())

    def test_a_notebook_is_not_asked(self) -> None:
        with mock.patch.dict("os.environ", JPY_PARENT_PID="1"):
            self.assertEqual(in_terminal(lambda: prediction.ask_once(self.lab)), "")
        self.assertFalse(self.file.exists())

    def test_a_pass_answers_once(self) -> None:
        entry = progress.entry({}, "")
        entry["predictions"] = {"loads": {"said": 100, "is": None}, "waits": {"said": 10, "is": None}}
        lines = prediction.answer(self.lab, VERDICT, entry)
        self.assertEqual(
            [line.strip() for line in lines], ["loads: you said 100; it is 96", "waits: you said 10; it is 10"]
        )
        self.assertEqual(entry["predictions"]["loads"], {"said": 100, "is": 96})
        self.assertEqual(prediction.answer(self.lab, VERDICT, entry), [], "it was compared already")

    def test_what_was_skipped_or_is_not_counted_is_not_compared(self) -> None:
        entry = progress.entry({}, "")
        entry["predictions"] = {"loads": {"said": None, "is": None}, "waits": {"said": 3, "is": None}}
        uncounted = VERDICT | {"counters": {}, "measurements": [], "rules": [{"name": "waits", "value": None}]}
        self.assertEqual(prediction.answer(self.lab, uncounted, entry), [])
        self.assertIsNone(entry["predictions"]["waits"]["is"])

    def test_a_figure_without_a_prediction_is_shown_once(self) -> None:
        entry = progress.entry({}, "")
        entry["predictions"] = {"loads": {"said": None, "is": None}}  # skipped; the other was never asked
        lines = [line.strip() for line in prediction.answer(self.lab, VERDICT, entry)]
        self.assertEqual(lines, ["loads: 96, not predicted", "waits: 10, not predicted"])
        self.assertEqual(prediction.answer(self.lab, VERDICT, entry), [])

    def test_the_example_of_a_number_gives_no_answer_away(self) -> None:
        example = re.search(r"such as (\d+)", Path(prediction.__file__).read_text(encoding="utf-8"))
        references = {question["reference"] for lab in all_labs() for question in prediction.questions(lab)}
        self.assertNotIn(int(example[1]) if example else 0, references)

    def test_figures(self) -> None:
        for question, value in (
            ({"counter": "loads"}, 96),
            ({"counter": "loads", "per": 4}, 24),
            ({"counter": "loads", "per": "requests"}, 4),
            ({"counter": "loads", "input": "constant"}, 32),
            ({"rule": "waits"}, 10),
            ({"counter": "loads", "per": "none"}, None),
            ({"counter": "unknown"}, None),
            ({"rule": "unknown"}, None),
        ):
            self.assertEqual(figure(question, VERDICT), value, question)

    def test_numbers_as_people_write_them(self) -> None:
        for text, value in (
            ("192", 192),
            ("262,144", 262144),
            ("0.25", 0.25),
            ("1/64", 1 / 64),
            ("1 / 4", 0.25),
        ):
            self.assertEqual(parsed(text), value, text)
        for text in ("", "ten", "0,25", "1,2345", "nan", "inf", "1/0", "1/2/3", "1e", "0x10", "-3"):
            self.assertIsNone(parsed(text), text)

    def test_right_is_within_half_a_percent(self) -> None:
        with mock.patch.object(prediction, "paint", lambda text, style: style):
            for said, value, style in (
                (4202496, 4202496, "new"),
                (4.2e6, 4202496, "new"),
                (4.1e6, 4202496, ""),
                (0, 0, "new"),
                (1, 0, ""),
            ):
                self.assertEqual(prediction.compared("x", said, value), style, (said, value))


class Labs(unittest.TestCase):
    """What the labs of this tree ask for."""

    def test_every_handout_that_says_predict_first_asks(self) -> None:
        for lab in all_labs():
            with self.subTest(lab.name):
                asks = "**Predict first" in handout.text_of(lab)
                self.assertEqual(asks, "predict" in lab.facts or "predict_why" in lab.facts)
                self.assertFalse("predict" in lab.facts and "predict_why" in lab.facts)

    def test_the_figures_stand_in_the_handout(self) -> None:
        """They are the reference's. learner.figures measures them."""
        for lab in all_labs():
            text = handout.text_of(lab)
            for question in prediction.questions(lab):
                with self.subTest(lab.name, ask=question["ask"]):
                    value = question["reference"]
                    forms = {f"{value:,}", f"{value:g}", *(f"{value:.{digits}f}" for digits in range(1, 6))}
                    self.assertTrue(
                        any(re.search(rf"(?<![\d.,]){re.escape(form)}(?!\d)", text) for form in forms), forms
                    )

    def test_the_questions_fit_into_sixty_columns(self) -> None:
        for lab in all_labs():
            for question in prediction.questions(lab):
                self.assertLessEqual(len(question["ask"]), 52, question["ask"])
                self.assertNotIn("?", question["ask"])

    def test_a_question_names_a_rule_or_a_counter(self) -> None:
        for lab in all_labs():
            rules = {rule["name"] for rule in lab.facts.get("rules", [])}
            asked = [question["ask"] for question in prediction.questions(lab)]
            self.assertEqual(len(asked), len(set(asked)), "two questions with one text")
            for question in prediction.questions(lab):
                with self.subTest(lab.name, ask=question["ask"]):
                    self.assertLessEqual(question.keys(), {"ask", "counter", "rule", "per", "input", "reference"})
                    self.assertNotEqual("counter" in question, "rule" in question)
                    self.assertIn(question.get("rule"), {None, *rules})
                    self.assertIn(question.get("input"), {None, *lab.facts.get("measured_inputs", [])})


class Command(WithProgress):
    def test_predict_asks_again(self) -> None:
        import commands

        lab = find_lab("05")
        arguments = commands.PARSER.parse_args(["predict", "05"])
        typed = "".join(f"{number}\n" for number in range(1, 1 + len(prediction.questions(lab))))
        for _ in range(2):
            self.assertIn("Predict first (05", in_terminal(lambda: arguments.run(arguments), typed=typed))
        kept = progress.load()[lab.name]["predictions"]
        self.assertEqual([answer["said"] for answer in kept.values()], [1 + n for n in range(len(kept))])


if __name__ == "__main__":
    unittest.main()
