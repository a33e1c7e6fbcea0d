"""server: ./lab scheduler and ./lab worker, the two commands that make a cluster out of machines. Both start programs
of Dask. These listen only to this machine, or by TLS to programs that have the cluster's key."""

import os
import socket
import subprocess
from argparse import Namespace
from pathlib import Path

from launcher import build, device, labs, wheels
from launcher.console import say
from launcher.language import _
from launcher.paths import ROOT

from . import key, ready

DEATH_SECONDS = 20  # a worker without a scheduler ends after this time
# Dask's programs serve facts about themselves over HTTP, without a key: on this machine alone.
FACTS_AT = "127.0.0.1:0"
QUIET = ["--no-dashboard", "--dashboard-address", FACTS_AT]


def check_scheduler(arguments: Namespace) -> None:
    key.check_scheduler(arguments.host, arguments.key)


def check_worker(arguments: Namespace) -> None:
    key.check_client(arguments.scheduler, arguments.key)


def schedule(arguments: Namespace) -> int:
    """Runs until it is stopped."""
    option = ""
    if arguments.key is not None:
        if key.make_if_missing(Path(arguments.key)):
            say(_("{key} is the new key of this cluster. {copy}", key=arguments.key, copy=_(key.COPY)))
        option = f" --key {arguments.key}"
    port = arguments.port or "PORT"  # 0: Dask chooses one, and says which
    address = f"{'tls' if arguments.key else 'tcp'}://{_reached_at(arguments.host)}:{port}"
    say(
        _(
            "Workers join by\n    ./lab worker {address}{option}\nand this grades on them:",
            address=address,
            option=option,
        )
    )
    say(f"    ./lab grade SUBMISSIONS --out DIR --scheduler {address}{option}")
    os.execv(wheels.PYTHON, scheduler_command(arguments.host, arguments.port, arguments.key))


def _reached_at(host: str) -> str:
    """The name by which other machines reach this address."""
    if host in ("0.0.0.0", "::", ""):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def scheduler_command(host: str, port: int, key_file: str | None) -> list[str]:
    command = [str(wheels.PYTHON), "-m", "distributed.cli.dask_scheduler", "--host", host, "--port", str(port)]
    return [*command, *QUIET, *key.options(key_file)]


def worker_command(address: str, key_file: str | None = None) -> list[str]:
    command = [str(wheels.PYTHON), "-m", "distributed.cli.dask_worker", address, "--nworkers", "1"]
    # The judges use the memory. They are not part of the worker's own process.
    command += ["--memory-limit", "0", "--death-timeout", str(DEATH_SECONDS)]
    command += [*QUIET, *key.options(key_file)]
    # A worker runs every program that it receives over a connection, as the scheduler does.
    return [*command, "--host", "127.0.0.1"] if key_file is None or key.listens_only_here(address) else command


def worker_environment() -> dict[str, str]:
    """Workers import our modules by name."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "grader"), "WARPLADDER_BUILD_DIR": str(build.BUILD)}


def work(arguments: Namespace) -> int:
    """Makes this machine ready for every lab. It then serves the scheduler until one of the two is stopped."""
    where = device.choose(arguments.device)
    ready.make_ready(where, labs.all_labs())
    command, environment = worker_command(arguments.scheduler, arguments.key), worker_environment()
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
