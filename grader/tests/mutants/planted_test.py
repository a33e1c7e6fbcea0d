"""Planted mutants of which we know what must become of them: caught, survived, the same program, no program at all.
Also one that never ends, one that kills and one that removes what it can reach. The tests of one room are built.
"""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from grader.tests.mutants import checks, tree, wall
from grader.tests.mutants.checks import Check
from grader.tests.mutants.draw import Mutant
from grader.tests.mutants.tree import CAUGHT, INVALID, ROOT, SAME, SURVIVED, Outcome, Tree

ORDER, RECORDS = "common/lockstep/check/order.cc", "grader/batch/records.py"


def planted(file: str, old: str, new: str) -> Mutant:
    """The one line of the file with this text, with another text in its place."""
    lines = (ROOT / file).read_text(encoding="utf-8").split("\n")
    (number,) = (number for number, line in enumerate(lines, 1) if old in line)
    return Mutant(file, number, lines[number - 1], lines[number - 1].replace(old, new))


def first_check(file: str, root: Path, programs: Path | None = None) -> list[Check]:
    return checks.checks_of(file, root, programs)[:1]


@unittest.skipIf(wall.why_not(), wall.why_not())
class Planted(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.folder.chmod(0o755)  # the tests of a mutant may run as another user
        few = mock.patch.object(tree, "checks_of", first_check)
        few.start()
        self.addCleanup(few.stop)

    def test_cpp(self) -> None:
        here = Tree(self.folder / "tree")
        before = (here.root / ORDER).read_bytes()
        caught = Outcome(CAUGHT, "lockstep_check_test: OrderTest.AStoreEndsWhatWasReleasedBeforeIt")
        erase = "return updates(access) ? void() : void(released.erase(found));"
        for mutant, outcome in (
            (planted(ORDER, erase, "return;"), caught),
            (planted(ORDER, "SegmentId{1} << 31", "SegmentId{2} << 30"), Outcome(SAME)),
            (planted(ORDER, erase, "return updates(access) ? void();"), Outcome(INVALID)),
            (planted(ORDER, erase, "for (;;) {}"), None),
        ):
            with self.subTest(mutant.after), mock.patch.object(tree, "LEAST_SECONDS", 20.0):
                found = here.test(mutant)
                self.assertEqual(found, outcome or Outcome(CAUGHT, found.by))
                if outcome is None:
                    self.assertRegex(found.by, "did not end within")
        self.assertEqual((here.root / ORDER).read_bytes(), before)

    def test_python(self) -> None:
        here = Tree(self.folder / "tree")
        canary = self.folder / "canary" / "file"
        canary.parent.mkdir(mode=0o777)
        canary.touch()
        canary.parent.chmod(0o777)
        version = 'and record["grader"]["version"] == grader.version'
        name = "test_a_result_is_current_for_the_same_files_grader_and_options_only"
        for code, result, by in (
            ("", CAUGHT, f"batch.records_test: {name}"),
            ('and not (record["grader"]["version"] != grader.version)', SURVIVED, ""),
            ('and __import__("os").kill(-1, 9)', CAUGHT, "batch.records_test: "),
            (f'and __import__("shutil").rmtree("{canary.parent}")', CAUGHT, "batch.records_test: test_"),
            (f'and {version[4:]} and not __import__("shutil").rmtree("{canary.parent}", True)', SURVIVED, ""),
        ):
            with self.subTest(code):
                found = here.test(planted(RECORDS, version, code))
                self.assertEqual(found.result, result)
                self.assertTrue(found.by.startswith(by), found.by)
        self.assertTrue(canary.exists(), "a mutant has removed a file outside of its own folder")

    def test_a_check_that_does_not_pass_without_a_mutant_catches_nothing(self) -> None:
        fails = Check("fails", ("false",))
        with mock.patch.object(tree, "checks_of", lambda *_: [fails]), self.assertRaises(tree.Broken):
            Tree(self.folder / "tree").test(planted(RECORDS, "record is not None", "record is None"))
        with mock.patch.object(tree, "checks_of", lambda *_: [fails, Check("passes", ("true",))]):
            here = Tree(self.folder / "tree")
            self.assertEqual(here.test(planted(RECORDS, "record is not None", "record is None")), Outcome(SURVIVED))
            self.assertEqual(here.left_out(), ["fails"])


if __name__ == "__main__":
    unittest.main()
