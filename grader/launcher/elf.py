"""elf: the file of a program → the libraries that it needs, and the kinds of CUDA code that it carries.

Reads ELF64, little-endian, and nvcc's fat binaries (section .nv_fatbin). Runs nothing.
"""

import struct
from dataclasses import dataclass, field
from pathlib import Path

PT_DYNAMIC = 2
DT_NEEDED, DT_STRTAB, DT_RPATH, DT_RUNPATH = 1, 5, 15, 29
FATBIN_MAGIC = 0xBA55ED50
KIND_PTX = 1
FLAGS_COMPRESSED = 0x8000 | 0x2000  # zstd, LZ4


class NotElf(Exception):
    pass


@dataclass
class Program:
    machine: int
    needed: list[str] = field(default_factory=list)
    rpath: str = ""  # DT_RPATH: searched before LD_LIBRARY_PATH
    runpath: str = ""  # DT_RUNPATH: searched after it
    has_fatbin: bool = False
    plain_ptx: int = 0  # number of entries of this kind in all fat binaries
    compressed_ptx: int = 0
    machine_code: int = 0

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
    machine = struct.unpack_from("<H", data, 18)[0]
    segments_at, sections_at = struct.unpack_from("<QQ", data, 32)
    segment_bytes, segment_count, section_bytes, section_count, names_index = struct.unpack_from("<HHHHH", data, 54)
    program = Program(machine)
    # (type, offset in file, address, bytes in file) of each segment
    segments = []
    for i in range(segment_count):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, segments_at + i * segment_bytes)
        segments.append((kind, offset, address, size))
    _read_dynamic(data, segments, program)

    # (name, offset, size) of each section
    sections = []
    for i in range(section_count):
        name, kind, _, _, offset, size = struct.unpack_from("<IIQQQQ", data, sections_at + i * section_bytes)
        sections.append((name, kind, offset, size))
    if names_index < len(sections):
        names_at = sections[names_index][2]
        for name, kind, offset, size in sections:
            if kind == 1 and _text(data, names_at + name) == ".nv_fatbin":
                program.has_fatbin = True
                _read_fatbins(data[offset : offset + size], program)
    return program


def _read_dynamic(data: bytes, segments: list[tuple[int, int, int, int]], program: Program) -> None:
    for kind, offset, _, size in segments:
        if kind != PT_DYNAMIC:
            continue
        entries = [struct.unpack_from("<QQ", data, at) for at in range(offset, offset + size, 16)]
        strings_address = next((value for tag, value in entries if tag == DT_STRTAB), 0)
        strings_at = next(
            (o + strings_address - a for k, o, a, n in segments if k == 1 and a <= strings_address < a + n), 0
        )
        for tag, value in entries:
            if tag == DT_NEEDED:
                program.needed.append(_text(data, strings_at + value))
            elif tag == DT_RPATH:
                program.rpath = _text(data, strings_at + value)
            elif tag == DT_RUNPATH:
                program.runpath = _text(data, strings_at + value)


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
            if kind != KIND_PTX:
                program.machine_code += 1
            elif flags & FLAGS_COMPRESSED:
                program.compressed_ptx += 1
            else:
                program.plain_ptx += 1
            entry += max(entry_header + payload, 64)
        at = max(end, at + 16)


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(0, at)].decode()
