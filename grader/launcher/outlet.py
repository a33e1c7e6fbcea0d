"""outlet: where a command writes JSON for programs: a file, or `-` for standard output."""

import os
import sys
from pathlib import Path

from .console import Failure, talk_on_stderr
from .language import _

STANDARD_OUTPUT = "-"


class Outlet:
    """With `-`, standard output holds the JSON and nothing else: all messages go to standard error from now on."""

    def __init__(self, name: str, option: str) -> None:
        self.file_: Path | None = None
        if name == STANDARD_OUTPUT:
            talk_on_stderr()
            return
        self.file_ = Path(name).absolute()
        target = self.file_ if self.file_.exists() else self.file_.parent
        if self.file_.is_dir() or not self.file_.parent.is_dir() or not os.access(target, os.W_OK):
            raise Failure(_("{option} {file} cannot be written", option=option, file=name))

    def write(self, text: str) -> None:
        if self.file_ is not None:
            self.file_.write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(text)
            sys.stdout.flush()
