"""The development container's files fit the launcher and each other."""

import json
import unittest

from launcher import setup
from launcher.paths import ROOT
from tools.tests import container


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


if __name__ == "__main__":
    unittest.main()
