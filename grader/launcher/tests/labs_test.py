"""The labs of this tree: the statements of one lab about another, and of the pages about labs."""

import re
import unittest

from launcher.judge import targets
from launcher.labs import Lab, all_labs, find_lab
from launcher.paths import ROOT


class Labs(unittest.TestCase):
    def test_a_lab_and_its_baseline_are_measured_at_one_size(self) -> None:
        """If not, a modelled speedup would compare different amounts of work: the baseline's report is of its own
        lab."""
        labs = {lab.number: lab for lab in all_labs()}
        above = [lab for lab in labs.values() if lab.facts["baseline"] != "cpu"]
        self.assertTrue(above, "no lab has another one as its baseline")
        for lab in above:
            with self.subTest(lab.name):
                below = labs[lab.facts["baseline"]]
                self.assertEqual(lab.facts["sizes"]["real"], below.facts["sizes"]["real"], f"{below.name} has another")

    def test_instructors_read_whose_speed_lockstep_grades(self) -> None:
        page, model = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("instructors.md", "model.md"))
        uncertainty = float(re.findall(r"([\d.]+)<!-- model.speedup_error -->", model)[0])
        said = {
            says: re.findall(r"\d\d", labs) for labs, says in re.findall(r"^\| (\d\d[^|]*) \| (.*) \|$", page, re.M)
        }
        by_what: dict[str, list[str]] = {"by the model": [], "uncertainty": [], "no CPU": []}
        for lab in all_labs():
            if lab.facts["speed"]:
                by_what[how_graded(lab, uncertainty)].append(lab.number)
        for what, numbers in by_what.items():
            listed = [labs for says, labs in said.items() if what in says]
            self.assertEqual(listed, [numbers], f'docs/instructors.md lists other labs in the row "{what}"')


class Targets(unittest.TestCase):
    """What is built before a lab is graded."""

    def test_the_runner_and_the_report_of_the_lab_below(self) -> None:
        lab03 = find_lab("03")
        for form in ("3", lab03.name, str(lab03.folder) + "/", str(lab03.source)):
            self.assertEqual(find_lab(form).number, "03", form)
        wanted = ["cudart_lockstep", "judge", "lab02.report", "runner_reduction"]
        self.assertEqual(targets([lab03]), wanted)
        self.assertEqual(targets([lab03], solutions=True), sorted([*wanted, "lab03.solution"]))
        self.assertEqual(targets([lab03, find_lab("20")]), sorted([*wanted, "runner_scan"]))

    def test_what_a_handout_runs_is_built(self) -> None:
        """By the target of the lab: a machine without TBB has no target lab26.compare."""
        for number, programs in (("03", False), ("11", True), ("26", True)):
            wanted = targets([find_lab(number)])
            self.assertEqual(f"lab{number}" in wanted, programs)
            self.assertFalse([target for target in wanted if target.startswith(f"lab{number}.")])

    def test_a_lab_in_opencl_has_a_source_and_no_program(self) -> None:
        lab20 = find_lab("20")
        self.assertTrue(lab20.is_opencl)
        self.assertEqual(targets([lab20]), ["cudart_lockstep", "judge", "runner_scan"])


def how_graded(lab: Lab, uncertainty: float) -> str:
    if lab.facts["baseline"] == "cpu":
        return "no CPU"
    graded = any(threshold["speedup"] >= uncertainty for threshold in lab.facts["speed"])
    return "by the model" if graded else "uncertainty"


if __name__ == "__main__":
    unittest.main()
