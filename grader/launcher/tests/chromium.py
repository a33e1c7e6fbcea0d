"""chromium: headless Chromium for tests of pages. It comes with requirements-browser.txt and Debian's chromium."""

import os
import shutil
import sys
import unittest
from pathlib import Path
from typing import Any

from launcher import wheels

SKIPPED = 77  # for CTest


def started() -> Any:  # noqa: ANN401 (a class of a package that is not everywhere)
    """A browser for all tests of a module; it ends after them."""
    from playwright.sync_api import sync_playwright

    playwright = sync_playwright().start()
    unittest.addModuleCleanup(playwright.stop)
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    unittest.addModuleCleanup(browser.close)
    return browser


def run_tests(module: str, *pins: Path) -> None:
    """Runs the module's tests in the Python that has the packages; skipped if something is missing. pins: the package
    sets that the tests need besides requirements-browser.txt."""
    lacks = [
        f"{file.name}, which ./lab test -L long installs"
        for file in (wheels.BROWSER, *pins)
        if not wheels.installed(file)
    ]
    if shutil.which("chromium") is None:
        lacks.append("chromium")
    if lacks:
        print(f"skipped: this machine lacks {'; '.join(lacks)}")
        raise SystemExit(SKIPPED)
    if Path(sys.prefix).resolve() != wheels.VENV.resolve():
        os.execv(wheels.PYTHON, [str(wheels.PYTHON), "-m", module, *sys.argv[1:]])
    unittest.main(verbosity=2)
