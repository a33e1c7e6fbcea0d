"""corpus: the submissions beside this file → entries with the verdict that each must get. It does not judge them.

A file's first lines say:

    // verdict: wrong answer · case.reduce_sum      verdict · check, or the beginning of the check's name
    // lab: 02                                      99 is a reduction without rules
    // One sentence about its attack.

In it, @REPOSITORY@ and the other words of `places` stand for facts that the test knows about the machine. A submission
that cannot be such a file, or not with such a name, is made by a function here.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import rungs

HOSTILE = Path(__file__).resolve().parent
ROOT = HOSTILE.parents[2]
HEAD = re.compile(
    r"// verdict: (?P<verdict>[a-z ]+?)(?: · (?P<check>\S+))?\n// lab: (?P<lab>\d\d)\n"
    r"(?P<what>(?:// (?!clang-format).+\n)+)"
)


@dataclass
class Entry:
    name: str
    honest: bool
    verdict: str
    check: str  # "": any check
    lab: str
    what: str
    prepare: Callable[[Path, dict[str, str]], Path]  # writes into an empty folder; returns the file to hand in

    def wants(self) -> str:
        return f"{self.verdict} · {self.check}" if self.check else self.verdict


def entries() -> list[Entry]:
    found = [from_file(path) for path in sorted(HOSTILE.glob("*.cu"))]
    found += [from_file(path) for path in sorted((HOSTILE / "honest").glob("*.cu"))]
    return sorted([*found, *made()], key=lambda entry: (entry.honest, entry.name))


def from_file(path: Path) -> Entry:
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    head = HEAD.match(text)
    if not head:
        raise SystemExit(f"{path}: its first lines must be `// verdict: …`, `// lab: NN` and what it tries")

    def prepare(folder: Path, places: dict[str, str]) -> Path:
        for header in (*HOSTILE.rglob("*.h"), *HOSTILE.rglob("*.cuh")):
            (folder / header.name).write_text(filled(header.read_text(encoding="utf-8"), places), encoding="utf-8")
        file = folder / path.name
        file.write_text(filled(text, places), encoding="utf-8", errors="surrogateescape")
        return file

    honest = path.parent != HOSTILE
    what = head["what"].replace("\n// ", " ").removeprefix("// ").rstrip()
    return Entry(path.stem, honest, head["verdict"], head["check"] or "", head["lab"], what, prepare)


def filled(text: str, places: dict[str, str]) -> str:
    for word, value in places.items():
        text = text.replace(f"@{word}@", value)
    return text


def reference(lab: str) -> bytes:
    return next(path for path in (ROOT / "solutions").glob(f"{lab}_*/*.cu")).read_bytes()


def made() -> Iterator[Entry]:
    def entry(name: str, verdict: str, lab: str, what: str, content: bytes, file: str = "reduce.cu") -> Entry:
        def prepare(folder: Path, _: dict[str, str]) -> Path:
            (folder / file).write_bytes(content)
            return folder / file

        head = verdict.partition(" · ")
        return Entry(name, verdict == "accepted", head[0], head[2], lab, what, prepare)

    refused = "compile error · compile"
    garbage = bytes(i * i * 31 % 251 for i in range(100_000))
    right = reference("02")
    yield entry("empty_file", refused, "02", "An empty file.", b"")
    yield entry("binary_garbage", refused, "02", "100,000 bytes that are not text.", garbage)
    yield entry("utf16_source", refused, "02", "The reference in UTF-16.", right.decode().encode("utf-16"))
    yield entry("ten_megabytes", refused, "02", "10 MB of declarations.", b"int f(int);\n" * 900_000 + b"#error end\n")
    yield entry("long_line_of_code", refused, "02", "One line of 4 MB.", b"int x = 0" + b" + 1" * 1_000_000 + b"1;\n")
    yield linked_header()

    accepted = "accepted"
    yield entry("crlf", accepted, "02", "The lines end as on Windows.", right.replace(b"\n", b"\r\n"))
    yield entry("byte_order_mark", accepted, "02", "The file begins with a byte order mark.", b"\xef\xbb\xbf" + right)
    yield entry("no_last_newline", accepted, "02", "The last line has no line end.", right.rstrip())
    dashes = b"// " + b"-" * 1_000_000 + b"\n"
    yield entry("long_comment", accepted, "02", "A comment of 1 MB in one line.", dashes + right)
    yield entry("name_with_spaces", accepted, "02", "Its name is “my lab (2) final.cu”.", right, "my lab (2) final.cu")
    yield entry("name_like_an_option", accepted, "02", "Its name is “-o.cu”.", right, "-o.cu")
    shell = "$(touch BREACHED);`touch BREACHED`'.cu"
    yield entry("name_for_a_shell", accepted, "02", f"Its name is “{shell}”.", right, shell)
    for rung in (*rungs.hostile(), *rungs.honest()):
        yield entry(rung.name, rung.verdict, rung.lab, rung.what, rung.content.encode())
    yield entry("name_beyond_ascii", accepted, "02", "Its name is “größe 合計.cu”.", right, "größe 合計.cu")


def linked_header() -> Entry:
    def prepare(folder: Path, places: dict[str, str]) -> Path:
        (folder / "reduce.cu").write_text('#include "mine.h"\n', encoding="utf-8")
        (folder / "mine.h").symlink_to(Path(places["REPOSITORY"]) / "solutions/02_reduce_neighbored/reduce.cu")
        return folder / "reduce.cu"

    what = "A header beside the file is a symbolic link to the reference."
    return Entry("header_behind_a_link", False, "compile error", "compile", "02", what, prepare)
