"""Tasks graded on this machine: how many at a time, where, and what ends with an interrupted batch."""

import threading
import unittest
from argparse import Namespace
from pathlib import Path
from typing import Any
from unittest import mock

from batch import judging, local, ready
from batch.intake import Submission
from batch.judging import Place, Task
from batch.records import Grader
from launcher import labs
from launcher.console import Failure
from launcher.tests.machines import InAFolder

GIB = 1 << 30
NAMES = {lab.number: lab.name for lab in labs.all_labs()}


def tasks(*students: str, lab: str = "02") -> list[Task]:
    grader = Grader("v1", None, {"device": "lockstep", "seed": 1})
    return [Task(Submission(one, NAMES[lab], one, {"a.cu": b""}, "a.cu"), grader, None) for one in students]


class Local(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.said: list[str] = []
        self.cards, self.free = 0, 64 * GIB
        self.places: list[Place] = []
        self.at_once = threading.Barrier(1)
        for patch in (
            mock.patch.object(local, "say", self.said.append),
            mock.patch.object(local.device, "choose", lambda _: "gpu" if self.cards else "lockstep"),
            mock.patch.object(local.device, "count", lambda: self.cards),
            mock.patch.object(local.memory, "available", lambda: self.free),
            mock.patch.object(local.os, "sched_getaffinity", lambda _: {0, 1, 2}),
            mock.patch.object(local.ready, "make_ready", self.make_ready),
            mock.patch.object(judging, "grade", self.judge),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        self.lacks: set[str] = set()  # labs that this machine cannot grade

    def make_ready(self, where: str, wanted: list[labs.Lab]) -> tuple[Path, list[labs.Lab]]:
        self.wanted = [lab.number for lab in wanted]
        return Path("/tree") / where, [lab for lab in wanted if lab.number not in self.lacks]

    def judge(self, task: Task, lab: labs.Lab, place: Place) -> dict[str, Any]:
        self.places.append(place)
        self.at_once.wait(30)
        return {"verdict": "accepted", "lab": lab.number}

    def graded(self, todo: list[Task], jobs: int | None = None) -> list[tuple[str, str]]:
        """Student and lab of each outcome, by name."""
        done = local.run_tasks(todo, self.folder / "work", Namespace(device="auto", jobs=jobs))
        return sorted((task.submission.student, outcome["lab"]) for task, outcome in done)

    def test_as_many_at_a_time_as_there_are_cores(self) -> None:
        self.at_once = threading.Barrier(3)  # nobody ends before three have begun
        self.assertEqual(self.graded(tasks(*"abcdef")), [(student, "02") for student in "abcdef"])
        self.assertEqual({place.tree for place in self.places}, {Path("/tree/lockstep")})
        self.assertEqual({place.folder for place in self.places}, {self.folder / "work"})
        self.assertTrue((self.folder / "work").is_dir())
        self.assertEqual(self.said, [])

    def test_memory_limits_them(self) -> None:
        self.free = 2 * ready.JUDGE_BYTES + 1
        self.at_once = threading.Barrier(2)
        self.assertEqual(len(self.graded(tasks(*"abcd"), jobs=4)), 4)
        self.assertEqual(self.said, ["2 at a time and not 4: a judge may use 1 GiB, and that much memory is free."])
        self.free, self.at_once = 0, threading.Barrier(1)
        self.assertEqual(len(self.graded(tasks("a"))), 1, "one is always tried")

    def test_each_card_has_one_task_at_a_time(self) -> None:
        self.cards, self.at_once = 2, threading.Barrier(2)
        self.assertEqual(len(self.graded(tasks(*"abcd"), jobs=5)), 4)
        self.assertEqual(self.said, ["--jobs 5: one job at a time on each card, and there are 2."])
        used = [place.environment["CUDA_VISIBLE_DEVICES"] for place in self.places]
        self.assertEqual([set(used[:2]), set(used[2:])], [{"0", "1"}, {"0", "1"}])
        self.assertEqual({place.tree for place in self.places}, {Path("/tree/gpu")})
        self.cards, self.at_once, self.places = 1, threading.Barrier(1), []
        self.graded(tasks("a"))
        self.assertEqual(self.places[0].environment, {}, "the only card needs no name")

    def test_what_this_machine_cannot_grade_waits(self) -> None:
        self.lacks = {"20"}
        todo = tasks("a", lab="20") + tasks("a", "b", lab="17")
        self.assertEqual(self.graded(todo), [("a", "17"), ("b", "17")])
        self.assertEqual(self.wanted, ["17", "20"])

    def test_closing_it_early_stops_the_judges_and_begins_no_more(self) -> None:
        self.cards = 1
        outcomes = local.run_tasks(tasks(*"abcdefgh"), self.folder / "work", Namespace(device="auto", jobs=None))
        gate = threading.Event()
        self.at_once = Namespace(wait=lambda _: len(self.places) == 1 or gate.wait(30))
        next(outcomes)
        timer = threading.Timer(0.01, gate.set)
        timer.start()
        outcomes.close()
        timer.join()
        self.assertLessEqual(len(self.places), 3)
        self.assertTrue(all(place.stop.is_set() for place in self.places))


class Ready(unittest.TestCase):
    """What a machine builds before it grades."""

    def ready(self, *numbers: str, prepare: Any = None, missing: tuple[str, ...] = ()) -> tuple[list[str], list[Any]]:  # noqa: ANN401
        """The targets, and how the set-up was asked for."""
        with (
            mock.patch.object(ready.setup, "prepare", side_effect=prepare) as prepared,
            mock.patch.object(ready.setup, "missing_opencl", lambda: list(missing)),
            mock.patch.multiple(ready.build, configure=mock.DEFAULT, build=mock.DEFAULT) as built,
            mock.patch("launcher.demo.say"),
        ):
            _, fit = ready.make_ready("lockstep", [labs.find_lab(number) for number in numbers])
        self.assertEqual([lab.number for lab in fit], [one for one in numbers if not (one == "20" and missing)])
        return built["build"].call_args.args[1], [call.kwargs for call in prepared.call_args_list]

    def test_only_what_the_labs_need(self) -> None:
        self.assertEqual(self.ready("02"), (["cudart_lockstep", "judge", "runner_reduction"], [{"opencl": False}]))
        targets, asked = self.ready("02", "20")
        self.assertIn("runner_scan", targets)
        self.assertEqual(asked, [{"opencl": True}])

    def test_without_opencl_its_labs_are_left_out(self) -> None:
        targets, asked = self.ready("02", "20", prepare=[Failure("no OpenCL"), Path("nvcc")], missing=("pocl",))
        self.assertNotIn("runner_scan", targets)
        self.assertEqual(asked, [{"opencl": True}, {}])

    def test_what_else_is_missing_is_told(self) -> None:
        for numbers in (["02"], ["20"]):
            with self.assertRaisesRegex(Failure, "no cmake"):
                self.ready(*numbers, prepare=[Failure("no cmake")])


if __name__ == "__main__":
    unittest.main()
