"""language: the language of the messages. A message in English, with its arguments → the same in that language.

A message's name is its English text, in which {key} stands for an argument. Catalogues are gettext's .po files:
common/translation/messages/LANGUAGE/LC_MESSAGES/warpladder.po. A message that a catalogue lacks stays English."""

import json
import os
import re
from functools import cache

from .paths import ROOT

CATALOGUES = ROOT / "common" / "translation" / "messages"
CHOSEN = "WARPLADDER_LANG"  # --lang sets it, also for the programs that we start
VARIABLES = (CHOSEN, "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # the first one that is set counts, as for gettext
ENGLISH = "en"
ARGUMENT = re.compile(r"\{(\w+)\}")
TEXT = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
ENTRY = re.compile(rf"((?:^#.*\n)*)^msgid {TEXT}^msgstr {TEXT}", re.MULTILINE)


def choose(wanted: str) -> None:
    """For this process, and for those that it starts. ValueError: there is no such catalogue."""
    if _known(wanted) is None:
        raise ValueError(f'there are no messages in "{wanted}". --lang takes {" or ".join(languages())}.')
    os.environ[CHOSEN] = wanted


@cache
def languages() -> list[str]:
    return [ENGLISH, *sorted(file.parents[1].name for file in CATALOGUES.glob("*/LC_MESSAGES/warpladder.po"))]


def chosen() -> str:
    for variable in VARIABLES:
        if value := os.environ.get(variable):
            known = (_known(wanted) for wanted in value.split(":"))
            return next((language for language in known if language), ENGLISH)
    return ENGLISH


def _(text: str, **arguments: object) -> str:
    """The message in the chosen language, with its arguments."""
    return filled(catalogue(chosen()).get(text, text), arguments)


def later(text: str) -> str:
    """Marks a constant as a message. Whoever prints it translates it with _()."""
    return text


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
