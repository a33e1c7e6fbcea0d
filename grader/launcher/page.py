"""page: the parts of a verdict's page (grader/judge/verdict/page.h) → its text in the chosen language."""

import re
from typing import Any

from .columns import columns, folded, padded
from .language import ENGLISH, _, chosen, filled

Part = dict[str, Any]
Message = str | list[Any] | dict[str, Any]  # a list: one after the other
USUAL, NARROWEST = 76, 20  # columns of a page
NEXT = "Next: "  # before the next step, in a message of lockstep's
BESIDE = 9  # columns before a text with a word at its side
ON_PAGE, FEWEST = 15, 5  # lines of a failure on the usual page; lines of its steps
SENTENCE_END = {"zh": "。"}  # in English, a stop and a space
MARKS = {"zh": {", ": "，", "; ": "；"}}  # between texts that stand in a row


def text(parts: list[Part], width: int = USUAL) -> str:
    width = min(max(width, NARROWEST), USUAL)
    lines: list[str] = []
    at = 0
    while at < len(parts):
        steps: list[str] = []
        while at < len(parts) and parts[at]["kind"] == "step":
            steps += _lines(parts[at], width)
            at += 1
        if steps:  # they end where the next step is still on the screen
            taken = 1 + sum(len(_lines(part, width)) for part in parts[at:] if part["kind"] != "printed")
            lines += _cut(steps, max(FEWEST, ON_PAGE * USUAL // width - taken))
        else:
            lines += _lines(parts[at], width)
            at += 1
    return "\n".join([*lines, ""])


def said(message: Message) -> str:
    """A string is the same in every language."""
    if isinstance(message, str):
        return message
    if isinstance(message, list):
        return "".join(map(said, message))
    form, arguments = message["form"], {key: said(value) for key, value in message["arguments"].items()}
    if re.fullmatch(r"(\{\d+\}|[,; ])*", form):
        for mark, own in MARKS.get(chosen(), {}).items():
            form = form.replace(mark, own)
    words = _(form, **arguments)
    if "sentence" in message and chosen() == ENGLISH:
        words = words[:1].upper() + words[1:]
    return padded(words, message.get("columns", 0))


def english(message: Message) -> str:
    """The text as the judge's own JSON has it."""
    if isinstance(message, str):
        return message
    text = filled(message["form"], {key: english(value) for key, value in message["arguments"].items()})
    return text[:1].upper() + text[1:] if "sentence" in message else text


def known(value: Any) -> dict[str, Message]:  # noqa: ANN401
    """All messages in a verdict or a record, by their English text."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = {text: one for part in inner for text, one in known(part).items()}
    return found | {english(value): value} if isinstance(value, dict) and "form" in value else found


def again(text: str, messages: dict[str, Message]) -> str:
    """An English text of a verdict in the chosen language. messages: those that are known from it."""
    return said(messages[text]) if text in messages else _(text)


def told(lines: list[Message]) -> list[str]:
    """The lines of a message of lockstep's, as its report has them."""
    found = []
    for words in map(said, lines):
        text = words.lstrip()
        if text.startswith(NEXT):
            words = words[: -len(text)] + _("Next: {step}", step=text.removeprefix(NEXT))
        found.append(words)
    return found


def _cut(steps: list[str], most: int) -> list[str]:
    if len(steps) <= most:
        return steps
    left = _("… {count} lines left out; --json keeps them", count=len(steps) - most + 1)
    return [*steps[: most - 1], f"    {left}"]


def _lines(part: Part, width: int) -> list[str]:
    if part["kind"] == "table":
        return _table([[said(cell) for cell in row] for row in part["rows"]])
    words = said(part["text"])
    if part["kind"] == "first":
        words = words.split(SENTENCE_END.get(chosen(), ". "))[0]
    indent = " " * BESIDE if "word" in part else part["indent"]
    lines = []
    for line in words.split("\n"):
        deeper = line[: len(line) - len(line.lstrip())]
        if part["kind"] in ("line", "printed"):
            lines.append(indent + line)
        else:
            lines += folded(line.lstrip(), width, first=indent + deeper, rest=indent + deeper + "  ")
    if "word" in part:
        lines[0] = padded(part["indent"] + said(part["word"]), BESIDE) + lines[0][BESIDE:]
    return lines


def _table(rows: list[list[str]]) -> list[str]:
    """The cells of a column end below each other, and those of the first begin below each other."""
    widths = [max(columns(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    lines = []
    for row in rows:
        first, *others = [" " * (width - columns(cell)) for cell, width in zip(row, widths, strict=False)]
        line = f"    {row[0]}{first}" + "".join(f"   {gap}{cell}" for gap, cell in zip(others, row[1:], strict=True))
        lines.append(line.rstrip())
    return lines
