"""corpus: the .cu files of this folder → their cases, and lockstep's expected findings in each.

A case is the text from one `// case: NAME` to the next. Within it:
  // expect: KIND            a finding that lockstep must give, or `nothing`; one line each
  // says: TEXT              a word that must be in the message of the expectation above; {HERE}, {OTHER} and {THERE}
                             stand for the number of the line with that mark
  // fails: TEXT             what the report says of a call that fails because of an argument
  // checks: LIST            for LOCKSTEP_CHECKS; `all` if nothing is said
  // also: KIND              a further finding that a schedule may give, as the fault can cause it
  // answer: right under SCHEDULE, wrong under SCHEDULE
  // missed: WHY             the reason why lockstep gets this case wrong; the published table counts it
  ...  // HERE, ...  // OTHER   the lines in the first expectation's finding; HERE2, OTHER2 in the second's
  ...  // THERE                 a line that only the message names
A case that expects nothing must have the right answer under every schedule.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
KINDS = [
    *("out_of_bounds", "misaligned", "null_pointer", "use_after_free", "host_pointer", "invalid_free", "leak"),
    *("uninitialised_read", "race", "host_race", "barrier_divergence", "mask_mismatch", "deadlock"),
    *("bad_launch", "unchecked_error"),
]


@dataclass
class Expected:
    kind: str
    lines: set[int] = field(default_factory=set)
    says: list[str] = field(default_factory=list)
    marks: dict[str, int] = field(default_factory=dict)  # HERE, OTHER or THERE → its line

    def texts(self) -> list[str]:
        """What the message must say, with the numbers of the lines."""
        return [re.sub(r"\{(HERE|OTHER|THERE)\}", lambda mark: str(self.marks[mark[1]]), text) for text in self.says]


@dataclass
class Case:
    name: str
    source: Path
    line: int
    expected: list[Expected] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    fails: list[str] = field(default_factory=list)
    answers: dict[str, bool] = field(default_factory=dict)  # schedule → right?
    missed: str = ""
    checks: str = "all"
    text: str = ""  # the learner's belief, or the fault that it looks like

    @property
    def group(self) -> str:
        return self.source.stem

    @property
    def innocent(self) -> bool:
        return not self.expected

    @property
    def kinds(self) -> list[str]:
        return sorted({e.kind for e in self.expected})

    @property
    def lines(self) -> set[int]:
        return set().union(*(e.lines for e in self.expected))


class CorpusError(Exception):
    """A source that breaks the rules above; the message names the line."""


def _answers(text: str, where: str) -> dict[str, bool]:
    answers = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*(right|wrong) under (\S+)\s*", part)
        if not match:
            raise CorpusError(f"{where}: an answer is 'right under SCHEDULE' or 'wrong under SCHEDULE'")
        answers[match[2]] = match[1] == "right"
    return answers


def _read_comment(case: Case, key: str, value: str, where: str) -> None:
    if key == "expect" and value != "nothing":
        if value not in KINDS:
            raise CorpusError(f"{where}: no kind is called {value}")
        case.expected.append(Expected(value))
    elif key == "says":
        if not case.expected:
            raise CorpusError(f"{where}: 'says' belongs behind an 'expect'")
        case.expected[-1].says.append(value)
    elif key == "also":
        case.also.append(value)
    elif key == "fails":
        case.fails.append(value)
    elif key == "answer":
        case.answers = _answers(value, where)
    elif key == "missed":
        case.missed = value
    elif key == "checks":
        case.checks = value


def read_source(source: Path) -> list[Case]:
    cases: list[Case] = []
    told = set()
    for number, line in enumerate(source.read_text().splitlines(), 1):
        where = f"{source}:{number}"
        if match := re.fullmatch(r"// case: (\w+)", line):
            cases.append(Case(match[1], source, number))
        elif not cases:
            continue
        elif match := re.fullmatch(r"// (expect|says|fails|also|answer|missed|checks): (.*)", line):
            _read_comment(cases[-1], match[1], match[2], where)
            told |= {cases[-1].name} if match[1] == "expect" else set()
        elif match := re.fullmatch(r"// (?:(?:Thinks|Looks like): )?(.*)", line):
            cases[-1].text += f" {match[1]}" if cases[-1].name not in told else ""
        elif match := re.search(r"//((?:,? (?:HERE|OTHER|THERE)\d*)+)$", line):
            for mark, which in re.findall(r"(HERE|OTHER|THERE)(\d*)", match[1]):
                index = int(which or 1) - 1
                if index >= len(cases[-1].expected):
                    raise CorpusError(f"{where}: a mark without its 'expect'")
                cases[-1].expected[index].marks.setdefault(mark, number)
                if mark != "THERE":
                    cases[-1].expected[index].lines.add(number)
    for case in cases:
        for expected in case.expected:
            for mark in re.findall(r"\{(\w+)\}", " ".join(expected.says)):
                if mark not in expected.marks:
                    raise CorpusError(f"{source}:{case.line}: case {case.name} says {{{mark}}} and has no such mark")
        if case.name not in told:
            raise CorpusError(f"{source}:{case.line}: case {case.name} does not say what it expects")
    return cases


def read_corpus(groups: list[str] | None = None) -> list[Case]:
    """All cases, or those of the groups (files without their ending)."""
    sources = sorted(FOLDER.glob("*.cu"))
    unknown = set(groups or []) - {s.stem for s in sources}
    if unknown:
        raise CorpusError(
            f"no such group: {', '.join(sorted(unknown))}; there are {', '.join(s.stem for s in sources)}"
        )
    cases = [case for source in sources if not groups or source.stem in groups for case in read_source(source)]
    names = [case.name for case in cases]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CorpusError(f"two cases have one name: {', '.join(twice)}")
    return cases


def program_of(case: Case, programs: Path) -> Path:
    program = programs / case.group
    if not program.exists():
        sys.exit(f"{program} is missing. Next: build it (cmake --build BUILD --target lockstep_faults).")
    return program
