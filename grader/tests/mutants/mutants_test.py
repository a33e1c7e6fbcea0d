"""The mutants: how they are drawn, which tests look for them, how results are kept, what the newest measurement says.
Nothing is built here; planted_test does that.
"""

import os
import sys
import tempfile
import unittest
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

from grader.tests.mutants import draw, wall
from grader.tests.mutants.checks import checks_of
from grader.tests.mutants.draw import Mutant
from grader.tests.mutants.results import Results, counted, read, summary
from grader.tests.mutants.tree import CAUGHT, INVALID, ROOT, SURVIVED, Outcome

MEASUREMENTS = ROOT / "docs" / "measurements"


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)


@unittest.skipUnless(find_spec("universalmutator"), "universalmutator is missing: see the requirements.txt here")
class Draw(InAFolder):
    CPP = """// a + b stands in a comment
#include <vector>
int f(std::vector<int>& all, uint32_t n) {
  int sum = 0;
  for (uint32_t i = 0; i < n; ++i) {
    sum += all[i];
  }
  return sum;
}
"""
    PYTHON = '''"""1 + 1 stands in a docstring."""


def f(n: int | None) -> int:
    # 2 + 2 stands in a comment
    return n + 1
'''

    def drawn(self, seed: int = 1) -> list[Mutant]:
        for name, text in (("common/lockstep/base/a.cc", self.CPP), ("grader/batch/b.py", self.PYTHON)):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
            beside = self.folder / Path(name).parent / "tests" / Path(name).name
            beside.parent.mkdir(exist_ok=True)
            beside.write_text(text, encoding="utf-8")
        return list(draw.draw(self.folder, seed))

    def test_a_seed_decides(self) -> None:
        self.assertEqual(self.drawn(1), self.drawn(1))
        self.assertNotEqual(self.drawn(1), self.drawn(2))

    def test_an_edit_elsewhere_changes_no_mutant(self) -> None:
        before = [(one.file, one.before, one.after) for one in self.drawn()]
        file = self.folder / "common/lockstep/base/a.cc"
        file.write_text("int more = 1;\n" + self.CPP, encoding="utf-8")
        after = [(one.file, one.before, one.after) for one in draw.draw(self.folder, 1)]
        self.assertEqual([one for one in after if one[1] != "int more = 1;"], before)

    def test_each_line_that_does_something_has_one_and_others_have_none(self) -> None:
        found: dict[str, set[int]] = {}
        for seed in range(20):  # another mutant of each line, and the same lines
            drawn = self.drawn(seed)
            self.assertEqual(max(Counter((one.file, one.line) for one in drawn).values()), 1)
            for one in drawn:
                found.setdefault(Path(one.file).name, set()).add(one.line)
                self.assertNotIn("tests", one.file)
        self.assertEqual(found, {"a.cc": {3, 4, 5, 6, 8}, "b.py": {6}})

    def test_what_cannot_compile_is_not_tried(self) -> None:
        for seed in range(60):
            for one in self.drawn(seed):
                if one.line == 3:
                    self.assertIn("uint32_t", one.after, "a number within a name stays")
                    self.assertIn("vector<int>&", one.after, "and so do brackets of templates, and references")
                if one.line in (4, 8):
                    self.assertNotIn("break;", one.after, "not in a loop")


class Apply(unittest.TestCase):
    def test_one_line_is_replaced(self) -> None:
        text = "a\n  b;\nc\n"
        self.assertEqual(Mutant("f", 2, "  b;", "  b;\n  break;").apply(text), "a\n  b;\n  break;\nc\n")
        for line, before in ((1, "b"), (9, "a")):
            with self.assertRaises(ValueError):
                Mutant("f", line, before, "x").apply(text)


class Checks(InAFolder):
    def test_every_room_of_python_is_drawn(self) -> None:
        rooms = {path.parent.name for path in (ROOT / "grader").glob("*/tests") if any(path.parent.glob("*.py"))}
        self.assertEqual(rooms, set(draw.PYTHON))

    def test_the_fault_corpus_runs_on_lockstep_of_either_cuda(self) -> None:
        for name in ("libcudart.so.12", "libcudart.so.13"):
            programs = self.folder / name
            for file in (f"lockstep/{name}", "common/lockstep/tests/faults/races"):
                (programs / file).parent.mkdir(parents=True, exist_ok=True)
                (programs / file).touch(mode=0o755)
            faults = checks_of("common/lockstep/check/order.cc", ROOT, programs)[-1]
            self.assertEqual((faults.name, faults.program), ("faults.races", f"lockstep/{name}"))

    def test_the_test_of_the_room_comes_first(self) -> None:
        for file, first in (
            ("common/lockstep/check/order.cc", "lockstep_check_test"),
            ("common/lockstep/engine/traffic_access.h", "lockstep_engine_test"),
            ("grader/judge/run/answer.cc", "judge_test (run)"),
            ("grader/judge/base/text.h", "judge_test (base)"),
            ("grader/batch/records.py", "batch.records_test"),
            ("grader/launcher/variants.py", "launcher.variants_test"),
            ("grader/learner/progress.py", "learner.progress_test"),
        ):
            self.assertEqual(checks_of(file, ROOT)[0].name, first)

    def test_every_source_has_tests_and_every_command_exists(self) -> None:
        for file in draw.sources(ROOT):
            checks = checks_of(file, ROOT)
            self.assertTrue(checks, file)
            for check in checks:
                if check.program:
                    folder = ROOT / Path(check.program).parent
                    self.assertTrue(folder.exists(), f"{folder} is the folder of {check.program}")

    def test_a_device_is_tested_in_its_own_process_too(self) -> None:
        for room, times in (("device", 2), ("runtime", 2), ("alu", 1)):
            checks = checks_of(f"common/lockstep/{room}/a.cc", ROOT)
            runs = [check for check in checks if check.program.endswith("lockstep_runtime_test")]
            self.assertEqual(len(runs), times, room)
            self.assertEqual(runs[-1].command[-1], "{build}/lockstep/device_server" if times == 2 else "")

    def test_no_suite_of_the_judge_is_forgotten(self) -> None:
        own, others = (check.command[2] for check in checks_of("grader/judge/run/answer.cc", ROOT))
        self.assertIn("Guards.*", own)
        self.assertEqual(others, own.replace("--gtest_filter=", "--gtest_filter=-"))


class Kept(InAFolder):
    ONE, OTHER = Mutant("grader/batch/a.py", 3, "a, b", "b, a"), Mutant("grader/judge/run/b.cc", 1, '"x"', '""')

    def setUp(self) -> None:
        super().setUp()
        self.write("grader/batch/a.py", "\n\na, b\n")
        self.write("grader/judge/run/b.cc", '"x"\n')
        self.file = self.folder / "mutants.csv"

    def write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8")

    def results(self, seed: int = 1) -> Results:
        return Results(self.file, seed, self.folder)

    def test_a_run_goes_on_with_the_same_seed_only(self) -> None:
        results = self.results()
        results.store(self.ONE, Outcome(CAUGHT, "batch.a_test: test_it"))
        results.store(self.OTHER, Outcome(SURVIVED))
        self.assertEqual([row.mutant for row in self.results().rows], [self.ONE, self.OTHER])
        self.assertEqual(self.results().rows, results.rows)
        with self.assertRaisesRegex(ValueError, "seed 1 and not of seed 2"):
            self.results(2)

    def test_a_result_follows_its_line_and_goes_with_it(self) -> None:
        for mutant in (self.ONE, self.OTHER):
            self.results().store(mutant, Outcome(CAUGHT))
        self.write("grader/batch/a.py", "a, b\n\n\n\na, b\n\n\n")
        self.write("grader/judge/run/b.cc", '"y"\n')
        self.assertEqual([(row.file, row.line) for row in self.results().rows], [("grader/batch/a.py", 1)])

    def test_a_reason_stays_until_the_mutant_is_caught(self) -> None:
        self.results().store(self.ONE, Outcome(SURVIVED))
        text = self.file.read_text(encoding="utf-8")
        self.file.write_text(text.replace("survived,,", 'survived,,"the same, since …"'), encoding="utf-8")
        results = self.results()
        results.store(self.OTHER, Outcome(INVALID))
        self.assertEqual(read(self.file)[1][0].reason, "the same, since …")
        results.store(self.ONE, Outcome(CAUGHT, "x"))
        self.assertEqual(read(self.file)[1][0].reason, "")
        self.assertEqual(counted(read(self.file)[1]), 1)

    def test_the_summary_counts_no_program_that_is_the_same(self) -> None:
        results = self.results()
        for line, result in enumerate([CAUGHT, CAUGHT, CAUGHT, SURVIVED, INVALID]):
            results.store(Mutant("grader/batch/a.py", line, "a", "b"), Outcome(result))
        self.assertIn("3 of 4 caught (75.0 %); not counted: 1 does not compile", summary(results.rows))


@unittest.skipIf(os.geteuid() != 0 or "bwrap" in wall.why_not(), "needs root and bwrap")
class Wall(InAFolder):
    def test_what_nobody_cannot_read_is_named_with_the_next_step(self) -> None:
        (self.folder / "lab").touch()
        for mode, said in ((0o700, f"cannot read {self.folder}. Next: clone to a folder"), (0o755, "cannot start")):
            self.folder.chmod(mode)
            python = self.folder / "python"
            with mock.patch.object(wall, "ROOT", self.folder), mock.patch.object(sys, "executable", str(python)):
                self.assertIn(said, wall.why_not.__wrapped__())


class Measured(unittest.TestCase):
    def test_every_survivor_of_the_newest_measurement_has_its_reason(self) -> None:
        files = sorted(MEASUREMENTS.glob("mutants_*.csv"))
        self.assertTrue(files, "no measurement of mutants is committed")
        title, rows = read(files[-1])
        self.assertRegex(title, r"^seed \d+$")
        for row in rows:
            if row.result == SURVIVED:
                self.assertTrue(row.reason, f"{files[-1].name}: {row.file}:{row.line} survived, and nobody says why")

    def test_nine_of_ten_are_caught(self) -> None:
        _, rows = read(sorted(MEASUREMENTS.glob("mutants_*.csv"))[-1])
        caught = sum(row.result == CAUGHT for row in rows)
        self.assertGreaterEqual(caught, 0.9 * counted(rows), summary(rows))


if __name__ == "__main__":
    unittest.main()
