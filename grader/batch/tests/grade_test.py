"""./lab grade in this process, with a judge that is played: which submissions are graded, with which options, what is
said and which exit code follows."""

import hashlib
import json
import os
import signal
import unittest
from typing import Any
from unittest import mock

import commands
from batch.tests import reading

reading.need_packages(__name__)

from batch import cluster, grade, judging, records  # noqa: E402 (rich is there only now)
from batch.judging import Outcomes, Task  # noqa: E402
from batch.tests.machinery import submissions  # noqa: E402
from launcher.console import Failure  # noqa: E402
from launcher.tests.machines import InAFolder  # noqa: E402

SECRET = b"a secret of sixteen bytes or more"


def outcome(verdict: str, score: float | None) -> dict[str, Any]:
    made = {"verdict": verdict, "score": score, "of": 100, "error": None, "judge": {}, "seconds": 1.0}
    return {**made, "peak_bytes": 700 << 20}


class Grade(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.inside, self.out = self.folder / "in", self.folder / "out"
        submissions(self.inside, {"anna": "1", "ben": "2"})
        self.secret = self.folder / "secret"
        self.secret.write_bytes(SECRET)
        self.outcomes = {"anna": outcome("accepted", 100), "ben": outcome("accepted", 90)}
        self.graded: list[Task] = []
        self.said: list[str] = []
        self.stop: type[BaseException] | None = None  # raised after the first outcome

    def run_tasks(self, tasks: list[Task], *_: object) -> Outcomes:
        for at, task in enumerate(tasks):
            if at and self.stop:
                raise self.stop
            self.graded.append(task)
            yield task, dict(self.outcomes[task.submission.student])

    def grade(self, *options: str) -> int:
        self.graded, self.said = [], []
        arguments = commands.PARSER.parse_args(["grade", str(self.inside), "--out", str(self.out), *options])
        with (
            mock.patch.object(grade.local, "run_tasks", self.run_tasks),
            mock.patch.object(grade.version, "digest", lambda: "v1"),
            mock.patch.object(grade.reports, "write_all", lambda *_, **__: []),
            mock.patch.object(grade, "say", self.said.append),
            mock.patch("batch.progress.say"),
        ):
            return grade.run(arguments)

    def names(self) -> list[str]:
        return [task.submission.student for task in self.graded]

    def record(self, student: str) -> dict[str, Any]:
        [file] = [one for one in (self.out / "results" / student).glob("*.json") if "@" not in one.name]
        return json.loads(file.read_text(encoding="utf-8"))

    def seed(self) -> int:
        [seed] = {task.grader.options["seed"] for task in self.graded}
        return seed

    def test_what_has_its_result_is_not_graded_again(self) -> None:
        self.assertEqual(self.grade(), 0)
        self.assertEqual(self.names(), ["anna", "ben"])
        self.assertEqual(self.said[0], "2 students, 2 submissions")
        self.assertIn("2 results of 2 students: 2 accepted", self.said)
        self.assertRegex(
            self.said[-2], r"^2 graded in \d+ s: [\d.]+ a minute\. Peak memory .* 700 MiB the largest judge"
        )
        self.assertEqual(self.grade(), 0)
        self.assertEqual((self.names(), self.said[0]), ([], "2 students, 2 submissions; 2 have their result already"))
        self.grade("--again")
        self.assertEqual(self.names(), ["anna", "ben"])
        submissions(self.inside, {"cleo": "3"})
        self.outcomes["cleo"] = outcome("wrong answer", 0)
        self.assertEqual(self.grade(), 0)
        self.assertEqual(self.names(), ["cleo"])
        self.grade("--seed", "7")
        self.assertEqual(self.names(), ["anna", "ben", "cleo"], "other inputs, another result")

    def test_the_seed_is_the_same_for_all_and_stays(self) -> None:
        self.grade()
        first = self.seed()
        self.grade("--again")
        self.assertEqual(self.seed(), first)
        self.grade("--seed", "7")
        self.assertEqual(self.seed(), 7)
        self.assertEqual(self.record("anna")["grader"]["options"], {"device": "lockstep", "seed": 7, "hidden": None})

    def test_the_seed_follows_from_the_hidden_file(self) -> None:
        """Another machine then gives the same inputs, without the folder of results."""
        self.grade("--hidden", str(self.secret))
        self.assertEqual(self.seed(), judging.seed_of(SECRET))
        self.assertEqual({task.hidden for task in self.graded}, {SECRET})
        self.assertEqual(self.graded[0].grader.options["hidden"], hashlib.sha256(SECRET).hexdigest())
        self.assertFalse((self.out / "seed.txt").exists())

    def test_a_damaged_seed_is_told(self) -> None:
        self.out.mkdir()
        (self.out / "seed.txt").write_text("seven\n", encoding="ascii")
        with self.assertRaisesRegex(Failure, "seed.txt does not contain a number. Remove it"):
            self.grade()

    def test_a_refusal_is_kept_and_graded_by_nobody(self) -> None:
        (self.inside / "cleo.zip").write_bytes(b"no archive")
        self.assertEqual(self.grade(), 0)
        self.assertEqual(self.names(), ["anna", "ben"])
        self.assertEqual(self.said[0], "3 students, 3 submissions, 1 of them refused")
        self.assertEqual((self.record("cleo")["verdict"], self.record("cleo")["score"]), ("refused", 0))

    def test_a_fault_of_ours_is_told_and_tried_again(self) -> None:
        self.outcomes["ben"] = outcome(records.FAULT, None)
        self.assertEqual(self.grade(), 1)
        self.assertIn("Judge faults: 1", "\n".join(self.said))
        self.outcomes["ben"] = outcome("accepted", 50)
        self.assertEqual(self.grade(), 0)
        self.assertEqual(self.names(), ["ben"])

    def test_a_result_that_changed_is_told(self) -> None:
        self.grade()
        self.outcomes |= {"anna": outcome("too slow", 80), "ben": outcome(records.FAULT, None)}
        self.outcomes["ben"]["error"] = "no disk"
        self.grade("--again")
        self.assertIn("changed: anna, 02_reduce_neighbored: accepted (100) → too slow (80)", self.said)
        [kept] = [line for line in self.said if line.startswith("kept: ")]
        self.assertTrue(
            kept.startswith("kept: ben, 02_reduce_neighbored: accepted (90). grader v1 failed on it (no disk)")
        )

    def test_an_interrupted_batch_keeps_what_is_graded(self) -> None:
        self.stop = KeyboardInterrupt
        self.assertEqual(self.grade(), 130)
        self.assertEqual(self.record("anna")["score"], 100)
        self.assertIn("1 not graded yet. The same command goes on with them; what is graded stays.", self.said)
        self.stop = None
        self.assertEqual(self.grade(), 0)
        self.assertEqual(self.names(), ["ben"])

    def test_who_has_another_name_now_and_what_belongs_to_nobody_is_told(self) -> None:
        self.grade()
        (self.inside / "anna").rename(self.inside / "a.lee")
        self.outcomes["a.lee"] = outcome("accepted", 100)
        for number in range(25):
            (self.inside / f"note{number:02}.txt").touch()
        self.grade()
        said = "\n".join(self.said)
        self.assertIn("no submission in this folder: anna. If one of them has another name now", said)
        self.assertIn("note19.txt", said)
        self.assertNotIn("note20.txt", said)
        self.assertIn("… and 5 more; index.html names them all.", self.said)

    def test_a_folder_without_submissions(self) -> None:
        for name in ("anna", "ben"):
            (self.inside / name).rename(self.folder / name)
        (self.inside / ".hidden").mkdir()
        with self.assertRaisesRegex(Failure, "in holds no submission"):
            self.grade()

    def test_signals_end_it_as_ctrl_c_does_and_then_mean_what_they_meant(self) -> None:
        def heard(*_: object) -> None:
            pass

        for number, before in ((signal.SIGTERM, heard), (signal.SIGHUP, signal.SIG_IGN)):
            self.addCleanup(signal.signal, number, signal.signal(number, before))

        def run_tasks(tasks: list[Task], *_: object) -> Outcomes:
            os.kill(os.getpid(), signal.SIGHUP)  # ignored, as under nohup
            yield tasks[0], dict(self.outcomes["anna"])
            os.kill(os.getpid(), signal.SIGTERM)
            yield tasks[1], dict(self.outcomes["ben"])

        self.run_tasks = run_tasks
        self.assertEqual(self.grade(), 130)
        self.assertEqual(self.record("anna")["score"], 100)
        self.assertEqual(signal.getsignal(signal.SIGTERM), heard)
        self.assertEqual(signal.getsignal(signal.SIGHUP), signal.SIG_IGN)

    def test_a_cluster_grades_instead_of_this_machine(self) -> None:
        def no_local(*_: object) -> Outcomes:
            raise AssertionError("graded here")

        self.run_tasks, there = no_local, self.run_tasks
        with mock.patch.object(cluster, "run_tasks", there), mock.patch.object(grade.ready, "make_ready") as ready:
            self.assertEqual(self.grade("--scheduler", "tcp://127.0.0.1:9"), 0)
            self.assertIn("700 MiB at its peak (measured by the workers)", self.said[-2])
            ready.assert_not_called()
            self.grade("--again", "--slurm", "--device", "lockstep")
        [(device, labs)] = [call.args for call in ready.call_args_list]
        self.assertEqual((device, [lab.number for lab in labs]), ("lockstep", ["02"]))


if __name__ == "__main__":
    unittest.main()
