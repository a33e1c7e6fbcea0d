"""teller: a process beside a program on lockstep, which says lockstep's messages in the chosen language. A message
comes through a socket (common/lockstep/runtime/teller.cc) and goes to standard error. The program waits for it, so it
stands where lockstep alone would have printed it."""

import os
import re
import signal
import socket
from collections import deque
from typing import Any

from .console import visible
from .page import told

LARGEST = 1 << 20  # bytes of a message
# As common/lockstep/base/words.cc: open, form, key, value, key, value, …, close.
OPEN, KEY, VALUE, CLOSE = "\1", "\2", "\3", "\4"
MARKS = re.compile("[\1\2\3\4]")
DEEPEST = 16  # words in words


def begin() -> int:
    """Starts the process, and gives the program's end of the socket. It is no child of this process, which becomes the
    program: a program may wait for its children."""
    own, programs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    between = os.fork()
    if between == 0:
        try:
            if os.fork() == 0:
                programs.close()
                _tell(own)
        finally:
            os._exit(0)
    own.close()
    os.waitpid(between, 0)
    programs.set_inheritable(True)
    return programs.detach()


def _tell(own: socket.socket) -> None:
    """Ends when nobody has the other end any more."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):  # the program tells of its end, too
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    for descriptor in (0, 1):  # whoever reads the program's output sees its end
        os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    while marked := own.recv(LARGEST):
        text = "".join(f"lockstep: {line}\n" for line in told(lines(marked.decode("utf-8", "replace"))))
        os.write(2, visible(text).encode("utf-8"))
        own.send(b".")


def lines(marked: str) -> list[list[Any]]:
    """The lines of a message with marks, as lockstep's report has them: a line is strings and words."""
    return [_pieces(line) for line in marked.split("\n")]


def _pieces(marked: str) -> list[Any]:
    tokens = deque(token for token in re.split("([\1\2\3\4])", marked) if token)
    found: list[Any] = []
    while tokens:
        found += _read(tokens, 0)
        _skip(tokens)  # a mark that opens nothing
    return found


def _read(tokens: deque[str], depth: int) -> list[Any]:
    """Reads until the mark that ends the text at hand."""
    found: list[Any] = []
    while tokens and (tokens[0] == OPEN or not MARKS.match(tokens[0])):
        token = tokens.popleft()
        if token != OPEN:
            found.append(token)
            continue
        if depth == DEEPEST:
            return found
        words: dict[str, Any] = {"form": _text(tokens), "arguments": {}}
        while tokens and tokens[0] == KEY:
            _skip(tokens)
            key = _text(tokens)
            _skip(tokens)  # VALUE
            words["arguments"][key] = _read(tokens, depth + 1)
        _skip(tokens)  # CLOSE
        found.append(words)
    return found


def _text(tokens: deque[str]) -> str:
    return tokens.popleft() if tokens and not MARKS.match(tokens[0]) else ""


def _skip(tokens: deque[str]) -> None:
    if tokens:
        tokens.popleft()
