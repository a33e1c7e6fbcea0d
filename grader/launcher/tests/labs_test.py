"""The labs as they are: what one says of another."""

import unittest

from launcher.labs import all_labs


class Labs(unittest.TestCase):
    def test_a_lab_and_its_baseline_are_measured_at_one_size(self) -> None:
        """Else a modelled speedup would be over another amount of work: the baseline's report is of its own lab."""
        labs = {lab.number: lab for lab in all_labs()}
        above = [lab for lab in labs.values() if lab.facts["baseline"] != "cpu"]
        self.assertTrue(above, "no lab has another one as its baseline")
        for lab in above:
            with self.subTest(lab.name):
                below = labs[lab.facts["baseline"]]
                self.assertEqual(lab.facts["sizes"]["real"], below.facts["sizes"]["real"], f"{below.name} has another")


if __name__ == "__main__":
    unittest.main()
