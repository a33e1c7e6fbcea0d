"""The package's commands: which course `warpladder` uses, and what `lockstep` is made of."""

import io
import os
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from package.warpladder import command


class Course(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name).resolve()
        self.addCleanup(os.chdir, Path.cwd())
        os.chdir(self.folder)
        package = self.folder / "package"
        package.mkdir()
        with tarfile.open(package / "course.tar.xz", "w:xz") as archive:
            for name in ("grader/lab.py", "labs/00_hello/saxpy.cu"):
                entry = tarfile.TarInfo(f"warpladder/{name}")
                entry.size = 2
                archive.addfile(entry, io.BytesIO(b"x\n"))
        self.enterContext(mock.patch.object(command, "HERE", package))
        self.enterContext(mock.patch("builtins.print"))

    def test_it_is_made_once_and_found_from_within(self) -> None:
        course = command._course()
        self.assertEqual(course, self.folder / "warpladder")
        starter = course / "labs" / "00_hello" / "saxpy.cu"
        starter.write_text("mine\n", encoding="ascii")
        self.assertEqual(command._course(), course)
        os.chdir(starter.parent)
        self.assertEqual(command._course(), course)
        self.assertEqual(starter.read_text(encoding="ascii"), "mine\n")

    def test_a_folder_of_another_kind_stays(self) -> None:
        (self.folder / "warpladder").mkdir()
        with self.assertRaisesRegex(SystemExit, "is not the course"):
            command._course()
        self.assertEqual(list((self.folder / "warpladder").iterdir()), [])

    def test_the_course_gets_all_words_and_the_package(self) -> None:
        words = ["warpladder", "check", "00", "--case", "a b"]
        with mock.patch.object(sys, "argv", words), mock.patch("os.execve") as started:
            command.main()
        program, line, environment = started.call_args.args
        self.assertEqual(program, sys.executable)
        self.assertEqual(line[1:], [str(self.folder / "warpladder" / "grader" / "lab.py"), *words[1:]])
        self.assertEqual(environment["WARPLADDER_BUILT"], str(command.BUILT))
        noted = self.folder / "warpladder" / "build" / "package"
        self.assertEqual(noted.read_text(encoding="utf-8"), str(command.BUILT))


if __name__ == "__main__":
    unittest.main()
