"""commands: the command line of ./lab. A module of its own carries out each command; it is loaded only when the command
is used."""

import argparse
import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from launcher import labs
from launcher.console import Failure, say
from launcher.paths import ROOT

ABOUT = """Warpladder: a course in CUDA that climbs a ladder, on a GPU or without one.

  ./lab demo        see the whole ladder graded, with the reference solutions
  ./lab check 02    grade your own labs/02_*/… as often as you like
"""


def main(argv: list[str] | None = None) -> int:
    arguments, others = parser().parse_known_args(argv)
    if others and arguments.command != "test":
        parser().error(f"unrecognized arguments: {' '.join(others)}")
    arguments.for_ctest = others
    try:
        return arguments.run(arguments)
    except Failure as failure:
        print(f"lab: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nlab: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # ./lab list | head
        sys.stderr.close()
        return 1


Commands = "argparse._SubParsersAction[argparse.ArgumentParser]"


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="./lab", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    course = (_add_grade, _add_worker, _add_scheduler, _add_gradescope)
    for add in (_add_demo, _add_test, _add_check, *course, _add_list, _add_new, _add_wrong, _add_emulate):
        add(commands)
    return top


def _work_of(module: str, function: str = "run", *, grades: bool = False) -> Callable[[argparse.Namespace], int]:
    """The function that carries out a command. grades: it runs in the Python that has the packages of ./lab grade."""

    def run(arguments: argparse.Namespace) -> int:
        if grades:
            from launcher import setup

            setup.go_on_in_grade_python()
        return getattr(import_module(module), function)(arguments)

    return run


def _option(*names: str, **what: Any) -> argparse.ArgumentParser:  # noqa: ANN401
    """An option that several commands have: a parent of their parsers."""
    holder = argparse.ArgumentParser(add_help=False)
    holder.add_argument(*names, **what)
    return holder


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 on")
    return int(text)


DEVICE = _option(
    "--device",
    choices=["auto", "lockstep", "gpu"],
    default="auto",
    help="where to run (default: auto, a GPU if there is one)",
)
GRADING_DEVICE = _option(
    "--device", choices=["lockstep", "gpu"], default="lockstep", help="where to run (default: lockstep)"
)
JOBS = _option("--jobs", type=_count, metavar="N", help="judges at a time (default: one for each core, or card)")
HIDDEN = _option("--hidden", metavar="FILE", help="a secret of 16 bytes or more: further cases come from it")


def _add_demo(commands: Commands) -> None:
    demo = commands.add_parser(
        "demo",
        parents=[DEVICE],
        help="set up what is missing, build, grade the reference solutions, print the ladder",
        description="Sets up what is missing, builds, grades every reference solution on the best device there is (a "
        "GPU, else lockstep), prints the ladder and draws it to build/ladder.png.",
    )
    demo.set_defaults(run=_work_of("launcher.demo"))


def _add_test(commands: Commands) -> None:
    test = commands.add_parser(
        "test",
        help="set up what is missing, build everything, run every test",
        description="Sets up what is missing, builds everything and runs every test through CTest. Further arguments "
        "go to CTest: ./lab test -L lab02, ./lab test -R scan",
    )
    test.set_defaults(run=_work_of("launcher.test"))


def _add_check(commands: Commands) -> None:
    check = commands.add_parser(
        "check",
        parents=[DEVICE],
        help="grade one lab: yours, or any file",
        description="Builds and grades one lab. The exit code is 0 for accepted and inconclusive, 1 for any other "
        "verdict, 2 if it could not be graded.",
    )
    check.add_argument("lab", metavar="NN", help="the lab: 2, 02 or 02_reduce_neighbored")
    check.add_argument("--file", metavar="F.cu", help="grade this file instead of the one in labs/")
    check.add_argument(
        "--input", metavar="FILE", help="run the lab on this file's bytes as well (histogram labs) and draw the result"
    )
    check.add_argument("--case", metavar="NAME", help="this case alone, such as reduce_sum.33.ones")
    check.add_argument("--seed", type=int, metavar="N", help="of the inputs; a verdict names the one it used")
    check.add_argument("--schedules", metavar="LIST", help="a few cases under each of forward, reverse, random:N")
    check.add_argument("--json", metavar="F", help="write the whole verdict to this file")
    check.set_defaults(run=_work_of("launcher.check"))


GRADE = """Grades a course: one result for each student and lab in DIR/results, and reports of all of them in DIR.

SUBMISSIONS holds one entry for each student: a folder, or a .zip, .tar, .tar.gz, .tgz or .tar.xz by their name; or what
Canvas and Moodle let you download, unpacked. In it, each lab's files are in a folder NN or NN_name; or there is a file
NN.cu or NN_name.cu for each lab; or, with --lab NN, there are that lab's files alone.

Stopped and started again it goes on where it was. A newer grader grades anew, keeps the older results beside the new
ones, and lists in DIR/changes.csv what changed."""


def _add_grade(commands: Commands) -> None:
    grade = commands.add_parser(
        "grade",
        parents=[JOBS, HIDDEN, GRADING_DEVICE],
        help="grade a course's submissions",
        description=GRADE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    grade.add_argument("submissions", metavar="SUBMISSIONS")
    grade.add_argument("--out", metavar="DIR", required=True, help="where results and reports go")
    grade.add_argument("--lab", metavar="NN", help="all submissions are to this lab")
    grade.add_argument(
        "--seed",
        type=int,
        metavar="S",
        help="of the inputs, the same for everybody (default: from --hidden FILE, else by lot)",
    )
    grade.add_argument("--again", action="store_true", help="also what has its result already")
    grade.add_argument("--canvas", metavar="ROSTER.csv", help="Canvas' export of the grades, to be filled in")
    grade.add_argument("--moodle", metavar="WORKSHEET.csv", help="Moodle's grading worksheet, to be filled in")
    grade.add_argument(
        "--missing-as-zero", action="store_true", help="in those two, 0 for who handed in nothing and has no grade yet"
    )
    _add_cluster_options(grade)
    grade.set_defaults(run=_work_of("batch.grade", grades=True))


def _add_cluster_options(grade: argparse.ArgumentParser) -> None:
    where = grade.add_mutually_exclusive_group()
    where.add_argument("--scheduler", metavar="ADDRESS", help="on the workers of this Dask scheduler, tcp://…")
    where.add_argument("--slurm", action="store_true", help="on workers that are Slurm jobs")
    slurm = grade.add_argument_group("with --slurm")
    slurm.add_argument("--slurm-jobs", type=_count, default=4, metavar="N", help="workers (default: 4)")
    slurm.add_argument("--slurm-partition", metavar="NAME")
    slurm.add_argument("--slurm-account", metavar="NAME")
    slurm.add_argument("--slurm-walltime", default="04:00:00", metavar="H:M:S", help="of each (default: 04:00:00)")
    slurm.add_argument(
        "--slurm-option",
        action="append",
        default=[],
        metavar="O",
        help="a further line for sbatch, such as --qos=short",
    )


def _add_worker(commands: Commands) -> None:
    worker = commands.add_parser(
        "worker",
        parents=[JOBS, GRADING_DEVICE],
        help="let this machine grade for ./lab grade --scheduler",
        description="Makes this machine a worker of a Dask scheduler, for ./lab grade --scheduler elsewhere.",
    )
    worker.add_argument("scheduler", metavar="ADDRESS", help="the scheduler's, tcp://…")
    worker.set_defaults(run=_work_of("batch.cluster", "work", grades=True))


def _add_scheduler(commands: Commands) -> None:
    scheduler = commands.add_parser(
        "scheduler",
        help="give work to ./lab worker on other machines",
        description="Starts a Dask scheduler, which says its address. It has no password: whoever reaches its port can "
        "run programs on every worker. Keep it inside a network that you trust.",
    )
    scheduler.add_argument("--port", type=int, default=8786, metavar="N", help="where it listens (default: 8786)")
    scheduler.set_defaults(run=_work_of("batch.cluster", "schedule", grades=True))


def _add_gradescope(commands: Commands) -> None:
    gradescope = commands.add_parser(
        "gradescope",
        parents=[HIDDEN],
        help="make the autograder zip for Gradescope",
        description="Makes the zip that Gradescope takes as an autograder: this course as it is committed, set up on "
        "Ubuntu 22.04, 24.04 or Debian 12, grading on lockstep.",
    )
    gradescope.add_argument("--lab", metavar="NN", help="the assignment is this lab (default: any, by folder)")
    gradescope.add_argument("--out", metavar="F.zip", help="where to write it (default: gradescope_NN.zip)")
    gradescope.add_argument(
        "--hidden-until",
        choices=["after_published", "hidden"],
        default="after_published",
        help="when students see what depends on hidden cases (default: once grades are published)",
    )
    gradescope.add_argument(
        "--minutes", type=_count, default=10, metavar="N", help="the assignment's time limit there (default: 10)"
    )
    inside = gradescope.add_mutually_exclusive_group()
    inside.add_argument("--set-up", metavar="AUTOGRADER", help="what the zip's setup.sh calls")
    inside.add_argument("--run", metavar="AUTOGRADER", dest="run_in", help="what the zip's run_autograder calls")
    gradescope.set_defaults(run=_gradescope)


def _gradescope(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from batch.autograder import package, run

    if arguments.set_up:
        return run.set_up(Path(arguments.set_up))
    return run.run(Path(arguments.run_in)) if arguments.run_in else package.write(arguments)


def _add_list(commands: Commands) -> None:
    listing = commands.add_parser("list", help="list the labs", description="Lists the labs.")
    listing.add_argument("--json", action="store_true", help="as JSON, for programs")
    listing.set_defaults(run=_list)


def _list(arguments: argparse.Namespace) -> int:
    found = labs.all_labs()
    if arguments.json:
        say(
            json.dumps(
                [{"name": lab.name, "folder": str(lab.folder.relative_to(ROOT)), **lab.facts} for lab in found],
                indent=2,
            )
        )
        return 0
    for lab in found:
        say(f"{lab.number}  {lab.facts['family']:10} {lab.title:42} {lab.source.relative_to(ROOT)}")
    return 0


def _add_wrong(commands: Commands) -> None:
    wrong = commands.add_parser(
        "wrong",
        help="list a lab's wrong variants, or show one",
        description="Lists the wrong variants of a lab with the check that catches each, or shows one of them: its "
        "story, its whole file, and what differs from the reference. Instructors use them; they need no build.",
    )
    wrong.add_argument("lab", metavar="NN", help="the lab: 2, 02 or 02_reduce_neighbored")
    wrong.add_argument("variant", metavar="NAME", nargs="?", help="the variant to show (default: list all)")
    files = wrong.add_mutually_exclusive_group()
    files.add_argument("--to", metavar="F.cu", dest="write_to", help="write its whole file to F.cu")
    files.add_argument(
        "--from",
        metavar="F.cu",
        dest="make_from",
        help="make its patch: what differs between the reference and F.cu",
    )
    wrong.set_defaults(run=_work_of("launcher.wrong"))


def _add_emulate(commands: Commands) -> None:
    emulate = commands.add_parser(
        "emulate",
        help="run any program built by nvcc on lockstep, without a GPU",
        description="Runs PROGRAM on lockstep, Warpladder's CUDA runtime for the CPU. Build it with\n"
        "    nvcc -cudart shared --compress-mode=none -lineinfo -gencode arch=compute_75,code=compute_75 …\n"
        "The exit code is the program's own; diagnoses go to standard error.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    emulate.add_argument(
        "--report", metavar="F.json", help="write counters by kernel and line, and findings, to this file"
    )
    emulate.add_argument(
        "--trace", metavar="F.jsonl", help="write every access of every warp to this file, in order; for small launches"
    )
    emulate.add_argument(
        "--checks", metavar="LIST", help="all, none, or of memory,initialised,races,synchronisation,launch"
    )
    emulate.add_argument("--schedule", metavar="S", help="order of warps and blocks: forward, reverse or random:SEED")
    emulate.add_argument(
        "--threads", metavar="N", help="of this machine, that run blocks side by side; otherwise one for each core"
    )
    emulate.add_argument(
        "--fail", metavar="K", help="let the program's K-th call of the CUDA runtime fail, to see whether it looks"
    )
    emulate.add_argument("program", metavar="PROGRAM")
    emulate.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="the program's own arguments")
    emulate.set_defaults(run=_work_of("launcher.emulate"))


def _add_new(commands: Commands) -> None:
    new = commands.add_parser(
        "new",
        help="make the folders of a new lab",
        description="Makes labs/NN_name and solutions/NN_name: a lab that starts from the working kernel of lab MM. "
        "./lab check NN runs at once; docs/CONTRIBUTING.md says what is then to be written.",
    )
    new.add_argument("name", metavar="NN_name", help="the number and name of the new lab: 21_reduce_in_registers")
    new.add_argument(
        "--from", dest="below", metavar="MM", required=True, help="the lab whose kernel the learner is given"
    )
    new.set_defaults(run=_work_of("launcher.new"))
