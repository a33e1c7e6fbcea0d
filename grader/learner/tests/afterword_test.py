"""What a pass adds: figures are kept, gains and the learner's own rungs are shown, and the next lab."""

import unittest

from launcher.demo import INSTRUCTIONS, SECTORS
from launcher.labs import find_lab
from learner import afterword, figures, ladder, progress, record
from learner.tests.courses import WithProgress, a_lab


def verdict(word: str = "accepted", ms: float | None = 0.5, n: int = 1000, **rules: float) -> dict:
    return {
        "verdict": word,
        "failed_check": None if word == "accepted" else "case.x",
        "rules": [{"name": name, "value": value, "per": "element"} for name, value in rules.items()],
        "counters": {INSTRUCTIONS: 4.0 * n, SECTORS[0]: n / 4},
        "measurements": [],
        "time": {"ms": None},
        "speed": {"modelled": {"NVIDIA H200": {"ms": ms}} if ms else {}},
    }


class Afterword(WithProgress):
    def test_gains_over_the_starter(self) -> None:
        lab = a_lab(self.folder / "02_x")
        self.assertEqual(
            afterword.gained(lab, verdict(divergence=0.005859375, lanes=4)),
            ["    divergence: 0.1875 before, 0.005859 now per element, 32 × less"],
        )
        self.assertEqual(afterword.gained(lab, verdict(divergence=0.1875)), [], "nothing was gained")
        self.assertIn("0 now per element", afterword.gained(lab, verdict(divergence=0))[0])
        self.assertEqual(afterword.gained(lab, {**verdict(), "rules": [{"name": "divergence", "value": None}]}), [])

    def test_a_failure_keeps_its_verdict_and_adds_nothing(self) -> None:
        lab = find_lab("02")
        answered = record.keep(lab, verdict("wrong answer"))
        self.assertEqual(afterword.lines(lab, verdict("wrong answer"), answered), [])
        entry = progress.load()[lab.name]
        self.assertEqual((entry["checks"], entry["first_pass"], entry["best"]), ({"wrong answer": 1}, None, {}))
        self.assertEqual(entry["last"]["check"], "case.x")

    def test_the_first_pass_stays_the_first(self) -> None:
        lab = find_lab("02")
        record.keep(lab, verdict())
        first = progress.load()[lab.name]["first_pass"]
        record.keep(lab, verdict())
        record.keep(lab, verdict("rule broken"))
        entry = progress.load()[lab.name]
        self.assertEqual(entry["first_pass"], first)
        self.assertEqual(entry["checks"], {"accepted": 2, "rule broken": 1})

    def test_the_best_of_each_figure(self) -> None:
        lab = a_lab(self.folder / "02_x")
        kept = figures.best(lab, {}, figures.of(lab, verdict(divergence=0.02, lanes=3)))
        kept = figures.best(lab, kept, figures.of(lab, verdict(ms=0.7, divergence=0.01, lanes=2)))
        self.assertEqual(kept["rules"], {"divergence": 0.01, "lanes": 3}, "one must be small and one must be large")
        self.assertEqual((kept["instructions"], kept["sectors"], kept["picoseconds"]), (4, 0.25, 0.5e6))
        measured = figures.of(lab, verdict()) | {"picoseconds": 9e9, "modelled": False}
        kept = figures.best(lab, kept, measured)
        self.assertEqual(
            (kept["picoseconds"], kept["modelled"]), (9e9, False), "a measured time replaces a modelled one"
        )
        self.assertFalse(figures.best(lab, kept, figures.of(lab, verdict(ms=0.1)))["modelled"])

    def test_ones_own_rungs_and_the_next(self) -> None:
        self.passed("00_hello")
        for number in ("02", "03"):
            lab = find_lab(number)
            passed = verdict(n=lab.facts["sizes"]["real"])
            text = "\n".join(afterword.lines(lab, passed, record.keep(lab, passed)))
            self.assertEqual("Your rungs so far" in text, number == "03", "one rung alone is no table")
        self.assertRegex(text, r"02 Neighbouring pairs +4 +0\.25 +~29\.8")
        self.assertIn("~ modelled for the NVIDIA H200, not measured", text)
        self.assertIn("Next: 01 ", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 60)

    def test_cells(self) -> None:
        for value, shown in ((0, "0.0000"), (0.0052, "0.0052"), (0.25, "0.25"), (17.44, "17.4"), (4213.4, "4,213")):
            rung = ladder.Rung(find_lab("02"), {"best": {"sectors": value}}, ladder.State.PASSED)
            self.assertEqual(afterword._cell(rung, "sectors"), shown)
        self.assertEqual(afterword._cell(rung, "instructions"), "–")

    def test_predictions_stand_first(self) -> None:
        lab = find_lab("02")
        lines = afterword.lines(lab, verdict(), ["    loads: you said 1; it is 2"])
        self.assertEqual([line.strip() for line in lines[1:3]], ["Predictions", "loads: you said 1; it is 2"])


if __name__ == "__main__":
    unittest.main()
