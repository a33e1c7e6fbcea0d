"""check: ./lab check. Asks for predictions, lets the launcher grade, keeps the progress, and says what was gained."""

from argparse import Namespace

from launcher import check
from launcher.check import Graded, Request
from launcher.console import say
from launcher.language import _

from . import afterword, ladder, prediction, record
from .home import TOP


def run(arguments: Namespace) -> int:
    lab = ladder.chosen(arguments.lab)
    if lab is None:
        say(_(TOP))
        return 0
    arguments.lab = lab.number
    request = check.read(arguments)
    counts = counts_for_progress(request)
    if counts and request.outlet is None:
        prediction.ask_once(request.lab)
    graded = check.grade(request)
    if counts:
        for line in after(request, graded):
            say(line, styled=True)
    return graded.code


def counts_for_progress(request: Request) -> bool:
    """A part of a check proves nothing, and a file from elsewhere may be the solution."""
    return request.is_whole and request.file == request.lab.source


def after(request: Request, graded: Graded) -> list[str]:
    """Keeps the verdict, and returns what is said below it."""
    if not graded.verdict or graded.verdict["verdict"] == "judge fault":
        return []
    answered = record.keep(request.lab, graded.verdict)
    return afterword.lines(request.lab, graded.verdict, answered)
