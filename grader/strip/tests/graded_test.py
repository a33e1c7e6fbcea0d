"""A learners' repository that ./lab strip has made in earnest: it is built, and it grades as the course does."""

import json
import os
import subprocess
import unittest
from pathlib import Path
from typing import Any, ClassVar

from launcher.paths import BUILD
from launcher.tests.machines import ROOT, InAFolder, lab
from strip.tests.courses import a_course, git

OWN_BUILD = {"WARPLADDER_BUILD_DIR": ""}
REDUCE = "03_reduce_less_divergent/reduce.cu"
DECIDES = ("lab", "verdict", "failed_check", "score", "cases", "rules", "counters", "measurements", "speed")


def run(*command: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | OWN_BUILD
    return subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True)


class Graded(InAFolder):
    course: ClassVar[Path]
    learners: ClassVar[Path]

    def strip(self, course: Path, folder: Path) -> None:
        if (ROOT / ".venv").exists() and not (course / ".venv").exists():
            (course / ".venv").symlink_to(ROOT / ".venv")
        answer = lab("strip", folder, root=course, env=OWN_BUILD)
        self.assertEqual(answer.code, 0, answer.text)

    def verdict(self, file: Path, root: Path, env: dict[str, str]) -> dict[str, Any]:
        """What decides in the verdict of ./lab check 03 on this file."""
        out = self.folder / "verdict.json"
        out.unlink(missing_ok=True)
        answer = lab("check", "03", "--file", file, "--seed", "1", "--json", out, root=root, env=env)
        self.assertIn(answer.code, (0, 1), answer.text)
        found = json.loads(out.read_text(encoding="utf-8"))
        return {key: value for key, value in found.items() if key in DECIDES}

    def test_it_grades_as_the_course_does(self) -> None:
        course, learners = a_course(self.folder / "course"), self.folder / "learners"
        self.strip(course, learners)
        with self.subTest("another folder gives the same commit, objects and all"):
            clone, again = self.folder / "clone of the course", self.folder / "again"
            git(self.folder, "clone", "-q", str(course), str(clone))
            self.strip(clone, again)
            self.assertEqual(*(git(one, "rev-parse", "HEAD") for one in (learners, again)))
        with self.subTest("its verdicts are those of the course"):
            if (ROOT / ".venv").exists():
                (learners / ".venv").symlink_to(ROOT / ".venv")
            for part, verdict in (("solutions", "accepted"), ("labs", "rule broken")):
                file = ROOT / part / REDUCE
                here = self.verdict(file, ROOT, {"WARPLADDER_BUILD_DIR": str(BUILD)})
                there = self.verdict(file, learners, OWN_BUILD)
                self.assertEqual(there["verdict"], verdict)
                self.assertEqual(there, here)
                self.assertIsNotNone(there["speed"]["interval"])
        with self.subTest("its own tests pass"):
            run("cmake", "--build", learners / "build", "--target", "lab03.solution", "lab11.cpu_loops")
            tests = ("ctest", "--test-dir", learners / "build", "-R", r"^(solution\.0[23]|program\.11.*)$")
            done = run(*tests, "--no-tests=error", "--output-on-failure")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("out of 3", done.stdout)
        self.two_objects_of_a_lab_are_refused(learners)

    def two_objects_of_a_lab_are_refused(self, learners: Path) -> None:
        (object_of_02,) = (learners / "baselines").glob("02_*.o")
        object_of_02.with_name("02_reduce_neighbored.0123456789ab.o").write_bytes(object_of_02.read_bytes())
        done = run("cmake", "-S", learners, "-B", learners / "build")
        self.assertIn("several compiled baselines of 02_reduce_neighbored", done.stderr)
        for file in (learners / "baselines").glob("02_*.o"):
            file.unlink()
        done = run("cmake", "-S", learners, "-B", learners / "build")
        self.assertIn("baselines/02_reduce_neighbored.*.o is missing: lab 03", done.stderr)


if __name__ == "__main__":
    unittest.main()
