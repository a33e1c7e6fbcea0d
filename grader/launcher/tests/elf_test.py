"""What ./lab emulate reads in a program, and what it refuses: programs of a few bytes, made here without a compiler."""

import platform
import struct
import unittest

from launcher import elf, emulate
from launcher.console import Failure
from launcher.tests.machines import InAFolder

BASE = 0x400000  # the address to which a program's bytes are loaded
PTX, CUBIN, LTO = 1, 2, 8
ZSTD, LZ4 = 0x8000, 0x2000
MACHINE = {name: number for number, name in emulate.MACHINES.items()}.get(platform.machine(), 62)


def fatbin(*entries: tuple[int, int], arch: int = 75) -> bytes:
    """A container with these entries: kind and flags of each. Some payload is nobody's header."""
    made = b""
    for kind, flags in entries:
        payload = struct.pack("<IHHQ", elf.FATBIN_MAGIC, 1, 16, 64)  # code may hold any bytes
        header = struct.pack("<HHIQ", kind, 0x101, 64, len(payload)) + struct.pack("<12xI8xQ", arch, flags)
        made += header.ljust(64, b"\0") + payload
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(made)) + made


def program(
    *needed: str,
    rpath: str = "",
    fatbins: bytes | None = None,
    machine: int = MACHINE,
    section_name: bytes = b".nv_fatbin",
) -> bytes:
    """An ELF file: header, two segments (one loaded, one dynamic), three sections (none, names, fat binaries)."""
    strings, entries = b"\0", []
    for tag, text in [*((1, name) for name in needed), *([(15, rpath)] if rpath else [])]:
        entries.append((tag, len(strings)))
        strings += text.encode() + b"\0"
    names = b"\0.names\0" + section_name + b"\0"
    segments_at, sections_at, dynamic_at = 64, 64 + 2 * 56, 64 + 2 * 56 + 3 * 64
    strings_at = dynamic_at + 16 * (len(entries) + 2)
    names_at = strings_at + len(strings)
    code_at = names_at + len(names)
    code = fatbins or b""
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in [*entries, (5, BASE + strings_at), (0, 0)])

    def segment(kind: int, at: int, size: int) -> bytes:
        return struct.pack("<IIQQQQQQ", kind, 0, at, BASE + at, 0, size, size, 0)

    def section(name: bytes, kind: int, at: int, size: int) -> bytes:
        return struct.pack("<IIQQQQIIQQ", names.index(name), kind, 0, 0, at, size, 0, 0, 0, 0)

    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0, segments_at, sections_at,
                                                         0, 64, 56, 2, 64, 3, 1)  # fmt: skip
    segments = segment(1, 0, code_at) + segment(2, dynamic_at, len(dynamic))
    fat = section(section_name if fatbins is not None else b".names", 1, code_at, len(code))
    sections = section(b"\0", 0, 0, 0) + section(b".names", 3, names_at, len(names)) + fat
    return head + segments + sections + dynamic + strings + names + code


class Programs(InAFolder):
    def read(self, data: bytes) -> elf.Program:
        file = self.folder / "program"
        file.write_bytes(data)
        return elf.read_program(file)

    def test_libraries(self) -> None:
        found = self.read(program("libm.so.6", "libcudart.so.13", "libc.so.6", rpath="/opt/cuda/lib"))
        self.assertEqual(found.needed, ["libm.so.6", "libcudart.so.13", "libc.so.6"])
        self.assertEqual((found.cudart(), found.rpath, found.machine), ("libcudart.so.13", "/opt/cuda/lib", MACHINE))
        self.assertFalse(found.has_fatbin)
        found = self.read(program("libc.so.6"))
        self.assertEqual((found.cudart(), found.rpath), ("", ""))

    def test_each_entry_of_each_fat_binary_is_counted(self) -> None:
        both = fatbin((PTX, 0), (CUBIN, 0), (PTX, ZSTD)) + bytes(8) + fatbin((PTX, LZ4), (CUBIN, LZ4), (PTX, 0x11))
        found = self.read(program(fatbins=both))
        self.assertEqual((found.has_fatbin, found.ptx, found.machine_code), (True, 4, 2))

    def test_damaged_files_are_no_programs(self) -> None:
        whole = program("libcudart.so.13", fatbins=fatbin((PTX, 0)))
        damaged = [whole[:kept] for kept in (0, 3, 63, 64, 100, 300, 400)]
        damaged += [b"#!/bin/sh\n".ljust(100, b" "), b"\x7fELF\1" + whole[5:], b"\x7fELF\2\2" + whole[6:]]
        for data in damaged:
            with self.subTest(len(data)), self.assertRaises(elf.NotElf):
                self.read(data)

    def checked(self, data: bytes) -> elf.Program:
        file = self.folder / "program"
        file.write_bytes(data)
        return emulate._checked(file)

    def test_what_lockstep_runs(self) -> None:
        self.assertEqual(self.checked(program("libcudart.so.13", fatbins=fatbin((CUBIN, 0), (PTX, ZSTD)))).ptx, 1)
        self.checked(program("libcudart.so.13"))  # its kernels are in a library
        self.checked(program("libcudart.so.13", fatbins=fatbin()))  # it has none
        self.checked(program("libcudart.so.13", fatbins=fatbin((PTX, 0), arch=120)))  # as far as it is known
        # As nvcc links a program of -rdc=true: the last container is NVIDIA's own library, libcudadevrt.
        separate = fatbin((PTX, 0)) + fatbin((CUBIN, ZSTD), (PTX, ZSTD), arch=121)
        self.checked(program("libcudart.so.13", fatbins=separate, section_name=b"__nv_relfatbin"))

    def test_what_lockstep_cannot_run_is_told_with_the_flag_that_helps(self) -> None:
        plain = fatbin((PTX, 0))
        other = next(number for number in emulate.MACHINES if number != MACHINE)
        for data, saying in (
            (b"#!/bin/sh\n", "not a 64-bit ELF program"),
            (program("libcudart.so.13", machine=other), f"is built for {emulate.MACHINES[other]}; this machine is"),
            (program("libcudart.so.13", machine=8), "is built for machine 8"),
            (program("libc.so.6"), "holds no CUDA code"),
            (program("libc.so.6", fatbins=plain), "-cudart shared"),
            (
                program("libc.so.6", fatbins=fatbin((CUBIN, 0))),
                "linked in.*, and holds machine.*\n    -cudart shared -gen",
            ),
            (program("libcudart.so.13", fatbins=fatbin((CUBIN, 0))), "no PTX.*\n    -gencode arch=compute_75"),
            (
                program(
                    "libcudart.so.13",
                    fatbins=fatbin((CUBIN, 0)) + fatbin((CUBIN, ZSTD), (PTX, ZSTD), arch=121),
                    section_name=b"__nv_relfatbin",
                ),
                "no PTX.*\n    -gencode arch=compute_75",
            ),
            (program("libcudart.so.13", fatbins=fatbin((LTO, ZSTD), (CUBIN, 0))), "-rdc=true without -dlto"),
        ):
            with self.subTest(saying), self.assertRaisesRegex(Failure, saying):
                self.checked(data)


if __name__ == "__main__":
    unittest.main()
