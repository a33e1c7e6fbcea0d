"""./lab reset, diff and solution, in a small course of its own."""

import io
import os
import unittest
from unittest import mock

import commands
from launcher import console
from launcher.console import Failure
from learner import ladder, own_file
from learner.tests.courses import WithProgress, a_lab, git

STARTER, MINE, REFERENCE = "// TODO 1\nint a;\n", "// done\nint a;\n", "// best\nint a;\n"


class OwnFile(WithProgress):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "course"
        self.lab = a_lab(self.root / "labs" / "07_mine")
        self.lab.solution = self.root / "solutions" / "07_mine" / "scan.cu"
        for file, text in ((self.lab.source, STARTER), (self.lab.solution, REFERENCE)):
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
        git(self.root, "init", "-q", "-b", "main")
        git(self.root, "add", ".")
        git(self.root, "commit", "-q", "-m", "the course")
        self.source = self.lab.source
        for change in (
            mock.patch.object(own_file, "ROOT", self.root),
            mock.patch.object(own_file, "find_lab", lambda _: self.lab),
            mock.patch.object(ladder, "find_lab", lambda _: self.lab),
        ):
            change.start()
            self.addCleanup(change.stop)

    def lab_says(self, *words: str) -> str:
        arguments = commands.PARSER.parse_args(list(words))
        said = io.StringIO()
        with mock.patch.object(console, "_stream", said):
            self.assertEqual(arguments.run(arguments), 0)
        return said.getvalue()

    def kept(self) -> list[str]:
        return [file.read_text(encoding="utf-8") for file in self.source.parent.glob("scan.cu.*")]

    def test_reset_keeps_a_copy_and_says_where(self) -> None:
        self.source.write_text(MINE, encoding="utf-8")
        said = self.lab_says("reset", "7")
        self.assertEqual(self.source.read_text(encoding="utf-8"), STARTER)
        self.assertEqual(self.kept(), [MINE])
        (copy,) = self.source.parent.glob("scan.cu.*")
        self.assertIn(str(copy), said)
        for text in ("second\n", "third\n"):  # two in one second have two names
            self.source.write_text(text, encoding="utf-8")
            self.lab_says("reset", "7")
        self.assertEqual(sorted(self.kept()), sorted([MINE, "second\n", "third\n"]))

    def test_a_copy_that_cannot_be_made_stops_the_reset(self) -> None:
        self.source.write_text(MINE, encoding="utf-8")
        full = OSError(28, "No space left on device")
        with (
            mock.patch.object(own_file.shutil, "copy2", side_effect=full),
            self.assertRaisesRegex(Failure, "cannot be replaced: No space left"),
        ):
            self.lab_says("reset", "7")
        self.assertEqual(self.source.read_text(encoding="utf-8"), MINE)

    def test_reset_of_the_starter_changes_nothing(self) -> None:
        self.assertIn("is the starter already", self.lab_says("reset", "7"))
        self.assertEqual(self.kept(), [])

    def test_reset_brings_a_lost_file_back(self) -> None:
        self.source.unlink()
        self.lab_says("reset", "7")
        self.assertEqual(self.source.read_text(encoding="utf-8"), STARTER)

    def test_committed_work(self) -> None:
        first = git(self.root, "rev-parse", "HEAD").strip()
        self.source.write_text(MINE, encoding="utf-8")
        git(self.root, "commit", "-qam", "my work")
        said = self.lab_says("reset", "7")
        self.assertIn("name the commit that has the starter", said)
        self.lab_says("reset", "7", "--from", first)
        self.assertEqual(self.source.read_text(encoding="utf-8"), STARTER)
        self.assertEqual(self.kept(), [MINE])

    def test_a_clone_knows_the_course_by_its_upstream(self) -> None:
        clone = self.folder / "clone"
        git(self.folder, "clone", "-q", str(self.root), str(clone))
        self.lab.source = clone / "labs" / "07_mine" / "scan.cu"
        self.lab.source.write_text(MINE, encoding="utf-8")
        git(clone, "commit", "-qam", "my work")
        with mock.patch.object(own_file, "ROOT", clone):
            self.assertIn("+// done", self.lab_says("diff", "7"))
            self.lab_says("reset", "7")
        self.assertEqual(self.lab.source.read_text(encoding="utf-8"), STARTER)

    def test_without_git(self) -> None:
        with mock.patch.dict(os.environ, GIT_DIR="/nowhere"), self.assertRaisesRegex(Failure, "The starter comes from"):
            self.lab_says("reset", "7")
        with self.assertRaisesRegex(Failure, "in the commit nonsense"):
            self.lab_says("diff", "7", "--from", "nonsense")

    def test_diff_with_the_starter(self) -> None:
        self.assertIn("is the same as the starter", self.lab_says("diff", "7"))
        self.source.write_text(MINE, encoding="utf-8")
        said = self.lab_says("diff", "7")
        self.assertIn("-// TODO 1\n+// done\n int a;\n", said)
        self.assertNotIn("is the same", said)

    def test_the_solution_is_for_those_who_passed(self) -> None:
        for words in (("solution", "7"), ("diff", "7", "--solution")):
            with self.subTest(words), self.assertRaisesRegex(Failure, "not passed lab 07 yet.*(.|\n)*--yes$"):
                self.lab_says(*words)
        self.assertIn("// best", self.lab_says("solution", "7", "--yes"))
        self.passed("07_mine")
        self.assertIn("// best", self.lab_says("solution", "7"))
        self.assertIn("-// TODO 1\n+// best", self.lab_says("diff", "7", "--solution"))
        self.source.write_text(REFERENCE, encoding="utf-8")
        self.assertIn("is the same as", self.lab_says("diff", "7", "--solution"))


if __name__ == "__main__":
    unittest.main()
