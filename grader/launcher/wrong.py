"""wrong: lists a lab's wrong variants, shows one of them, writes its code to a file, or makes its patch from a file.
Needs no build."""

import re
import shutil
import sys
import textwrap
from argparse import Namespace
from pathlib import Path

from . import variants
from .console import Failure, say, visible
from .labs import Lab, find_lab
from .language import _
from .paths import BUILD, shown
from .variants import Variant

COLOURS = {"-": "\033[31m", "+": "\033[32m"}
NEW_HEAD = ["caught by: CHECK", "Write here in one or two sentences what the bug is and what it does."]


def run(arguments: Namespace) -> int:
    lab = find_lab(arguments.lab)
    lab.need_solution()
    if arguments.variant is None:
        if arguments.make_from or arguments.write_to:
            raise Failure(
                _("--to and --from need the variant's NAME. These are here: ./lab wrong {lab}", lab=lab.number)
            )
        _list(lab)
    elif arguments.make_from:
        _make(lab, arguments.variant, Path(arguments.make_from))
    else:
        variant = _find(lab, arguments.variant)
        if arguments.write_to:
            _write(Path(arguments.write_to), variant.code())
        else:
            _show(lab, variant)
    return 0


def _find(lab: Lab, name: str) -> Variant:
    known = variants.all_variants(lab.solution.parent)
    if found := next((variant for variant in known if name in (variant.name, variant.file.name)), None):
        return found
    names = "\n".join(f"    {variant.name}" for variant in known) or f"    {_('none')}"
    raise Failure(
        _('lab {lab} has no wrong variant "{name}". It has these:\n{names}', lab=lab.number, name=name, names=names)
    )


def _list(lab: Lab) -> None:
    known = variants.all_variants(lab.solution.parent)
    for variant in known:
        say(_title(variant))
        say(_wrapped(variant.summary, "    "))
    say(
        "\n"
        + _(
            "{count} wrong variants of {lab}. To see one: ./lab wrong {number} NAME",
            count=len(known),
            lab=lab.name,
            number=lab.number,
        )
    )


def _show(lab: Lab, variant: Variant) -> None:
    say(_title(variant))
    say(_wrapped(variant.story))
    if not variant.is_patch:
        text = _("This kernel is another one than the reference. The whole file, {file}:", file=shown(variant.file))
        say(f"\n{text}\n")
        say(variant.code(), end="")
        return
    try:
        code = variant.code()
    except Failure:
        _say_difference(variant.lines[len(variant.head) :])
        raise
    text = _(
        "The whole file. The lines with - are those of {reference}, the lines with + are the bug:",
        reference=shown(variant.reference),
    )
    say(f"\n{text}\n")
    _say_difference(variants.difference(variant.reference, code, context=len(code))[3:])
    built = BUILD / "labs" / lab.name / "wrong" / f"{variant.name}{variant.code_suffix}"
    say("\n" + _("The build writes this file to {built}", built=shown(built)))


def _say_difference(lines: list[str]) -> None:
    for line in lines:
        colour = COLOURS.get(line[:1]) if sys.stdout.isatty() else None
        say(f"{colour}{visible(line)}\033[0m" if colour else visible(line), styled=True)


def _make(lab: Lab, name: str, source: Path) -> None:
    variant = Variant(lab.solution.parent / "wrong" / f"{name}.patch")
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise Failure(
            _(
                '"{name}" cannot be a variant\'s name: take small letters, digits and _, such as missing_barrier.',
                name=name,
            )
        )
    if (whole := variant.file.with_suffix(lab.source.suffix)).exists():
        raise Failure(
            _(
                "{whole} has this name already, and is a whole file. Remove it, or take another name.",
                whole=shown(whole),
            )
        )
    is_new = not variant.file.exists()
    try:
        code = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(_("--from {source} cannot be read: {error}", source=source, error=error)) from error
    _write(variant.file, variants.patch(NEW_HEAD if is_new else variant.head, lab.solution, code))
    if is_new:
        say(_("Put the check that catches it into its first line (docs/labs.md lists them), and its story below."))


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(_("{file} cannot be written: {why}", file=shown(file), why=error.strerror)) from error
    say(_("Written: {file}", file=shown(file)))


def _title(variant: Variant) -> str:
    check, on_a_card = variant.checks
    return _("{variant} · caught by {check}", variant=variant.name, check=check) + (
        _(" (on a card: {on_a_card})", on_a_card=on_a_card) if on_a_card else ""
    )


def _wrapped(text: str, indent: str = "") -> str:
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
