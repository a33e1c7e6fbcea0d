"""The notebook for Colab: it is valid, its cells run from a clone of this checkout, and %%lab grades its cell."""

import os
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from launcher.paths import ROOT
from launcher.tests.machines import PROGRESS, InAFolder

try:
    import nbclient
    import nbformat
except ImportError:
    nbclient = None

FILE = ROOT / "docs" / "notebook.ipynb"
SOLUTION = (ROOT / "solutions" / "00_hello" / "saxpy.cu").read_text(encoding="utf-8")
MINUTES = 30


@unittest.skipIf(nbclient is None, "there is no nbclient here; requirements-tools.txt has it")
class Notebook(InAFolder):
    def output(self, cell: Any) -> str:  # noqa: ANN401
        return "".join(part.get("text", "") for part in cell.outputs if part.output_type == "stream")

    def test_it_runs(self) -> None:
        book = nbformat.read(FILE, as_version=4)
        nbformat.validate(book)
        own = {
            "right": f"%%lab 00\n{SOLUTION}",
            "does not compile": "%%lab 00 --device lockstep\n" + SOLUTION.replace("threadIdx.x", "threadIdx.w"),
            "asks nobody": "!./lab predict 02 && ./lab reset 00 && git diff --stat",
        }
        book.cells += [nbformat.v4.new_code_cell(source) for source in own.values()]
        (clone,) = [cell for cell in book.cells if "git clone" in cell.source]
        clone.source = clone.source.replace('REPOSITORY = ""', f'REPOSITORY = "{ROOT}"')
        with mock.patch.dict(os.environ, {"WARPLADDER_PROGRESS": PROGRESS, "WARPLADDER_BUILD_DIR": ""}):
            resources = {"metadata": {"path": str(self.folder)}}
            nbclient.NotebookClient(book, timeout=60 * MINUTES, kernel_name="python3", resources=resources).execute()
        said = dict(zip(own, map(self.output, book.cells[-len(own) :]), strict=True))
        self.assertIn("\n  accepted", said["right"])
        self.assertIn('class "uint3" has no member "w"', said["does not compile"])
        self.assertNotIn("Enter skips", said["asks nobody"])
        self.assertNotIn("saxpy.cu |", said["asks nobody"])
        (starter,) = [cell for cell in book.cells if cell.source == "%lab check 00"]
        self.assertIn("wrong answer", self.output(starter))
        self.assertTrue(Path(self.folder / "warpladder" / "build" / "grader" / "judge").exists())


if __name__ == "__main__":
    unittest.main()
