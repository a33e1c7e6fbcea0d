"""./lab strip: what is in a learners' repository, and what is refused. Nothing is compiled: the objects are played."""

import io
import re
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar
from unittest import mock

import commands
from launcher import console, labs
from launcher.console import Failure
from launcher.tests.machines import InAFolder, lab
from strip import baselines, pages, strip
from strip.course import File
from strip.tests.courses import OLDER, a_course, commit, git

LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]+)[^)]*\)")
SOLUTION = "solutions/02_reduce_neighbored/reduce.cu"
APART = "this course keeps its solutions apart"


def objects(repository: Path) -> Iterator[tuple[str, str, bytes]]:
    """Hash, kind and content of everything that git holds there."""
    rest = memoryview(git(repository, "cat-file", "--batch-all-objects", "--batch", "--buffer"))
    while rest:
        head, _, _ = bytes(rest[:200]).partition(b"\n")
        digest, kind, size = head.decode().split()
        rest = rest[len(head) + 1 :]
        yield digest, kind, bytes(rest[: int(size)])
        rest = rest[int(size) + 1 :]


def stripped(course: Path, folder: Path, *options: str) -> tuple[int, str]:
    """./lab strip in the course, with played objects: the exit code and what it says."""
    arguments = commands.PARSER.parse_args(["strip", str(folder), *options])
    said = io.StringIO()
    with (
        mock.patch.multiple(strip, ROOT=course, build=mock.DEFAULT, setup=mock.DEFAULT),
        mock.patch.object(labs, "ROOT", course),
        mock.patch.object(baselines, "compiled", lambda lab, *_: File(b"\x7fELF " + lab.encode())),
        mock.patch.object(console, "_stream", said),
    ):
        return arguments.run(arguments), said.getvalue()


class WithCourse(InAFolder):
    """One course for all tests of a class. A test that commits to it takes its commit back."""

    course: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.course = a_course(Path(holder.name) / "course")

    def setUp(self) -> None:
        super().setUp()
        self.learners = self.folder / "learners"
        head = git(self.course, "rev-parse", "HEAD").decode().strip()
        self.addCleanup(git, self.course, "reset", "-q", "--hard", head)


class Learners(WithCourse):
    """The repository that ./lab strip makes of this course."""

    made: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.made = cls.course.parent / "learners"
        stripped(cls.course, cls.made)

    def setUp(self) -> None:
        super().setUp()
        self.learners = self.made
        names = {str(path.relative_to(self.learners)) for path in self.learners.rglob("*") if path.is_file()}
        self.files = {name for name in names if not name.startswith(".git/") and "__pycache__" not in name}

    def test_no_object_of_git_is_a_file_of_the_solutions(self) -> None:
        listed = git(self.course, "rev-list", "--objects", "--all", "--", "solutions").decode().splitlines()
        shown = git(self.course, "ls-tree", "-r", "HEAD", "labs").decode()
        hidden = {line.split()[0] for line in listed if "." in line and line.split()[0] not in shown}
        older = git(self.course, "rev-parse", f"HEAD~1:{SOLUTION}").decode().strip()
        self.assertIn(older, hidden)
        self.assertGreater(len(hidden), 200)
        self.assertEqual(hidden & {digest for digest, *_ in objects(self.learners)}, set())

    def test_no_object_of_git_has_a_line_of_a_solution_that_no_lab_shows(self) -> None:
        def lines(text: str) -> set[str]:
            return {line.strip() for line in text.splitlines() if len(line.strip()) >= 40}

        labs = (self.course / "labs").rglob("*.*")
        shown = {line for file in labs for line in lines(file.read_text("utf-8", "replace"))}
        sources = [*self.course.glob("solutions/*/*.cu"), *self.course.glob("solutions/*/notes.md")]
        secret = {line for file in sources for line in lines(file.read_text("utf-8"))} - shown
        self.assertGreater(len(secret), 500)
        for digest, _, data in objects(self.learners):
            self.assertEqual(secret & lines(data.decode("utf-8", "replace")), set(), digest)

    def test_the_history_is_one_commit_and_every_file_is_in_it(self) -> None:
        self.assertEqual(git(self.learners, "rev-list", "--all", "--count").strip(), b"1")
        self.assertEqual(git(self.learners, "status", "--porcelain"), b"")
        names = git(self.learners, "log", "--all", "--format=", "--name-only").decode().split()
        self.assertEqual(set(names), self.files)
        for name in names:
            self.assertNotRegex(name, r"^solutions/|/wrong/|/tests/|^labs/.*\.py$")

    def test_what_a_learner_needs_is_there(self) -> None:
        for name in ("lab", "README.md", "labs/03_reduce_less_divergent/reduce.cu", "docs/climbing.md", ".gitignore"):
            self.assertEqual((self.learners / name).stat().st_mode, (self.course / name).stat().st_mode, name)
        self.assertTrue(any(name.startswith("baselines/02_reduce_neighbored.") for name in self.files))
        self.assertFalse(any(name.startswith("baselines/26_pipeline.") for name in self.files))
        self.assertIn("learners' repository", (self.learners / "README.md").read_text("utf-8")[:100])

    def test_no_link_is_dead(self) -> None:
        count = 0
        for page in sorted(name for name in self.files if name.endswith(".md")):
            text = pages.FENCED.sub("", (self.learners / page).read_text("utf-8"))
            for target in LINK.findall(text):
                count += 1
                self.assertTrue((self.learners / page).parent.joinpath(target).exists(), f"{page}: {target}")
        self.assertGreater(count, 200)

    def test_its_commands_say_that_the_solutions_are_elsewhere(self) -> None:
        for words in ("solution 3", "solution 3 --yes", "diff 3 --solution --yes", "wrong 3", "new 42_x --from 3"):
            answer = lab(*words.split(), root=self.learners)
            self.assertEqual(answer.code, 2, words)
            self.assertIn(APART, answer.text)
        self.assertIn("a learners' repository", lab("strip", "x", root=self.learners).text)

    def test_its_other_commands_work_without_a_build(self) -> None:
        known = {"list": "Whole warps retire", "next": "labs/00_hello", "diff 3": "as the starter", "hint 3": "hint 1"}
        for words, said in known.items():
            answer = lab(*words.split(), root=self.learners)
            self.assertEqual(answer.code, 0, answer.text)
            self.assertIn(said, answer.text)


class Update(WithCourse):
    """./lab strip into a folder that it has made."""

    def test_what_changed_is_one_commit_more(self) -> None:
        stripped(self.course, self.learners)
        self.assertIn("is up to date", stripped(self.course, self.learners)[1])
        self.assertEqual(stripped(self.course, self.learners, "--check")[0], 0)
        before = {file.name for file in (self.learners / "baselines").iterdir()}

        text = (self.course / SOLUTION).read_text("utf-8")
        commit(self.course, **{SOLUTION: f"{text}// changed\n", "docs/new.md": "# New\n"})
        code, said = stripped(self.course, self.learners, "--check")
        self.assertEqual(code, 1)
        self.assertRegex(said, r"baselines/02_reduce_neighbored\.\w+\.o: its source has changed")

        code, said = stripped(self.course, self.learners)
        self.assertEqual(re.findall(r"    baselines/(\d\d)", said), ["02"])
        after = {file.name for file in (self.learners / "baselines").iterdir()}
        self.assertEqual([name[:2] for name in sorted(before ^ after)], ["02", "02"])
        self.assertTrue((self.learners / "docs" / "new.md").exists())
        self.assertEqual(git(self.learners, "rev-list", "--count", "HEAD").strip(), b"2")
        self.assertEqual(stripped(self.course, self.learners, "--check")[0], 0)

    def test_what_a_starter_showed_when_it_was_published_is_no_secret(self) -> None:
        line = "__device__ int tile_before(const Tile& tile) { return tile.before; }\n"
        solution, starter = "solutions/24_stream_compaction/select.cu", "labs/25_radix_sort/sort.cu"
        before = {name: (self.course / name).read_text("utf-8") for name in (solution, starter)}
        commit(self.course, **{name: text + line for name, text in before.items()})
        stripped(self.course, self.learners)
        commit(self.course, **{starter: before[starter]})
        self.assertEqual(stripped(self.course, self.learners)[0], 0)
        self.assertEqual(stripped(self.course, self.learners, "--check")[0], 0)
        commit(self.course, **{"docs/x.md": line})
        with self.assertRaisesRegex(Failure, "docs/x.md: has a line"):
            stripped(self.course, self.folder / "another")

    def test_a_change_that_somebody_made_there_stays(self) -> None:
        stripped(self.course, self.learners)
        readme = self.learners / "README.md"
        readme.write_text("mine\n", encoding="utf-8")
        commit(self.course, **{"README.md": "# Other\n"})
        with self.assertRaisesRegex(Failure, "README.md"):
            stripped(self.course, self.learners)
        self.assertEqual(readme.read_text("utf-8"), "mine\n")

    def test_a_solution_that_was_committed_there_is_found(self) -> None:
        stripped(self.course, self.learners)
        commit(self.learners, **{"mine.cu": (self.course / SOLUTION).read_text("utf-8")})
        git(self.learners, "reset", "-q", "--hard", "HEAD~1")  # no commit has it any more, and git still does
        code, said = stripped(self.course, self.learners, "--check")
        self.assertEqual(code, 1)
        self.assertIn(f"the same as {SOLUTION}", said)

    def test_other_folders_are_refused(self) -> None:
        self.learners.mkdir()
        self.assertEqual(stripped(self.course, self.learners)[0], 0)  # empty
        other = self.folder / "other"
        other.mkdir()
        (other / "thesis.tex").touch()
        with self.assertRaisesRegex(Failure, "not an empty folder"):
            stripped(self.course, other)
        with self.assertRaisesRegex(Failure, "is in the course"):
            stripped(self.course, self.course / "build" / "learners")
        with self.assertRaisesRegex(Failure, "not a learners' repository"):
            stripped(self.course, other, "--check")


class Leak(WithCourse):
    """Traces of solutions in what would be written: each is named, and nothing is written."""

    def leaks(self, **files: str) -> str:
        commit(self.course, **files)
        with self.assertRaises(Failure) as failed:
            stripped(self.course, self.learners)
        self.assertEqual(list(self.folder.iterdir()), [])
        return str(failed.exception)

    def test_a_solution_under_another_name(self) -> None:
        whole = (self.course / SOLUTION).read_text("utf-8")
        files = {"common/copy.cu": whole, "docs/older.txt": OLDER + whole, "docs/wrong/x.txt": "x"}
        said = self.leaks(**files)
        self.assertIn(f"common/copy.cu: the same as {SOLUTION}", said)
        self.assertIn(f"docs/older.txt: the same as {SOLUTION}", said)
        self.assertIn("docs/wrong/x.txt: a file of the solutions", said)

    def test_a_line_of_it_as_pages_quote_it(self) -> None:
        source = "solutions/24_stream_compaction/select.cu"
        line = "__device__ int tile_before(const Tile& tile) { return tile.before; }"
        text = (self.course / source).read_text("utf-8")
        quoted = (f"    {line}", f"> {line}", f"  | {line}  // why", f"+{line}", f"* `{line}`", f"{line}  // other")
        quoted += (f'  "{line}\\n",', line.replace("&", "&amp;"))  # in a notebook, in HTML
        files = {f"docs/x{number}.md": f"Look:\n\n{one}\n" for number, one in enumerate(quoted)}
        said = self.leaks(**{source: f"{text}\n  {line}  // why\n"}, **files)
        for name in files:
            self.assertIn(f"{name}: has a line of {source}: {line}", said)

    def test_names(self) -> None:
        said = self.leaks(**{"docs/x.md": "The test `block_zero_only` of solutions/02_reduce_neighbored fails."})
        self.assertIn("/wrong/block_zero_only.patch", said)
        self.assertIn("docs/x.md: names solutions/02_reduce_neighbored\n", said)


class Pages(unittest.TestCase):
    def page(self, text: str) -> str:
        return pages.stripped("docs/page.md", text, {"docs", "docs/there.md", "labs"})

    def test_a_link_to_what_is_not_there_is_text(self) -> None:
        for link in ("[it](gone.md)", "![it](../gone.svg)", "[it](gone/#a)", "[it](../solutions/02_x/notes.md#why)"):
            self.assertEqual(self.page(f"See {link}."), "See it.", link)
        self.assertEqual(self.page("[a[i]](gone.md)"), "a[i]")

    def test_other_links_and_code_stay(self) -> None:
        for text in (
            "[it](there.md)",
            "[it](there.md#anchor)",
            "[it](#anchor)",
            "[it](https://x.y/gone.md)",
            "[it](../labs)",
            "```\n[it](gone.md)\n```",
        ):
            self.assertEqual(self.page(text), text)

    def test_what_was_read_here_is_not_known_there(self) -> None:
        self.assertEqual(self.page("Text.\n\n<!-- checked: a=b c=d -->\n"), "Text.\n")


if __name__ == "__main__":
    unittest.main()
