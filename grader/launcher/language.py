"""language: the language of the messages. A message in English, with its arguments → the same in that language.

A message's name is its English text, in which {key} stands for an argument. Catalogues are gettext's .po files:
common/translation/messages/LANGUAGE/LC_MESSAGES/warpladder.po. A message that a catalogue lacks stays English."""

import json
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from .paths import ROOT

INSTALLED = Path(__file__).resolve().parents[1] / "messages"  # beside the launcher that CMake installs
CATALOGUES = INSTALLED if INSTALLED.is_dir() else ROOT / "common" / "translation" / "messages"
CHOSEN = "WARPLADDER_LANG"  # --lang sets it, also for the programs that we start
VARIABLES = (CHOSEN, "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # the first one that is set counts, as for gettext
ENGLISH = "en"
ARGUMENT = re.compile(r"\{(\w+)\}")
TEXT = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
MARKED = re.compile(r'(?<![\w.$])(?:_|later)\(\s*("(?:[^"\\]|\\.)*")')
ENTRY = re.compile(rf"((?:^#.*\n)*)^msgid {TEXT}^msgstr {TEXT}", re.MULTILINE)


def choose(wanted: str) -> None:
    """For this process, and for those that it starts. ValueError: there is no such catalogue."""
    if _known(wanted) is None:
        raise ValueError(
            _(
                'there are no messages in "{wanted}". --lang takes {languages}.',
                wanted=wanted,
                languages=_(" or ").join(languages()),
            )
        )
    os.environ[CHOSEN] = wanted


def without_option(words: list[str]) -> list[str]:
    """The words of a command line behind --lang zh or --lang=zh, which chooses the language. It is read before anything
    can be said. ValueError: as choose()."""
    if not words or words[0].partition("=")[0] != "--lang" or words == ["--lang"]:
        return words
    _option, is_one_word, wanted = words[0].partition("=")
    choose(wanted if is_one_word else words[1])
    return words[1:] if is_one_word else words[2:]


@cache
def languages() -> list[str]:
    return [ENGLISH, *sorted(file.parents[1].name for file in CATALOGUES.glob("*/LC_MESSAGES/warpladder.po"))]


def chosen() -> str:
    for variable in VARIABLES:
        if value := os.environ.get(variable):
            known = (_known(wanted) for wanted in value.split(":"))
            return next((language for language in known if language), ENGLISH)
    return ENGLISH


def _(text: str, /, **arguments: object) -> str:
    """The message in the chosen language, with its arguments."""
    return filled(catalogue(chosen()).get(text, text), arguments)


def later(text: str) -> str:
    """Marks a constant as a message. Whoever prints it translates it with _()."""
    return text


class Message(str):
    """An English text that is kept, as in a record, and that says how a reader in another language gets it."""

    parts: dict[str, Any]  # its form and its arguments, as in the judge's JSON: launcher.page.said() translates them
    arguments: dict[str, object]

    def changed(self, change: Callable[[str], str]) -> "Message":
        """The same with this text for each argument that is not a message."""
        kept = self.arguments.items()
        values = {
            key: value.changed(change) if isinstance(value, Message) else change(str(value)) for key, value in kept
        }
        return message(self.parts["form"], **values)


def message(text: str, /, **arguments: object) -> Message:
    """The message in English, with its arguments, which may be messages."""
    made = Message(filled(text, arguments))
    values = {key: value.parts if isinstance(value, Message) else str(value) for key, value in arguments.items()}
    made.parts, made.arguments = {"form": text, "arguments": values}, arguments
    return made


def marked(code: str) -> list[str]:
    """The texts that JavaScript or a template marks by _() or later()."""
    return [_joined(literals) for literals in MARKED.findall(code)]


def filled(text: str, arguments: dict[str, object]) -> str:
    return ARGUMENT.sub(lambda found: str(arguments.get(found[1], found[0])), text)


@cache
def catalogue(language: str) -> dict[str, str]:
    file = CATALOGUES / language / "LC_MESSAGES" / "warpladder.po"
    return read(file.read_text(encoding="utf-8")) if file.exists() else {}


def read(text: str) -> dict[str, str]:
    """The messages of a .po file that have a translation. One that is marked as fuzzy counts as untranslated."""
    found = {}
    for comments, message, translation in ENTRY.findall(text):
        if (name := _joined(message)) and (translated := _joined(translation)) and "#, fuzzy" not in comments:
            found[name] = translated
    return found


def _joined(quoted: str) -> str:
    return "".join(json.loads(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', quoted))


def _known(wanted: str) -> str | None:
    """zh_CN.UTF-8 → zh. None: there is no catalogue."""
    name = re.split(r"[_.@-]", wanted)[0].lower()
    if name in ("c", "posix"):
        return ENGLISH
    return name if name in languages() else None
