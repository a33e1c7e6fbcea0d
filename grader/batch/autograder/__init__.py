"""autograder: the zip for Gradescope. package makes it; run runs inside it. setup.sh and run_autograder are
here as they are in the zip."""

from argparse import Namespace
from pathlib import Path

from . import package, run


def work(arguments: Namespace) -> int:
    """./lab gradescope."""
    if arguments.set_up:
        return run.set_up(Path(arguments.set_up))
    return run.run(Path(arguments.run_in)) if arguments.run_in else package.write(arguments)
