"""cluster: the same tasks on Dask workers, and ./lab worker, which makes one of this machine.

Files travel with the task and the outcome comes back; a worker writes no result and shares no disk with us. It needs a
checkout of the same sources, built. The judge is a child of the worker, so that whatever it does the worker lives; a
worker that dies all the same takes no task with it: the scheduler gives it to another, and an outcome arrives once.
"""

import logging
import os
import shlex
import subprocess
from argparse import Namespace
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from launcher import build, device, labs, wheels
from launcher.console import Failure, say
from launcher.paths import ROOT

from . import judging, version
from .judging import Task

CONNECT_SECONDS = 20
LOOK_SECONDS = 5.0  # between looks at whether a worker is left
GPU = {"GPU": 1}
LOST = "the connection to the scheduler is lost. What is graded stays; the same command goes on with the rest."


class OtherSources(Exception):
    """This worker's checkout is not the client's."""


def grade_here(task: Task) -> dict[str, Any]:
    """What a worker runs for one task."""
    from distributed import get_worker

    check_sources(task.version)
    lab = labs.find_lab(task.lab)
    # Dask clears this folder away, also after a worker that was killed.
    return judging.grade(task, lab, build.TREES[task.device], Path(get_worker().local_directory))


def check_sources(wanted: str) -> None:
    if (here := version.digest()) != wanted:
        raise OtherSources(f"has other sources in {ROOT}: {here}, not {wanted}")


def run_tasks(tasks: list[Task], arguments: Namespace) -> Generator[tuple[Task, dict[str, Any]], None, None]:
    with _client(arguments) as client:
        _check_workers(client, tasks[0])
        yield from _outcomes(client, tasks)


def _outcomes(client: Any, tasks: list[Task]) -> Iterator[tuple[Task, dict[str, Any]]]:  # noqa: ANN401
    ended: SimpleQueue[Any] = SimpleQueue()
    running: dict[str, tuple[Any, Task]] = {}  # keeps the futures: one that is let go is cancelled
    attempts: Counter[tuple[str, str]] = Counter()

    def submit(task: Task) -> None:
        attempts[task.student, task.lab] += 1
        wants = GPU if task.device == "gpu" else None
        future = client.submit(grade_here, task, resources=wants, pure=False)
        running[future.key] = future, task
        future.add_done_callback(ended.put)

    for task in tasks:
        submit(task)
    alone = False
    while running:
        try:
            future = ended.get(timeout=LOOK_SECONDS)
        except Empty:
            alone = _say_if_alone(client, was_alone=alone)
            continue
        if future.status == "cancelled":
            raise Failure(LOST)
        _, task = running.pop(future.key)
        error = future.exception()
        if error is None:
            yield task, future.result()
        elif isinstance(error, OtherSources) or attempts[task.student, task.lab] < judging.ATTEMPTS:
            _retire_others(client, task, error)
            submit(task)
        else:
            text = f"it could not be run on the cluster ({type(error).__name__}: {error})"
            yield task, {**judging.NO_SCORE, "error": text, "judge": None, "seconds": 0.0, "peak_bytes": 0}


def _say_if_alone(client: Any, *, was_alone: bool) -> bool:  # noqa: ANN401
    if client.status != "running":
        raise Failure(LOST)
    alone = not _workers(client)
    if alone and not was_alone:
        address = client.scheduler.address
        say(f"No worker is left. Waiting for one; this starts one on any machine:\n    ./lab worker {address}")
    return alone


def _retire_others(client: Any, task: Task, error: Exception) -> None:  # noqa: ANN401
    """A worker that joined since the start, or whose checkout has changed."""
    if not isinstance(error, OtherSources):
        return
    others = [address for address, problem in _problems(client, task).items() if problem]
    for address in others:
        say(f"The worker {address} is sent away: it {error}.")
    if others:
        client.retire_workers(others)


def _check_workers(client: Any, task: Task) -> None:  # noqa: ANN401
    workers = _workers(client)
    if not workers:
        address = client.scheduler.address
        raise Failure(f"the scheduler at {address} has no workers. On each machine run\n    ./lab worker {address}")
    problems = {address: problem for address, problem in _problems(client, task).items() if problem}
    if problems:
        listed = "\n".join(f"    {address} {problem}" for address, problem in sorted(problems.items()))
        raise Failure(
            f"these workers cannot grade for this checkout:\n{listed}\nBring their checkouts to the same state, and "
            f"start them with ./lab worker {client.scheduler.address}"
        )
    if task.device == "gpu" and not any(facts["resources"].get("GPU") for facts in workers.values()):
        raise Failure(
            f"none of the {len(workers)} workers has a GPU: the tasks would wait for ever. On a machine with one run\n"
            f"    ./lab worker {client.scheduler.address} --device gpu"
        )


def _problems(client: Any, task: Task) -> dict[str, str]:  # noqa: ANN401
    """By worker; an empty text for those that can do the task."""
    answers = client.run(_problem, task.version, task.device, on_error="return")
    return {
        address: answer if isinstance(answer, str) else f"was not started by ./lab worker ({answer})"
        for address, answer in answers.items()
    }


def _problem(wanted: str, where: str) -> str:
    try:
        check_sources(wanted)
    except OtherSources as other:
        return str(other)
    judge = build.TREES[where] / "grader" / "judge"
    return "" if judge.exists() or where == "gpu" else f"has no {judge}"


def _workers(client: Any) -> dict[str, Any]:  # noqa: ANN401
    return client.scheduler_info(n_workers=-1)["workers"]


@contextmanager
def _client(arguments: Namespace) -> Iterator[Any]:
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters of it we say ourselves
    if arguments.scheduler:
        try:
            client = Client(arguments.scheduler, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise Failure(
                f"--scheduler {arguments.scheduler}: nobody answers there. This starts one, and says its address:\n"
                f"    {wheels.PYTHON} -m distributed.cli.dask_scheduler"
            ) from error
        with client:
            yield client
        return
    with _slurm(arguments) as cluster, Client(cluster) as client:
        jobs = arguments.slurm_jobs
        cluster.scale(jobs=jobs)
        say(f"Waiting for the first of {jobs} Slurm job{'s' if jobs > 1 else ''} to start (squeue shows them)")
        client.wait_for_workers(1)
        yield client


def _slurm(arguments: Namespace) -> Any:  # noqa: ANN401
    from dask_jobqueue.slurm import SLURMCluster

    from .grade import JUDGE_BYTES

    on_gpu = arguments.device == "gpu"
    judges = 1 if on_gpu else arguments.jobs or 4
    directives = [*(["--gres=gpu:1"] if on_gpu else []), *arguments.slurm_option]
    names = ("PYTHONPATH", "WARPLADDER_BUILD_DIR")
    exports = [f"export {name}={shlex.quote(worker_environment()[name])}" for name in names]
    return SLURMCluster(
        queue=arguments.slurm_partition,
        account=arguments.slurm_account,
        walltime=arguments.slurm_walltime,
        cores=judges,
        processes=1,
        memory=f"{judges * JUDGE_BYTES >> 30}GiB",
        python=str(wheels.PYTHON),
        job_script_prologue=exports,
        scheduler_options={"dashboard": False},
        job_extra_directives=directives,
        worker_extra_args=["--resources", "GPU=1"] if on_gpu else [],
    )


def worker_command(address: str) -> list[str]:
    command = [str(wheels.PYTHON), "-m", "distributed.cli.dask_worker", address, "--no-dashboard", "--nworkers", "1"]
    # Memory is used by judges, which are no part of the worker's own process.
    return [*command, "--memory-limit", "0", "--death-timeout", str(CONNECT_SECONDS)]


def worker_environment() -> dict[str, str]:
    """Workers find what they run by name."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "grader"), "WARPLADDER_BUILD_DIR": str(build.BUILD)}


def work(arguments: Namespace) -> int:
    """./lab worker: this machine, made ready for every lab, serves the scheduler until one of the two is stopped."""
    from .grade import make_ready

    where = device.choose(arguments.device)
    make_ready(where, labs.all_labs())
    command, environment = worker_command(arguments.scheduler), worker_environment()
    if where == "lockstep":
        threads = arguments.jobs or len(os.sched_getaffinity(0))
        os.execve(wheels.PYTHON, [*command, "--nthreads", str(threads)], environment)
    cards = range(min(arguments.jobs or device.count(), device.count()))
    command += ["--nthreads", "1", "--resources", "GPU=1"]
    workers = [
        subprocess.Popen(command, env={**environment, "CUDA_VISIBLE_DEVICES": str(card)}, stdin=subprocess.DEVNULL)
        for card in cards
    ]
    try:
        return max(worker.wait() for worker in workers)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
