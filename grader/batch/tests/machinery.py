"""machinery: a batch with a fake judge, which does at once what the first line of a submission says.

The fake judge is in a build tree beside links to the real one. It calls the real judge for submissions without such a
line. It notes each call in calls.log, and leaves a file in its temporary folder, as a killed judge does.

As a program, this file is ./lab grade without its build:
    machinery.py SUBMISSIONS --out DIR …
TEST_VERSION is the version of the sources and TEST_WALL the limit of the judge. Unless TEST_REPORTS is set, the
gradebook is the only report.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # this file was started by its path
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from launcher import wheels
from launcher.paths import BUILD

HERE = Path(__file__).resolve()
LEFT = "left_by_the_judge"
FAKE_JUDGE = """#!{python} -SE
import json, os, signal, sys, time
arguments = {{name: value for name, value in zip(sys.argv[1:], sys.argv[2:]) if name.startswith("--")}}
first = open(arguments["--file"]).readline()
if not first.startswith("// fake: "):
    os.execv("{real}", ["{real}", *sys.argv[1:]])
open("{log}", "a").write(arguments["--file"] + "\\n")
open(os.path.join(os.environ["TMPDIR"], "{left}"), "w").close()
order, _, ends = first.removeprefix("// fake: ").strip().partition(", then ")  # "accepted = 90, then signal"
what, _, value = order.partition(" = ")
if what == "gate":
    while not os.path.exists("{gate}"):
        time.sleep(0.02)
    what, value = "accepted", "100"
if what == "hang":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
    time.sleep(600)
if what == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
if what == "nothing":
    sys.exit(0)
verdict = {{"verdict": what, "score": None, "cases": [], "lab": "x", "file": arguments["--file"]}}
if what == "judge fault":
    verdict |= {{"failed_check": "judge", "failure": {{"steps": [value + " in " + arguments["--lab"]]}}}}
else:
    verdict["score"] = {{"points": float(value), "of": 100, "parts": []}}
with open(arguments["--json"], "w") as file:
    file.write(json.dumps(verdict))
if ends:
    os.kill(os.getpid(), signal.SIGKILL) if ends == "signal" else sys.exit(int(ends))
sys.exit({{"accepted": 0, "judge fault": 2}}.get(what, 1))
"""


class FakeTree:
    """A build tree with the fake judge."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "build"
        (self.tree / "grader").mkdir(parents=True)
        (self.tree / "labs").symlink_to(BUILD / "labs")
        self.log = folder / "calls.log"
        self.log.touch()
        self.gate = folder / "gate"  # judges that are told "gate" wait for this file
        judge = self.tree / "grader" / "judge"
        real = BUILD / "grader" / "judge"
        judge.write_text(
            FAKE_JUDGE.format(python=sys.executable, real=real, log=self.log, gate=self.gate, left=LEFT),
            encoding="utf-8",
        )
        judge.chmod(0o755)
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.env = {**os.environ, "WARPLADDER_BUILD_DIR": str(self.tree), "TMPDIR": str(self.temporary)}

    def calls(self) -> int:
        return len(self.log.read_text(encoding="utf-8").splitlines())

    def grade(self, *arguments: str | Path, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(wheels.PYTHON), str(HERE), *map(str, arguments)],
            env={**self.env, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
        )


def submissions(folder: Path, firsts: dict[str, str], lab: str = "02") -> Path:
    """A submission for each student. firsts: name → an order for the fake judge, or a whole source."""
    for student, first in firsts.items():
        (folder / student / lab).mkdir(parents=True)
        source = first if "\n" in first else f"// fake: {first}\n"
        (folder / student / lab / "reduce.cu").write_text(source, encoding="utf-8")
    return folder


def reports(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in ("gradebook.csv", "changes.csv")}


def records(out: Path) -> dict[str, dict[str, object]]:
    return {file.parent.name: json.loads(file.read_text()) for file in out.glob("results/*/02_*d.json")}


def _without_a_build() -> int:
    from batch import cluster, grade, judging, ready, version
    from batch.reports import gradebook, grades, text
    from commands import PARSER
    from launcher.console import Failure

    def gradebook_alone(out: Path, found: list[dict[str, Any]], **given: Any) -> list[str]:  # noqa: ANN401
        text.write(out / "gradebook.csv", gradebook.plain(grades.Course.of_records(found, given["labs"])))
        return []

    if "TEST_REPORTS" not in os.environ:  # pages and plots take longer than everything else
        grade.reports.write_all = gradebook_alone
    ready.make_ready = lambda where, wanted: (BUILD, wanted)
    if "TEST_VERSION" in os.environ:
        version.digest = lambda: os.environ["TEST_VERSION"]
    judging.WALL_SECONDS = float(os.environ.get("TEST_WALL", judging.WALL_SECONDS))
    judging.END_SECONDS = 0.3
    cluster.CONNECT_SECONDS = 2
    try:
        return grade.run(PARSER.parse_args(["grade", *sys.argv[1:]]))
    except Failure as failure:
        print(failure)
        return 2


if __name__ == "__main__":
    raise SystemExit(_without_a_build())
