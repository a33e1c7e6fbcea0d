"""untranslated: the texts that a person reads and that no catalogue can translate. messages.py says what a text is.

A string counts as a text if it has two words in a row, or if it goes straight into what a person reads: say(), print(),
Failure and the like. This cannot be decided for certain. EXCEPT names what is no text for a translator, and why."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from launcher.paths import ROOT

from . import messages

TWO_WORDS = re.compile(r"[A-Za-z]{2,}[,:;.]? [a-z]{2,}")
WORD = re.compile(r"(?<![\w./-])[A-Z]?[a-z]{2,}(?![\w./-])")
SHOWN_BY = {"say", "warn", "print", "Failure", "Refusal", "SystemExit", "Progress", "run_logged", "paint"}
COMMAND = re.compile(r"\s*(?:\./lab|git log)\b[^.]*$")  # a line that a person types, and no sentence
MARKUP = re.compile(r"\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}|<style>.*?</style>|<[^>]*>", re.DOTALL)
SHOWN_ATTRIBUTE = re.compile(r'\b(?:title|alt|aria-label|data-label)="([^"{]+)"')
SCRIPT_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
NAMES = ("Warpladder", "– Warpladder", "ms", "GB/s")
# File → what its texts begin with ("" for all), and why they are not translated.
EXCEPT: dict[str, dict[str, str]] = {
    "*": {
        "judge fault": "a verdict, as the judge's JSON names it; whoever shows it translates it",
        "compile error": "the same",
        "cheating suspected": "the same",
        "lab: {}": "the name of the program before a text",
        "\nlab: {}": "the same",
    },
    "grader/batch/autograder/run.py": {"": "Gradescope's machine runs it: its JSON and its log are English"},
    "grader/batch/autograder/package.py": {"The autograder did not": "a part of Gradescope's JSON"},
    "grader/batch/cluster.py": {
        "other sources": "a key of an outcome",
        "worker after worker": "a judge's fault, as results/ keeps it",
    },
    "grader/batch/judging.py": {"": "a judge's fault, as results/ keeps it"},
    "grader/batch/records.py": {
        "no reason given": "results/ is JSON, the same in every language",
        "grader {} failed": "the same",
        "{}; this earlier": "the same",
        "{}; what stands": "the same",
    },
    "grader/batch/reports/changes.py": {"": "the columns of a CSV file"},
    "grader/batch/reports/gradebook.py": {
        "Out of": "a column of a CSV file",
        "Full name": "the same, as Moodle calls it",
        "Maximum grade": "the same",
        "Feedback comments": "the same",
    },
    "grader/batch/reports/gradescope.py": {"": "Gradescope's JSON"},
    "grader/batch/reports/junit.py": {"": "an XML file for programs"},
    "grader/batch/reports/matching.py": {
        "ID number": "a column of a CSV file, as Moodle calls it",
        "Email address": "the same",
        "Full name": "the same",
    },
    "grader/batch/reports/grades.py": {"--device": "options"},
    "grader/batch/reports/plots.py": {"<svg": "markup", "Glyph .*": "what matplotlib says"},
    "grader/benchmark/programs.py": {"rule nvcc": "a file for ninja", "{ global": "a file for the linker"},
    "grader/launcher/demo.py": {
        "Instructions (": "in a picture, whose typeface has no Chinese",
        "warp instructions per": "the same",
        "Global memory (": "the same",
        "32-byte sectors": "the same",
        "Time on {}": "the same",
        "picoseconds per": "the same",
    },
    "grader/launcher/emulate.py": {
        "-gencode": "flags of nvcc",
        "-cudart": "the same",
        "-rdc=true": "the same",
    },
    "grader/launcher/lockstep.py": {"lockstep: {}": "the name of the program before a text"},
    "grader/launcher/new.py": {"TODO: the times": "a part of the new lab's files", " `{}` is lab": "the same"},
    "grader/launcher/picture.py": {
        "{}: yours": "in a picture, whose typeface has no Chinese",
        "byte value": "the same",
        "{}: the most": "the same",
        "{}, {}: medians": "the same",
        "{}: share": "the same",
        "offset points": "a word of matplotlib",
    },
    "grader/launcher/setup.py": {"ruff, clang-format": "names of programs"},
    "grader/launcher/unchanged.py": {"-cudart": "flags of nvcc"},
    "grader/launcher/variants.py": {"(?://": "a pattern", "{} against {}": "names and a text"},
    "grader/launcher/wheels.py": {"import pip": "Python"},
    "grader/launcher/wrong.py": {
        "caught by: CHECK": "the first line of a patch",
        "Write here": "a place to be filled in, in the course's own language",
    },
    "grader/package/warpladder/command.py": {
        "The course for learners": "a commit's message",
        "warpladder: {}": "the name of the program before a text",
    },
    "grader/package/wheel.py": {
        "    dpkg": "commands for Debian",
        "Metadata-Version": "a file of the wheel",
        "Wheel-Version": "the same",
    },
    "grader/report/details.py": {
        "Command line profiler metrics": "a name that ncu prints",
        "ncu prints no": "a mistake of ours",
    },
    "grader/strip/baselines.py": {"# Compiled": "a page of the learners' repository"},
    "grader/strip/pages.py": {"": "pages of the learners' repository, in both languages"},
    "grader/strip/course.py": {"git {} in": "a command and its own words"},
    "grader/strip/strip.py": {
        "The Warpladder authors": "the author of a commit",
        "Made by ./lab strip": "the message of a commit",
        "The course without its solutions\n": "the same",
    },
    "grader/tools/completion.py": {"\n_lab_root": "a shell's script"},
    "grader/tools/messages.py": {"": "for the authors of the course"},
    "grader/tools/untranslated.py": {"": "for the authors of the course"},
    "grader/website/chinese.py": {"": "JavaScript"},
    "grader/website/extension.py": {"": "the site's own words, which it has in both languages; and a log's"},
    "grader/website/pages.py": {"": "the site's own words, which it has in both languages"},
    "grader/website/serve.py": {"text/plain": "a type of file"},
}


def complaints() -> list[str]:
    """FILE:LINE and the text, of all files."""
    found = []
    for file in messages.python_files():
        found += [
            f"{file}:{line}: {text!r}" for line, text in in_python((ROOT / file).read_text(encoding="utf-8"), file)
        ]
    for file in messages.script_files():
        in_file = in_template if file.endswith(".j2") else in_script
        found += [f"{file}: {text!r}" for text in in_file((ROOT / file).read_text(encoding="utf-8"))]
    return found


def in_python(code: str, file: str = "") -> Iterator[tuple[int, str]]:
    """Line and text, without what is excepted."""
    return ((line, text) for line, text in all_in_python(code) if not _is_excepted(file, text))


def all_in_python(code: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(code)
    passed = {id(constant) for constant in messages.said_in_python(tree)} | set(map(id, _docstrings(tree)))
    for node, is_shown in _strings(tree, passed):
        text = _text(node)
        if TWO_WORDS.search(text) or (is_shown and WORD.search(text)):
            yield node.lineno, text


def _docstrings(tree: ast.Module) -> Iterator[ast.AST]:
    """And other strings that stand alone."""
    return (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr))


def _strings(node: ast.AST, passed: set[int], is_shown: bool = False) -> Iterator[tuple[ast.expr, bool]]:
    """Each string in the code, and whether it goes straight into what a person reads."""
    if id(node) in passed and isinstance(node, ast.Constant):
        return
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            yield node, is_shown
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            yield from _strings(node.func, passed)
            for at, child in enumerate([*node.args, *node.keywords]):
                yield from _strings(child, passed, is_shown=at == 0 and name in SHOWN_BY)
            return
        case ast.BinOp() | ast.IfExp() | ast.FormattedValue():
            pass
        case _:
            is_shown = False
    inner = node.values if isinstance(node, ast.JoinedStr) else ast.iter_child_nodes(node)
    for child in inner:
        if not (isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)):  # it was given as a whole
            yield from _strings(child, passed, is_shown)


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value


def _is_excepted(file: str, text: str) -> bool:
    if COMMAND.match(text):
        return True
    known = [start for pattern, starts in EXCEPT.items() if fnmatchcase(file, pattern) for start in starts]
    return any(text.startswith(start) for start in known)


def in_template(code: str) -> Iterator[str]:
    """What stands outside of {{ … }} and of markup."""
    for text in [*MARKUP.split(code), *SHOWN_ATTRIBUTE.findall(code)]:
        if re.search("[a-z]{2,}", text) and text.strip() not in NAMES:
            yield text.strip()


def in_script(code: str) -> Iterator[str]:
    """Strings with two words in a row. A part ${…} of a template string is not looked at."""
    code = re.sub(r"^\s*//.*$|(?<=[;{},)]) // .*$", "", code, flags=re.MULTILINE)
    said = set(messages.marked(code))
    for quoted, template in SCRIPT_STRING.findall(code):
        text = re.sub(r"\$\{[^}]*\}", "{}", quoted or template)
        if TWO_WORDS.search(text) and text not in said and not re.fullmatch(r"(?:[a-z0-9-]+ ?|\{\})+", text):
            yield text
