"""hidden: the instructor's secret file, read and checked before anything is graded or packed with it.

A file that the judge would refuse (grader/judge/cases/hidden.cc) is refused here, once and not for each submission.
A lab.json lists neither a contract's kinds of input nor the entries that take a block: only the judge checks those.
"""

import json
from pathlib import Path
from typing import Any

from launcher import labs
from launcher.console import Failure
from launcher.labs import Lab
from launcher.language import _

SHORTEST, LONGEST = 16, 1 << 20  # bytes
LARGEST = 1048577  # elements of a case, if lab.json has no other number
KEYS = {"n", "input", "entry", "seed", "block"}


def read_hidden(name: str | None) -> bytes | None:
    """--hidden FILE."""
    if name is None:
        return None
    try:
        with Path(name).open("rb") as stream:
            secret = stream.read(LONGEST + 1)
    except OSError as error:
        raise Failure(
            _(
                "--hidden {name} cannot be read: {why}. It takes the file with your secret.",
                name=name,
                why=error.strerror,
            )
        ) from error
    if problem := _problem(secret):
        raise Failure(_("--hidden {name}: {problem}", name=name, problem=problem))
    return secret


def _problem(secret: bytes) -> str:
    if len(secret) > LONGEST:
        return _("is larger than 1 MiB. Name the file with your secret.")
    if len(secret) < SHORTEST:
        return _(
            "is shorter than {least} bytes, and so could be guessed. Make one: openssl rand -hex 32 > FILE",
            least=SHORTEST,
        )
    by_name = {lab.name: lab for lab in labs.all_labs()}
    listed = _listed(secret)
    if isinstance(listed, str):
        return _("begins as a list of cases, but is no JSON object ({why}). docs/grading.md shows one.", why=listed)
    for name, cases in listed.items():
        if name not in by_name:
            return _('names a lab "{name}", which is not here; ./lab list --json has the names.', name=name)
        if not isinstance(cases, list) or not cases:
            return _('"{name}" must be a list of cases. docs/grading.md shows one.', name=name)
        for number, case in enumerate(cases, 1):
            if wrong := _wrong_in(case, by_name[name]):
                return _(
                    "{name}, case {number} {wrong}. docs/grading.md lists the keys.",
                    name=name,
                    number=number,
                    wrong=wrong,
                )
    return ""


def _listed(secret: bytes) -> dict[str, Any] | str:
    """Lab → its cases; empty if the file is an ordinary secret. A text says why the file is not a list of cases."""
    try:
        text = secret.decode("utf-8-sig")
    except UnicodeDecodeError:
        return {}
    if not text.lstrip(" \t\r\n").startswith(("{", "[")):
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return str(error)
    return found if isinstance(found, dict) else _("the cases stand under their lab's name")


def _wrong_in(case: object, lab: Lab) -> str:
    if not isinstance(case, dict):
        return _("must be an object")
    if unknown := case.keys() - KEYS:
        return _('has an unknown key "{key}"', key=min(unknown))
    n = case.get("n")
    if type(n) is not int or n < 0:
        return _('has no "n" that is a whole number')
    sizes, entries = lab.facts["sizes"], lab.facts["entries"]
    if n > (most := max(sizes["real"], sizes.get("largest", LARGEST))):
        return _('has an "n" above the lab\'s largest, {most}', most=most)
    if n > 0 and "input" not in case:
        return _('has no "input"')
    if not isinstance(case.get("input", ""), str):
        return _('has a "input" of the wrong type')
    if case.get("entry", entries[0]) not in entries:
        return _('has an "entry" that the lab has not, "{entry}"', entry=case["entry"])
    for key, least, most in (("seed", 0, 2**64 - 1), ("block", -(2**31), 2**31 - 1)):
        value = case.get(key, 0)
        if type(value) is not int or not least <= value <= most:
            return _('has a "{key}" that is no whole number, or one out of range', key=key)
    return ""
