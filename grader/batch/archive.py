"""archive: an untrusted .zip or .tar → the paths and bytes of its members, in order. It writes nothing and
follows no link. It holds at most UNPACKED_BYTES, whatever a header claims. intake decides which members are wanted."""

import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from launcher.language import Message, message

# The sources of a lab are a few KiB. A submission stays far below these limits, with all files that people pack beside
# the sources.
ARCHIVE_BYTES = 8 << 20
UNPACKED_BYTES = 32 << 20  # all members together, with headers and ignored files
MEMBERS = 2000
SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz")
# We recognise these only to name them in a refusal.
OTHER_SUFFIXES = (".7z", ".rar", ".tar.bz2", ".tbz2", ".tar.zst", ".gz", ".xz", ".bz2", ".zst")

DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError,
    NotImplementedError, MemoryError, OverflowError, RuntimeError,
)  # fmt: skip
Take = Callable[[str, Callable[[int], bytes]], None]  # gets a path, and a function that reads at most so many bytes


class Refusal(Exception):
    """The reason why a submission is not graded, and what its author should do."""

    def __init__(self, why: Message) -> None:
        super().__init__(why)
        self.why = why


def is_archive(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def stem(name: str) -> str:
    """The name without the archive's suffix."""
    return next(name[: -len(suffix)] for suffix in sorted(SUFFIXES, key=len)[::-1] if name.lower().endswith(suffix))


def unpack(file: Path, take: Take) -> None:
    """Calls take for each member that is a regular file. Raises Refusal if a member is neither a file nor a folder."""
    if file.stat().st_size > ARCHIVE_BYTES:
        raise Refusal(
            message(
                "{file} is larger than {most} MiB: pack only the source files.",
                file=file.name,
                most=ARCHIVE_BYTES >> 20,
            )
        )
    try:
        (_unpack_zip if file.name.lower().endswith(".zip") else _unpack_tar)(file, take)
    except DAMAGED as error:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise Refusal(
            message("{file} is damaged, or no such archive ({what}): pack it again.", file=file.name, what=what[:200])
        ) from error


def _unpack_zip(file: Path, take: Take) -> None:
    left = UNPACKED_BYTES
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        _check_count(len(members))
        for member in members:
            # The name as it was stored. zipfile itself cuts it at a NUL.
            name = member.orig_filename
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise _no_file(name, message("a link") if kind == stat.S_IFLNK else message("a device or a pipe"))
            if not member.filename:
                raise Refusal(message("a file in it has no name: pack it again."))
            if member.is_dir():
                continue
            if member.flag_bits & 1:
                raise Refusal(message("{name} is encrypted: pack it without a password.", name=f"{name!r}"))
            # zipfile decompresses bzip2 and LZMA in pieces of any size, so we could not limit a bomb.
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Refusal(
                    message("{name} is packed by an unusual method: make an ordinary .zip.", name=f"{name!r}")
                )
            with archive.open(member) as stream:
                bounded = _Bounded(stream, left)
                take(name, bounded.read)
                left = bounded.left


def _unpack_tar(file: Path, take: Take) -> None:
    # As a stream: tarfile then never seeks, and every byte, also those of headers, counts toward the limit.
    opener = {".gz": gzip.open, ".tgz": gzip.open, ".xz": lzma.open}.get(file.suffix.lower(), open)
    with opener(file, "rb") as stream, tarfile.open(fileobj=_Bounded(stream, UNPACKED_BYTES), mode="r|") as archive:
        for count, member in enumerate(archive, 1):
            _check_count(count)
            if member.isdir():
                continue
            if not member.isreg() or member.issparse():
                link = member.issym() or member.islnk()
                raise _no_file(member.name, message("a link") if link else message("a device, a pipe or a sparse file"))
            opened = archive.extractfile(member)
            assert opened is not None
            take(member.name, opened.read)


class _Bounded:
    """A stream that refuses to yield more than a number of bytes."""

    def __init__(self, stream: BinaryIO, left: int) -> None:
        self.stream_, self.left = stream, left

    def read(self, count: int) -> bytes:
        data = self.stream_.read(count)
        self.left -= len(data)
        if self.left < 0:
            raise Refusal(
                message("it unpacks to more than {most} MiB: pack only the source files.", most=UNPACKED_BYTES >> 20)
            )
        return data


def _check_count(count: int) -> None:
    if count > MEMBERS:
        raise Refusal(message("it holds more than {most} files: pack only the source files.", most=MEMBERS))


def _no_file(name: str, what: str) -> Refusal:
    return Refusal(message("{name} is {what}: pack regular files only.", name=f"{name!r}", what=what))
