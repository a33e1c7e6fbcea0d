"""The workflow for GitHub Classroom: its syntax, and its commands in a clean clone of this checkout."""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from launcher.paths import ROOT
from launcher.tests.machines import PROGRESS, InAFolder
from tools.tests import container
from tools.tests.classroom_test import reported

WORKFLOW = ROOT / ".github" / "workflows" / "classroom.yml"
with contextlib.suppress(ImportError):
    from ruamel.yaml import YAML
HAS_TOOLS = "YAML" in globals() and importlib.util.find_spec("check_jsonschema") is not None


@unittest.skipUnless(HAS_TOOLS, "there is no check-jsonschema here; requirements-tools.txt has it")
class Workflow(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.workflow = YAML(typ="safe").load(WORKFLOW)
        self.steps = self.workflow["jobs"]["grade"]["steps"]

    def is_valid(self, file: Path) -> bool:
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", file]
        return subprocess.run(command, capture_output=True).returncode == 0

    def test_the_published_schema_accepts_it(self) -> None:
        self.assertTrue(self.is_valid(WORKFLOW))
        wrong = self.folder / "wrong.yml"
        for right, instead in (("runs-on:", "run-on:"), ("steps:", "step:"), ("[push, ", "[pushed, ")):
            wrong.write_text(WORKFLOW.read_text(encoding="utf-8").replace(right, instead), encoding="utf-8")
            self.assertFalse(self.is_valid(wrong), instead)

    def test_it_grades_nothing_before_an_instructor_names_labs(self) -> None:
        self.assertEqual(self.workflow["env"]["LABS"], "")
        self.assertEqual({step["if"] for step in self.steps}, {"env.LABS != ''"})

    def test_actions_of_others_are_pinned(self) -> None:
        for step in self.steps:
            self.assertRegex(step.get("uses", "@" + "0" * 40), "@[0-9a-f]{40}$")

    def test_the_reporter_gets_the_result(self) -> None:
        (grading,) = [step for step in self.steps if "./lab classroom" in step.get("run", "")]
        (reporter,) = [step for step in self.steps if "autograding-grading-reporter" in step.get("uses", "")]
        name = reporter["with"]["runners"]
        self.assertEqual(
            reporter["env"], {f"{name.upper()}_RESULTS": f"${{{{ steps.{grading['id']}.outputs.result }}}}"}
        )

    def test_its_commands_in_a_clean_clone(self) -> None:
        clone = self.folder / "student"
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        shutil.copy(ROOT / "solutions" / "00_hello" / "saxpy.cu", clone / "labs" / "00_hello")
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "sudo").write_text(f'#!/bin/sh\necho "$@" >> {self.folder}/asked\n')  # this machine stays as it is
        (programs / "sudo").chmod(0o755)
        env = os.environ | {"LABS": "00 02", "PATH": f"{programs}:{os.environ['PATH']}", "WARPLADDER_BUILD_DIR": ""}
        env |= {"GITHUB_OUTPUT": str(self.folder / "out"), "WARPLADDER_PROGRESS": PROGRESS}
        for step in self.steps:
            if "run" in step:
                subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step["run"]], cwd=clone, env=env, check=True)
        asked = (self.folder / "asked").read_text(encoding="utf-8").split()
        self.assertEqual([word for word in container.packages() if word not in asked], [])
        tests = reported(self.folder / "out")["tests"]
        self.assertEqual([(test["status"], test["score"]) for test in tests][0], ("pass", 100))
        self.assertEqual(tests[1]["status"], "fail")


if __name__ == "__main__":
    unittest.main()
