"""chinese: runs the wrong programs of this folder in Chinese, as ./lab emulate does. Nothing but names may stay English
in what lockstep says, and the report must not depend on the language. One line for each complaint."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from corpus import Case, program_of, read_corpus

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "grader"))
from launcher import language, teller  # noqa: E402
from launcher.page import told  # noqa: E402
from launcher.tests.english import forms, left  # noqa: E402

TIMEOUT = 600  # seconds, as in faults.py
CHINESE = re.compile(r"[\u4e00-\u9fff]")
UNSPACED = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]")


def run(case: Case, options: argparse.Namespace, *, in_chinese: bool) -> tuple[str, dict[str, Any]]:
    """What lockstep prints, and its report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        environment = {**os.environ, "LD_LIBRARY_PATH": str(options.library), "LOCKSTEP_CHECKS": case.checks}
        environment["LOCKSTEP_REPORT"] = str(report)
        printed = Path(folder) / "printed"
        program = [program_of(case, options.programs), case.name]
        with printed.open("wb") as stderr:
            if in_chinese:  # the process that translates has the standard error of the program
                program = [sys.executable, "-B", __file__, "--tell", *program]
            subprocess.run(program, env=environment, stdout=subprocess.DEVNULL, stderr=stderr, timeout=TIMEOUT)
        text = report.read_text(encoding="utf-8") if report.exists() else "{}"
        return printed.read_text(encoding="utf-8", errors="replace"), json.loads(without_addresses(text))


def without_addresses(report: str) -> str:
    """The operating system chooses the address of the device's memory, and it differs in every process."""
    return re.sub(r"0x[0-9a-f]+", "0x…", report)


def tell(program: list[str]) -> None:
    """Becomes the program, with a process beside it that translates."""
    os.environ["LOCKSTEP_TELL"] = f"fd:{teller.begin()}"
    os.execv(program[0], program)


def own_lines(printed: str) -> list[str]:
    """Those of lockstep. The program prints on standard error, too."""
    return [line for line in printed.splitlines() if line.startswith("lockstep: ")]


def complaints(case: Case, options: argparse.Namespace) -> list[str]:
    english, expected = run(case, options, in_chinese=False)
    chinese, report = run(case, options, in_chinese=True)
    lines = own_lines(chinese)
    found = [f"English is left ({', '.join(words)}): {line}" for line in lines if (words := left(line))]
    found += [f"no space between Chinese and Latin: {line}" for line in lines if UNSPACED.search(line)]
    if len(lines) != len(own_lines(english)):
        found.append(f"{len(own_lines(english))} lines in English, {len(lines)} in Chinese")
    if own_lines(english) and not CHINESE.search("".join(lines)):
        found.append("nothing is in Chinese")
    if report != expected:
        found.append("the report is another one")
    known = language.catalogue("zh")
    found += [f"no translation: {form!r}" for form in set(forms(report)) if form not in known]
    messages = [one["lines"] for one in report.get("findings", [])] + report.get("failed_call_lines", [])
    for line in (line for message in messages for line in told(message)):
        found += [f"English is left in the report ({', '.join(words)}): {line}" for words in [left(line)] if words]
    return [f"{case.group} {case.name}: {complaint}" for complaint in found]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="folder of the built programs")
    parser.add_argument("--library", type=Path, required=True, help="folder of lockstep's libcudart")
    parser.add_argument("--case", help="this one only")
    options = parser.parse_args()
    language.choose("zh")
    cases = [case for case in read_corpus([]) if not case.innocent and options.case in (None, case.name)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [one for some in pool.map(lambda case: complaints(case, options), cases) for one in some]
    print("\n".join([*found, f"{len(cases)} cases, {len(found)} complaints"]))
    return 1 if found or not cases else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--tell"]:
        tell(sys.argv[2:])
    sys.exit(main())
