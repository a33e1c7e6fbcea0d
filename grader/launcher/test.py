"""test: builds everything, the unit tests once more with sanitizers, and runs CTest, whose summary comes last."""

import os
from argparse import Namespace

from . import build, labs, language, setup
from .console import say
from .language import _
from .paths import BUILD, shown


def run(arguments: Namespace) -> int:
    is_whole = labs.has_solutions()  # a learners' repository tests its baselines and the programs of its labs
    long = is_whole and "long" in " ".join(arguments.for_ctest)
    nvcc = setup.prepare(picture=is_whole, extras=is_whole, grade=is_whole, watch=is_whole, long=long)
    tree = build.configure("lockstep", nvcc)
    build.build(tree, title=_("Building everything"))
    if is_whole:
        build.build(build.configure("dev", nvcc), title=_("Building the unit tests with sanitizers"))
    say(_("Testing; the results also go to {build}/tests.xml", build=shown(BUILD)))
    command = ["ctest", "--test-dir", str(tree), "--parallel", str((os.cpu_count() or 1) + 1), "--output-on-failure"]
    command += ["--output-junit", str(BUILD / "tests.xml"), *selected(arguments.for_ctest)]
    os.environ[language.CHOSEN] = language.ENGLISH  # tests compare texts
    os.execvp(command[0], command)


def selected(for_ctest: list[str]) -> list[str]:
    """CTest's arguments. Tests with the label `long` run only if you ask for them: ./lab test -L long."""
    if any("long" in argument for argument in for_ctest):
        return for_ctest
    return ["--label-exclude", "^long$", *for_ctest]
