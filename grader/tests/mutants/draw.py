"""draw: sources → mutants of single lines, in an order that a seed decides. universalmutator makes the mutants of a
line; each line of these folders is drawn with the same probability, and one of its mutants.

Left out: tests, comments, and changes that cannot change what the program does (Python's annotations and docstrings).
What a C++ compiler finds to be the same program is found out later, in tree.
"""

import ast
import contextlib
import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PYTHON = ("batch", "benchmark", "launcher", "learner", "package", "report", "strip", "tools", "website")
FOLDERS = ("common/lockstep", "grader/judge", *(f"grader/{room}" for room in PYTHON))
LEFT_OUT = {"tests", "bench", "__pycache__"}
RULES = {
    ".py": ["universal.rules", "python.rules"],
    ".cc": ["universal.rules", "c_like.rules", "cpp.rules"],
    ".h": ["universal.rules", "c_like.rules", "cpp.rules"],
}


@dataclass(frozen=True)
class Mutant:
    """One line of one file, replaced. `after` may be several lines. Neither ends with a line break."""

    file: str  # from the root of the tree
    line: int  # from 1
    before: str
    after: str

    def apply(self, text: str) -> str:
        """The file's text with the mutant. ValueError if the file has another line there."""
        lines = text.split("\n")
        if self.line > len(lines) or lines[self.line - 1] != self.before:
            raise ValueError(f"{self.file}:{self.line} is another line now. Draw again.")
        lines[self.line - 1] = self.after
        return "\n".join(lines)


def sources(root: Path) -> list[str]:
    """The files whose mutants are drawn, from the root of the tree."""
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root)
            if path.suffix in RULES and not LEFT_OUT.intersection(name.parts):
                found.append(name.as_posix())
    return found


def draw(root: Path, seed: int) -> Iterator[Mutant]:
    """All lines in random order, one mutant of each line that has one. ModuleNotFoundError without universalmutator.

    The place of a line depends on its text and the seed alone: an edit elsewhere changes nothing, so that a run can go
    on after it."""
    texts = {name: (root / name).read_text(encoding="utf-8") for name in sources(root)}
    lines = []
    for name, text in texts.items():
        seen: Counter[str] = Counter()
        for number, line in enumerate(text.split("\n"), 1):
            seen[line] += 1
            lines.append((_random(seed, name, line, seen[line]), name, number))
    made: dict[str, dict[int, list[Mutant]]] = {}
    for _, name, number in sorted(lines):
        if name not in made:
            made[name] = _mutants(name, texts[name])
        choices = sorted(made[name].get(number, []), key=lambda one: _random(seed, one.before, one.after))
        if (chosen := next((one for one in choices if _is_plausible(one, texts[name])), None)) is not None:
            yield chosen


def _random(*parts: object) -> bytes:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()


def _mutants(name: str, text: str) -> dict[int, list[Mutant]]:
    """Line → its mutants, as the tool makes them."""
    from universalmutator import mutator

    with contextlib.redirect_stdout(io.StringIO()):  # it tells its progress
        made = mutator.mutants_regexp(
            text.splitlines(keepends=True), RULES[Path(name).suffix], ignorePatterns=[], ignoreStringOnly=True
        )
    lines = text.split("\n")
    found: dict[int, list[Mutant]] = {}
    for number, after, *_ in made:
        mutant = Mutant(name, number, lines[number - 1], after.removesuffix("\n"))
        found.setdefault(number, []).append(mutant)
    return found


def _is_plausible(mutant: Mutant, text: str) -> bool:
    """False if it is surely the same program, or surely none that compiles: those would take most of the time."""
    if mutant.file.endswith(".py"):
        return _is_another_program(text, mutant.apply(text))
    before, after = mutant.before, mutant.after
    if "".join(before.split()) == "".join(after.split()):
        return False
    if before.lstrip().startswith(("//", "#")) or _open_brackets(before) != _open_brackets(after):
        return False
    if after.lstrip("\n ").removeprefix(before.lstrip()).strip() in ("break;", "continue;"):
        return before.endswith((";", "{", "}")) and _is_in_a_loop(mutant, text)
    at = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), len(before))
    if before[at - 1 : at] in ("<", ">") and after[at : at + 1] == "=":
        at -= 1  # "<" became "<="
    left, changed, right = f" {before}   "[at : at + 3]
    if changed.isdigit() and re.search(r"[A-Za-z_]\d*$", before[:at]):
        return False  # a number within a name: uint32_t
    # clang-format puts spaces around a binary operator, and not around the marks of pointers, references, templates.
    return changed not in "*&|%/<>" or (left == " " and right in " =") or right == changed


def _open_brackets(line: str) -> list[int]:
    code = re.sub(r"/\*.*\*/|//.*", "", line)
    return [code.count(first) - code.count(last) for first, last in ("()", "[]", "{}")]


def _is_in_a_loop(mutant: Mutant, text: str) -> bool:
    """Whether a loop or a switch stands around the line, by the indentation."""
    lines = text.split("\n")[: mutant.line - 1]
    inside = len(mutant.before) - len(mutant.before.lstrip())
    for line in reversed(lines):
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent < inside:
            inside = indent
            if re.match(r"\s*(?:\} )?(?:for|while|switch|do)\b", line):
                return True
    return False


def _is_another_program(before: str, after: str) -> bool:
    try:
        compile(after, "mutant", "exec")  # the syntax tree alone may have a "break" outside of a loop
        # A name that is new, or an import that is gone, is what a compiler would find.
        is_wrong = _names(after) - _names(before) or _imports(after) != _imports(before)
        return not is_wrong and _meaning(before) != _meaning(after)
    except SyntaxError:
        return False


def _names(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text)) | {"True", "False", "None", "pass", "not", "and", "or"}


def _imports(text: str) -> list[str]:
    return [ast.dump(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]


def _meaning(text: str) -> str:
    """The syntax tree without docstrings and annotations."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            if isinstance(body := getattr(node, name, None), list):
                setattr(node, name, [one for one in body if not _does_nothing(one)])
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def _does_nothing(node: ast.AST) -> bool:
    return isinstance(node, ast.Pass) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
