"""archives: submissions that ./lab grade must refuse at intake, before it compiles anything.

Each is made here, as one student's submission in a folder of submissions. For any name in it, nothing outside may be
written or read: `secret` is a file that a link could point to, "leaked" is its content.
"""

import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

GOOD = b'#include "common/contracts/reduction.h"\nint reduce_sum(int*, int) { return 0; }\n'
CANARY = "canary-archive"


@dataclass
class Case:
    name: str
    what: str
    reason: str  # a word that the refusal must contain
    make: Callable[[Path, Path], None]  # writes it into the folder of submissions; the other path is the secret


def tar_of(name: str, *members: tuple[tarfile.TarInfo, bytes]) -> Callable[[Path, Path], None]:
    def make(folder: Path, secret: Path) -> None:
        with tarfile.open(folder / name, "w:gz" if name.endswith("gz") else "w") as archive:
            for info, data in members:
                info.size = len(data) if info.isreg() else 0
                if info.issym() or info.islnk():
                    info.linkname = info.linkname or str(secret)
                archive.addfile(info, io.BytesIO(data))

    return make


def zip_of(*members: tuple[str, bytes], mode: int = 0o100644, text: str = "") -> Callable[[Path, Path], None]:
    def make(folder: Path, secret: Path) -> None:
        with zipfile.ZipFile(folder / "eve.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members:
                info = zipfile.ZipInfo(name)
                info.external_attr = mode << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, str(secret).encode() if stat.S_ISLNK(mode) else data)

    return make


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def file(name: str, data: bytes = GOOD) -> tuple[tarfile.TarInfo, bytes]:
    return member(name), data


def folder_with(action: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
    def make(folder: Path, secret: Path) -> None:
        (folder / "eve" / "02").mkdir(parents=True)
        action(folder / "eve" / "02", secret)

    return make


def raw(name: str, data: bytes) -> Callable[[Path, Path], None]:
    return lambda folder, _: (folder / name).write_bytes(data) and None


def encrypted(folder: Path, secret: Path) -> None:
    zip_of(("02/reduce.cu", GOOD))(folder, secret)
    data = bytearray((folder / "eve.zip").read_bytes())
    for header, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.find(header) + flags] |= 1
    (folder / "eve.zip").write_bytes(data)


def nested(folder: Path, secret: Path) -> None:
    zip_of(("02/reduce.cu", GOOD))(folder, secret)
    inner = (folder / "eve.zip").read_bytes()
    zip_of(("02/more.zip", inner))(folder, secret)


def truncated(folder: Path, secret: Path) -> None:
    tar_of("eve.tar.gz", file("02/reduce.cu", os.urandom(100_000)))(folder, secret)
    whole = (folder / "eve.tar.gz").read_bytes()
    (folder / "eve.tar.gz").write_bytes(whole[: len(whole) // 2])


CASES = [
    Case("tar_symlink", "A member is a symbolic link to a file outside.", "a link",
         tar_of("eve.tar", (member("02/reduce.cu", tarfile.SYMTYPE), b""))),
    Case("tar_hardlink", "A member is a hard link to a file outside.", "a link",
         tar_of("eve.tar", (member("02/reduce.cu", tarfile.LNKTYPE), b""))),
    Case("tar_link_then_file", "A folder that is a link out, and then a file through it.", "a link",
         tar_of("eve.tar", (member("02", tarfile.SYMTYPE, "/tmp"), b""), file(f"02/{CANARY}.cu"))),
    Case("tar_dot_dot", "A name with ../ in it.", "leads out",
         tar_of("eve.tar", file(f"02/../../{CANARY}.cu"))),
    Case("tar_absolute", "An absolute name.", "leads out", tar_of("eve.tar.gz", file(f"/tmp/{CANARY}.cu"))),
    Case("tar_device", "A device node: memory.", "a device",
         tar_of("eve.tar", (member("02/reduce.cu", tarfile.CHRTYPE), b""))),
    Case("tar_pipe", "A named pipe, which a reader would wait for.", "a pipe",
         tar_of("eve.tar", (member("02/reduce.cu", tarfile.FIFOTYPE), b""))),
    Case("tar_duplicate", "One name twice: a harmless file for who looks, another for who compiles.", "twice",
         tar_of("eve.tar", file("02/reduce.cu"), file("02/./reduce.cu", b"int x;"))),
    Case("tar_bomb", "64 MiB of zeros in 64 KiB.", "MiB", tar_of("eve.tar.gz", file("02/reduce.cu", bytes(64 << 20)))),
    Case("tar_many", "Three thousand files.", "more than",
         tar_of("eve.tar.gz", *(file(f"02/f{i}.h", b"") for i in range(3000)))),
    Case("tar_truncated", "Half of an archive.", "damaged", truncated),
    Case("zip_symlink", "A member is a symbolic link, as zip writes them.", "a link",
         zip_of(("02/reduce.cu", b""), mode=stat.S_IFLNK | 0o777)),
    Case("zip_dot_dot", "A name with ../ in it.", "leads out", zip_of((f"../../{CANARY}.cu", GOOD))),
    Case("zip_absolute", "An absolute name.", "leads out", zip_of((f"/tmp/{CANARY}.cu", GOOD))),
    Case("zip_windows", "A drive and backslashes.", "odd path", zip_of((f"C:\\{CANARY}.cu", GOOD))),
    Case("zip_duplicate", "One name twice.", "twice", zip_of(("02/reduce.cu", GOOD), ("02/reduce.cu", b"int x;"))),
    Case("zip_bomb", "256 MiB of zeros in 256 KiB, in many files.", "MiB",
         zip_of(*((f"02/f{i}.h", bytes(16 << 20)) for i in range(16)))),
    Case("zip_encrypted", "A password that nobody knows.", "encrypted", encrypted),
    Case("zip_in_zip", "An archive inside the archive.", "inside an archive", nested),
    Case("zip_newline", "A name with a line's end, and one that a terminal would obey.", "odd path",
         zip_of(("02/re\nduce\x1b[2J.cu", GOOD))),
    Case("zip_shell", "A name that a shell would run.", "rename", zip_of((f"02/$(touch {CANARY}).cu", GOOD))),
    Case("no_archive", "Text under the name of an archive.", "damaged", raw("eve.zip", b"no archive\n" * 100)),
    Case("other_kind", "An archive of a kind that is not unpacked.", "not unpacked",
         folder_with(lambda lab, _: (lab / "reduce.rar").write_bytes(b"Rar!") and None)),
    Case("folder_symlink", "A folder whose file is a symbolic link.", "a link",
         folder_with(lambda lab, secret: (lab / "reduce.cu").symlink_to(secret))),
    Case("folder_is_a_link", "The submission itself is a link to another's folder.", "a link",
         lambda folder, secret: (folder / "eve").symlink_to(secret.parent, target_is_directory=True)),
    Case("folder_pipe", "A named pipe in the folder.", "a pipe",
         folder_with(lambda lab, _: os.mkfifo(lab / "reduce.cu"))),
    Case("large_file", "A source of 2 MB.", "larger than",
         folder_with(lambda lab, _: (lab / "reduce.cu").write_bytes(b"// " + b"-" * 2_000_000) and None)),
    Case("empty_archive", "An archive with nothing in it.", "no source", zip_of()),
]  # fmt: skip
