"""sanitizer: runs every case of this folder under compute-sanitizer's four tools on a GPU, and records the findings of
each. It builds the cases for the card.

Out: OUT/sanitizer.csv, one line a case, with the machine in its head; OUT/sanitizer_raw.json.gz, everything the tools
printed. A case that does not end is killed, and is `timeout`. The deadlocks, last in the order of groups, run last."""

import argparse
import csv
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

from corpus import FOLDER, Case, read_corpus

TOOLS = {
    "memcheck": ["--leak-check", "full"],
    "racecheck": ["--racecheck-report", "all"],
    "initcheck": [],
    "synccheck": [],
}
COLUMNS = ["case", "group", "expected", "plain", *TOOLS, "verdict"]

# A tool's message → a word for it in the table.
MESSAGES = [
    (r"(?:Address|Access to) \S+ is misaligned", "misaligned"),
    (r"Invalid __\w+__ (?:read|write|atomic)", "address"),
    (r"Malloc/Free [Ee]rror encountered", "free"),
    (r"Program hit cudaErrorInvalidValue .*on CUDA API call to cudaFree", "free"),
    (r"Leaked [\d,]+ bytes", "leak"),
    (r"Program hit \w+ .*on CUDA API call to cuda(?:Launch|LaunchCooperative)Kernel", "launch"),
    (r"Race reported between|Potential \w+ hazard", "race"),
    (r"Uninitialized __\w+__ memory read", "uninitialised"),
    (r"Barrier error detected", "barrier"),
    (r"Program hit \w+ .*on CUDA API call", "api"),
]
# The word that counts as finding a kind. memcheck has one message for every address that is not allocated, and reports
# a failed launch even if the program reads the error. synccheck has one for all barrier faults.
WORDS = {
    **dict.fromkeys(["out_of_bounds", "null_pointer", "host_pointer", "use_after_free"], "address"),
    **dict.fromkeys(["bad_launch", "unchecked_error"], "launch"),
    **dict.fromkeys(["barrier_divergence", "mask_mismatch", "deadlock"], "barrier"),
    **{"misaligned": "misaligned", "invalid_free": "free", "leak": "leak", "race": "race", "host_race": "race"},
    "uninitialised_read": "uninitialised",
}


def classify(output: str) -> set[str]:
    """The words for the tool's messages."""
    words: set[str] = set()
    for report in re.split(r"(?m)^=========\s*$", output):
        words |= {next((word for pattern, word in MESSAGES if re.search(pattern, report)), "")}
    return words - {""}


def lines_of(output: str, case: Case) -> set[int]:
    return {int(n) for n in re.findall(rf"\b{re.escape(case.source.name)}:(\d+)", output)}


class Card:
    """Where the cases run: the built programs, the tool, and the time that is left."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = tempfile.TemporaryDirectory()
        self.programs = Path(self.folder.name)
        self.end = time.monotonic() + options.budget
        self.help = subprocess.run(["compute-sanitizer", "--help"], capture_output=True, text=True, check=True).stdout

    def build(self, groups: list[str]) -> None:
        flags = ["-std=c++17", "-O2", "-lineinfo", "-arch=native"]

        def one(group: str) -> str:
            command = ["nvcc", *flags, "-o", str(self.programs / group), str(FOLDER / f"{group}.cu")]
            done = subprocess.run(command, capture_output=True, text=True)
            return "" if done.returncode == 0 else f"{group}: {done.stderr}"

        with ThreadPoolExecutor(self.options.jobs) as pool:
            failed = [text for text in pool.map(one, groups) if text]
        if failed:
            sys.exit("does not build:\n" + "\n".join(failed))

    def run(self, case: Case, tool: str | None) -> dict:
        """The exit status (None: killed) and the output of the case, without or under a tool."""
        if time.monotonic() > self.end:
            return {"status": None, "output": "", "left_out": True}
        command = [str(self.programs / case.group), case.name]
        if tool:
            extra = list(TOOLS[tool])
            if tool == "initcheck" and "--initcheck-address-space" in self.help:
                extra += ["--initcheck-address-space", "all"]
            command = ["compute-sanitizer", "--tool", tool, "--show-backtrace", "device", *extra, *command]
        limit = 12 if "deadlock" in case.kinds else 40
        child = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = child.communicate(timeout=limit)
            return {"status": child.returncode, "output": output}
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            output, _ = child.communicate()
            return {"status": None, "output": output or ""}


def cell(result: dict, case: Case) -> str:
    """One tool's column: its report and, after @, how many of the case's marked lines it named."""
    if result.get("left_out"):
        return "not run"
    text = "+".join(sorted(classify(result["output"])))
    lines = lines_of(result["output"], case) & case.lines
    text += f"@{len(lines)}/{len(case.lines)}" if text and lines else ""
    if result["status"] is None:
        text = f"timeout {text}".strip()
    return text or "-"


def verdict(case: Case, cells: dict[str, str]) -> str:
    """found: every expected kind. other: only another kind. For a right program: clean or blamed."""
    told = {word for text in cells.values() for word in re.findall(r"[a-z]+", text.split("@")[0])} - {"timeout"}
    if any(text == "not run" for text in cells.values()):
        return "not run"
    if case.innocent:
        return "blamed" if told - {"api"} else "api error" if told else "clean"
    if {WORDS[kind] for kind in case.kinds} <= told:
        return "found"
    if told:
        return "other"
    return "timeout" if any("timeout" in text for text in cells.values()) else "nothing"


def machine() -> list[str]:
    def first(command: list[str], pattern: str) -> str:
        found = re.search(pattern, subprocess.run(command, capture_output=True, text=True).stdout)
        return found[1] if found else "?"

    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    return [
        f"device: {first(query, r'(.*),')}",
        f"driver: {first(query, r', (.*)')}",
        f"toolkit: {first(['nvcc', '--version'], r'release ([0-9.]+)')}",
        f"compute-sanitizer: {first(['compute-sanitizer', '--version'], r'[Vv]ersion ([0-9.]+)')}",
        f"date: {date.today().isoformat()}",
        f"commit: {os.environ.get('COMMIT', '?')}",
    ]


def row(case: Case, results: dict[str, dict]) -> dict[str, str]:
    cells = {tool: cell(results[tool], case) for tool in TOOLS}
    plain = results["plain"]["status"] if "plain" in results else None
    return {
        "case": case.name,
        "group": case.group,
        "expected": "+".join(case.kinds) or "nothing",
        "plain": {None: "-", 0: "right"}.get(plain, "wrong") if case.innocent else "-",
        **cells,
        "verdict": verdict(case, cells),
    }


def write(out: Path, cases: list[Case], results: dict[str, dict[str, dict]], notes: list[str]) -> None:
    with (out / "sanitizer.csv").open("w", newline="") as file:
        file.writelines(f"# {note}\n" for note in notes)
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(row(case, results[case.name]) for case in cases)


def reclassify(raw: Path, out: Path) -> None:
    """Makes the table again from the tools' recorded output, after a change to the rules above."""
    kept = json.loads(gzip.decompress(raw.read_bytes()))
    cases = [case for case in read_corpus() if case.name in kept["results"]]
    write(out, cases, kept["results"], kept["notes"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", help="files without .cu; all if none is named")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--budget", type=float, default=230, help="seconds; what has not begun by then is not run")
    parser.add_argument("--raw", type=Path, help="run nothing: read this sanitizer_raw.json.gz")
    options = parser.parse_args()
    if options.raw:
        reclassify(options.raw, options.out)
        return 0
    begin = time.monotonic()
    cases = read_corpus(options.groups)
    card = Card(options)
    card.build(sorted({case.group for case in cases}))
    print(f"built after {time.monotonic() - begin:.0f} s", flush=True)
    cases.sort(key=lambda case: "deadlock" in case.kinds)
    work = [(case, None) for case in cases if case.innocent] + [(case, tool) for case in cases for tool in TOOLS]
    results: dict[str, dict[str, dict]] = {case.name: {} for case in cases}
    with ThreadPoolExecutor(options.jobs) as pool:
        for (case, tool), result in zip(work, pool.map(lambda w: card.run(*w), work), strict=True):
            results[case.name][tool or "plain"] = result
    notes = [*machine(), f"seconds: {time.monotonic() - begin:.0f}, {options.jobs} at a time"]
    raw = json.dumps({"notes": notes, "help": card.help, "results": results})
    (options.out / "sanitizer_raw.json.gz").write_bytes(gzip.compress(raw.encode()))
    write(options.out, cases, results, notes)
    print("\n".join(notes))
    verdicts = [row(case, results[case.name])["verdict"] for case in cases]
    print({v: verdicts.count(v) for v in sorted(set(verdicts))})
    print("wrong without a tool:", [c.name for c in cases if c.innocent and results[c.name]["plain"]["status"] != 0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
