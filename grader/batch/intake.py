"""intake: a folder of submissions → one Submission for each student and lab, or the reason why it is refused.

The names of files and folders give the student and the lab; ./lab grade --help lists the forms. Any bytes can be a
name: Submission holds only texts that people can read, in which odd characters are written as numbers. Sources are held
in memory. Left out: whether a source is right. The judge decides that.
"""

import hashlib
import os
import re
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath

from launcher.console import visible
from launcher.labs import Lab
from launcher.language import Message, _, message

from . import archive
from .archive import Refusal

# The largest source in the labs has 9 KiB. An honest submission to one lab has a handful of files.
FILE_BYTES = 1 << 20
LAB_FILES = 64
DEPTH = 8
KEY_BYTES = 120  # of a student's key, so that it and what is added to it fit into a file's name
SOURCE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}\.(cu|cuh|h|cc|cl)")  # the compiler gets these as they are
# "Übung 2 (1).cu", also as bytes that are not UTF-8. Such a main file gets the lab's own name for the compiler.
READABLE_NAME = re.compile(r"(?!-)(?:[\w .,@+()'-]|[^\x00-\x7f])+\.(cu|cuh|h|cc|cl)")
CUDA = (".cu", ".cuh", ".h")
OPENCL = (".cc", ".cl", ".h")
# Files that macOS, Windows, editors and version control leave behind.
JUNK = re.compile(
    r"__MACOSX|\..*|.*~|#.*#|.*\.(swp|swo|bak|orig|tmp)|Thumbs\.db|desktop\.ini|__pycache__", re.IGNORECASE | re.DOTALL
)
NUMBERED = re.compile(r"(\d\d)(?:[_-].*)?", re.DOTALL)
# Canvas: sortablename_[LATE_]userid_fileid_name, or anon_code_fileid_name. Canvas's ContentZipper writes both forms.
# The name has letters alone, but a program that unpacks it wrongly can make any characters of those outside of ASCII.
CANVAS = re.compile(r"(?P<name>(?:\w|[^\x00-\x7f])+?)_(?P<late>LATE_)?(?P<id>\d+)_\d+_(?P<file>.+)", re.DOTALL)
CANVAS_ANONYMOUS = re.compile(r"(?P<name>anon)_(?P<late>LATE_)?(?P<id>[A-Za-z0-9]+)_\d+_(?P<file>.+)", re.DOTALL)
# Moodle: a folder "Full Name_participantid_assignsubmission_file", or a file with "_name" behind that.
MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_(?P<kind>file|onlinetext)_?(?P<file>.*)", re.DOTALL)


@dataclass(frozen=True)
class Submission:
    """One student's files for one lab. A refused submission has only the files that could be read."""

    student: str
    lab: str | None  # the lab's folder name; None: the submission is refused as a whole
    source: str  # the entry in the folder of submissions
    files: dict[str, bytes] = field(default_factory=dict)  # name → bytes
    main: str = ""  # the file that the judge compiles
    refusal: Message | None = None
    notes: tuple[Message, ...] = ()
    # {"system": canvas, moodle, or folder, "id", "name"}; None if the student's key says as much
    identity: dict[str, str] | None = None
    time: float | None = None  # of the newest file, as the file system has it: seconds since 1970

    @property
    def sha256(self) -> str:
        """The hash of the main file's name, of every file, and of the reason if it is refused."""
        parts = [self.main.encode(), (self.refusal or "").encode()]
        for name, data in sorted(self.files.items()):
            parts += [name.encode(), data]
        return hashlib.sha256(b"".join(len(part).to_bytes(8, "little") + part for part in parts)).hexdigest()


@dataclass
class _Entry:
    """The folders, archives and files of one student, each under the name that the student gave it."""

    parts: list[tuple[str, Path]] = field(default_factory=list)
    identity: dict[str, str] | None = None
    notes: list[Message] = field(default_factory=list)


def read(folder: Path, labs: list[Lab], only: Lab | None) -> tuple[list[Submission], list[str]]:
    """The submissions in order of student and lab, and notes about files in the folder that belong to no student."""
    entries, strangers = _by_student(folder)
    return [one for student in sorted(entries) for one in _of_student(student, entries[student], labs, only)], strangers


def of_folder(folder: Path, student: str, labs: list[Lab], only: Lab | None) -> list[Submission]:
    """The submissions of one student, whose files alone are in the folder."""
    return _of_student(student_key(student), _Entry([("", folder)]), labs, only)


def student_key(name: str) -> str:
    """The name in a form that every file system accepts. Different names stay different. A byte that is not UTF-8 is
    written as %E9."""
    plain = unicodedata.normalize("NFC", name)
    plain = "".join(f"%{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else c for c in plain)
    safe = re.sub(r"[^\w .,@+()'%-]", "_", plain).strip(" .")[:80]
    safe = safe.encode()[:KEY_BYTES].decode(errors="ignore")
    if safe == name and "%" not in safe:
        return safe
    return f"{safe}~{hashlib.sha256(os.fsencode(name)).hexdigest()[:6]}"


def _by_student(folder: Path) -> tuple[dict[str, _Entry], list[str]]:
    entries: dict[str, _Entry] = defaultdict(_Entry)
    strangers = []
    for path in sorted(folder.iterdir()):
        name = path.name
        if JUNK.fullmatch(name):
            strangers.append(_("{name} is ignored: left behind by another program", name=_quoted(name)))
            continue
        if match := MOODLE.fullmatch(name):
            system = "moodle"
        elif not path.is_dir() and (match := CANVAS.fullmatch(name) or CANVAS_ANONYMOUS.fullmatch(name)):
            system = "canvas"
        elif path.is_dir() or archive.is_archive(name):
            _add_by_name(entries, name if path.is_dir() else archive.stem(name), path)
            continue
        else:
            strangers.append(
                _(
                    "{name} is ignored: neither a folder nor one of {suffixes}",
                    name=_quoted(name),
                    suffixes=", ".join(archive.SUFFIXES),
                )
            )
            continue
        entry = entries[student_key(f"{match['name']}_{match['id']}")]
        entry.identity = {"system": system, "id": match["id"], "name": match["name"]}
        if match.groupdict().get("late"):
            entry.notes.append(message("{file} came late, as Canvas says in its name", file=_quoted(match["file"])))
        if match.groupdict().get("kind") != "onlinetext":
            entry.parts.append((match["file"], path))
    return dict(entries), strangers


def _add_by_name(entries: dict[str, _Entry], name: str, path: Path) -> None:
    """A folder or an archive that has the student's name, which is kept if the key is another."""
    key = student_key(name)
    entries[key].parts.append(("", path))
    if key != name:
        entries[key].identity = {"system": "folder", "id": "", "name": unicodedata.normalize("NFC", name)}


def _of_student(student: str, entry: _Entry, labs: list[Lab], only: Lab | None) -> list[Submission]:
    source = ", ".join(path.name for _name, path in entry.parts)
    make = partial(Submission, student, source=source, identity=entry.identity)
    sieve = _Sieve()
    sieve.notes += entry.notes
    try:
        if len(entry.parts) > 1 and (entry.identity is None or entry.identity["system"] == "folder"):
            raise Refusal(message("there are two submissions by this name, {source}: keep one of them.", source=source))
        for name, path in entry.parts:
            sieve.take_entry(name, path)
        found = _by_lab(sieve, make, labs, only)
    except Refusal as refusal:
        found = [make(only.name if only else None, refusal=refusal.why, notes=tuple(sieve.notes))]
    except OSError as error:
        text = message("{source} cannot be read ({why}): check its permissions.", source=source, why=error.strerror)
        found = [make(only.name if only else None, refusal=text)]
    return [_readable(one, _time_of(entry, sieve)) for one in found]


def _readable(one: Submission, time: float | None) -> Submission:
    """The submission with texts that every format and every terminal can hold."""
    return replace(
        one,
        source=_on_one_line(one.source),
        refusal=None if one.refusal is None else one.refusal.changed(_on_one_line),
        notes=tuple(note.changed(_on_one_line) for note in one.notes),
        identity=one.identity and {key: _on_one_line(text) for key, text in one.identity.items()},
        time=time,
    )


def _time_of(entry: _Entry, sieve: "_Sieve") -> float | None:
    """Of an archive the file system's time counts: its members say when they were written, not when they came."""
    times = list(sieve.times)
    for _name, path in entry.parts:
        with suppress(OSError):
            if not path.is_dir():
                times.append(path.lstat().st_mtime)
    return max(times, default=None)


def _quoted(name: str) -> str:
    """For a sentence: the name in quotes, without its middle if it is long."""
    return f"'{_on_one_line(name if len(name) <= 200 else name[:100] + ' … ' + name[-100:])}'"


def _on_one_line(text: str) -> str:
    """The text on one line: a name must not look like two names, or like a line of our own."""
    return visible(text).replace("\n", "\\u000a").replace("\t", "\\u0009")


class _Sieve:
    """Takes paths one after the other. The checks come in an order that keeps each of them cheap."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.notes: list[Message] = []
        self.times: list[float] = []  # of the sources in folders
        self.seen: set[str] = set()
        self.bytes = 0

    def take_entry(self, name: str, path: Path) -> None:
        """name: "" if the path holds all of the student's files."""
        if path.is_symlink():
            raise Refusal(message("{path} is a link: hand in the files themselves.", path=_quoted(path.name)))
        if path.is_dir():
            for child in sorted(path.iterdir()):
                self.take_child(f"{name}/{child.name}" if name else child.name, child)
        elif archive.is_archive(path.name):
            folder = archive.stem(name) if name else ""
            archive.unpack(path, lambda member, read: self.take(_inside(member, folder), read, in_archive=True))
        else:
            with suppress(OSError):
                if path.name.endswith((*CUDA, *OPENCL)):
                    self.times.append(path.lstat().st_mtime)
            self.take(name, partial(_read_file, path))

    def take_child(self, name: str, path: Path) -> None:
        mode = path.lstat().st_mode
        if JUNK.fullmatch(path.name):
            self.ignore(name, message("left behind by another program"))
        elif stat.S_ISDIR(mode) and name.count("/") >= DEPTH:
            raise Refusal(
                message(
                    "{name} lies more than {most} folders deep: hand in flat folders.", name=_quoted(name), most=DEPTH
                )
            )
        elif not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
            what = message("a link") if stat.S_ISLNK(mode) else message("a device or a pipe")
            raise Refusal(message("{name} is {what}: hand in regular files only.", name=_quoted(name), what=what))
        else:
            self.take_entry(name, path)

    def take(self, path: str, read: Callable[[int], bytes], in_archive: bool = False) -> None:
        parts = _checked_parts(path, in_archive)
        clean = "/".join(parts)
        is_source = parts[-1].endswith((*CUDA, *OPENCL))
        if clean in self.seen:
            raise Refusal(message("{clean} is there twice: keep one of them.", clean=_quoted(clean)))
        self.seen.add(clean)
        if len(self.seen) > archive.MEMBERS:
            raise Refusal(
                message("it holds more than {most} files: hand in only the source files.", most=archive.MEMBERS)
            )
        name = parts[-1]
        if any(JUNK.fullmatch(part) for part in parts):
            self.ignore(clean, message("left behind by another program"))
        elif in_archive and archive.is_archive(name):
            raise Refusal(
                message(
                    "{clean} is an archive inside an archive: put its files there themselves.", clean=_quoted(clean)
                )
            )
        elif name.lower().endswith(archive.OTHER_SUFFIXES):
            raise Refusal(
                message("{clean} is of a kind that is not unpacked: make a .zip or a .tar.gz.", clean=_quoted(clean))
            )
        elif not is_source:
            self.ignore(clean, message("not a source file"))
        elif not READABLE_NAME.fullmatch(name):
            raise Refusal(
                message("{name}: rename it; names are of letters, digits, spaces and _ . -", name=_quoted(name))
            )
        else:
            self.keep(clean, read(FILE_BYTES + 1))

    def keep(self, path: str, data: bytes) -> None:
        if len(data) > FILE_BYTES:
            raise Refusal(
                message(
                    "{path} is larger than {most} MiB: hand in only sources, which are smaller.",
                    path=_quoted(path),
                    most=FILE_BYTES >> 20,
                )
            )
        self.bytes += len(data)
        if self.bytes > archive.ARCHIVE_BYTES:
            raise Refusal(
                message(
                    "its sources are larger than {most} MiB together: hand in fewer.",
                    most=archive.ARCHIVE_BYTES >> 20,
                )
            )
        self.files[path] = data

    def ignore(self, path: str, why: Message) -> None:
        if len(self.notes) < 20:
            self.notes.append(message("{path} is ignored: {why}", path=_quoted(path), why=why))
        elif len(self.notes) == 20:
            self.notes.append(message("… and more"))


def _inside(path: str, folder: str) -> str:
    """The path after the archive is unpacked into the folder. A forbidden path stays one, so that a later check sees
    it."""
    return path if not folder or path.startswith("/") else f"{folder}/{path}"


def _checked_parts(path: str, in_archive: bool) -> tuple[str, ...]:
    parts = PurePosixPath(path).parts
    if not parts:
        raise Refusal(message("a file without a name: pack it again."))
    # People would read such a path as another one, and a NUL or a backslash means something else to other programs.
    # Bytes that are not UTF-8 come from an honest, older program.
    is_odd = "\\" in path or not all(c.isprintable() or "\udc80" <= c <= "\udcff" for c in path)
    if is_odd and (parts[-1].endswith((*CUDA, *OPENCL)) or "\0" in path):
        raise Refusal(message("{path} is an odd path: rename it with letters, digits, _ . and -.", path=_quoted(path)))
    if in_archive and (path.startswith("/") or re.match(r"[A-Za-z]:", path) or ".." in path.split("/")):
        raise Refusal(message("{path} leads out of the submission: use plain paths.", path=_quoted(path)))
    if len(parts) > DEPTH + 1:
        raise Refusal(
            message("{path} lies more than {most} folders deep: hand in flat folders.", path=_quoted(path), most=DEPTH)
        )
    return parts


def _read_file(path: Path, most: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read(most)


def _by_lab(sieve: _Sieve, make: Callable[..., Submission], labs: list[Lab], only: Lab | None) -> list[Submission]:
    """Sorts the files into labs. A folder NN or NN_name belongs to a lab; so does a file NN.cu outside such folders."""
    numbers = {lab.number: lab for lab in labs}
    groups: dict[str, dict[str, dict[str, bytes]]] = defaultdict(lambda: defaultdict(dict))  # lab → folder → files
    loose: dict[str, bytes] = {}
    for path, data in sieve.files.items():
        folder, name = _lab_folder(path, numbers)
        if folder is not None:
            groups[_number(folder)][folder][name] = data
        elif only is None and (number := _number(path)) in numbers and path.endswith(numbers[number].source.suffix):
            groups[number][path][PurePosixPath(path).name] = data
        else:
            loose[path] = data
    if only:
        others = [folder for number, folders in groups.items() if number != only.number for folder in folders]
        notes = sieve.notes + [
            message("{folder} is ignored: another lab's folder", folder=_quoted(folder)) for folder in others
        ]
        folders = groups.get(only.number) or {"": loose}
        return [_of_lab(only, folders, notes, make)]
    notes = sieve.notes + [
        message("{path} is ignored: it lies in no lab's folder", path=_quoted(path)) for path in loose
    ]
    found = [_of_lab(numbers[number], groups[number], notes, make) for number in sorted(groups)]
    lost = sorted(path for path in loose if path.endswith(".cu"))
    if lost or not found:
        what = (
            message("{files} belongs to no lab", files=", ".join(lost[:5]))
            if lost
            else message("there is no source file")
        )
        example = labs[0].source.name if labs else "FILE.cu"
        text = message(
            "{what}: put each lab's files into a folder with its number, such as 02/{example}.",
            what=what,
            example=example,
        )
        found.append(make(None, refusal=text, notes=tuple(sieve.notes)))
    return found


def _number(path: str) -> str:
    last = PurePosixPath(path)
    match = NUMBERED.fullmatch(last.stem if path.endswith((*CUDA, *OPENCL)) else last.name)
    return match[1] if match else ""


def _lab_folder(path: str, numbers: dict[str, Lab]) -> tuple[str | None, str]:
    """The outermost folder on the path that belongs to a lab, and the rest of the path."""
    parts = path.split("/")
    for at, part in enumerate(parts[:-1]):
        if (match := NUMBERED.fullmatch(part)) and match[1] in numbers:
            return "/".join(parts[: at + 1]), "/".join(parts[at + 1 :])
    return None, path


def _of_lab(
    lab: Lab, folders: dict[str, dict[str, bytes]], notes: list[str], make: Callable[..., Submission]
) -> Submission:
    notes = list(notes)
    try:
        if len(folders) > 1:
            listed = ", ".join(sorted(folders))
            raise Refusal(
                message(
                    "lab {lab} is there more than once, as {listed}: keep one of them.", lab=lab.number, listed=listed
                )
            )
        files = dict(next(iter(folders.values())))
        main = _main_file(lab, list(files))
        main_name = main.name if SOURCE_NAME.fullmatch(main.name) else lab.source.name
        if main_name != main.name:
            notes.append(
                message(
                    "{main} is graded as {main_name}: the compiler gets plain names only",
                    main=_quoted(main.name),
                    main_name=main_name,
                )
            )
        kept = {main_name: files.pop(str(main))}
        for path, data in files.items():
            name = PurePosixPath(path).name
            if PurePosixPath(path).parent != main.parent:
                notes.append(
                    message(
                        "{path} is ignored: the compiler sees only the files beside {main}",
                        path=_quoted(path),
                        main=main.name,
                    )
                )
            elif not path.endswith(OPENCL if lab.is_opencl else CUDA):
                notes.append(message("{path} is ignored: not a source of this lab", path=_quoted(path)))
            elif not SOURCE_NAME.fullmatch(name):
                notes.append(
                    message(
                        "{path} is ignored: the compiler cannot get this name; use letters, digits, _ . and -",
                        path=_quoted(path),
                    )
                )
            else:
                kept[name] = data
        if len(kept) > LAB_FILES:
            raise Refusal(
                message(
                    "more than {most} source files: hand in those that lab {lab} needs.",
                    most=LAB_FILES,
                    lab=lab.number,
                )
            )
        return make(lab.name, files=kept, main=main_name, notes=tuple(notes))
    except Refusal as refusal:
        return make(lab.name, refusal=refusal.why, notes=tuple(notes))


def _main_file(lab: Lab, paths: list[str]) -> PurePosixPath:
    """The file with the lab's name for it, or else the only source. Files in the outermost folder come first."""
    wanted, suffix = lab.source.name, lab.source.suffix
    candidates = [PurePosixPath(path) for path in sorted(paths) if path.endswith(suffix)]
    if not candidates:
        raise Refusal(message("there is no {suffix} file: hand in {wanted}.", suffix=suffix, wanted=wanted))
    outermost = min(len(path.parts) for path in candidates)
    candidates = [path for path in candidates if len(path.parts) == outermost]
    if len(folders := sorted({str(path.parent) for path in candidates})) > 1:
        raise Refusal(
            message(
                "{suffix} files are in more than one folder, {folders}: keep one of them.",
                suffix=suffix,
                folders=", ".join(folders[:5]),
            )
        )
    named = [path for path in candidates if path.name == wanted]
    if named or len(candidates) == 1:
        return (named or candidates)[0]
    listed = ", ".join(path.name for path in candidates[:5])
    raise Refusal(
        message("of {listed} none is called {wanted}: give the main file that name.", listed=listed, wanted=wanted)
    )
