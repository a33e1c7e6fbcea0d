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


class Commands(TestCase):
    """What ./lab scheduler and ./lab worker start in their place."""

    def scheduled(self, host: str, key: str | None = None, port: int = 8786) -> tuple[list[str], str]:
        """Dask's command, and what is said before."""
        with (
            mock.patch.object(server, "say") as say,
            mock.patch.object(server.key, "make_if_missing", return_value=True),
            mock.patch("socket.gethostname", return_value="head"),
            mock.patch("os.execv") as started,
        ):
            server.schedule(Namespace(host=host, port=port, key=key))
        return started.call_args.args[1], "\n".join(call.args[0] for call in say.call_args_list)

    def test_a_scheduler_says_how_it_is_reached(self) -> None:
        for host, key, port, joins in (
            ("127.0.0.1", None, 8786, "./lab worker tcp://127.0.0.1:8786\n"),
            ("::1", None, 8786, "./lab worker tcp://[::1]:8786\n"),
            ("0.0.0.0", "k.pem", 9, "./lab worker tls://head:9 --key k.pem\n"),
            ("10.1.2.3", "k.pem", 0, "./lab worker tls://10.1.2.3:PORT --key k.pem\n"),
        ):
            command, said = self.scheduled(host, key, port)
            self.assertIn(joins, said)
            self.assertIn(joins.strip().replace("./lab worker", "--scheduler"), said)
            self.assertEqual("k.pem is the new key" in said, key is not None)
            words = " ".join(command)
            self.assertIn(f"dask_scheduler --host {host} --port {port} ", words)
            self.assertEqual("--protocol tls" in words, key is not None)

    def test_without_a_key_a_worker_listens_here_alone(self) -> None:
        for address, key, alone in (
            ("tcp://127.0.0.1:1", None, True),
            ("tls://127.0.0.1:1", "k.pem", True),
            ("tls://10.1.2.3:1", "k.pem", False),
        ):
            self.assertEqual(server.worker_command(address, key)[-2:] == ["--host", "127.0.0.1"], alone, address)

    def test_a_worker_without_cards_takes_a_task_for_each_core(self) -> None:
        with (
            mock.patch.multiple(server, ready=mock.DEFAULT, device=mock.DEFAULT) as played,
            mock.patch("os.sched_getaffinity", return_value={0, 1, 2}),
            mock.patch("os.execve") as started,
        ):
            played["device"].choose.return_value = "lockstep"
            started.side_effect = SystemExit  # as a program that is started in our place
            for jobs, threads in ((None, "3"), (2, "2")):
                arguments = Namespace(device="auto", jobs=jobs, scheduler="tcp://127.0.0.1:1", key=None)
                self.assertRaises(SystemExit, server.work, arguments)
                command, environment = started.call_args.args[1:]
                self.assertEqual(command[-2:], ["--nthreads", threads])
                self.assertTrue(environment["PYTHONPATH"].endswith("grader"))


if __name__ == "__main__":
    main()
