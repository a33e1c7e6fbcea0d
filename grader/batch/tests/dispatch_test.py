"""How ./lab grade spends its tasks on the workers of a cluster. Dask is played: nothing is started and nobody waits."""

import contextlib
import pickle
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from unittest import main, mock

import commands
from batch import cluster, judging
from batch.intake import Submission
from batch.judging import Task
from batch.records import FAULT, Grader
from launcher.console import Failure
from launcher.tests.machines import InAFolder

GOOD = {"verdict": "accepted", "score": 100.0}
OTHER = {cluster.OTHER_SOURCES: "has other sources"}
CPU, CARD = {"resources": {}}, {"resources": {"GPU": 1}}


class KilledWorker(Exception):
    pass


class Future:
    def __init__(self, key: int, end: Any) -> None:  # noqa: ANN401
        self.key, self.end, self.status = key, end, "finished"
        if end == "cancelled":
            self.status = "cancelled"

    def add_done_callback(self, call: Callable[["Future"], None]) -> None:
        call(self)

    def exception(self) -> Exception | None:
        return self.end if isinstance(self.end, Exception) else None

    def result(self) -> dict[str, Any]:
        return self.end


class LateFuture(Future):
    """It ends after all its workers have been gone for a while."""

    def __init__(self, key: int, client: "Client") -> None:
        super().__init__(key, GOOD)
        self.client, client.workers = client, {}

    def add_done_callback(self, call: Callable[[Future], None]) -> None:
        self.client.asked = 0
        self.client.when_asked_thrice = lambda: call(self)


class Client:
    """A scheduler with these workers. ends: how the tasks end, in the order in which they are handed out."""

    def __init__(self, workers: dict[str, dict[str, Any]], *ends: Any, problems: dict[str, Any] | None = None) -> None:  # noqa: ANN401
        self.workers, self.ends, self.problems = workers, list(ends), problems or {}
        self.status, self.scheduler = "running", SimpleNamespace(address="tls://head:8786")
        self.handed_out: list[tuple[str, Any]] = []  # the student of each task, and what its worker must have
        self.retired: list[str] = []
        self.joins_late: dict[str, str] = {}  # workers that join after the start → why they cannot grade
        self.asked, self.when_asked_thrice = 0, lambda: None

    def scheduler_info(self, n_workers: int = 5) -> dict[str, Any]:
        """As Dask's: at most so many workers; -1 asks for all."""
        self.asked += 1
        assert self.asked < 1000, "it waits for ever"
        if self.asked == 3:
            self.when_asked_thrice()
        return {"workers": dict(list(self.workers.items())[: None if n_workers < 0 else n_workers])}

    def run(self, _: object, *__: object, workers: list[str], on_error: str) -> dict[str, Any]:
        assert on_error == "return"
        return {worker: self.problems.get(worker, "") for worker in workers}

    def submit(self, _: object, task: bytes, *, resources: dict[str, int] | None, pure: bool) -> Future:
        assert not pure  # Dask would take two equal tasks for one
        self.handed_out.append((pickle.loads(task).submission.student, resources))
        self.workers |= dict.fromkeys(self.joins_late, CPU)
        self.problems |= self.joins_late
        self.joins_late = {}
        end = self.ends.pop(0)
        key = len(self.handed_out)
        return LateFuture(key, self) if end == "late" else Future(key, end)

    def retire_workers(self, names: list[str]) -> None:
        self.retired += names
        for name in names:
            del self.workers[name], self.problems[name]


class Security:
    def __init__(self, **settings: object) -> None:
        self.settings = settings


def tasks(*students: str, device: str = "lockstep") -> list[Task]:
    grader = Grader("v1", None, {"device": device, "seed": 1})
    return [Task(Submission(student, "02_x", student, {"a.cu": b""}, "a.cu"), grader, None) for student in students]


class WithDask(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.said: list[str] = []
        self.dask = SimpleNamespace(KilledWorker=KilledWorker, Security=Security)
        for patch in (
            mock.patch.dict(sys.modules, distributed=self.dask),
            mock.patch.multiple(cluster, FIRST_SECONDS=0, LOOK_SECONDS=0.001, say=self.said.append),
        ):
            patch.start()
            self.addCleanup(patch.stop)


class Dispatch(WithDask):
    def outcomes(self, client: Client, todo: list[Task]) -> list[tuple[str, str]]:
        """Student and verdict, in the order in which they come."""

        @contextlib.contextmanager
        def connected(_: Namespace) -> Iterator[Client]:
            yield client

        with mock.patch.object(cluster, "_client", connected):
            done = list(cluster.run_tasks(todo, Namespace()))
        return [(task.submission.student, outcome["verdict"]) for task, outcome in done]

    def test_each_task_has_one_outcome(self) -> None:
        client = Client({"a": CPU}, GOOD, {"verdict": "wrong answer"})
        self.assertEqual(self.outcomes(client, tasks("anna", "ben")), [("anna", "accepted"), ("ben", "wrong answer")])
        self.assertEqual(client.handed_out, [("anna", None), ("ben", None)])
        self.assertEqual((client.retired, self.said), ([], []))

    def test_while_there_is_no_worker_it_says_so_once(self) -> None:
        client = Client({}, GOOD)
        client.when_asked_thrice = lambda: client.workers.update(a=CPU)
        self.assertEqual(self.outcomes(client, tasks("anna")), [("anna", "accepted")])
        self.assertEqual(len(self.said), 1, self.said)
        self.assertIn("There is no worker. Waiting for one", self.said[0])
        self.assertIn("./lab worker tls://head:8786 --key FILE", self.said[0])

    def test_when_the_last_worker_goes_it_says_so_once(self) -> None:
        self.assertEqual(self.outcomes(Client({"a": CPU}, "late"), tasks("anna")), [("anna", "accepted")])
        self.assertEqual(len(self.said), 1, self.said)

    def test_every_worker_is_asked_whether_it_can_grade(self) -> None:
        many = {f"w{number}": CPU for number in range(9)}
        with self.assertRaisesRegex(Failure, "these workers cannot grade.*\n    w8 has other sources\n"):
            self.outcomes(Client(many, problems={"w8": "has other sources"}), tasks("anna"))
        with self.assertRaisesRegex(Failure, "w0 was not started by ./lab worker .no module"):
            self.outcomes(Client(many, problems={"w0": ImportError("no module")}), tasks("anna"))

    def test_for_a_card_only_workers_with_a_card_count(self) -> None:
        todo = tasks("anna", device="gpu")
        with self.assertRaisesRegex(Failure, "none of the 2 workers has a GPU.*\n.*--device gpu"):
            self.outcomes(Client({"a": CPU, "b": CPU}), todo)
        client = Client({"a": CPU, "b": CARD}, GOOD, problems={"a": "has no judge for a card"})
        self.assertEqual(self.outcomes(client, todo), [("anna", "accepted")])
        self.assertEqual(client.handed_out, [("anna", {"GPU": 1})])

    def test_a_task_whose_worker_died_is_tried_once_more(self) -> None:
        client = Client({"a": CPU}, KilledWorker("a"), GOOD)
        self.assertEqual(self.outcomes(client, tasks("anna")), [("anna", "accepted")])
        client = Client({"a": CPU}, KilledWorker("a"), GOOD, KilledWorker("a"))
        self.assertEqual(self.outcomes(client, tasks("anna", "ben")), [("ben", "accepted"), ("anna", FAULT)])
        self.assertEqual(client.retired, [])

    def test_a_worker_with_other_sources_is_sent_away_and_its_task_goes_to_another(self) -> None:
        client = Client({"a": CPU}, OTHER, GOOD)
        client.joins_late = {"late": "has others"}
        self.assertEqual(self.outcomes(client, tasks("anna")), [("anna", "accepted")])
        self.assertEqual(client.retired, ["late"])
        self.assertEqual(self.said, ["The worker late is sent away: it has others."])

    def test_what_no_worker_can_run_ends_the_batch(self) -> None:
        with self.assertRaisesRegex(Failure, "the cluster cannot run the tasks: unpickled"):
            self.outcomes(Client({"a": CPU}, ValueError("unpickled")), tasks("anna"))

    def test_a_lost_scheduler_is_told(self) -> None:
        with self.assertRaisesRegex(Failure, "the connection to the scheduler is lost. What is graded stays"):
            self.outcomes(Client({"a": CPU}, "cancelled"), tasks("anna"))
        client = Client({"a": CPU}, "late")
        client.status = "closed"
        with self.assertRaisesRegex(Failure, "the connection to the scheduler is lost"):
            self.outcomes(client, tasks("anna"))

    def test_a_worker_grades_only_for_its_own_sources(self) -> None:
        self.dask.get_worker = lambda: SimpleNamespace(local_directory=str(self.folder))
        [task] = tasks("anna")
        judge = self.folder / "grader" / "judge"
        with (
            mock.patch.object(cluster.version, "digest", lambda: "v2"),
            mock.patch.dict(cluster.build.TREES, lockstep=self.folder),
            mock.patch.object(cluster.labs, "find_lab"),
            mock.patch.object(judging, "grade", lambda _, __, place: {"verdict": "graded", "in": place.folder}),
        ):
            self.assertIn("v2, not v1", cluster.grade_here(task)[cluster.OTHER_SOURCES])
            cluster.version.digest = lambda: "v1"
            self.assertEqual(cluster.grade_here(task), {cluster.OTHER_SOURCES: f"has no {judge}"})
            judge.parent.mkdir()
            judge.touch()
            self.assertEqual(cluster.grade_here(task), {"verdict": "graded", "in": self.folder})


class Connection(WithDask):
    """The scheduler of --scheduler, and the one that --slurm starts."""

    def grade(self, *options: str) -> list[Any]:
        arguments = commands.PARSER.parse_args(["grade", "in", "--out", "out", *options])
        return list(cluster.run_tasks(tasks("anna", device=arguments.device), arguments))

    def test_a_scheduler_that_does_not_answer(self) -> None:
        self.dask.Client = mock.Mock(side_effect=OSError)
        with self.assertRaisesRegex(Failure, "tcp://127.0.0.1:9: nobody answers there. This starts one"):
            self.grade("--scheduler", "tcp://127.0.0.1:9")
        with self.assertRaisesRegex(Failure, "nobody answers there, or its key is another"):
            self.grade("--scheduler", "tls://127.0.0.1:9", "--key", "own.pem")

    def slurm(self, *options: str) -> dict[str, Any]:
        """The job that these options of ./lab grade make."""
        played = mock.MagicMock()
        client = Client({"a": CARD}, GOOD)
        client.wait_for_workers = mock.Mock()
        self.dask.Client = mock.MagicMock()
        self.dask.Client.return_value.__enter__.return_value = client
        module = SimpleNamespace(SLURMCluster=played)
        with (
            mock.patch.dict(sys.modules, {"dask_jobqueue": SimpleNamespace(), "dask_jobqueue.slurm": module}),
            mock.patch.object(cluster.build, "BUILD", self.folder / "build"),
        ):
            self.assertEqual(len(self.grade("--slurm", *options)), 1)
        played.return_value.__enter__.return_value.scale.assert_called_once_with(jobs=self.jobs(options))
        return played.call_args.kwargs

    def jobs(self, options: tuple[str, ...]) -> int:
        return commands.PARSER.parse_args(["grade", "in", "--out", "out", "--slurm", *options]).slurm_jobs

    def test_jobs_of_slurm_talk_by_a_key_that_the_nodes_see(self) -> None:
        given = self.slurm(
            "--slurm-jobs", "3", "--jobs", "2", "--slurm-partition", "teaching", "--slurm-option=--qos=x"
        )
        file = self.folder / "build" / "slurm-key.pem"
        self.assertIn("PRIVATE KEY", file.read_text(encoding="ascii"))
        self.assertEqual(given["protocol"], "tls://")
        settings = given["security"].settings
        self.assertTrue(settings.pop("require_encryption"))
        self.assertEqual(set(settings.values()), {str(file)})
        self.assertEqual(len(settings), 7, "the authority, and certificate and key of three roles")
        self.assertEqual((given["cores"], given["memory"], given["queue"]), (2, "2GiB", "teaching"))
        self.assertEqual(given["job_extra_directives"], ["--qos=x"])
        self.assertNotIn("--resources", given["worker_extra_args"])
        self.assertEqual(self.said, ["Waiting for the first of 3 Slurm jobs to start (squeue shows them)"])

    def test_a_job_on_a_card_asks_for_the_card(self) -> None:
        own = self.folder / "own.pem"
        given = self.slurm("--device", "gpu", "--jobs", "8", "--slurm-jobs", "1", "--key", str(own))
        self.assertEqual((given["cores"], given["job_extra_directives"]), (1, ["--gres=gpu:1"]))
        self.assertEqual(given["worker_extra_args"][-2:], ["--resources", "GPU=1"])
        self.assertEqual(given["security"].settings["tls_worker_key"], str(own))
        self.assertTrue(own.exists())
        self.assertIn("the first of 1 Slurm job to", self.said[0])


if __name__ == "__main__":
    main()
