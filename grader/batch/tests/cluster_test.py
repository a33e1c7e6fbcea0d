"""A real Dask scheduler with workers, one of which is killed in the middle; and Slurm, whose sbatch is a script."""

import json
import os
import shutil
import signal
import subprocess
import unittest
from pathlib import Path

from batch import cluster
from batch.tests.batch_test import left_behind, until
from batch.tests.machinery import FakeTree, records, reports, submissions
from launcher import wheels
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

    def scheduler(self) -> tuple[subprocess.Popen[bytes], str]:
        file = self.folder / "scheduler.json"
        dask = (str(wheels.PYTHON), "-m", "distributed.cli.dask_scheduler")
        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        process = self.start(*dask, *options, PYTHONPATH="")  # it does not know our modules
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
        command = cluster.worker_command(address)
        stranger = self.start(*command, "--no-nanny", PYTHONPATH=str(self.folder / "other" / "grader"))
        said = ""
        while "has other sources" not in said:
            said = self.grade(folder, out, 2, "--scheduler", address)
            self.assertRegex(said, "has no workers|has other sources")
        workers = [self.start(*command, "--nthreads", "1") for _ in range(2)]
        self.kill(stranger)
        while "none of the 2 workers has a GPU" not in said:  # by then both are there, and the other is gone
            said = self.grade(folder, out, 2, "--scheduler", address, "--device", "gpu")
            self.assertRegex(said, "has a GPU: the tasks would wait for ever|has no workers")
        return workers

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
        for line in ("#SBATCH -p teaching", "#SBATCH --qos=short", "#SBATCH --cpus-per-task=2", "--nthreads 2"):
            self.assertIn(line, job)


if __name__ == "__main__":
    unittest.main()
