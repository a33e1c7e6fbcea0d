"""The zip for Gradescope is unpacked and run as its specification says, with the judge of this build."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any

import commands
from batch.autograder import package
from batch.reports.gradescope import MARK
from launcher.console import Failure
from launcher.paths import BUILD, ROOT
from launcher.variants import Variant

SOLUTION = ROOT / "solutions" / "02_reduce_neighbored"
EARLIER = {"score": 70.0, "results": {"extra_data": {MARK: {"verdicts": {}}}}}


def is_checkout() -> bool:
    git = shutil.which("git")
    return git is not None and subprocess.run([git, "rev-parse", "HEAD"], cwd=ROOT, capture_output=True).returncode == 0


def unpack(file: Path, folder: Path) -> None:
    """Unpacks with the modes of the files, as unzip does."""
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
        for entry in archive.infolist():
            if mode := entry.external_attr >> 16 & 0o777:
                (folder / entry.filename).chmod(mode)


@unittest.skipUnless(is_checkout(), "the zip is made of a commit, and this is no git checkout")
class Autograder(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.root = Path(holder.name) / "autograder"
        cls.zip = Path(holder.name) / "02.zip"
        arguments = commands.PARSER.parse_args(["gradescope", "--lab", "2", "--out", str(cls.zip)])
        cls.code = package.write(arguments)
        for folder in ("source", "submission", "results"):
            (cls.root / folder).mkdir(parents=True)
        unpack(cls.zip, cls.root / "source")
        # The zip holds the committed files. The test wants the files of this tree.
        for name in ("grader", "lab", "labs"):
            own = cls.root / "source" / "course" / name
            shutil.rmtree(own) if own.is_dir() else own.unlink()
            own.symlink_to(ROOT / name)
        cls.env = os.environ | {"WARPLADDER_AUTOGRADER": str(cls.root), "WARPLADDER_BUILD_DIR": str(BUILD)}

    def grade(self, files: dict[str, str], previous: list[Any] | None = None) -> dict[str, Any]:
        folder = self.root / "submission"
        for old in folder.iterdir():
            old.unlink()
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
        users = [{"email": "jane@uni.example", "id": 1, "name": "Jane Doe"}]
        metadata = {"id": 5, "users": users, "previous_submissions": previous or []}
        (self.root / "submission_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
        run = self.root / "source" / "run_autograder"
        done = subprocess.run([run], env=self.env, cwd=self.root, capture_output=True, text=True, timeout=3600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stdout + done.stderr
        return json.loads((self.root / "results" / "results.json").read_text(encoding="utf-8"))

    def test_the_zip(self) -> None:
        self.assertEqual(self.code, 0)
        with zipfile.ZipFile(self.zip) as archive:
            modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
        self.assertEqual((modes["setup.sh"], modes["run_autograder"], modes["course/lab"]), (0o755, 0o755, 0o755))
        self.assertNotIn("hidden", modes)
        for script in package.PROGRAMS:
            subprocess.run(["bash", "-n", self.root / "source" / script], check=True)

    def test_a_wrong_submission(self) -> None:
        code = Variant(SOLUTION / "wrong" / "drops_tail.patch").code()
        results = self.grade({"reduce.cu": code, "README.txt": "by Jane"})
        self.assertEqual(results.get("score"), 0, self.said)
        self.assertIn("wrong answer: case.reduce_sum.1.ones", results["tests"][0]["output"])
        self.assertNotIn(str(ROOT), json.dumps(results))

    def test_nothing_handed_in(self) -> None:
        results = self.grade({"notes.txt": "tomorrow"})
        self.assertEqual(results["score"], 0, self.said)
        self.assertIn("hand in reduce.cu", results["tests"][0]["output"])

    def test_our_trouble_is_no_zero(self) -> None:
        broken = {**self.env, "WARPLADDER_BUILD_DIR": str(self.root / "nowhere")}
        self.env, whole = broken, self.env
        self.addCleanup(setattr, self, "env", whole)
        code = (SOLUTION / "reduce.cu").read_text(encoding="utf-8")
        results = self.grade({"reduce.cu": code})
        self.assertNotIn("score", results)
        self.assertIn("The autograder had trouble", results["output"])
        self.assertNotIn("nowhere", results["output"])
        self.assertEqual(self.grade({"reduce.cu": code}, [EARLIER])["score"], 70.0)

        self.env = whole | {"WARPLADDER_PYTHON": "/bin/false", "PATH": "/usr/bin:/bin"}
        (self.root / "source" / "assignment.json").rename(self.root / "away")
        self.addCleanup((self.root / "away").rename, self.root / "source" / "assignment.json")
        results = self.grade({"reduce.cu": code})
        self.assertNotIn("score", results)
        self.assertIn("The autograder had trouble", results["output"])

    def test_what_cannot_be_packed(self) -> None:
        short = self.root / "short"
        short.write_text("guess me", encoding="utf-8")
        for secret, saying in (("/nowhere/secret", "cannot be read"), (str(short), "shorter than 16 bytes")):
            arguments = commands.PARSER.parse_args(
                ["gradescope", "--hidden", secret, "--out", str(self.root / "no.zip")]
            )
            with self.assertRaisesRegex(Failure, f"--hidden {secret}:? .*{saying}"):
                package.write(arguments)
        self.assertFalse((self.root / "no.zip").exists())


if __name__ == "__main__":
    unittest.main()
