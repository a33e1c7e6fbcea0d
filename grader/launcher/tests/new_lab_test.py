"""A lab that ./lab new has just made, in a copy of this tree: it is configured and built, and its tests and those that
go through all labs pass. The judge and lockstep are taken from the build tree of this checkout."""

import os
import shutil
import subprocess
import sys
import unittest

from launcher.paths import BUILD
from launcher.tests.machines import ROOT, InAFolder, copy_of_tree, lab

# A lab of 1024 elements, whose tests are quick.
LAB, BELOW = "42_scan_in_registers", "05_scan_hillis_steele"
EVERY_LAB = r"^(pages\.(ladder|map|scan|pages)|launcher\.(labs|records)|batch\.intake)$"
RECORDS = ROOT / "docs" / "measurements" / "h200"


class NewLab(InAFolder):
    def run_quietly(self, *command: object) -> None:
        environment = {**os.environ, "WARPLADDER_BUILD_DIR": ""}
        done = subprocess.run(
            [str(word) for word in command], cwd=self.folder, env=environment, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout[-6000:]}{done.stderr[-3000:]}")

    def test_it_is_built_and_its_tests_and_those_of_all_labs_pass(self) -> None:
        tree = copy_of_tree(self.folder / "tree")
        if (ROOT / ".venv").exists():
            (tree / ".venv").symlink_to(ROOT / ".venv")
        answer = lab("new", LAB, "--from", BELOW, root=tree)
        self.assertEqual(answer.code, 0, answer.text)

        build = tree / "build"
        nvcc = os.environ["WARPLADDER_NVCC"]
        self.run_quietly(
            "cmake", "-S", tree, "--preset", "lockstep", f"-DWARPLADDER_NVCC={nvcc}", "-DBUILD_TESTING=OFF"
        )
        variants = [file.stem for file in (tree / "solutions" / LAB / "wrong").iterdir()]
        targets = ["lab42.solution", "lab42.starter", *(f"lab42.wrong.{name}" for name in variants)]
        self.run_quietly("cmake", "--build", build, "--target", *targets)
        (build / "grader").mkdir(exist_ok=True)
        shutil.copy(BUILD / "grader" / "judge", build / "grader" / "judge")
        shutil.rmtree(build / "lockstep", ignore_errors=True)
        (build / "lockstep").symlink_to(BUILD / "lockstep")
        for name in ("solution", "report.json"):
            shutil.copy(BUILD / "labs" / BELOW / name, build / "labs" / BELOW / name)
        self.run_quietly("ctest", "--test-dir", build, "-L", "lab42", "--no-tests=error", "--output-on-failure")
        self.run_quietly("ctest", "--test-dir", build, "-R", EVERY_LAB, "--no-tests=error", "--output-on-failure")

    def test_the_counts_of_a_card_miss_it_and_say_so(self) -> None:
        """ncu_equality, with a record of one lab alone. From lab 21 on, labs are a part of their own."""
        for part, new, known in (("labs", "20_new", "00_hello"), ("top", LAB, "21_reduce_at_the_limit")):
            with self.subTest(part):
                said = self.compared(part, new, known)
                self.assertRegex(said, rf"\n +\d+ +\d+ +\d+ +\d+ +0  \S+/lab_case labs/{known}/")
                self.assertIn(f"labs/{new}/ is not measured yet", said)

    def compared(self, part: str, new: str, known: str) -> str:
        """What ncu_equality says of a build with two labs, of which a card has counted the known one."""
        row = f"labs/{known}/"
        # A record may hold other programs only.
        newest = max(file for file in RECORDS.glob("ncu_2*.csv") if row in file.read_text(encoding="utf-8"))
        lines = newest.read_text(encoding="utf-8").splitlines(keepends=True)
        header = next(i for i, line in enumerate(lines) if not line.startswith("#"))
        records, build = self.folder / part, self.folder / part / "build"
        (build / "labs" / new).mkdir(parents=True)
        (build / "labs" / new / "solution.o").touch()
        kept = lines[: header + 1] + [line for line in lines[header + 1 :] if row in line]
        (records / newest.name).write_text("".join(kept), encoding="utf-8")
        for name in ("common", "lockstep", f"labs/{known}"):
            (build / name).symlink_to(BUILD / name)
        program = next(BUILD.glob("common/lockstep/tests/**/ncu_equality"))
        done = subprocess.run([program, records, build, part], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout


if __name__ == "__main__":
    sys.exit(unittest.main())
