#!/usr/bin/env python3
"""A class for the trial of ./lab grade: solutions, starters, wrong variants and hostile submissions. Each is edited so
that its verdict stays the same, and packed in a way that students use. Also checks the results of a batch.

    make_class.py make FOLDER [--count 300] [--seed 1] [--labs 02,05]    writes FOLDER, and FOLDER.expected.json
    make_class.py check FOLDER OUT                                       ends 0 if every result is as expected
"""

import argparse
import io
import json
import random
import re
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "grader"))
from launcher.variants import all_variants  # noqa: E402

HOSTILE = ROOT / "grader" / "tests" / "hostile"
HOSTILE_HEAD = re.compile(r"// verdict: (?P<verdict>[a-z ]+?)(?: · (?P<check>\S+))?\n// lab: (?P<lab>\d\d)\n")
VERDICTS = {
    "pass": "accepted",
    "case": "wrong answer",
    "rule": "rule broken",
    "finding": "rule broken",
    "compile": "compile error",
    "runtime": "runtime error",
    "guard": "runtime error",
}
# These reach the sandbox's limits of time and memory and take a minute each. One of each kind is enough.
SLOW = re.compile(r"bomb|sleeps|spins|never|ignores|huge|giant|deep|stack|fills|long")


@dataclass(frozen=True)
class Kind:
    """A submission, and the result that it must get."""

    name: str
    lab: str  # its folder's name
    files: dict[str, bytes]
    verdict: str
    check: str  # the failed check, or the beginning of its name; "": none or any


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "check"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--labs", default="", help="numbers, separated by commas (default: all)")
    arguments = parser.parse_args()
    if arguments.what == "check":
        return check(side_file(arguments.folder), arguments.out)
    make(arguments.folder, arguments.count, random.Random(arguments.seed), set(filter(None, arguments.labs.split(","))))
    return 0


def side_file(folder: Path) -> Path:
    return folder.with_name(folder.name + ".expected.json")


def make(folder: Path, count: int, chance: random.Random, labs: set[str]) -> None:
    folder.mkdir(parents=True)
    pools = [(0.42, solutions()), (0.2, starters()), (0.28, wrong_variants()), (0.06, hostile())]
    pools = [(share, [kind for kind in pool if not labs or kind.lab[:2] in labs]) for share, pool in pools]
    expected = {}
    for number in range(1, count + 1):
        at = chance.random()
        pool = next((pool for share, pool in pools if (at := at - share) < 0 and pool), None)
        if pool is None:
            student, verdict = refused(folder, number, chance)
            expected[student] = {"kind": "archive", "lab": None, "verdict": verdict, "check": ""}
            continue
        kind = chance.choice(pool)
        files = {name: edited(data, chance) for name, data in kind.files.items()}
        student = packed(folder, number, kind.lab, files, chance)
        expected[student] = {"kind": kind.name, "lab": kind.lab, "verdict": kind.verdict, "check": kind.check}
    side_file(folder).write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{count} submissions in {folder}: {dict(Counter(one['verdict'] for one in expected.values()))}")


def facts_of(lab: str) -> dict[str, str]:
    return json.loads((ROOT / "labs" / lab / "lab.json").read_text(encoding="utf-8"))


def solutions() -> list[Kind]:
    found = []
    for lab in sorted(path.name for path in (ROOT / "solutions").iterdir()):
        source = facts_of(lab)["source"]
        data = (ROOT / "solutions" / lab / source).read_bytes()
        found.append(Kind(f"{lab}/solution", lab, {source: data}, "accepted", ""))
    return found


def starters() -> list[Kind]:
    found = []
    for lab in sorted(path.parent.name for path in (ROOT / "labs").glob("*/lab.json")):
        facts = facts_of(lab)
        check = facts["starter_fails"]
        data = (ROOT / "labs" / lab / facts["source"]).read_bytes()
        failed = "" if check == "pass" else check
        found.append(Kind(f"{lab}/starter", lab, {facts["source"]: data}, VERDICTS[check.split(".")[0]], failed))
    return found


def wrong_variants() -> list[Kind]:
    found = []
    for solution in sorted((ROOT / "solutions").iterdir()):
        lab = solution.name
        for variant in all_variants(solution):
            check, _ = variant.checks
            files = {facts_of(lab)["source"]: variant.code().encode()}
            found.append(Kind(f"{lab}/wrong/{variant.name}", lab, files, VERDICTS[check.split(".")[0]], check))
    return found


def hostile() -> list[Kind]:
    """Submissions of the corpus that need nothing from the corpus' own test. Few of them wait for a limit."""
    found = []
    headers = {path.name: path.read_text(encoding="utf-8") for path in HOSTILE.glob("*.h")}
    for path in sorted(HOSTILE.glob("*.cu")):
        text = path.read_text(encoding="utf-8", errors="replace")
        head = HOSTILE_HEAD.match(text)
        files = {"reduce.cu": text, **headers}
        if head is None or any(re.search(r"@[A-Z]+@", one) for one in files.values()):
            continue
        labs = sorted(folder.name for folder in (ROOT / "labs").glob(f"{head['lab']}_*"))
        if not labs or (SLOW.search(path.stem) and path.stem not in ("fork_bomb", "output_bomb_stdout")):
            continue
        source = facts_of(labs[0])["source"]
        handed_in = {source if name == "reduce.cu" else name: one.encode() for name, one in files.items()}
        found.append(Kind(f"hostile/{path.stem}", labs[0], handed_in, head["verdict"], head["check"] or ""))
    return found


def edited(data: bytes, chance: random.Random) -> bytes:
    """The same program as another person might write it. Sources that are not ordinary text stay as they are."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    if not re.search(r"R\"|\\\n|__LINE__|__COUNTER__|asm", text):  # in these a name or a line number may matter
        text = renamed(swapped(text, chance), chance)
    return text.encode() if 'R"' in text else commented(text, chance).encode()


def swapped(text: str, chance: random.Random) -> str:
    """Swaps two neighbouring functions if neither uses the other."""
    blocks = text.split("\n\n")
    for at in range(len(blocks) - 1):
        names = [function_name(block) for block in blocks[at : at + 2]]
        alone = all(names) and names[0] not in blocks[at + 1] and names[1] not in blocks[at]
        if alone and chance.random() < 0.5:
            blocks[at], blocks[at + 1] = blocks[at + 1], blocks[at]
    return "\n\n".join(blocks)


def function_name(block: str) -> str | None:
    """The name of the function, if the block is one whole function with its comment."""
    code = [line for line in block.splitlines() if line and not line.startswith("//")]
    if len(code) < 2 or code[-1] != "}" or any(re.match(r"\S", line) for line in code[1:-1]):
        return None
    match = re.match(r"(?:__global__|static|inline|int|void|float|unsigned)\b[^=;#{]*?\b(\w+)\(.*\{$", code[0])
    return match[1] if match else None


def renamed(text: str, chance: random.Random) -> str:
    """Renames local variables whose names occur nowhere as a member, in a string or in an #include."""
    locals_ = re.findall(r"^ +(?:const )?(?:int|unsigned|auto|float) (\w{2,})(?= =)", text, re.MULTILINE)
    for name in sorted(set(locals_)):
        word = rf"\b{name}\b"
        if re.search(rf"(?:\.|->|::){word}|#.*{word}|\"[^\"\n]*{word}[^\"\n]*\"|^\S[^(]*{word}", text, re.MULTILINE):
            continue
        if chance.random() < 0.4:
            text = re.sub(word, f"{name}_{chance.randrange(100)}", text)
    return text


def commented(text: str, chance: random.Random) -> str:
    lines = []
    for line in text.split("\n"):
        if re.fullmatch(r" *\w.*;", line) and chance.random() < 0.2:
            line += chance.choice(["  // ok", "   ", f"  // {chance.randrange(1000)}", "\t"])
        lines.append(line)
        if re.fullmatch(r" *[^#/*\"]*[;{}]", line) and chance.random() < 0.1:
            lines.append(chance.choice(["", "// " + "-" * chance.randrange(20), "/* why? */"]))
    return "\n".join(lines)


def packed(folder: Path, number: int, lab: str, files: dict[str, bytes], chance: random.Random) -> str:
    """Writes the submission into the folder in one of the forms that students use. Returns the student's key."""
    inside = {f"{lab}/{name}": data for name, data in files.items()}
    if chance.random() < 0.3:
        inside |= {
            f"__MACOSX/{lab}/._{next(iter(files))}": b"x",
            f"{lab}/.DS_Store": b"x",
            f"{lab}/README.md": b"# mine",
        }
    student = f"s{number:03}"
    way = chance.randrange(6)
    if way == 0:
        write(folder / student, inside)
    elif way == 1:
        make_zip(folder / f"{student}.zip", {f"{student}/{path}": data for path, data in inside.items()})
    elif way in (2, 3):
        suffix, mode = (("tar.gz", "w:gz"), ("tar.xz", "w:xz"))[way - 2]
        make_tar(folder / f"{student}.{suffix}", inside, mode)
    elif way == 4:
        late = chance.choice(["", "LATE_"])
        make_zip(folder / f"student{student}_{late}{5000 + number}_{9000 + number}_work.zip", inside)
        student = f"student{student}_{5000 + number}"
    else:
        student = f"Student {number}_{6000 + number}"
        write(folder / f"{student}_assignsubmission_file", inside)
    return student


def refused(folder: Path, number: int, chance: random.Random) -> tuple[str, str]:
    """An archive that intake must refuse."""
    student, code = f"s{number:03}", b"int main() {}\n"
    zipped = folder / f"{student}.zip"
    bad: list[Callable[[], None]] = [
        lambda: make_zip(zipped, {"../../02/reduce.cu": code}),
        lambda: make_zip(zipped, {"02/reduce.cu": bytes(3 << 20)}),
        lambda: make_zip(zipped, {f"02/{at}.cu": code for at in range(10_000)}),
        lambda: zipped.write_bytes(b"PK\x03\x04 and nothing else"),
        lambda: make_zip(zipped, {}),
        lambda: make_tar(folder / f"{student}.tar.gz", {"02/reduce.cu": code, "./02/reduce.cu": code}, "w:gz"),
        lambda: make_link(folder / f"{student}.tar"),
    ]
    chance.choice(bad)()
    return student, "refused"


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def make_zip(path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)


def make_tar(path: Path, files: dict[str, bytes], mode: str) -> None:
    with tarfile.open(path, mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def make_link(path: Path) -> None:
    with tarfile.open(path, "w") as archive:
        info = tarfile.TarInfo("02/reduce.cu")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)


def check(expected_file: Path, out: Path) -> int:
    expected = json.loads(expected_file.read_text(encoding="utf-8"))
    results = {}
    for file in sorted(out.glob("results/*/*.json")):
        if "@" not in file.name:
            results.setdefault(file.parent.name, []).append(json.loads(file.read_text(encoding="utf-8")))
    wrong = 0
    for student, wanted in expected.items():
        found = results.pop(student, [])
        problem = difference(wanted, found)
        if problem:
            wrong += 1
            print(f"{student} ({wanted['kind']}): {problem}")
    for student in results:
        wrong += 1
        print(f"{student}: handed in nothing and has a result")
    print(f"{len(expected) - wrong if wrong < len(expected) else 0} of {len(expected)} verdicts as expected")
    return 1 if wrong else 0


def difference(wanted: dict[str, str], found: list[dict[str, object]]) -> str:
    if len(found) != 1:
        return f"{len(found)} results"
    record = found[0]
    failed = (record["judge"] or {}).get("failed_check") or ""
    if record["verdict"] != wanted["verdict"]:
        return f"{record['verdict']} ({failed or record['error']}), not {wanted['verdict']} ({wanted['check']})"
    if wanted["check"] and failed != wanted["check"] and not failed.startswith(wanted["check"] + "."):
        return f"failed by {failed}, not {wanted['check']}"
    return "" if record["lab"] == wanted["lab"] else f"lab {record['lab']}, not {wanted['lab']}"


if __name__ == "__main__":
    sys.exit(main())
