"""elf: the file of a program → the libraries that it needs, and the kinds of CUDA code that it carries.

Reads ELF64, little-endian, and nvcc's fat binaries: section .nv_fatbin, and __nv_relfatbin for files that were compiled
with -rdc=true. Runs nothing.
"""

import struct
from dataclasses import dataclass, field
from pathlib import Path

PT_LOAD, PT_DYNAMIC = 1, 2
SHT_PROGBITS = 1
DT_NEEDED, DT_STRTAB, DT_RPATH = 1, 5, 15
FATBIN_MAGIC = 0xBA55ED50
SEPARATE = "__nv_relfatbin"  # the section of programs of -rdc=true
FATBIN_SECTIONS = (".nv_fatbin", SEPARATE)
KIND_PTX, KIND_MACHINE_CODE, KIND_LTO = 1, 2, 8  # LTO: what -dlto leaves for the linker
# The emulated card's compute capability, times ten.
NEWEST = 90


class NotElf(Exception):
    pass


@dataclass
class Program:
    machine: int
    needed: list[str] = field(default_factory=list)
    rpath: str = ""  # DT_RPATH: searched before LD_LIBRARY_PATH
    has_fatbin: bool = False
    ptx: int = 0  # number of entries of this kind in all fat binaries, if they are not for newer cards
    newer_ptx: int = 0
    machine_code: int = 0
    lto: int = 0
    is_separate: bool = False  # compiled with -rdc=true

    def has_ptx(self) -> bool:
        """nvcc links NVIDIA's libcudadevrt to a program of -rdc=true, which has an entry of PTX for newer cards."""
        return self.ptx > 0 or self.newer_ptx > int(self.is_separate)

    def has_code(self) -> bool:
        """Whether any fat binary has an entry: nvcc links an empty one to a program that has no kernels."""
        return self.ptx + self.newer_ptx + self.machine_code + self.lto > 0

    def cudart(self) -> str:
        """The CUDA runtime library that the program needs, or an empty text."""
        return next((name for name in self.needed if name.startswith("libcudart.so")), "")


def read_program(file: Path) -> Program:
    data = file.read_bytes()
    if len(data) < 64 or data[:4] != b"\x7fELF" or data[4] != 2 or data[5] != 1:
        raise NotElf
    try:
        return _read(data)
    except (struct.error, IndexError, ValueError) as error:
        raise NotElf from error


def _read(data: bytes) -> Program:
    program = Program(*struct.unpack_from("<H", data, 18))
    segments_at, sections_at = struct.unpack_from("<QQ", data, 32)
    segment_bytes, segment_count, section_bytes, section_count, names_index = struct.unpack_from("<HHHHH", data, 54)
    # kind, offset in the file, address, bytes in the file
    segments = [struct.unpack_from("<I4xQQ8xQ", data, segments_at + i * segment_bytes) for i in range(segment_count)]
    # where the name begins in the section of all names, kind, offset in the file, bytes
    sections = [struct.unpack_from("<II16xQQ", data, sections_at + i * section_bytes) for i in range(section_count)]
    for kind, offset, _, size in segments:
        if kind == PT_DYNAMIC:
            _read_dynamic(data, list(struct.iter_unpack("<QQ", data[offset : offset + size])), segments, program)
    for name, kind, offset, size in sections:
        if kind == SHT_PROGBITS and _text(data, sections[names_index][2] + name) in FATBIN_SECTIONS:
            program.has_fatbin = True
            _read_fatbins(data[offset : offset + size], program)
            program.is_separate |= _text(data, sections[names_index][2] + name) == SEPARATE
    return program


def _read_dynamic(data: bytes, entries: list[tuple], segments: list[tuple], program: Program) -> None:
    """Needs no section: sstrip takes their table out of a program, and the loader does not look at it."""
    address = next((value for tag, value in entries if tag == DT_STRTAB), 0)
    loaded = [segment for segment in segments if segment[0] == PT_LOAD]
    strings_at = next((at + address - start for _, at, start, size in loaded if start <= address < start + size), 0)
    for tag, value in entries:
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
            arch = struct.unpack_from("<I", section, entry + 28)[0]
            program.ptx += kind == KIND_PTX and arch <= NEWEST
            program.newer_ptx += kind == KIND_PTX and arch > NEWEST
            program.machine_code += kind == KIND_MACHINE_CODE
            program.lto += kind == KIND_LTO
            entry += max(entry_header + payload, 64)
        at = max(end, at + 16)


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(0, at)].decode()
