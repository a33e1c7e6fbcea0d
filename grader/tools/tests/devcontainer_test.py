"""The development container's files fit the launcher and each other, and the schema that its makers publish."""

import json
import os
import unittest
import urllib.request
from pathlib import Path

from launcher import setup
from launcher.paths import ROOT
from tools.tests import container

SCHEMA = "https://raw.githubusercontent.com/devcontainers/spec/main/schemas/devContainer.base.schema.json"
OWN_SCHEMA = "TEST_DEVCONTAINER_SCHEMA"  # a copy of it, where there is no network


class DevContainer(unittest.TestCase):
    def test_it_has_every_package_that_lab_would_install(self) -> None:
        tables = (setup.PROGRAMS, setup.HEADERS, setup.EXTRAS, setup.OPENCL_BINDINGS)
        wanted = {package for table in tables for package in table.values()} | {setup.OPENCL_DRIVERS[1], "python3-venv"}
        self.assertEqual(wanted - set(container.packages()), set())
        self.assertEqual(container.packages(), sorted(set(container.packages())))

    def test_the_files_fit_each_other(self) -> None:
        made = dict(container.instructions())
        settings = container.settings()
        self.assertIn(f"useradd --create-home --shell /bin/bash {settings['remoteUser']}", made["RUN"])
        code = json.loads((ROOT / ".vscode" / "extensions.json").read_text(encoding="utf-8"))
        self.assertEqual(settings["customizations"]["vscode"]["extensions"], code["recommendations"])

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


if __name__ == "__main__":
    unittest.main()
