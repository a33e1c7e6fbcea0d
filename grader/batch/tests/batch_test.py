"""./lab grade with a fake judge: no submission stops it, a killed batch can be continued, results stay."""

import contextlib
import csv
import json
import os
import shutil
import signal
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from batch import local, memory
from batch.tests.machinery import LEFT, FakeTree, records, reports, submissions
from launcher import wheels
from launcher.paths import ROOT
from launcher.tests.machines import InAFolder


@unittest.skipUnless(wheels.installed(wheels.GRADE), "what ./lab grade reports with is not installed")
class Batch(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.fake = FakeTree(self.folder)

    def grade(self, folder: Path, out: Path, code: int, *options: str, **env: str) -> str:
        process = self.fake.grade(folder, "--out", out, *options, **env)
        text, _ = process.communicate(timeout=3600)
        self.assertEqual(process.returncode, code, text)
        return text

    def test_judges_that_hang_crash_or_say_nothing(self) -> None:
        what = {"anna": "accepted = 90", "ben": "hang", "cleo": "crash", "dora": "nothing", "emil": "wrong answer = 0"}
        what["gina"] = "judge fault = too fast for this card"
        folder, out = submissions(self.folder / "in", what), self.folder / "out"
        (folder / "fritz.zip").write_bytes(b"no archive")
        text = self.grade(folder, out, 1, TEST_WALL="0.5", TEST_REPORTS="all")
        found = records(out)
        self.assertEqual((found["anna"]["verdict"], found["anna"]["score"]), ("accepted", 90))
        self.assertEqual((found["emil"]["verdict"], found["emil"]["score"]), ("wrong answer", 0))
        for student, error in (("ben", "did not end within"), ("cleo", "signal 11"), ("dora", "wrote no verdict")):
            self.assertEqual((found[student]["verdict"], found[student]["score"]), ("judge fault", None))
            self.assertIn(error, str(found[student]["error"]))
        gina = found["gina"]
        self.assertEqual((gina["verdict"], gina["score"], gina["error"]), ("judge fault", None, None))
        self.assertIn("too fast for this card", json.dumps(gina["judge"]), "its own words are kept")
        self.assertIn("too fast for this card", (out / "index.html").read_text(encoding="utf-8"))
        page = (out / "students" / "gina.html").read_text(encoding="utf-8")
        self.assertIn("No fault of the code.", page)
        self.assertNotIn(str(ROOT), page)
        calls = 3 + 2 * 3
        self.assertEqual(self.fake.calls(), calls, "a crash is tried once more; the judge's own word stands")
        self.assertIn("Judge faults: 4. The code is not at fault", text)
        self.assertIn("1 refused", text)
        self.assertEqual([path for path in out.iterdir() if path.name.startswith(".")], [])
        self.assertFalse(left_behind(self.folder), "the judge that hung, and the child that left its session, are gone")
        self.assertEqual(list(self.folder.rglob(LEFT)), [], "and so is what a killed judge could not remove")

    def test_killed_and_started_again(self) -> None:
        what = {f"s{number:02}": "accepted = 100" if number < 4 else "gate" for number in range(12)}
        folder = submissions(self.folder / "in", what)
        straight, resumed = self.folder / "straight", self.folder / "resumed"
        self.fake.gate.touch()
        self.grade(folder, straight, 0, "--jobs", "2")
        self.assertEqual(self.fake.calls(), 12)
        self.fake.gate.unlink()

        first = self.fake.grade(folder, "--out", resumed, "--jobs", "2")
        until(lambda: len(records(resumed)) == 4 and self.fake.calls() == 12 + 6)
        self.assertIn("another ./lab grade", self.grade(folder, resumed, 2))
        first.kill()
        first.communicate()
        until(lambda: not left_behind(self.folder))  # the judges end with the batch
        self.assertEqual(len(list(resumed.rglob(LEFT))), 2, "what they left is where the next run finds it")
        self.assertEqual(list(self.fake.temporary.rglob(LEFT)), [])
        half = resumed / "results" / "s11" / ".02_reduce_neighbored.json.new"
        half.parent.mkdir()
        half.write_text('{"format": 1, "verd', encoding="utf-8")

        second = self.fake.grade(folder, "--out", resumed, "--jobs", "2")
        until(lambda: self.fake.calls() == 12 + 6 + 2)
        second.send_signal(signal.SIGTERM)
        text, _ = second.communicate(timeout=3600)
        self.assertEqual(second.returncode, 130, text)
        self.assertIn("8 not graded yet. The same command goes on", text)
        self.assertFalse(left_behind(self.folder))

        self.fake.gate.touch()
        self.grade(folder, resumed, 0, "--jobs", "2")
        self.assertEqual(self.fake.calls(), 12 + 6 + 2 + 8, "what has its result is not graded again")
        self.assertEqual(reports(resumed), reports(straight))
        seeds = [
            {record["grader"]["options"]["seed"] for record in records(out).values()} for out in (straight, resumed)
        ]
        self.assertEqual([len(each) for each in seeds], [1, 1], "everybody's inputs are the same, also after a break")
        self.assertNotEqual(*seeds, "and none that anybody could know")
        self.assertFalse(half.exists())
        self.assertEqual(list(self.folder.rglob(LEFT)), [])

    def test_a_newer_grader_keeps_both_and_says_what_changed(self) -> None:
        folder = submissions(self.folder / "in", {"anna": "accepted = 100", "ben": "accepted = 100"})
        out = self.folder / "out"
        (folder / "cleo.zip").write_bytes(b"no archive")
        self.grade(folder, out, 0, TEST_VERSION="v1")
        (folder / "cleo.zip").unlink()
        submissions(folder, {"cleo": "accepted = 50"})
        self.grade(folder, out, 0, TEST_VERSION="v1")
        self.assertFalse((out / "results/cleo/submission.json").exists(), "what can be read is refused no longer")
        self.assertEqual(self.fake.calls(), 3)
        (folder / "anna/02/reduce.cu").write_text("// fake: too slow = 80\n", encoding="utf-8")
        (folder / "ben/02/reduce.cu").write_text("// fake: crash\n", encoding="utf-8")
        text = self.grade(folder, out, 0, TEST_VERSION="v2")
        self.assertIn("changed: anna, 02_reduce_neighbored: accepted (100.0) → too slow (80.0)", text)
        self.assertRegex(text, r"kept: ben, 02_reduce_neighbored: accepted \(100.0\)\. grader v2 failed on it")
        self.assertRegex(text, r"signal 11.*the result of an earlier submission")
        names = sorted(file.name for file in (out / "results/anna").iterdir())
        self.assertEqual(names, ["02_reduce_neighbored.json", "02_reduce_neighbored@v1.json"])
        self.assertEqual(records(out)["ben"]["score"], 100, "a failed run overwrites no score")
        self.assertTrue((out / "results/ben/02_reduce_neighbored@v2-fault.json").exists())
        rows = list(csv.DictReader((out / "changes.csv").read_text(encoding="utf-8").splitlines()))
        self.assertEqual(
            [(row["Student"], row["Old score"], row["Score"]) for row in rows], [("anna", "100.0", "80.0")]
        )
        self.grade(folder, out, 0, "--again", TEST_VERSION="v2")
        self.assertEqual(len(list((out / "results/anna").glob("*@v2.json"))), 1, "both results of one version stay")

    def test_who_has_another_name_now_is_told(self) -> None:
        folder, out = submissions(self.folder / "in", {"anna": "accepted = 100"}), self.folder / "out"
        self.grade(folder, out, 0)
        (folder / "anna").rename(folder / "a.lee")
        text = self.grade(folder, out, 0)
        self.assertIn("no submission in this folder: anna. If one of them has another name now", text)
        shutil.rmtree(out / "results" / "anna")
        self.assertNotIn("anna", self.grade(folder, out, 0), "the advice ends it")

    def test_nothing_temporary_stays(self) -> None:
        folder, out = submissions(self.folder / "in", {"anna": "accepted = 100"}), self.folder / "out"
        self.grade(folder, out, 0)
        locked = out / ".work" / "warpladder-x" / "locked"
        locked.mkdir(parents=True)
        (locked / "file").touch()
        locked.chmod(0o500)
        self.grade(folder, out, 0)  # it has nothing to grade
        self.assertFalse((out / ".work").exists())
        (out / ".work").mkdir()
        with self.assertRaises(KeyboardInterrupt), local.workplace(out) as work:
            self.assertFalse(work.exists(), "what is left fills no disk")
            work.mkdir()
            raise KeyboardInterrupt
        self.assertFalse(work.exists())

    def test_folders_without_permission_are_removed(self) -> None:
        """As somebody who is not root: for root every permission is there."""
        self.folder.chmod(0o777)
        if (child := os.fork()) == 0:
            code = 1
            with contextlib.suppress(BaseException):
                if os.geteuid() == 0:
                    os.setuid(65534)
                deep = self.folder / "work" / "a" / os.fsdecode(b"\xe9") / "c"
                deep.mkdir(parents=True)
                (deep / "file").touch()
                (deep / "link").symlink_to(self.folder)
                for one in (deep, deep.parent, deep.parent.parent):
                    one.chmod(0)
                local._remove(self.folder / "work")
                code = int((self.folder / "work").exists())
            os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.folder.stat().st_mode & 0o777, 0o777, "a link is not followed")

    def test_commands_that_cannot_work_say_why(self) -> None:
        folder = submissions(self.folder / "in", {"anna": "accepted = 100"})
        for arguments, text in (
            ((self.folder / "nowhere", "--out", self.folder / "out"), "there is no such folder"),
            ((self.fake.log, "--out", self.folder / "out"), "is a file. Unpack it"),
            ((self.fake.temporary, "--out", self.folder / "out"), "is empty. There, each student"),
            ((folder, "--out", self.fake.log), "is a file: choose another name"),
            ((folder, "--out", self.folder / "out", "--scheduler", "tcp://head:8786"), "another machine without a key"),
            ((folder, "--out", folder / "out"), "beside the submissions"),
            ((folder, "--out", ROOT), "the course's own folder"),
            ((folder, "--out", self.fake.tree), "the course's own folder"),
            ((folder, "--out", self.folder / "out", "--hidden", "nowhere"), "--hidden nowhere cannot be read"),
            ((folder, "--out", self.folder / "out", "--hidden", "/dev/null"), "shorter than 16 bytes"),
            ((folder, "--out", self.folder / "out", "--scheduler", "tcp://127.0.0.1:9"), "nobody answers there"),
        ):
            process = self.fake.grade(*arguments)
            said, _ = process.communicate(timeout=3600)
            self.assertEqual(process.returncode, 2, said)
            self.assertIn(text, said)


def left_behind(folder: Path) -> bool:
    """Whether a process runs a judge from this folder."""
    for pid in memory.descendants(1):
        try:
            if os.fsencode(folder / "build") in Path(f"/proc/{pid}/cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False


def until(holds: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError("it did not come to that")
        time.sleep(0.02)


if __name__ == "__main__":
    unittest.main()
