"""columns: how wide a text is in a terminal, where a Chinese character takes two columns; padding, cutting, folding."""

import textwrap
import unicodedata
from itertools import accumulate

NOT_FIRST = "，。：；、？！）》”’…％"  # characters that must not begin a line
NOT_LAST = "（《“‘"  # characters that must not end one


def columns(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def flush_right(text: str, width: int) -> str:
    return " " * (width - columns(text)) + text


def cut(text: str, width: int) -> str:
    """As much of the beginning as there is room for."""
    widths = accumulate(map(_columns, text))
    return text[: sum(width_so_far <= width for width_so_far in widths)]


def folded(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most this width. A line may end at a space, and on either side of a Chinese character. first and
    rest: the indents."""
    if columns(text) == len(text):
        options = {"initial_indent": first, "subsequent_indent": rest, "break_on_hyphens": False}
        return textwrap.wrap(text, width, **options)
    lines, line, is_empty = [], first, True
    for piece in _pieces(text):
        if not is_empty and columns(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line, piece = rest, piece.lstrip()
        line += piece
        is_empty = False
    return [*lines, line.rstrip()]


def _pieces(text: str) -> list[str]:
    """The text in parts between which a line may end. A space stands at the beginning of the part behind it."""
    pieces = [""]
    for before, character in zip(" " + text, text):
        wide = _columns(character) == 2 or _columns(before) == 2
        ends = character == " " or (wide and character not in NOT_FIRST and before not in NOT_LAST + " ")
        if ends and pieces[-1]:
            pieces.append(character)
        else:
            pieces[-1] += character
    return pieces
