"""parser: argparse in the chosen language. The texts of a parser are English; they are translated when they are shown,
since a parser is made before anybody can say --lang."""

import argparse
import re

from .columns import columns, folded
from .language import _, later

# What argparse itself says to a person, in Python 3.11 to 3.14. A test compares this with the Python that runs it.
OWN_WORDS = (
    later("usage: "),
    later("positional arguments"),
    later("options"),
    later("%(heading)s:"),
    later("show this help message and exit"),
    later("%(prog)s: error: %(message)s\n"),
    later("argument %(argument_name)s: %(message)s"),
    later("invalid choice: %(value)r (choose from %(choices)s)"),
    later("invalid %(type)s value: %(value)r"),
    later("the following arguments are required: %s"),
    later("one of the arguments %s is required"),
    later("unrecognized arguments: %s"),
    later("not allowed with argument %s"),
    later("ignored explicit argument %r"),
    later("expected one argument"),
    later("expected at most one argument"),
    later("expected at least one argument"),
    later("expected %s argument"),
    later("expected %s arguments"),
    later("unexpected option string: %s"),
    later("unknown parser %(parser_name)r (choices: %(choices)s)"),
)


def speak() -> None:
    """argparse looks up each of its texts by gettext, under these names. From now on they are ours."""
    argparse._ = _  # type: ignore[attr-defined]
    argparse.ngettext = lambda one, many, count: _(one if count == 1 else many)  # type: ignore[attr-defined]


class Formatter(argparse.HelpFormatter):
    """Folds paragraphs."""

    def _format_usage(self, usage, actions, groups, prefix):  # noqa: ANN001, ANN202 (as argparse has it)
        word = _("usage: ") if prefix is None else prefix
        blank = " " * columns(word)  # argparse counts characters, and a Chinese one takes two columns
        return super()._format_usage(usage, actions, groups, blank).replace(blank, word, 1)

    def format_help(self) -> str:
        """Before Python 3.13, argparse itself writes the colon behind a title."""
        return re.sub(r"(?m)(?<=[\u4e00-\u9fff]):$", "：", super().format_help())

    def start_section(self, heading: str | None) -> None:
        super().start_section(_(heading) if heading else heading)

    def add_text(self, text: str | None) -> None:
        super().add_text(_(text) if text else text)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return _(action.help) if action.help else action.help

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(text, width) if _is_narrow(text) else folded(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if _is_narrow(text):
            return super()._fill_text(text, width, indent)
        return "\n".join(folded(" ".join(text.split()), width, first=indent, rest=indent))


class LinesFormatter(Formatter):
    """Keeps the lines of paragraphs."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "".join(indent + line for line in text.splitlines(keepends=True))


def _is_narrow(text: str) -> bool:
    return columns(text) == len(text)
