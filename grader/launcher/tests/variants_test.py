"""Wrong variants: every one reads and applies, drift fails loudly, and ./lab wrong lists, shows and makes them."""

import shutil
import subprocess
import sys
from unittest import TestCase, main

from launcher.console import Failure
from launcher.labs import find_lab
from launcher.paths import ROOT
from launcher.tests.machines import InAFolder, lab
from launcher.variants import Variant, all_variants, patch
from launcher.variants import main as write_patched

REFERENCE = """int a = 1;
f();
wait();
f();
wait();
int b = 2;
"""
PATCH = """caught by: finding.race
Nothing waits. The end (v1.0) is near!

--- k.cu
+++ k.cu
@@ -4,3 +4,2 @@
 f();
-wait();
 int b = 2;
"""


class ALab(InAFolder):
    """A solution with one reference and one patch."""

    def setUp(self) -> None:
        super().setUp()
        self.solution = self.folder / "08_lab"
        (self.solution / "wrong").mkdir(parents=True)
        self.reference = self.solution / "k.cu"
        self.reference.write_text(REFERENCE)
        self.file = self.solution / "wrong" / "no_wait.patch"
        self.file.write_text(PATCH)

    def test_a_patch_is_its_check_its_story_and_the_reference_with_one_bug(self) -> None:
        variant = Variant(self.file)
        self.assertEqual((variant.name, variant.checks), ("no_wait", ("finding.race", None)))
        self.assertEqual(variant.story, "Nothing waits. The end (v1.0) is near!")
        self.assertEqual(variant.summary, "Nothing waits.")
        self.assertEqual(variant.code(), REFERENCE.replace("wait();\nint", "int"))

    def test_a_whole_file_is_its_own_code(self) -> None:
        file = self.solution / "wrong" / "another.cu"
        file.write_text("// caught by: guard (on a card: case.f)\n// Another kernel.\n#include <x>\n")
        variant = Variant(file)
        self.assertEqual(variant.checks, ("guard", "case.f"))
        self.assertEqual((variant.story, variant.code()), ("Another kernel.", file.read_text()))
        self.assertEqual([one.name for one in all_variants(self.solution)], ["another", "no_wait"])

    def test_lines_may_move_but_not_change(self) -> None:
        self.reference.write_text("// one more line\n" + REFERENCE)
        self.assertIn("f();\nint b", Variant(self.file).code())
        self.refuses(REFERENCE.replace("int b", "int  b"), "hunk 1 (@@ -4,3 +4,2 @@) does not fit", "this line is gone")
        self.refuses(REFERENCE.replace("f();\n", "g();\n"), "this line is gone: `f();`")
        self.refuses(REFERENCE * 2, "its old lines stand there 2 times")

    def refuses(self, reference: str, *says: str) -> None:
        self.reference.write_text(reference)
        with self.assertRaises(Failure) as raised:
            Variant(self.file).code()
        for words in (str(self.file), "`./lab wrong 08 no_wait --from COPY`", *says):
            self.assertIn(words, str(raised.exception))

    def test_a_damaged_patch_is_refused(self) -> None:
        for damaged, says in (
            (PATCH.replace(" f();\n", ""), "it is damaged"),
            (PATCH.replace("--- k.cu", "--- other.cu"), "must name the reference"),
            (PATCH[: PATCH.index("@@")], "has no hunk"),
        ):
            self.file.write_text(damaged)
            self.refuses(REFERENCE, says)
        self.file.write_text(PATCH.replace("caught by", "// caught by"))
        with self.assertRaisesRegex(Failure, "the first line must be `caught by: CHECK`"):
            _ = Variant(self.file).checks

    def test_the_build_names_every_patch_that_does_not_fit(self) -> None:
        shutil.copy(self.file, self.file.with_name("again.patch"))
        out = self.folder / "out"
        out.mkdir()
        self.assertEqual(write_patched(self.file.parent, out), 0)
        self.assertEqual((out / "no_wait.cu").read_text(), Variant(self.file).code())
        self.reference.write_text("")
        done = subprocess.run(
            [sys.executable, "-B", "-m", "launcher.variants", self.file.parent, out],
            cwd=ROOT / "grader",
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("again.patch", done.stderr)
        self.assertIn("no_wait.patch", done.stderr)

    def test_a_patch_that_is_made_has_enough_context(self) -> None:
        self.file.write_text(
            patch(["caught by: guard", "A story."], self.reference, REFERENCE.replace("wait();\nf", "f"))
        )
        self.assertEqual(Variant(self.file).code(), REFERENCE.replace("wait();\nf", "f"))
        with self.assertRaisesRegex(Failure, "does not differ"):
            patch([], self.reference, REFERENCE)


class Solutions(TestCase):
    def test_every_variant_reads_and_applies(self) -> None:
        for folder in sorted((ROOT / "solutions").iterdir()):
            with self.subTest(folder.name):
                reference = find_lab(folder.name).solution
                variants = all_variants(folder)
                self.assertGreaterEqual(len(variants), 4)
                self.assertEqual(len({variant.name for variant in variants}), len(variants), "two of one name")
                for variant in variants:
                    self.assertTrue(variant.checks[0] and variant.story, variant.file)
                    self.assertNotEqual(variant.code(), reference.read_text(encoding="utf-8"), variant.file)
                    self.assertEqual(variant.code_suffix, reference.suffix, variant.file)


class Command(InAFolder):
    def test_it_lists(self) -> None:
        answer = lab("wrong", "2")
        self.assertEqual(answer.code, 0, answer.text)
        self.assertIn("missing_barrier · caught by finding.race\n    No barrier separates the steps.\n", answer.text)

    def test_it_shows_the_whole_file_and_what_differs(self) -> None:
        answer = lab("wrong", "02", "missing_barrier")
        self.assertEqual(answer.code, 0, answer.text)
        self.assertIn("\n-    __syncthreads();\n", answer.text)
        self.assertIn("\n int reduce_sum(int* data, int n) {\n", answer.text)
        self.assertNotIn("\033", answer.text)
        self.assertIn("__global__", lab("wrong", "5", "as_printed").text)

    def test_it_writes_the_file_that_a_patch_is_made_from(self) -> None:
        file = self.folder / "F.cu"
        self.assertEqual(lab("wrong", "02", "drops_tail", "--to", file).code, 0)
        variant = Variant(ROOT / "solutions" / "02_reduce_neighbored" / "wrong" / "drops_tail.patch")
        self.assertEqual(file.read_text(encoding="utf-8"), variant.code())
        made = patch(variant.head, variant.reference, file.read_text(encoding="utf-8"))
        self.assertEqual(made, variant.file.read_text(encoding="utf-8"))

    def test_it_refuses(self) -> None:
        for words, says in (
            (["wrong", "77"], 'there is no lab "77". These are here:\n'),
            (["wrong", "02", "nope"], 'lab 02 has no wrong variant "nope". It has these:\n    block_zero_only\n'),
            (["wrong", "02", "drops_tail", "--to", "/nowhere/F.cu"], "/nowhere/F.cu cannot be written"),
            (["wrong", "02", "drops_tail", "--from", "/nowhere/F.cu"], "--from /nowhere/F.cu cannot be read"),
            (["wrong", "02", "--from", "F.cu"], "need the variant's NAME"),
            (["wrong", "02", "../x", "--from", "F.cu"], "cannot be a variant's name"),
            (["wrong", "05", "as_printed", "--from", "F.cu"], "has this name already"),
        ):
            answer = lab(*words)
            self.assertEqual(answer.code, 2, answer.text)
            self.assertIn(says, answer.text)


if __name__ == "__main__":
    main()
