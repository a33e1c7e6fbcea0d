"""cluster: tasks graded by Dask workers on other machines, which ./lab worker or Slurm started.

The files travel with the task, and the outcome comes back. A worker writes no result and shares no disk with us. It
needs a built checkout of the same sources. The judge is a child of the worker, so the worker survives whatever the
judge does. If a worker dies all the same, its task is not lost: the scheduler gives it to another worker. An outcome
arrives once."""

import logging
import pickle
import shlex
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from launcher import build, labs, wheels
from launcher.console import Failure, say
from launcher.language import _, later
from launcher.paths import ROOT

from . import judging, key, ready, server, version
from .judging import Outcomes, Place, Task

CONNECT_SECONDS = 20
FIRST_SECONDS = 0.5  # how often we look for the first worker
LOOK_SECONDS = 5.0  # how often we look whether a worker is left
GPU = {"GPU": 1}
LOST = later("the connection to the scheduler is lost. What is graded stays; the same command goes on with the rest.")


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
        _wait_for_the_first(client)
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
            raise Failure(_(LOST))
        _future, task = running.pop(future.key)
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


def _wait_for_the_first(client: Any) -> None:  # noqa: ANN401
    alone = False
    while not _workers(client):
        alone = _say_if_alone(client, was_alone=alone)
        time.sleep(FIRST_SECONDS)


def _say_if_alone(client: Any, *, was_alone: bool) -> bool:  # noqa: ANN401
    if client.status != "running":
        raise Failure(_(LOST))
    alone = not _workers(client)
    if alone and not was_alone:
        say(
            _(
                "There is no worker. Waiting for one; this starts one on any machine:\n    {command}",
                command=_worker_of(client),
            )
        )
    return alone


def _retire_unfit(client: Any, task: Task, error: Exception | None) -> None:  # noqa: ANN401
    """Sends workers away that joined since the start with other sources, or whose checkout has changed."""
    unfit = _problems(client, task)
    if not unfit and error is not None:
        raise Failure(_("the cluster cannot run the tasks: {error}", error=error))
    for worker, problem in unfit.items():
        say(_("The worker {worker} is sent away: it {problem}.", worker=worker, problem=problem))
    if unfit:
        client.retire_workers(list(unfit))


def _check_workers(client: Any, task: Task) -> None:  # noqa: ANN401
    workers = _workers(client)
    if task.device == "gpu" and not any(facts["resources"].get("GPU") for facts in workers.values()):
        raise Failure(
            _(
                "none of the {count} workers has a GPU: the tasks would wait for ever. On a machine with "
                "one run\n    {command} --device gpu",
                count=len(workers),
                command=_worker_of(client),
            )
        )
    if problems := _problems(client, task):
        listed = "\n".join(f"    {worker} {problem}" for worker, problem in sorted(problems.items()))
        raise Failure(
            _(
                "these workers cannot grade for this checkout:\n{listed}\nBring their checkouts to the "
                "same state, and start them with {command}",
                listed=listed,
                command=_worker_of(client),
            )
        )


def _worker_of(client: Any) -> str:  # noqa: ANN401
    address = client.scheduler.address
    return f"./lab worker {address}{' --key FILE' if address.startswith('tls:') else ''}"


def _problems(client: Any, task: Task) -> dict[str, str]:  # noqa: ANN401
    """Each worker that cannot do the task → why. Workers without a card are not asked for a card's task."""
    workers, any_will_do = _workers(client), task.device == "lockstep"
    wanted = [worker for worker, facts in workers.items() if any_will_do or facts["resources"].get("GPU")]
    answers = client.run(_problem, task.grader.version, task.device, workers=wanted, on_error="return")
    return {
        worker: answer if isinstance(answer, str) else _("was not started by ./lab worker ({answer})", answer=answer)
        for worker, answer in answers.items()
        if answer
    }


def _problem(wanted: str, where: str) -> str:
    if (here := version.digest()) != wanted:
        return _("has other sources in {folder}: {here}, not {wanted}", folder=ROOT, here=here, wanted=wanted)
    judge = build.TREES[where] / "grader" / "judge"
    return "" if judge.exists() else _("has no {judge}", judge=judge)


def _workers(client: Any) -> dict[str, Any]:  # noqa: ANN401
    return client.scheduler_info(n_workers=-1)["workers"]


@contextmanager
def _client(arguments: Namespace) -> Iterator[Any]:
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # we report the important events ourselves
    if arguments.scheduler:
        try:
            client = Client(arguments.scheduler, timeout=CONNECT_SECONDS, security=_security(arguments.key))
        except (OSError, ValueError) as error:
            cause = _("nobody answers there, or its key is another") if arguments.key else _("nobody answers there")
            raise Failure(
                _(
                    "--scheduler {scheduler}: {cause}. This starts one, and says its address:\n    ./lab scheduler",
                    scheduler=arguments.scheduler,
                    cause=cause,
                )
            ) from error
        with client:
            yield client
        return
    with _slurm(arguments) as cluster, Client(cluster) as client:
        jobs = arguments.slurm_jobs
        cluster.scale(jobs=jobs)
        if jobs > 1:
            say(_("Waiting for the first of {jobs} Slurm jobs to start (squeue shows them)", jobs=jobs))
        else:
            say(_("Waiting for the first of 1 Slurm job to start (squeue shows them)"))
        client.wait_for_workers(1)
        yield client


def _security(key_file: str | Path | None) -> Any:  # noqa: ANN401
    """Dask's TLS with one key for every role."""
    from distributed import Security

    if key_file is None:
        return None
    file = str(Path(key_file).absolute())
    roles = {f"tls_{role}_{what}": file for role in ("client", "scheduler", "worker") for what in ("cert", "key")}
    return Security(require_encryption=True, tls_ca_file=file, **roles)


def _slurm_key(arguments: Namespace) -> Path:
    """The nodes see the folder of the build, so the key lies there."""
    file = Path(arguments.key) if arguments.key else build.BUILD / "slurm-key.pem"
    file.parent.mkdir(parents=True, exist_ok=True)
    key.make_if_missing(file)
    return file


def _slurm(arguments: Namespace) -> Any:  # noqa: ANN401
    from dask_jobqueue.slurm import SLURMCluster

    on_gpu = arguments.device == "gpu"
    judges = 1 if on_gpu else arguments.jobs or 4
    directives = [*(["--gres=gpu:1"] if on_gpu else []), *arguments.slurm_option]
    names = ("PYTHONPATH", "WARPLADDER_BUILD_DIR")
    exports = [f"export {name}={shlex.quote(server.worker_environment()[name])}" for name in names]
    return SLURMCluster(
        queue=arguments.slurm_partition,
        account=arguments.slurm_account,
        walltime=arguments.slurm_walltime,
        cores=judges,
        processes=1,
        memory=f"{judges * ready.JUDGE_BYTES >> 30}GiB",
        python=str(wheels.PYTHON),
        protocol="tls://",
        security=_security(_slurm_key(arguments)),
        job_script_prologue=exports,
        scheduler_options={"dashboard": False, "dashboard_address": server.FACTS_AT},
        job_extra_directives=directives,
        worker_extra_args=[*server.QUIET, *(["--resources", "GPU=1"] if on_gpu else [])],
    )
