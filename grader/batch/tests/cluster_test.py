"""A real Dask scheduler with workers, one of which is killed in the middle; one with a key, for a network; and Slurm,
whose sbatch is a script."""

import json
import os
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import unittest
from contextlib import suppress
from pathlib import Path

from batch import key, memory, server
from batch.tests.batch_test import left_behind, until
from batch.tests.machinery import FakeTree, records, reports, submissions
from launcher import wheels
from launcher.console import Failure
from launcher.paths import BUILD, ROOT
from launcher.tests.machines import InAFolder

SOLUTION = ROOT / "solutions" / "02_reduce_neighbored" / "reduce.cu"


@unittest.skipUnless(wheels.installed(wheels.GRADE), "Dask is not installed")
class Cluster(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.fake = FakeTree(self.folder)
        self.env = {**self.fake.env, "PYTHONPATH": str(ROOT / "grader")}

    def start(self, *command: str, **env: str) -> subprocess.Popen[bytes]:
        """Starts it in a process group of its own: a kill then ends a worker's nanny and judges too, as a power cut
        would."""
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                command, env={**self.env, **env}, stdout=log, stderr=log, cwd=self.folder, start_new_session=True
            )
        self.addCleanup(self.kill, process)
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def scheduler(self, host: str = "127.0.0.1", key_file: str | None = None) -> tuple[subprocess.Popen[bytes], str]:
        file = self.folder / "scheduler.json"
        command = server.scheduler_command(host, 0, key_file)
        process = self.start(*command, "--scheduler-file", str(file), PYTHONPATH="")  # it does not know our modules
        until(lambda: file.exists() and file.read_text() != "")
        return process, json.loads(file.read_text(encoding="utf-8"))["address"]

    def grade(self, folder: Path, out: Path, code: int, *options: str, **env: str) -> str:
        process = self.fake.grade(folder, "--out", out, *options, **env)
        text, _ = process.communicate(timeout=3600)
        self.assertEqual(process.returncode, code, text + (self.folder / "log").read_text(encoding="utf-8")[-3000:])
        return text

    def test_a_worker_that_is_killed_takes_nothing_with_it(self) -> None:
        what = {"cleo": "crash", "dora": "wrong answer = 0"}
        if (BUILD / "grader" / "judge").exists():
            what["anna"] = SOLUTION.read_text(encoding="utf-8")  # a real source, for the real judge
        what |= {f"s{number:02}": "accepted = 90" if number < 4 else "gate" for number in range(16)}
        folder, out, alone = submissions(self.folder / "in", what), self.folder / "out", self.folder / "alone"
        scheduler, address = self.scheduler()
        workers = self.two_workers(address, folder, out)
        batch = self.fake.grade(folder, "--out", out, "--scheduler", address)
        done = len(what) - 12
        calls = 2 + 1 + 4 + 2  # of cleo, of dora, of four students, and one that waits on each worker
        until(lambda: len(records(out)) == done and self.fake.calls() == calls)
        self.kill(workers[0])
        self.fake.gate.touch()
        text, _ = batch.communicate(timeout=3600)
        self.assertEqual(batch.returncode, 1, text)
        found = records(out)
        self.assertEqual(sorted(found), sorted(what))
        self.assertEqual(
            {s: found[s]["verdict"] for s in ("cleo", "dora")}, {"cleo": "judge fault", "dora": "wrong answer"}
        )
        self.assertTrue(
            all(found[student]["verdict"] == "accepted" for student in what if student not in ("cleo", "dora"))
        )
        self.assertEqual(text.count("["), len(what), "each is counted once")
        if "anna" in what:  # once is enough for the real judge
            shutil.copytree(out / "results" / "anna", alone / "results" / "anna")
        self.grade(folder, alone, 1)
        self.assertEqual(reports(out), reports(alone))

        self.fake.gate.unlink()
        calls = self.fake.calls()
        few, lost = submissions(self.folder / "few", {"anna": "accepted = 1", "ben": "gate"}), self.folder / "lost"
        batch = self.fake.grade(few, "--out", lost, "--scheduler", address)
        until(lambda: len(records(lost)) == 1 and self.fake.calls() == calls + 2)
        self.kill(scheduler)
        text, _ = batch.communicate(timeout=3600)
        self.assertEqual(batch.returncode, 2, text)
        self.assertIn("connection to the scheduler is lost", text)
        self.assertEqual(list(records(lost)), ["anna"], "what was graded stays, and of the rest nothing is said")
        self.kill(workers[1])
        until(lambda: not left_behind(self.folder))

    def two_workers(self, address: str, folder: Path, out: Path) -> list[subprocess.Popen[bytes]]:
        """Two workers have joined. A worker with other sources came before them and is refused."""
        shutil.copytree(ROOT / "grader", self.folder / "other" / "grader")
        command = server.worker_command(address)
        stranger = self.start(*command, "--no-nanny", PYTHONPATH=str(self.folder / "other" / "grader"))
        self.assertIn("has other sources", self.grade(folder, out, 2, "--scheduler", address))
        workers = [self.start(*command, "--nthreads", "1") for _ in range(2)]
        self.kill(stranger)
        said = ""
        while "none of the 2 workers has a GPU" not in said:  # by then both are there, and the other is gone
            said = self.grade(folder, out, 2, "--scheduler", address, "--device", "gpu")
            self.assertIn("has a GPU: the tasks would wait for ever", said)
        return workers

    def test_without_a_key_only_this_machine_is_served(self) -> None:
        """And ./lab grade waits for the first worker."""
        folder, out = submissions(self.folder / "in", {"anna": "accepted = 100"}), self.folder / "out"
        scheduler, address = self.scheduler()
        for_cards = self.fake.grade(folder, "--out", self.folder / "gpu", "--scheduler", address, "--device", "gpu")
        self.addCleanup(for_cards.communicate)
        self.addCleanup(for_cards.kill)
        until_said(for_cards, "There is no worker. Waiting for one")
        for_cards.send_signal(signal.SIGTERM)
        batch = self.fake.grade(folder, "--out", out, "--scheduler", address)
        assert batch.stdout is not None
        until_said(batch, "There is no worker. Waiting for one")
        worker = self.start(*server.worker_command(address), "--nthreads", "1")
        text, _ = batch.communicate(timeout=120)
        self.assertEqual(batch.returncode, 0, text)
        for process in (scheduler, worker):
            heard = listening(process.pid)
            self.assertTrue(heard)
            self.assertEqual({one for one in heard if not key.is_loopback(one)}, set())

    def test_with_a_key_only_those_who_have_it_are_served(self) -> None:
        folder, out = submissions(self.folder / "in", {"anna": "accepted = 100"}), self.folder / "out"
        own, other = str(self.folder / "own.pem"), str(self.folder / "other.pem")
        self.assertTrue(key.make_if_missing(Path(own)) and key.make_if_missing(Path(other)))
        self.assertFalse(key.make_if_missing(Path(own)), "a key that is there stays")
        self.assertEqual(stat.S_IMODE(Path(own).stat().st_mode), 0o600)
        scheduler, address = self.scheduler("0.0.0.0", own)
        self.assertTrue(address.startswith("tls://"), address)
        port = int(address.rpartition(":")[2])
        address = f"tls://127.0.0.1:{port}"
        worker = self.start(*server.worker_command(address, own), "--nthreads", "1")
        self.grade(folder, out, 0, "--scheduler", address, "--key", own)
        self.assertEqual(records(out)["anna"]["score"], 100)
        self.assertIn(
            "its key is another", self.grade(folder, out, 2, "--again", "--scheduler", address, "--key", other)
        )
        ports = [int(one) for process in (scheduler, worker) for one in listening(process.pid, ports=True)]
        self.assertIn(port, ports)
        for one in ports:
            for certificate in (None, other):
                self.assertEqual(served(one, certificate), b"", f"port {one} talks to somebody without the key")

    def test_addresses_and_keys_that_do_not_belong_together(self) -> None:
        mine = str(self.folder / "mine.pem")
        Path(mine).touch()
        for host in ("0.0.0.0", "::", "", "10.1.2.3", "head.uni.example", "localhost.example"):
            with self.assertRaisesRegex(Failure, "could run programs on every worker"):
                key.check_scheduler(host, None)
            key.check_scheduler(host, mine)
        for host in ("127.0.0.1", "127.3.2.1", "localhost", "::1"):
            key.check_scheduler(host, None)
            key.check_client(f"tcp://[{host}]:1" if ":" in host else f"tcp://{host}:1", None)
        for address, file, saying in (
            ("tcp://10.1.2.3:8786", None, "another machine without a key"),
            ("10.1.2.3:8786", None, "another machine without a key"),
            ("tls://10.1.2.3:8786", None, "needs the cluster's key"),
            ("tcp://127.0.0.1:8786", mine, "a key is for tls"),
            ("tls://127.0.0.1:8786", "/nowhere", "there is no such file"),
            ("ucx://127.0.0.1:8786", None, "not a scheduler's address"),
            ("tcp://", None, "not a scheduler's address"),
            ("tcp://[", None, "not a scheduler's address"),
        ):
            with self.subTest(address), self.assertRaisesRegex(Failure, saying):
                key.check_client(address, file)

    def test_slurm(self) -> None:
        programs = self.folder / "bin"
        programs.mkdir()
        # A job is a copy of the script: the script that sbatch gets is removed when sbatch returns.
        sbatch = 'cp "$1" {0}/job.sh; setsid sh {0}/job.sh >> {0}/log 2>&1 & echo "Submitted batch job $!"'
        for name, script in (("sbatch", sbatch), ("scancel", 'kill -TERM -- -"$1"')):
            (programs / name).write_text(f"#!/bin/sh\n{script.format(self.folder)}\n", encoding="utf-8")
            (programs / name).chmod(0o755)
        folder = submissions(self.folder / "in", {"anna": "accepted = 100", "ben": "wrong answer = 0"})
        (self.folder / "log").touch()
        options = ("--slurm", "--slurm-jobs", "1", "--slurm-partition", "teaching", "--slurm-option=--qos=short")
        path = f"{programs}:{os.environ['PATH']}"
        self.grade(folder, self.folder / "out", 0, *options, "--jobs", "2", PATH=path)
        self.assertEqual({s: r["score"] for s, r in records(self.folder / "out").items()}, {"anna": 100, "ben": 0})
        job = (self.folder / "job.sh").read_text(encoding="utf-8")
        words = ("#SBATCH -p teaching", "#SBATCH --qos=short", "#SBATCH --cpus-per-task=2", "--nthreads 2")
        for line in (*words, "tls://", "--tls-key"):
            self.assertIn(line, job)


def until_said(process: subprocess.Popen[str], words: str) -> None:
    assert process.stdout is not None
    said = []
    while not said or words not in said[-1]:
        said.append(process.stdout.readline())
        if not said[-1]:
            raise AssertionError("".join(said))


def listening(root: int, *, ports: bool = False) -> set[str]:
    """The addresses, or the ports, at which the process and those below it listen."""
    sockets = set()
    for pid in [root, *memory.descendants(root)]:
        with suppress(OSError):
            sockets |= {os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir()}  # noqa: PTH115 (not a path)
    found = set()
    for table, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path(f"/proc/{os.getpid()}/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            words = line.split()
            address, port = words[1].split(":")
            if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                raw = b"".join(bytes.fromhex(address[at : at + 8])[::-1] for at in range(0, len(address), 8))
                found.add(str(int(port, 16)) if ports else socket.inet_ntop(family, raw))
    return found


def served(port: int, certificate: str | None) -> bytes:
    """What a listener says to somebody who talks TLS with this certificate, or plainly. Dask greets who may talk to
    it; the facts that it serves over HTTP are not asked for."""
    plain = socket.create_connection(("127.0.0.1", port), timeout=3)
    try:
        if certificate is None:
            return plain.recv(1)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.load_cert_chain(certificate)
        with context.wrap_socket(plain) as talk:
            return talk.recv(1)
    except (OSError, ssl.SSLError):
        return b""
    finally:
        plain.close()


if __name__ == "__main__":
    unittest.main()
