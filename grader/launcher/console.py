"""console: prints the launcher's messages, and runs long commands with their progress and a log."""

import os
import re
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from .columns import cut
from .language import _

QUIET_SECONDS = 2.0  # shorter work is not mentioned
LINE_SECONDS = 15.0  # between two lines of progress, if the output is not a terminal
PLAIN_WIDTH = 100  # columns of texts that no terminal shows
USUAL_WIDTH, LEAST_WIDTH = 80, 20  # of a terminal that does not say its width; of any
STYLES = {"good": "32;1", "bad": "31;1", "strong": "1", "weak": "2", "code": "36", "gone": "31", "new": "32"}
INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # Unicode's categories: control, format, surrogates, separators of lines


class Failure(Exception):
    """An error for the person at the terminal. Its text says what to do next. The command ends with exit code 2."""


_stream: TextIO = sys.stdout


def talk_on_stderr() -> None:
    """From now on messages go to standard error: standard output belongs to the learner's program."""
    global _stream
    _stream = sys.stderr


def say(text: str = "", end: str = "\n", *, styled: bool = False) -> None:
    """styled: the text commands the terminal, in our own words; any other text is shown and never obeyed."""
    print(text if styled else visible(text), end=end, file=_stream, flush=True)


def warn(text: str) -> None:
    """To standard error, so that it never becomes a part of what a program reads."""
    print(f"lab: {visible(text)}", file=sys.stderr, flush=True)


def is_terminal() -> bool:
    return _stream.isatty()


def has_commands() -> bool:
    """A terminal that obeys: it can move the cursor and erase."""
    return is_terminal() and (os.environ.get("TERM") or "dumb") != "dumb"


def has_colours() -> bool:
    """The person did not ask for plain text, either (https://no-color.org)."""
    return has_commands() and not os.environ.get("NO_COLOR")


def paint(text: str, style: str) -> str:
    """The text in this style, for say(…, styled=True). Without colours it is only made visible."""
    text = visible(text)
    return f"\033[{STYLES[style]}m{text}\033[0m" if style and has_colours() else text


def width() -> int:
    """Columns of the terminal, or of a text that goes into a file or a pipe."""
    if not is_terminal():
        return PLAIN_WIDTH
    return max(os.get_terminal_size(_stream.fileno()).columns or USUAL_WIDTH, LEAST_WIDTH)


def visible(text: object) -> str:
    """Writes control characters, invisible ones and those that turn the direction of writing as their numbers (\\u001b,
    \\u202e), so that a name can neither command a terminal nor pose as another. Bytes that are not UTF-8 become \\xe9.
    Line breaks and tabs stay. The judge's visible() does the same (grader/judge/base/text.cc)."""
    return replaced(str(text), _number)


def replaced(text: str, by: Callable[[str], str]) -> str:
    """The text with something in place of each character that must not be printed as it is."""
    lines = text.split("\n")  # most of them can be printed as a whole, and asking that is quick
    return "\n".join(
        line if line.isprintable() else "".join(c if _is_plain(c) else by(c) for c in line) for line in lines
    )


def _is_plain(character: str) -> bool:
    return character == "\t" or unicodedata.category(character) not in INVISIBLE


def _number(character: str) -> str:
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:  # Python's form of a byte that is not UTF-8, as in a file's name
        return f"\\x{point - 0xDC00:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


class Progress:
    """One changing line on a terminal; elsewhere a line from time to time. Short work shows nothing."""

    def __init__(self, title: str, announce: bool = False) -> None:
        self.title_ = title
        self.start_ = self.last_ = time.monotonic()
        self.terminal_ = _stream.isatty()
        self.shown_ = False
        if announce:
            self.show("")

    def seconds(self) -> float:
        return time.monotonic() - self.start_

    def update(self, detail: str) -> None:
        now = time.monotonic()
        pause = 0.1 if self.terminal_ else LINE_SECONDS
        if now - self.start_ >= QUIET_SECONDS and (now - self.last_ >= pause or not self.shown_):
            self.last_ = now
            self.show(detail)

    def show(self, detail: str) -> None:
        text = f"{self.title_} {detail}".rstrip() + ("" if detail else " …")
        if self.terminal_:
            width = os.get_terminal_size(_stream.fileno()).columns - 1
            say("\r\033[K" + cut(visible(text), width), end="", styled=True)
        else:
            say(text)
        self.shown_ = True

    def done(self, note: str = "") -> None:
        if self.shown_:
            facts = {"title": self.title_, "note": note or _("done"), "seconds": f"{self.seconds():.0f}"}
            text = visible(_("{title}: {note} ({seconds} s)", **facts))
            say(("\r\033[K" if self.terminal_ else "") + text, styled=True)


def run_logged(
    title: str,
    command: Sequence[str | Path],
    log: Path,
    *,
    announce: bool = False,
    env: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Runs the command with its output in the log file. Returns its exit code and its output."""
    log.parent.mkdir(parents=True, exist_ok=True)
    progress = Progress(title, announce)
    lines: list[str] = []
    with (
        log.open("w", encoding="utf-8") as file,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            env=env,
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            file.write(line)
            counted = re.match(r"\[(\d+/\d+)\]", line)
            progress.update(counted[0] if counted else f"… {progress.seconds():.0f} s")
    code = process.returncode
    progress.done(_("done") if code == 0 else _("failed"))
    return code, "".join(lines)


def last_lines(text: str, count: int) -> str:
    return "\n".join(text.rstrip().splitlines()[-count:])
