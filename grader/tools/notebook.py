"""notebook: %lab and %%lab for Jupyter and Colab. %load_ext tools.notebook loads it, with grader/ in sys.path.

%lab 03        puts the lab's file into a new cell
%%lab 03       writes the cell into the lab's file and grades it; options of ./lab check may follow the number
"""

import subprocess
from typing import Any

from launcher.console import Failure
from launcher.labs import find_lab
from launcher.paths import ROOT


def load_ipython_extension(shell: Any) -> None:  # noqa: ANN401 (IPython is not among our packages)
    def lab(line: str, cell: str | None = None) -> None:
        try:
            if cell is None:
                shell.set_next_input(
                    f"%%lab {line.strip()}\n{find_lab(line.strip()).source.read_text(encoding='utf-8')}"
                )
            else:
                check(line.split(), cell)
        except Failure as failure:
            print(f"lab: {failure}")

    shell.register_magic_function(lab, "line_cell")


def check(words: list[str], code: str) -> int:
    """words: the lab, and options of ./lab check. The verdict goes into the output of the cell, while it is made."""
    if not words:
        raise Failure("which lab? Write its number behind %%lab, such as %%lab 03.")
    find_lab(words[0]).source.write_text(code, encoding="utf-8")
    command = [ROOT / "lab", "check", *words]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="")
    return running.returncode
