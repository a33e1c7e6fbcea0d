#!/usr/bin/env python3
"""The rows of golden/*_forms_h200.csv: instructions, addresses, and a card's counts.

    single_access.py rows FOLDER                 writes shared_forms.csv and its like into FOLDER, without counts
    single_access.py repeats FILE.csv            rows with a doubtful count of sectors, each many times
    single_access.py join ROWS.csv NCU.csv OUT   puts Nsight Compute's counts (ncu --csv --page raw) beside the rows

A golden file can serve as ROWS for another card or another day; only such a file makes scattered_atomics_h200.csv.
Counts are of the whole kernel of single_access.cc, so they contain the load of the offsets (one request, four sectors).
Forms that are not one instruction on the card are rows, too (ptxas makes loops of some atomics).
"""

import argparse
import csv
import random
import sys
from pathlib import Path

# %r3: shared address, %rd3: global, %r11: local. (width in bytes, statements)
USED_64 = "st.global.u64 [%rd6], %rd9;"
USED_32 = "st.global.u32 [%rd6], %r9;"
USED_16 = "st.global.u16 [%rd6], %h9;"
TO_GENERIC = "cvt.u64.u32 %rd11, %r3; cvta.shared.u64 %rd11, %rd11; "
USED_128 = "mov.b128 {%rd9, %rd10}, %q9; st.global.v2.u64 [%rd6], {%rd9, %rd10};"

SHARED_ATOMICS = [
    (4, f"atom.shared.add.u32 %r9, [%r3], %r5; {USED_32}"),
    (4, f"atom.shared.add.u32 %r9, [%r3], 1; {USED_32}"),
    (4, f"atom.shared.max.u32 %r9, [%r3], %r5; {USED_32}"),
    (4, "red.shared.and.b32 [%r3], %r5;"),
    (4, "red.shared.dec.u32 [%r3], %r5;"),
    (4, "atom.shared.exch.b32 %r9, [%r3], %r5;"),
    (4, "atom.shared.cas.b32 %r9, [%r3], 0, %r5;"),
    (8, f"atom.shared.exch.b64 %rd9, [%r3], %rd7; {USED_64}"),
    (8, f"atom.shared.cas.b64 %rd9, [%r3], 0, %rd7; {USED_64}"),
    (8, "red.shared.add.u64 [%r3], %rd7;"),
    (8, "red.shared.add.u64 [%r3], 1;"),
    (8, f"atom.shared.add.u64 %rd9, [%r3], %rd7; {USED_64}"),
    (8, "red.shared.min.s64 [%r3], %rd7;"),
    (8, "red.shared.xor.b64 [%r3], %rd7;"),
    (8, "st.shared.u64 [%r3], 0; red.shared.add.f64 [%r3], %fd1;"),
    (4, "st.shared.u32 [%r3], 0; red.shared.add.f32 [%r3], %f1;"),
    (4, "st.shared.u32 [%r3], 0; red.shared.add.f32 [%r3], 0f00000000;"),
    (4, "st.shared.u32 [%r3], 0; atom.shared.add.f32 %f9, [%r3], %f1; st.global.f32 [%rd6], %f9;"),
    (4, "st.shared.u32 [%r3], 0; red.shared.add.noftz.f16x2 [%r3], %r12;"),
    (2, "st.shared.u16 [%r3], 0; red.shared.add.noftz.f16 [%r3], %h1;"),
    (2, f"st.shared.u16 [%r3], 0; atom.shared.cas.b16 %h9, [%r3], %h2, %h1; {USED_16}"),
    (16, f"atom.shared.exch.b128 %q9, [%r3], %q1; {USED_128}"),
    (16, f"atom.shared.cas.b128 %q9, [%r3], %q2, %q1; {USED_128}"),
]
GLOBAL_ATOMICS = [
    (4, f"atom.global.add.u32 %r9, [%rd3], 1; {USED_32}"),
    (4, "atom.global.exch.b32 %r9, [%rd3], %r5;"),
    (4, f"atom.global.cas.b32 %r9, [%rd3], 0, %r5; {USED_32}"),
    (4, "atom.global.add.f32 %f9, [%rd3], %f1; st.global.f32 [%rd6], %f9;"),
    (4, "red.global.max.s32 [%rd3], %r5;"),
    (4, "red.global.or.b32 [%rd3], %r5;"),
    (8, f"atom.global.add.u64 %rd9, [%rd3], %rd7; {USED_64}"),
    (8, f"atom.global.cas.b64 %rd9, [%rd3], 0, %rd7; {USED_64}"),
    (8, f"atom.global.exch.b64 %rd9, [%rd3], %rd7; {USED_64}"),
    (8, "red.global.add.f64 [%rd3], %fd1;"),
    (8, "red.global.min.s64 [%rd3], %rd7;"),
    (4, "red.global.add.noftz.f16x2 [%rd3], %r12;"),
    (4, f"atom.global.add.noftz.f16x2 %r9, [%rd3], %r12; {USED_32}"),
    (4, "red.global.add.noftz.bf16x2 [%rd3], %r12;"),
    (2, "red.global.add.noftz.f16 [%rd3], %h1;"),
    (2, f"atom.global.cas.b16 %h9, [%rd3], %h2, %h1; {USED_16}"),
    (16, f"atom.global.exch.b128 %q9, [%rd3], %q1; {USED_128}"),
    (16, f"atom.global.cas.b128 %q9, [%rd3], %q2, %q1; {USED_128}"),
]


def moves(space: str, address: str) -> list[tuple[int, str]]:
    """Loads and stores of widths that the older goldens do not have. No space: generic addresses of shared memory."""
    rows = []
    suffix = f".{space}" if space else ""
    for width, kind, register, result in [
        (1, "u8", "%r9", USED_32),
        (2, "u16", "%h9", USED_16),
        (4, "u32", "%r9", USED_32),
        (8, "u64", "%rd9", USED_64),
        (16, "b128", "%q9", USED_128),
        (8, "v4.u16", "{%h3, %h4, %h5, %h9}", "st.global.v4.u16 [%rd6], {%h3, %h4, %h5, %h9};"),
        (16, "v2.u64", "{%rd9, %rd10}", "st.global.v2.u64 [%rd6], {%rd9, %rd10};"),
        (16, "v4.f32", "{%f3, %f4, %f5, %f9}", "st.global.v4.f32 [%rd6], {%f3, %f4, %f5, %f9};"),
    ]:
        if space == "local" and kind == "b128":
            continue
        # ptxas must not know that the local memory was not written before.
        before = {"local": "st.local.u32 [%r14], %r5; ", "": TO_GENERIC}.get(space, "")
        rows.append((width, f"{before}ld{suffix}.{kind} {register}, [{address}]; {result}"))
        data = {"u8": "%r5", "u16": "%h1", "u32": "%r5", "u64": "%rd7", "b128": "%q1", "v4.u16": "{%h1, %h2, %h1, %h1}",
                "v2.u64": "{%rd7, %rd7}", "v4.f32": "{%f1, %f1, %f1, %f1}"}[kind]  # fmt: skip
        after = f" ld.local.u32 %r9, [%r14]; {USED_32}" if space == "local" else ""
        rows.append((width, f"{'' if space else TO_GENERIC}st{suffix}.{kind} [{address}], {data};{after}"))
    return rows


# Forms of a load, and two loads of the same address: the second load hits the cache.
GLOBAL_EXTRAS = [
    (4, f"ld.global.nc.u32 %r9, [%rd3]; {USED_32}"),
    (4, f"ld.volatile.global.u32 %r9, [%rd3]; {USED_32}"),
    (4, f"ld.acquire.gpu.global.u32 %r9, [%rd3]; {USED_32}"),
    (4, f"ld.global.cg.u32 %r9, [%rd3]; {USED_32}"),
    (4, "st.release.gpu.global.u32 [%rd3], %r5;"),
    (4, "ld.global.u32 %r9, [%rd3]; cvt.u64.u32 %rd9, %r9; add.u64 %rd10, %rd3, %rd9; ld.global.u32 %r13, [%rd10]; "
        "st.global.v2.u32 [%rd6], {%r9, %r13};"),
    (4, "ld.global.nc.u32 %r9, [%rd3]; cvt.u64.u32 %rd9, %r9; add.u64 %rd10, %rd3, %rd9; "
        "ld.global.nc.u32 %r13, [%rd10]; st.global.v2.u32 [%rd6], {%r9, %r13};"),
]  # fmt: skip

LANES = range(32)


def only(mask: int, offsets: list[int]) -> list[int]:
    return [offset if mask >> lane & 1 else -1 for lane, offset in enumerate(offsets)]


def patterns(width: int, chance: random.Random, span: int) -> list[list[int]]:
    """Byte offsets of the lanes: multiples of the width, less than the span."""
    w = width
    scattered = [[w * chance.randrange(1024 // w) for _ in LANES] for _ in range(3)]
    crowded = [w * chance.randrange(8) for _ in LANES]
    fixed = [
        [w * lane for lane in LANES],
        [0 for _ in LANES],
        [w * (lane // 2) for lane in LANES],
        [w * (lane % 16) for lane in LANES],
        [2 * w * lane % span for lane in LANES],
        [128 * lane % span for lane in LANES],
        only(0x55555555, [w * lane for lane in LANES]),
        only(0x0000001F, [w * (31 - lane) for lane in LANES]),
    ]
    return [*fixed, *scattered, crowded, only(chance.getrandbits(32), scattered[0])]


def rows_of(forms: list[tuple[int, str]], span: int, seed: int, take: slice = slice(None)) -> list[tuple[str, str]]:
    rows = []
    for width, statements in forms:
        chance = random.Random(seed)  # so that all forms of a width get the same addresses
        rows += [(statements, " ".join(map(str, offsets))) for offsets in patterns(width, chance, span)[take]]
    return rows


# wmma: the shapes that each type of element has, and the types of sums.
WIDE = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
FACTORS = {"f16": WIDE, "bf16": WIDE, "tf32": [(16, 16, 8)], "f64": [(8, 8, 4)], "s8": WIDE}
SUMS = {"f16": WIDE, "f32": [*WIDE, (16, 16, 8)], "f64": [(8, 8, 4)], "s32": WIDE}
BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "f64": 8, "s8": 1, "f32": 4, "s32": 4}
ADDRESS = {"shared": "%r3", "global": "%rd3"}


def wmma_form(role: str, shape: tuple[int, int, int], kind: str, layout: str, space: str, stride: int) -> str:
    """PTX that loads or stores one matrix, whose lines are `stride` bytes apart, and uses all that it loads."""
    m, n, k = shape
    elements = {"a": m * k, "b": k * n, "c": m * n, "d": m * n}[role]
    registers = elements * BYTES[kind] // 128 if BYTES[kind] < 8 else elements // 32
    registers = 8 if kind == "f16" and role in "ab" else max(1, registers)
    name = {"f32": "f32", "f64": "f64"}.get(kind, "b32")
    of = f"m{m}n{n}k{k}.{space}.{kind}"
    address, distance = f"[{ADDRESS[space]}]", stride // BYTES[kind]
    if role == "d":
        value = {"f32": "%f1", "f64": "%fd1"}.get(kind, "%r5")
        return f"wmma.store.d.sync.aligned.{layout}.{of} {address}, {{{', '.join([value] * registers)}}}, {distance};"
    parts = [f"%m{i}" for i in range(registers)]
    add = {"f32": "add.f32", "f64": "add.f64"}.get(kind, "xor.b32")
    sums = " ".join(f"{add} %m0, %m0, {part};" for part in parts[1:])
    return (f"{{ .reg .{name} %m<{registers}>; wmma.load.{role}.sync.aligned.{layout}.{of} "
            f"{{{', '.join(parts)}}}, {address}, {distance}; {sums} st.global.{name} [%rd6], %m0; }}")  # fmt: skip


def matrix_rows() -> list[tuple[str, str]]:
    """wmma at one address for all lanes; ldmatrix and stmatrix with any rows."""
    same = " ".join(["32"] * 32)
    rows = [
        (wmma_form(role, shape, kind, layout, space, stride), same)
        for roles, kinds in (("ab", FACTORS), ("cd", SUMS))
        for kind, shapes in kinds.items()
        for shape in shapes
        for role in roles
        for layout in ("row", "col")
        for space in ADDRESS
        for stride in (144, 512)
    ]
    for count in (1, 2, 4):
        registers = ["%r5", "%r6", "%r7", "%r8"][:count]
        held = "{" + ", ".join(registers) + "}"
        used = " ".join(f"xor.b32 %r5, %r5, {register};" for register in registers[1:])
        for turned in ("", ".trans"):
            of = f"sync.aligned.m8n8.x{count}{turned}.shared.b16"
            chance = random.Random(count)
            for offsets in patterns(16, chance, 16384):
                if min(offsets) < 0:
                    continue
                text = " ".join(map(str, offsets))
                rows.append((f"ldmatrix.{of} {held}, [%r3]; {used} st.global.u32 [%rd6], %r5;", text))
                rows.append((f"stmatrix.{of} [%r3], {held};", text))
    return rows


def write(path: Path, rows: list[tuple[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(["ptx", "lane_byte_offsets"])
        writer.writerows(rows)


def write_rows(folder: Path) -> None:
    some = slice(0, 9)
    write(folder / "shared_forms.csv",
          rows_of(SHARED_ATOMICS, 16384, 1) + rows_of(moves("shared", "%r3"), 16384, 2, some))  # fmt: skip
    write(folder / "generic_forms.csv", rows_of(moves("", "%rd11"), 16384, 7))
    write(folder / "global_forms.csv",
          rows_of(GLOBAL_ATOMICS, 16384, 3, slice(4, None)) + rows_of(moves("global", "%rd3"), 16384, 4, some)
          + rows_of(GLOBAL_EXTRAS, 16384, 5, slice(4, 9)))  # fmt: skip
    write(folder / "local_forms.csv", rows_of(moves("local", "%r11"), 1024, 6))
    write(folder / "matrix_forms.csv", matrix_rows())


def write_repeats(path: Path) -> None:
    """red on random addresses in 1 KiB: twelve sets of addresses, each 20 times, in order and shuffled."""
    golden = csv.DictReader((Path(__file__).parents[1] / "golden" / "atomics_h200.csv").open(encoding="utf-8"))
    lines = list(golden)
    chosen = [lines[number - 2]["lane_byte_offsets"] for number in (10, 18, 62, 14, 22, 26)]
    chance = random.Random(7)
    chosen += [" ".join(str(4 * chance.randrange(256)) for _ in LANES) for _ in range(6)]
    statements = "red.global.add.u32 [%rd3], %r5;"
    write(path, [(statements, offsets) for offsets in chosen for _ in range(10)]
          + [(statements, offsets) for _ in range(10) for offsets in chosen])  # fmt: skip


def join(rows_file: Path, ncu_file: Path, out: Path) -> None:
    text = [line for line in ncu_file.read_text(encoding="utf-8").splitlines() if line.startswith('"')]
    counted = [row for row in csv.DictReader(text) if row["ID"]]  # the line below the header holds units
    rows = list(csv.DictReader(rows_file.open(encoding="utf-8")))
    if len(rows) != len(counted):
        sys.exit(f"{rows_file} has {len(rows)} rows, {ncu_file} {len(counted)} launches")
    names = [name for name in counted[0] if name.startswith("l1tex__") and name.endswith(".sum")]
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["ptx", "lane_byte_offsets", *names])
        for row, counts in zip(rows, counted, strict=True):
            writer.writerow([row["ptx"], row["lane_byte_offsets"], *(counts[n].replace(",", "") for n in names)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, files in (("rows", ["folder"]), ("repeats", ["file"]), ("join", ["rows", "ncu", "out"])):
        command = commands.add_parser(name)
        for file in files:
            command.add_argument(file, type=Path)
    arguments = parser.parse_args()
    if arguments.command == "rows":
        write_rows(arguments.folder)
    elif arguments.command == "repeats":
        write_repeats(arguments.file)
    else:
        join(arguments.rows, arguments.ncu, arguments.out)


if __name__ == "__main__":
    main()
