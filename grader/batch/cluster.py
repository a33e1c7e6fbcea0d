"""cluster: tasks graded by Dask workers on other machines, and the commands ./lab scheduler and ./lab worker.

The files travel with the task, and the outcome comes back. A worker writes no result and shares no disk with us. It
needs a built checkout of the same sources. The judge is a child of the worker, so the worker survives whatever the
judge does. If a worker dies all the same, its task is not lost: the scheduler gives it to another worker. An outcome
arrives once."""

import logging
import os
import pickle
import shlex
import subprocess
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from launcher import build, device, labs, wheels
from launcher.console import Failure, say
from launcher.paths import ROOT

from . import judging, ready, version
from .judging import Outcomes, Place, Task

CONNECT_SECONDS = 20
LOOK_SECONDS = 5.0  # how often we look whether a worker is left
GPU = {"GPU": 1}
LOST = "the connection to the scheduler is lost. What is graded stays; the same command goes on with the rest."


OTHER_SOURCES = "other sources"  # the key of an outcome that only says why the worker could not grade


def grade_on_worker(pickled: bytes) -> dict[str, Any]:
    """A worker runs this for one task. The function travels as code and the task as bytes, because the scheduler
    unpacks both on the way to a worker and does not know our modules."""
    import pickle

    from batch import cluster

    return cluster.grade_here(pickle.loads(pickled))


grade_on_worker.__module__ = "__main__"  # this makes Dask send the code and not the name


def grade_here(task: Task) -> dict[str, Any]:
    from distributed import get_worker

    if problem := _problem(task.grader.version, task.device):
        return {OTHER_SOURCES: problem}
    # Dask removes this folder, also after a worker was killed.
    place = Place(build.TREES[task.device], Path(get_worker().local_directory))
    return judging.grade(task, labs.find_lab(task.submission.lab), place)


def run_tasks(tasks: list[Task], arguments: Namespace) -> Outcomes:
    with _client(arguments) as client:
        _check_workers(client, tasks[0])
        yield from _outcomes(client, tasks)


def _outcomes(client: Any, tasks: list[Task]) -> Outcomes:  # noqa: ANN401
    from distributed import KilledWorker

    ended: SimpleQueue[Any] = SimpleQueue()
    running: dict[str, tuple[Any, Task]] = {}  # keeps the futures alive: Dask cancels a future that is dropped
    lost: list[Task] = []

    def submit(task: Task) -> None:
        wants = GPU if task.device == "gpu" else None
        future = client.submit(grade_on_worker, pickle.dumps(task), resources=wants, pure=False)
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
        outcome = future.result() if error is None else {}
        if error is None and OTHER_SOURCES not in outcome:
            yield task, outcome
        elif not isinstance(error, KilledWorker):
            _retire_unfit(client, task, error)
            submit(task)
        elif (lost := lost + [task]).count(task) < judging.ATTEMPTS:
            submit(task)
        else:
            yield task, judging.fault(f"worker after worker died while it was graded ({error})")


def _say_if_alone(client: Any, *, was_alone: bool) -> bool:  # noqa: ANN401
    if client.status != "running":
        raise Failure(LOST)
    alone = not _workers(client)
    if alone and not was_alone:
        address = client.scheduler.address
        say(f"No worker is left. Waiting for one; this starts one on any machine:\n    ./lab worker {address}")
    return alone


def _retire_unfit(client: Any, task: Task, error: Exception | None) -> None:  # noqa: ANN401
    """Sends workers away that joined since the start with other sources, or whose checkout has changed."""
    unfit = _problems(client, task)
    if not unfit and error is not None:
        raise Failure(f"the cluster cannot run the tasks: {error}")
    for worker, problem in unfit.items():
        say(f"The worker {worker} is sent away: it {problem}.")
    if unfit:
        client.retire_workers(list(unfit))


def _check_workers(client: Any, task: Task) -> None:  # noqa: ANN401
    workers, address = _workers(client), client.scheduler.address
    if not workers:
        raise Failure(f"the scheduler at {address} has no workers. On each machine run\n    ./lab worker {address}")
    if task.device == "gpu" and not any(facts["resources"].get("GPU") for facts in workers.values()):
        raise Failure(
            f"none of the {len(workers)} workers has a GPU: the tasks would wait for ever. On a machine with one run\n"
            f"    ./lab worker {address} --device gpu"
        )
    if problems := _problems(client, task):
        listed = "\n".join(f"    {worker} {problem}" for worker, problem in sorted(problems.items()))
        raise Failure(
            f"these workers cannot grade for this checkout:\n{listed}\nBring their checkouts to the same state, and "
            f"start them with ./lab worker {address}"
        )


def _problems(client: Any, task: Task) -> dict[str, str]:  # noqa: ANN401
    """Each worker that cannot do the task → why. Workers without a card are not asked for a card's task."""
    workers, any_will_do = _workers(client), task.device == "lockstep"
    wanted = [worker for worker, facts in workers.items() if any_will_do or facts["resources"].get("GPU")]
    answers = client.run(_problem, task.grader.version, task.device, workers=wanted, on_error="return")
    return {
        worker: answer if isinstance(answer, str) else f"was not started by ./lab worker ({answer})"
        for worker, answer in answers.items()
        if answer
    }


def _problem(wanted: str, where: str) -> str:
    if (here := version.digest()) != wanted:
        return f"has other sources in {ROOT}: {here}, not {wanted}"
    judge = build.TREES[where] / "grader" / "judge"
    return "" if judge.exists() else f"has no {judge}"


def _workers(client: Any) -> dict[str, Any]:  # noqa: ANN401
    return client.scheduler_info(n_workers=-1)["workers"]


@contextmanager
def _client(arguments: Namespace) -> Iterator[Any]:
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # we report the important events ourselves
    if arguments.scheduler:
        try:
            client = Client(arguments.scheduler, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise Failure(
                f"--scheduler {arguments.scheduler}: nobody answers there. This starts one, and says its address:\n"
                "    ./lab scheduler"
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
        memory=f"{judges * ready.JUDGE_BYTES >> 30}GiB",
        python=str(wheels.PYTHON),
        job_script_prologue=exports,
        scheduler_options={"dashboard": False},
        job_extra_directives=directives,
        worker_extra_args=["--resources", "GPU=1"] if on_gpu else [],
    )


def schedule(arguments: Namespace) -> int:
    """./lab scheduler: runs until it is stopped."""
    command = [str(wheels.PYTHON), "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    os.execv(wheels.PYTHON, [*command, "--port", str(arguments.port)])


def worker_command(address: str) -> list[str]:
    command = [str(wheels.PYTHON), "-m", "distributed.cli.dask_worker", address, "--no-dashboard", "--nworkers", "1"]
    # The judges use the memory. They are not part of the worker's own process.
    return [*command, "--memory-limit", "0", "--death-timeout", str(CONNECT_SECONDS)]


def worker_environment() -> dict[str, str]:
    """Workers import our modules by name."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "grader"), "WARPLADDER_BUILD_DIR": str(build.BUILD)}


def work(arguments: Namespace) -> int:
    """./lab worker: makes this machine ready for every lab. It then serves the scheduler until one of the two is
    stopped."""
    where = device.choose(arguments.device)
    ready.make_ready(where, labs.all_labs())
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
