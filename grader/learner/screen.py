"""screen: the terminal of ./lab watch: a text above, one changing line below it, single keys. It is given back as it
was found, however the watch ends.

Where the output is not a terminal, or one that does not obey, texts and lines come one after the other."""

import contextlib
import os
import re
import sys
import termios
import tty
from collections.abc import Iterator

from launcher.columns import cut
from launcher.console import has_commands, is_terminal, paint, say, width

GONE = "gone"
HOME, TO_THE_END, LINE_END, LINE_START = "\033[H", "\033[J", "\033[K", "\r\033[K"


class Screen:
    def __init__(self) -> None:
        self.redraws_ = has_commands()
        self.keys_ = sys.stdin.fileno() if sys.stdin.isatty() and is_terminal() else None
        self.usual_ = termios.tcgetattr(self.keys_) if self.keys_ is not None else None
        self.last_ = ""

    def __enter__(self) -> "Screen":
        """Keys come one by one, without Enter, and are not shown. Ctrl-C still interrupts."""
        if self.keys_ is not None:
            tty.setcbreak(self.keys_)
        return self

    def __exit__(self, *_: object) -> None:
        if self.keys_ is not None and self.usual_ is not None:
            termios.tcsetattr(self.keys_, termios.TCSADRAIN, self.usual_)
        if self.redraws_ and self.last_:
            say()
            self.last_ = ""

    @contextlib.contextmanager
    def given_back(self) -> Iterator[None]:
        """For a while the terminal is as usual: for questions, and for long commands with their own progress."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()

    @property
    def has_keys(self) -> bool:
        return self.keys_ is not None

    def descriptor(self) -> int | None:
        return self.keys_

    def pressed(self) -> list[str]:
        """The keys that were pressed, without arrows and the like; GONE if there is no terminal any more."""
        assert self.keys_ is not None
        text = b""
        with contextlib.suppress(OSError):
            text = os.read(self.keys_, 64)
        return list(re.sub(r"\033(\[[\d;]*.|O?.)", "", text.decode("utf-8", "replace"))) if text else [GONE]

    def show(self, lines: list[str], status: str) -> None:
        """Puts the lines, which are painted already, in the place of what was there. They are written over the old
        ones, so that nothing flickers. If there are more than the terminal has room for, the first ones go up."""
        if self.redraws_:
            say(HOME + "".join(f"{line}{LINE_END}\n" for line in [*lines, ""]) + TO_THE_END, end="", styled=True)
        else:
            for line in lines:
                say(line, styled=True)
        self.last_ = ""
        self.status(status)

    def status(self, text: str, fleeting: bool = False) -> None:
        """Changes the line below. fleeting: another one follows soon, so that a pipe does without this one."""
        if text == self.last_ or (fleeting and not self.redraws_):
            return
        self.last_ = text
        if self.redraws_:
            say(LINE_START + paint(cut(text, width() - 1), "weak"), end="", styled=True)
        else:
            say(text)
