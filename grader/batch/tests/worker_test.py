"""./lab worker on a machine with cards: one worker for each card, which takes one task at a time."""

from argparse import Namespace
from typing import Any
from unittest import TestCase, main, mock

from batch import server


class Worker:
    """A process that ends with this code."""

    started: list["Worker"]

    def __init__(self, command: list[str], env: dict[str, str], stdin: int) -> None:
        self.command, self.card, self.calls = command, env["CUDA_VISIBLE_DEVICES"], []
        self.stdin = stdin
        Worker.started.append(self)

    def wait(self) -> int:
        self.calls.append("wait")
        return int(self.card)

    def terminate(self) -> None:
        self.calls.append("terminate")


class Cards(TestCase):
    def work(self, jobs: int | None) -> tuple[int, list[Worker]]:
        Worker.started = []
        ready, device, processes = mock.MagicMock(), mock.MagicMock(), mock.MagicMock(Popen=Worker)
        device.choose.return_value, device.count.return_value = "gpu", 3
        changed: dict[str, Any] = {"ready": ready, "device": device, "subprocess": processes}
        with mock.patch.multiple(server, **changed):
            code = server.work(Namespace(device="auto", jobs=jobs, scheduler="tcp://127.0.0.1:1", key=None))
        ready.make_ready.assert_called_once()
        return code, Worker.started

    def test_each_card_has_a_worker_of_its_own(self) -> None:
        code, workers = self.work(None)
        self.assertEqual([worker.card for worker in workers], ["0", "1", "2"])
        self.assertEqual(code, 2, "the worst of their exit codes")
        for worker in workers:
            words = " ".join(worker.command)
            self.assertIn("dask_worker tcp://127.0.0.1:1", words)
            self.assertTrue(words.endswith("--nthreads 1 --resources GPU=1"), words)
            self.assertEqual(worker.calls, ["wait", "terminate", "wait"])

    def test_jobs_limits_them_and_cards_that_are_not_there_have_none(self) -> None:
        self.assertEqual([worker.card for worker in self.work(2)[1]], ["0", "1"])
        self.assertEqual(len(self.work(9)[1]), 3)


if __name__ == "__main__":
    main()
