"""messages: the texts that a person reads → gettext catalogues in common/translation/messages/.

    cd grader; python3 -m tools.messages            compares the catalogues with the texts; 1: something is missing
    cd grader; python3 -m tools.messages --write    adds what is missing, without a translation, and drops what is gone

A text is the first argument of _(), later() and message() in Python, of _() and later() in JavaScript and in templates,
and of message(), words() and later() in C++; what argparse shows: helps, titles, and the docstrings of commands; and
what lab.json and the contracts say to a learner. In a text, {key} stands for an argument. untranslated.py finds texts
that are none of these in Python and JavaScript, and bypasses() finds them in lockstep and the judge."""

import ast
import json
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from launcher.language import ARGUMENT, CATALOGUES, marked, read
from launcher.paths import ROOT

PYTHON = ("grader/launcher/*.py", "grader/learner/*.py", "grader/commands.py", "grader/benchmark/*.py")
PYTHON += ("grader/report/*.py", "grader/batch/*.py", "grader/batch/reports/*.py", "grader/batch/autograder/*.py")
PYTHON += ("grader/strip/*.py", "grader/package/*.py", "grader/package/warpladder/*.py", "grader/website/*.py")
PYTHON += ("grader/tools/*.py",)
SCRIPTS = ("grader/report/*.js", "grader/batch/reports/templates/*.j2")
ARGPARSE = ("help", "description", "epilog")  # the arguments that argparse shows
CPP = ("grader/judge/*/*.cc", "grader/judge/*/*.h", "common/lockstep/*/*.cc", "common/lockstep/*/*.h")
COUNTERS = "common/lockstep/count/counter_names.cc"
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
CALL = re.compile(rf"\b(?:message|later|words)\(\s*((?:{LITERAL}\s*)+)")
PERCENT = re.compile(r"%(?:\(\w+\))?[a-z]")  # how argparse names its arguments
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
# In C++: comments, raw strings and characters, which hold no text for a person; and literals, one behind the other.
TOKEN = re.compile(
    rf"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|'(?:[^'\\\n]|\\.)+'|({LITERAL}(?:\s*{LITERAL})*)", re.DOTALL
)
# What stands before a literal that is compared with a text, or that only a developer reads.
NO_TEXT = re.compile(
    r"^\s*#.*$|(?:find|starts_with|ends_with|contains|string_view|logic_error|out_of_range)\($|WireError\(.*$"
    r"|compare\([\w, ]+, $|static_assert\(.*$"
)
# Files whose literals look like texts, and why they have no form.
WITHOUT_FORMS = {
    "common/lockstep/bench/*": "kernels in PTX, and our own measurements",
    "common/lockstep/tests/*": "tests",
    "common/lockstep/report/cards.cc": "mistakes in our own table, cards.csv",
    "common/lockstep/runtime/api_error.cc": "CUDA's own words, which programs print and people search for",
    "common/lockstep/libraries/blas_handle.cc": "the same, of cuBLAS",
    "common/lockstep/runtime/api_graph.cc": "a file for Graphviz",
    "common/lockstep/sass/*": "what ptxas and nvdisasm say, and a script",
    "common/lockstep/ptx/cuda_source.cc": "types of C++",
    "grader/judge/compile/errors.cc": "what compilers say",
    "common/lockstep/*/*_main.cc": "the command lines of our own programs",
    "grader/judge/trial/main.cc": "what CTest reads, and what ends a judge that has a bug",
    "grader/judge/trial/canary.cc": "source code",
}
# The same for single literals.
LITERALS_WITHOUT_FORMS = {
    *("no error", "invalid argument", "out of memory", "invalid configuration argument", "invalid device function"),
    *("too many resources requested for launch", "operation not supported", "unrecognized error code"),  # CUDA's words
    "launch would exceed maximum depth of nested launches",
    *("interrupted by SIGINT", "interrupted by SIGTERM", "protocol violation: "),  # the report's end
    *("the judge's vault: ", "the judge's vault is of another version"),  # between judge and device
    *("seccomp: ", " cannot be refused", "seccomp: no memory for a filter"),  # the machine lacks memory
    *("not graded", "not measured on this device", "in process", "separate process"),  # values of the verdict's JSON
    "a plain loop on one core, measured by the judge",
    *("float, float", "unsigned, unsigned", "no input kind ", " the ", "compute capability"),  # names
    *(" failed with ", " bytes left out …\n", "lockstep: ", "Next: ", "\nNext: ", "\n  Next: ", ", case "),
    *("lockstep (CPU, as an NVIDIA H200)", "nvcc -cudart shared -gencode arch=compute_75,code=compute_75"),
    *("(anonymous namespace)", "void ", "width x height", "(bad string)", "OpenCL: ", " ms"),
    *("died due to signal 9", "Killed signal terminated program", ',\n "launches": ['),
}
HEAD = """# What a person reads. The translations are written by hand. The rest is made from the texts:
#   cd grader; python3 -m tools.messages --write
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Language: {language}\\n"
"""


def texts() -> dict[str, list[str]]:
    """Each text with the files that say it, in their order."""
    found: dict[str, list[str]] = {}
    for file, text in [*_in_python(), *_in_scripts(), *_in_cpp(), *_counters(), *_in_labs()]:
        places = found.setdefault(text, [])
        if file not in places:
            places.append(file)
    return found


def _in_python() -> Iterator[tuple[str, str]]:
    for file in python_files():
        for constant in said_in_python(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
            yield file, constant.value


def said_in_python(tree: ast.Module) -> Iterator[ast.Constant]:
    """The texts that have a translation, as constants. One of a docstring is as the command shows it."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="_" | "later" | "message"), args=[ast.Constant(value=str()) as text, *_]):
                yield text
            case ast.Call(func=ast.Attribute(attr="add_argument_group"), args=[ast.Constant() as title]):
                yield title
            case ast.keyword(arg=name, value=ast.Constant(value=str()) as text) if name in ARGPARSE:
                yield text
            case ast.FunctionDef(decorator_list=[ast.Call(func=ast.Name(id="_command"), keywords=words)]):
                about = ast.get_docstring(node) or ""
                keeps_lines = any(word.arg == "keep_lines" for word in words)
                yield ast.Constant(about if keeps_lines else " ".join(about.split()))


def _in_scripts() -> Iterator[tuple[str, str]]:
    for file in script_files():
        yield from ((file, text) for text in marked((ROOT / file).read_text(encoding="utf-8")))


def _in_cpp() -> Iterator[tuple[str, str]]:
    for file in _files(CPP):
        for literals in CALL.findall((ROOT / file).read_text(encoding="utf-8")):
            yield file, "".join(json.loads(literal) for literal in re.findall(LITERAL, literals))


def _counters() -> Iterator[tuple[str, str]]:
    """What each counter of lockstep counts."""
    entries = re.findall(rf"\{{{LITERAL},\s*((?:{LITERAL}\s*)+)", (ROOT / COUNTERS).read_text(encoding="utf-8"))
    for literals in entries:
        yield COUNTERS, "".join(json.loads(literal) for literal in re.findall(LITERAL, literals))


def _in_labs() -> Iterator[tuple[str, str]]:
    for file in _files(("labs/*/lab.json", "common/contracts/*.json")):
        facts = json.loads((ROOT / file).read_text(encoding="utf-8"))
        yield from ((file, facts[key]) for key in ("title", "family", "speed_why") if facts.get(key))
        yield from ((file, one["why"]) for key in ("rules", "speed") for one in facts.get(key, []))
        yield from ((file, one["ask"]) for one in facts.get("predict", []))
        yield from ((file, one[key]) for one in facts.get("rules", []) for key in ("per", "each") if one.get(key))
        for shares in (facts, *(entry for entry in facts.get("entries", []) if isinstance(entry, dict))):
            yield from ((file, shares[way]["why"]) for way in ("to_host", "from_host") if way in shares)
            if elements := shares.get("elements"):
                yield file, elements


def python_files() -> list[str]:
    return _files(PYTHON)


def script_files() -> list[str]:
    return _files(SCRIPTS)


def _files(patterns: tuple[str, ...]) -> list[str]:
    return [str(file.relative_to(ROOT)) for pattern in patterns for file in sorted(ROOT.glob(pattern))]


def complaints(translated: dict[str, str]) -> list[str]:
    """What a catalogue lacks, has too much, or says with other arguments or figures than the English text."""
    known = texts()
    found = [f"not translated: {text!r}" for text in known if text not in translated]
    found += [f"nothing says this any more: {text!r}" for text in translated if text not in known]
    for text, translation in translated.items():
        if any(set(mark.findall(text)) != set(mark.findall(translation)) for mark in (ARGUMENT, PERCENT)):
            found.append(f"other arguments: {text!r}")
        if missing := set(FIGURE.findall(text)) ^ set(FIGURE.findall(translation)):
            found.append(f"other figures ({', '.join(sorted(missing))}): {text!r}")
    return found


def bypasses() -> list[str]:
    """Texts of lockstep and of the judge that have no form, so that they stay English."""
    known = {*texts()}
    found = []
    for file in _files(CPP):
        if not any(fnmatch(file, pattern) for pattern in WITHOUT_FORMS):
            text = (ROOT / file).read_text(encoding="utf-8")
            found += [f"{file}:{line}: {literal!r}" for line, literal in literals(text) if literal not in known]
    return found


def literals(text: str) -> Iterator[tuple[int, str]]:
    """The literals of a C++ text that look like words for a person: each with its line."""
    for token in TOKEN.finditer(text):
        before = text[text.rfind("\n", 0, token.start()) + 1 : token.start()]
        if token[2] is None or NO_TEXT.search(before.strip() if before.strip() else _line_above(text, token.start())):
            continue
        literal = "".join(_unquoted(part) for part in re.findall(LITERAL, token[2]))
        looks_like_words = re.search("[a-z]{2}", literal) and " " in literal and not literal.startswith(" --")
        if looks_like_words and literal not in LITERALS_WITHOUT_FORMS:
            yield text.count("\n", 0, token.start()) + 1, literal


def _line_above(text: str, at: int) -> str:
    return text[:at].rstrip().rsplit("\n", 1)[-1] + " "


def _unquoted(literal: str) -> str:
    try:
        return json.loads(literal)
    except json.JSONDecodeError:  # "\1", "\x9b"
        return literal[1:-1]


def write(file: Path) -> None:
    file.write_text(written(file.parents[1].name, read(file.read_text(encoding="utf-8"))), encoding="utf-8")


def written(language: str, translated: dict[str, str]) -> str:
    """The catalogue's file: every text with its files, and with its translation if there is one."""
    parts = [HEAD.format(language=language)]
    for text, places in texts().items():
        parts.append(f"#: {' '.join(places)}\nmsgid {_quoted(text)}\nmsgstr {_quoted(translated.get(text, ''))}\n")
    return "\n".join(parts)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> int:
    bad = 0
    for file in sorted(CATALOGUES.glob("*/LC_MESSAGES/*.po")):
        if "--write" in sys.argv[1:]:
            write(file)
        for complaint in complaints(read(file.read_text(encoding="utf-8"))):
            print(f"{file.relative_to(ROOT)}: {complaint}")
            bad += 1
    for place in bypasses():
        print(f"this text has no form: {place}")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
