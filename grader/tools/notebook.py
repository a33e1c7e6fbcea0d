"""notebook: %lab and %%lab for Jupyter and Colab. %load_ext tools.notebook loads it, with grader/ in sys.path.

%lab 03        puts the lab's file into a new cell
%%lab 03       writes the cell into the lab's file and grades it; options of ./lab check may follow the number
%lab hint 03   runs ./lab hint 03, and so on for every command
"""

import shlex
import subprocess
from typing import Any

from launcher.console import Failure
from launcher.labs import find_lab
from launcher.language import _
from launcher.paths import ROOT


def load_ipython_extension(shell: Any) -> None:  # noqa: ANN401 (IPython is not among our packages)
    def lab(line: str, cell: str | None = None) -> None:
        words = shlex.split(line)
        try:
            if cell is not None:
                check(words, cell)
            elif words and words[0][0].isdigit():
                shell.set_next_input(f"%%lab {words[0]}\n{find_lab(words[0]).source.read_text(encoding='utf-8')}")
            else:
                run(words)
        except Failure as failure:
            print(f"lab: {failure}")

    shell.register_magic_function(lab, "line_cell")


def check(words: list[str], code: str) -> None:
    """words: the lab, and options of ./lab check."""
    if not words:
        raise Failure(_("which lab? Write its number behind %%lab, such as %%lab 03."))
    find_lab(words[0]).source.write_text(code, encoding="utf-8")
    run(["check", *words])


def run(words: list[str]) -> None:
    """The output of ./lab goes into the output of the cell while it is made. Nobody can answer a question there."""
    with subprocess.Popen(
        [ROOT / "lab", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="")
