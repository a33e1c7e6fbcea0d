"""elf: the file of a program → the libraries that it needs, and the kinds of CUDA code that it carries.

Reads ELF64, little-endian, and nvcc's fat binaries (section .nv_fatbin). Runs nothing.
"""

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

SHT_PROGBITS, SHT_DYNAMIC = 1, 6
DT_NEEDED, DT_RPATH = 1, 15
FATBIN_MAGIC = 0xBA55ED50
KIND_PTX = 1
FLAGS_COMPRESSED = 0x8000 | 0x2000  # zstd, LZ4


class NotElf(Exception):
    pass


class Section(NamedTuple):
    name: int  # where its name begins, in the section that holds all names
    kind: int
    flags: int
    address: int
    offset: int  # in the file
    size: int
    link: int  # of a dynamic section: the index of the section with its strings

    def bytes_of(self, data: bytes) -> bytes:
        return data[self.offset : self.offset + self.size]


@dataclass
class Program:
    machine: int
    needed: list[str] = field(default_factory=list)
    rpath: str = ""  # DT_RPATH: searched before LD_LIBRARY_PATH
    has_fatbin: bool = False
    plain_ptx: int = 0  # number of entries of this kind in all fat binaries
    compressed_ptx: int = 0

    def cudart(self) -> str:
        """The CUDA runtime library that the program needs, or an empty text."""
        return next((name for name in self.needed if name.startswith("libcudart.so")), "")


def read_program(file: Path) -> Program:
    data = file.read_bytes()
    if len(data) < 64 or data[:4] != b"\x7fELF" or data[4] != 2 or data[5] != 1:
        raise NotElf
    try:
        return _read(data)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise NotElf from error


def _read(data: bytes) -> Program:
    program = Program(*struct.unpack_from("<H", data, 18))
    (table_at,) = struct.unpack_from("<Q", data, 40)
    entry_bytes, count, names_index = struct.unpack_from("<HHH", data, 58)
    sections = [Section(*struct.unpack_from("<IIQQQQI", data, table_at + i * entry_bytes)) for i in range(count)]
    for section in sections:
        if section.kind == SHT_DYNAMIC:
            _read_dynamic(data, section, sections[section.link].offset, program)
        elif section.kind == SHT_PROGBITS and _text(data, sections[names_index].offset + section.name) == ".nv_fatbin":
            program.has_fatbin = True
            _read_fatbins(section.bytes_of(data), program)
    return program


def _read_dynamic(data: bytes, section: Section, strings_at: int, program: Program) -> None:
    for tag, value in struct.iter_unpack("<QQ", section.bytes_of(data)):
        if tag == DT_NEEDED:
            program.needed.append(_text(data, strings_at + value))
        elif tag == DT_RPATH:
            program.rpath = _text(data, strings_at + value)


def _read_fatbins(section: bytes, program: Program) -> None:
    """The section holds one container after the other, with padding between. A container is a header with entries."""
    at = 0
    while at + 16 <= len(section):
        magic, _, header_bytes, size = struct.unpack_from("<IHHQ", section, at)
        if magic != FATBIN_MAGIC:
            at += 8
            continue
        entry, end = at + header_bytes, at + header_bytes + size
        while entry + 64 <= end:
            kind, _, entry_header, payload = struct.unpack_from("<HHIQ", section, entry)
            flags = struct.unpack_from("<Q", section, entry + 40)[0]
            if kind == KIND_PTX and flags & FLAGS_COMPRESSED:
                program.compressed_ptx += 1
            elif kind == KIND_PTX:
                program.plain_ptx += 1
            entry += max(entry_header + payload, 64)
        at = max(end, at + 16)


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(0, at)].decode()
