#!/usr/bin/env python3
"""Records the result of every arithmetic PTX instruction on a GPU; alu_hardware_test.cc compares lockstep's results.

    alu_hardware.py build DIR      needs nvcc: writes DIR/instructions.cubin, DIR/inputs.bin, DIR/ask
    DIR/ask DIR                    needs the GPU: writes DIR/results.bin
    alu_hardware.py collect DIR    writes ../golden/alu_hardware_h200.tar.xz

In the archive, which CMake unpacks into the build tree (`tar xOf` prints it), is alu_hardware_h200.txt. A line of it is
an input, `input SLOT CLASS = values`, or an instruction, `NAME DESTINATION CLASSES = results`.
A class says which values a source takes (edge cases and random ones); #N is an immediate. The destination is a
register's letter: h 16 bits, r 32, d 64, p predicate. With two, a result has the second one's bit above the first.
"""

import argparse
import io
import lzma
import pathlib
import random
import re
import struct
import subprocess
import sys
import tarfile

ARCHIVE = pathlib.Path(__file__).resolve().parents[1] / "golden" / "alu_hardware_h200.tar.xz"
LANES = 64
REGISTER = {"16": "h", "32": "r", "64": "d"}
DECLARATION = {"h": "b16", "r": "b32", "d": "b64", "p": "pred"}
INTEGERS = ["u16", "s16", "u32", "s32", "u64", "s64"]
FLOATS = {"f32": "r", "f64": "d", "f16": "h", "bf16": "h", "f16x2": "r", "bf16x2": "r"}
CONVERTIBLE = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64,
               "f16": 16, "bf16": 16, "f32": 32, "f64": 64}  # fmt: skip
ROUNDINGS = ["rn", "rz", "rm", "rp"]
ORDERED = ["eq", "ne", "lt", "le", "gt", "ge"]
COMPARISONS = [*ORDERED, "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]

Instruction = tuple[str, str, list[str]]  # name, destination, classes of the sources


def bits32(*values: float) -> list[int]:
    return [struct.unpack("<I", struct.pack("<f", v))[0] for v in values]


def bits64(*values: float) -> list[int]:
    return [struct.unpack("<Q", struct.pack("<d", v))[0] for v in values]


F16 = [0, 0x8000, 0x3C00, 0xBC00, 0x3800, 0x3E00, 0x4100, 0x4200, 1, 0x8001, 0x3FF, 0x83FF, 0x400, 0x8400, 0x7BFF,
       0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7D00, 0x7FFF, 0x3555, 0x5BFF, 0x3BFF, 0x3C01, 0x200]  # fmt: skip
BF16 = [0, 0x8000, 0x3F80, 0xBF80, 0x3F00, 0x3FC0, 0x4020, 0x4040, 1, 0x8001, 0x7F, 0x807F, 0x80, 0x8080, 0x7F7F,
        0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0xFFC0, 0x7FA0, 0x7FFF, 0x3EAA, 0x437F, 0x3F7F, 0x3F81, 0x40, 0x2000,
        0x1F80, 0x5F00]  # fmt: skip
F32_WORDS = [0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x807FFFFF, 0x800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF,
             0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7FA00000, 0x7FFFFFFF, 0x7E800000, 0x7E800001, 0x3F808000,
             0x3F818000, 0x3F801000, 0x3F803000, 0x7F7F8000, 0x3F7FFFFF]  # fmt: skip
F64_WORDS = [0, 1 << 63, 1, (1 << 63) | 1, (1 << 52) - 1, 1 << 52, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
             0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000000, 0x7FF4000000000001,
             0x7FFFFFFFFFFFFFFF]  # fmt: skip

EDGES: dict[str, list[int]] = {
    "i16": [0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x100, 0x7FFE, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF, 0x5555, 0xAAAA],
    "i32": [0, 1, 2, 3, 7, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFE, 0x800000, 0xFFFFFF, 0x7FFFFFFE,
            0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x55555555, 0x80FF7F01, 0xFFFF8000],
    "i64": [0, 1, 2, 3, 0xFF, 0x8000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, (1 << 63) - 1, 1 << 63,
            (1 << 63) + 1, (1 << 64) - 1, (1 << 64) - 2, 0xFFFFFFFF80000000, 0x20000000000001, 0x7FFFFF4000000000,
            0xFFFFFF8000000001, (1 << 24) | 1],
    "shift": [0, 1, 2, 7, 8, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 100, 255, 256, 257, 0x80000000, 0xFFFFFFFF],
    "field": [0, 1, 2, 5, 8, 15, 16, 24, 30, 31, 32, 33, 40, 48, 63, 64, 65, 128, 255, 256, 257, 0xFFFFFFFF],
    "offset": [0, 1, 2, 3, 4, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 8, 16, 31, 32, 33],
    "p": [0, 1],
    "f32": F32_WORDS + bits32(
        1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, 3, -3, 1e-3, 127.5, 255.5, -128.5, 32767.5, 65519.9, 65520, 2147483520,
        2147483648.0, -2147483648.0, 4294967040, 4294967296.0, 9.2233715e18, 9.223372e18, 1.8446744e19, -1e30, 6.1e-5,
        5.96e-8, 2.98e-8, 1e-8, 3.3e38, 0.99999994, 1.0000001, 8388609, 8388607.5),
    "f64": F64_WORDS + bits64(
        1, -1, 0.5, 1.5, 2.5, -2.5, 1e-3, 255.5, 65519.999999, 65520, 2147483647.5, -2147483648.5, 4294967295.5, 9.2e18,
        9.3e18, 1.85e19, -1e300, 1e-300, 3.5e38, 3.4028235677973366e38, 3.4028235677973362e38, 1.4e-45, 7e-46,
        1.17549435e-38, 4503599627370497.5, 1 + 2**-24, 1 + 2**-24 + 2**-50, 1 + 2**-11, 1 + 2**-11 + 2**-40,
        2.98e-8, 2.9802322387695312e-08),
    "f16": F16,
    "bf16": BF16,
    "f16x2": [a | b << 16 for a, b in zip(F16, F16[5:] + F16[:5], strict=True)],
    "bf16x2": [a | b << 16 for a, b in zip(BF16, BF16[7:] + BF16[:7], strict=True)],
}  # fmt: skip
CLASSES = list(EDGES)
BITS = {"i16": 16, "i32": 32, "i64": 64, "shift": 6, "field": 7, "offset": 3, "p": 1, "f32": 32, "f64": 64,
        "f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32}  # fmt: skip
LETTER = {"i16": "h", "i32": "r", "i64": "d", "shift": "r", "field": "r", "offset": "r", "p": "p", **FLOATS}


def random_value(name: str) -> int:
    """Mostly numbers of similar size, so that a sum is not just the larger summand."""
    sign, size = random.choice([1, -1]), random.uniform(0.5, 2)
    if random.random() < 0.6:
        if name == "f32":
            return bits32(sign * size * 2.0 ** random.randint(-12, 12))[0]
        if name == "f64":
            return bits64(sign * size * 2.0 ** random.randint(-20, 36))[0]
        if name in FLOATS:
            low, high = (0x3D00, 0x4300) if name.startswith("b") else (0x2C00, 0x4C00)
            halves = [random.choice([0, 0x8000]) | random.randint(low, high) for _ in range(BITS[name] // 16)]
            return sum(half << (16 * k) for k, half in enumerate(halves))
        if name in ("i32", "i64"):
            return random.getrandbits(random.randint(1, BITS[name]))
    return random.getrandbits(BITS[name])


def make_inputs() -> dict[tuple[int, str], list[int]]:
    random.seed(7)
    inputs = {}
    for slot in range(4):
        for name in CLASSES:
            edges = EDGES[name] if slot == 0 else random.sample(EDGES[name], len(EDGES[name]))
            values = [edges[i % len(edges)] if i < len(edges) or i % 2 else random_value(name) for i in range(LANES)]
            if slot:
                random.shuffle(values)
            inputs[slot, name] = values
    return inputs


def integer_instructions() -> list[Instruction]:
    out: list[Instruction] = []
    for t in INTEGERS:
        w = t[1:]
        c, r = "i" + w, REGISTER[w]
        for o in ["add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"]:
            out.append((f"{o}.{t}", r, [c, c]))
        out += [(f"{o}.{t}", r, [c, c, c]) for o in ["mad.lo", "mad.hi", "sad"]]
        out += [(f"shr.{t}", r, [c, "shift"]), (f"mov.{t}", r, [c]), (f"selp.{t}", r, [c, c, "p"])]
        out += [(f"slct.{t}.s32", r, [c, c, "i32"]), (f"slct.{t}.f32", r, [c, c, "f32"])]
        out += [(f"slct.ftz.{t}.f32", r, [c, c, "f32"])]
        if t[0] == "s":
            out += [(f"neg.{t}", r, [c]), (f"abs.{t}", r, [c])]
        if w != "64":
            double = str(2 * int(w))
            out += [(f"mul.wide.{t}", REGISTER[double], [c, c])]
            out += [(f"mad.wide.{t}", REGISTER[double], [c, c, "i" + double])]
        if w != "16":
            out += [(f"bfe.{t}", r, [c, "field", "field"]), (f"bfind.{t}", "r", [c]), (f"bfind.shiftamt.{t}", "r", [c])]
        for k in ORDERED + (["lo", "ls", "hi", "hs"] if t[0] == "u" else []):
            out += [(f"setp.{k}.{t}", "p", [c, c])]
        out += [(f"setp.lt.{b}.{t}", "pp", [c, c, "p"]) for b in ["and", "or", "xor"]]
        out += [(f"set.le.u32.{t}", "r", [c, c]), (f"set.lt.f32.{t}", "r", [c, c])]
        out += [(f"set.gt.and.s32.{t}", "r", [c, c, "p"])]
    for t in ["u32", "s32"]:
        out += [(f"{o}.{t}", "r", ["i32", "i32"]) for o in ["mul24.lo", "mul24.hi"]]
        out += [(f"{o}.{t}", "r", ["i32", "i32", "i32"]) for o in ["mad24.lo", "mad24.hi"]]
        out += [(f"szext.{m}.{t}", "r", ["i32", "shift"]) for m in ["clamp", "wrap"]]
        for u in ["u32", "s32"]:
            out += [(f"{o}.{t}.{u}", "r", ["i32", "i32", "i32"]) for o in ["dp4a", "dp2a.lo", "dp2a.hi"]]
    out += [(f"{o}.sat.s32", "r", ["i32", "i32"]) for o in ["add", "sub"]]
    out += [(f"{o}.hi.sat.s32", "r", ["i32", "i32", "i32"]) for o in ["mad", "mad24"]]
    for o in ["add.u16x2", "add.s16x2", "min.u16x2", "max.u16x2", "min.s16x2", "max.s16x2", "min.relu.s16x2",
              "max.relu.s16x2", "min.relu.s32", "max.relu.s32"]:  # fmt: skip
        out.append((o, "r", ["i32", "i32"]))
    for o in ["vabsdiff2", "vabsdiff4"]:
        out += [(f"{o}.u32.u32.u32{m}", "r", ["i32", "i32", "i32"]) for m in ["", ".add"]]
    return out


def bit_instructions() -> list[Instruction]:
    out: list[Instruction] = []
    for w, r in REGISTER.items():
        c = "i" + w
        out += [(f"{o}.b{w}", r, [c, c]) for o in ["and", "or", "xor"]]
        out += [(f"{o}.b{w}", r, [c]) for o in ["not", "cnot", "mov"]]
        out += [(f"{o}.b{w}", r, [c, "shift"]) for o in ["shl", "shr"]]
        out += [(f"selp.b{w}", r, [c, c, "p"]), (f"slct.b{w}.s32", r, [c, c, "i32"])]
        out += [(f"slct.b{w}.f32", r, [c, c, "f32"]), (f"slct.ftz.b{w}.f32", r, [c, c, "f32"])]
        out += [(f"setp.{k}.b{w}", "p", [c, c]) for k in ["eq", "ne"]]
        out += [(f"set.ne.u32.b{w}", "r", [c, c])]
        if w != "16":
            out += [(f"popc.b{w}", "r", [c]), (f"clz.b{w}", "r", [c]), (f"brev.b{w}", r, [c])]
            out += [(f"bfi.b{w}", r, [c, c, "field", "field"])]
    out += [(f"shf.{d}.{m}.b32", "r", ["i32", "i32", "shift"]) for d in "lr" for m in ["wrap", "clamp"]]
    out += [(f"bmsk.{m}.b32", "r", ["field", "field"]) for m in ["clamp", "wrap"]]
    out += [("fns.b32", "r", ["i32", "field", "offset"])]
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"]:
        out.append((f"prmt.b32{mode}", "r", ["i32", "i32", "i32"]))
    out += [("lop3.b32", "r", ["i32", "i32", "i32", f"#{n}"]) for n in [0, 0x96, 0xE8, 0xCA, 0x80, 0xFE, 0x2D, 255]]
    out += [(f"lop3.{m}.b32", "rp", ["i32", "i32", "i32", "#150", "p"]) for m in ["and", "or"]]
    out += [(f"{o}.pred", "p", ["p", "p"]) for o in ["and", "or", "xor"]]
    out += [("not.pred", "p", ["p"]), ("mov.pred", "p", ["p"])]
    return out


def float_instructions() -> list[Instruction]:
    out: list[Instruction] = []
    for t in ["f32", "f64"]:
        r = FLOATS[t]
        modes = ["", ".ftz", ".sat", ".ftz.sat"] if t == "f32" else [""]
        for m in [f".{k}{mode}" for k in ROUNDINGS for mode in modes]:
            out += [(f"{o}{m}.{t}", r, [t, t]) for o in ["add", "sub", "mul"]]
            out += [(f"{o}{m}.{t}", r, [t, t, t]) for o in ["fma", "mad"]]
            if "sat" not in m:
                out += [(f"div{m}.{t}", r, [t, t]), (f"rcp{m}.{t}", r, [t]), (f"sqrt{m}.{t}", r, [t])]
        out += [(f"{o}.{t}", r, [t, t]) for o in ["add", "sub", "mul"]]
        for ftz in ["", ".ftz"] if t == "f32" else [""]:
            out += [(f"{o}{ftz}.{t}", r, [t]) for o in ["neg", "abs"]]
            extra = ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"] if t == "f32" else [""]
            out += [(f"{o}{ftz}{m}.{t}", r, [t, t]) for o in ["min", "max"] for m in extra]
        out += [(f"copysign.{t}", r, [t, t]), (f"mov.{t}", r, [t]), (f"selp.{t}", r, [t, t, "p"])]
        out += [(f"slct.{t}.s32", r, [t, t, "i32"]), (f"slct.{t}.f32", r, [t, t, "f32"])]
        out += [(f"slct.ftz.{t}.f32", r, [t, t, "f32"])]
        for k in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"]:
            out.append((f"testp.{k}.{t}", "p", [t]))
    for ftz in ["", ".ftz"]:
        out += [(f"div.{m}{ftz}.f32", "r", ["f32", "f32"]) for m in ["approx", "full"]]
        for o in ["rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"]:
            out.append((f"{o}.approx{ftz}.f32", "r", ["f32"]))
    out += [("tanh.approx.f32", "r", ["f32"]), ("rsqrt.approx.f64", "d", ["f64"])]
    out += [(f"{o}.approx.ftz.f64", "d", ["f64"]) for o in ["rcp", "rsqrt"]]
    return out


def half_instructions() -> list[Instruction]:
    out: list[Instruction] = []
    for t in ["f16", "f16x2", "bf16", "bf16x2"]:
        r, is_f16 = FLOATS[t], t.startswith("f")
        for ftz in ["", ".ftz"] if is_f16 else [""]:
            for sat in ["", ".sat"] if is_f16 else [""]:
                out += [(f"{o}{ftz}{sat}.{t}", r, [t, t]) for o in ["add", "sub", "mul"]]
                out += [(f"fma.rn{ftz}{sat}.{t}", r, [t, t, t])]
            out += [(f"add.rn{ftz}.{t}", r, [t, t]), (f"fma.rn{ftz}.relu.{t}", r, [t, t, t])]
            out += [(f"{o}{ftz}.{t}", r, [t]) for o in ["neg", "abs"]]
            for m in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"]:
                out += [(f"{o}{ftz}{m}.{t}", r, [t, t]) for o in ["min", "max"]]
        out += [(f"ex2.approx{'' if is_f16 else '.ftz'}.{t}", r, [t]), (f"tanh.approx.{t}", r, [t])]
    return out


def comparison_instructions() -> list[Instruction]:
    out: list[Instruction] = []
    for t in ["f32", "f64", "f16", "bf16"]:
        for k in COMPARISONS:
            out.append((f"setp.{k}.{t}", "p", [t, t]))
            if t in ("f32", "f16"):
                out.append((f"setp.{k}.ftz.{t}", "p", [t, t]))
            if t != "bf16":
                out.append((f"set.{k}.u32.{t}", "r", [t, t]))
    out += [(f"setp.lt.and.{t}", "pp", [t, t, "p"]) for t in ["f32", "f64"]]
    out += [(f"setp.lt.and.{t}", "p", [t, t, "p"]) for t in ["f16", "bf16"]]
    out += [("set.gt.f32.f32", "r", ["f32", "f32"]), ("set.gt.ftz.f32.f32", "r", ["f32", "f32"])]
    out += [("set.gt.s32.f64", "r", ["f64", "f64"])]
    for t in ["f16", "bf16"]:
        pair = t + "x2"
        for k in COMPARISONS:
            out += [(f"setp.{k}.{pair}", "pp", [pair, pair])]
        for k in ["eq", "ne", "ltu", "num"]:
            out += [(f"set.{k}.{d}.{pair}", "r", [pair, pair]) for d in [pair, "u32"]]
            out += [(f"set.{k}.{d}.{t}", "h", [t, t]) for d in [t, "u16"]]
        out += [(f"setp.gt.or.{pair}", "pp", [pair, pair, "p"])]
    return out


def one_conversion(d: str, s: str) -> list[str]:
    """Names of all forms of cvt.d.s that make sense; ptxas later refuses the others."""
    to_float, from_float = "f" in d, "f" in s
    wide, narrow = CONVERTIBLE[d], CONVERTIBLE[s]
    if not to_float and not from_float:
        return [f"cvt.{d}.{s}", f"cvt.sat.{d}.{s}"]
    if not to_float:
        names = [f"cvt.{k}.{d}.{s}" for k in ["rni", "rzi", "rmi", "rpi"]] + [f"cvt.rzi.sat.{d}.{s}"]
        return names + ([f"cvt.rni.ftz.{d}.{s}"] if s == "f32" else [])
    if not from_float:
        return [f"cvt.{k}.{d}.{s}" for k in ROUNDINGS] + [f"cvt.rn.sat.{d}.{s}"]
    if d == s:
        names = [f"cvt.{k}.{d}.{s}" for k in ["rni", "rzi", "rmi", "rpi"]] + [f"cvt.sat.{d}.{s}"]
        return names + ([f"cvt.ftz.{d}.{s}", f"cvt.rmi.ftz.{d}.{s}"] if d == "f32" else [])
    if wide > narrow:
        return [f"cvt.{d}.{s}", f"cvt.sat.{d}.{s}", f"cvt.ftz.{d}.{s}"]
    names = [f"cvt.{k}.{d}.{s}" for k in ROUNDINGS] + [f"cvt.rn.ftz.{d}.{s}", f"cvt.rm.ftz.{d}.{s}"]
    return [*names, f"cvt.rn.sat.{d}.{s}", f"cvt.rn.relu.{d}.{s}", f"cvt.rz.relu.{d}.{s}"]


def conversion_instructions() -> list[Instruction]:
    out: list[Instruction] = []
    for d, d_bits in CONVERTIBLE.items():
        for s, s_bits in CONVERTIBLE.items():
            d_own, s_own = REGISTER[str(max(16, d_bits))], s if "f" in s else f"i{max(16, s_bits)}"
            out += [(name, d_own, [s_own]) for name in one_conversion(d, s)]
            if "f" not in d + s:  # registers wider than the types
                out += [(f"cvt.{d}.{s}", REGISTER[w], [s_own]) for w in ["32", "64"] if int(w) > max(16, d_bits)]
                out += [(f"cvt.{d}.{s}", d_own, ["i" + w]) for w in ["32", "64"] if int(w) > max(16, s_bits)]
    for pair in ["f16x2", "bf16x2"]:
        for m in ["rn", "rz", "rn.relu", "rz.relu", "rn.satfinite"]:
            out.append((f"cvt.{m}.{pair}.f32", "r", ["f32", "f32"]))
    for byte in ["e4m3x2", "e5m2x2"]:
        for relu in ["", ".relu"]:
            out.append((f"cvt.rn.satfinite{relu}.{byte}.f32", "h", ["f32", "f32"]))
            out.append((f"cvt.rn.satfinite{relu}.{byte}.f16x2", "h", ["f16x2"]))
            out.append((f"cvt.rn{relu}.f16x2.{byte}", "r", ["i16"]))
    out += [(f"cvt.{m}.tf32.f32", "r", ["f32"]) for m in ["rna", "rn", "rz", "rn.relu", "rz.relu"]]
    out += [(f"cvt.pack.sat.{d}.s32", "r", ["i32", "i32"]) for d in ["u16", "s16"]]
    for d in ["u8", "s8", "u4", "s4", "u2", "s2"]:
        out.append((f"cvt.pack.sat.{d}.s32.b32", "r", ["i32", "i32", "i32"]))
    return out


def all_instructions() -> list[Instruction]:
    parts = [integer_instructions(), bit_instructions(), float_instructions(), half_instructions(),
             comparison_instructions(), conversion_instructions()]  # fmt: skip
    return [instruction for part in parts for instruction in part]


def ptx_of(instruction: Instruction, place: int) -> str:
    """One instruction in its own scope: loads the sources, stores the result as 64 bits. It has no line breaks inside,
    so that ptxas's line numbers name it."""
    name, destination, classes = instruction
    lines = ["{ .reg .b64 %x; .reg .pred %p, %q; .reg .b32 %o, %o2; .reg .b16 %dh; .reg .b32 %dr; .reg .b64 %dd;"]
    arguments, slot = [], 0
    for c in classes:
        if c.startswith("#"):
            arguments.append(c[1:])
            continue
        letter, register = LETTER[c], f"%s{slot}"
        offset = (slot * len(CLASSES) + CLASSES.index(c)) * LANES * 8
        move = {"p": "setp.ne.u64 {}, %x, 0;", "h": "cvt.u16.u64 {}, %x;", "r": "cvt.u32.u64 {}, %x;",
                "d": "mov.b64 {}, %x;"}[letter].format(register)  # fmt: skip
        lines.append(f".reg .{DECLARATION[letter]} {register}; ld.global.u64 %x, [%in+{offset}]; {move}")
        arguments.append(register)
        slot += 1
    written = {"h": "%dh", "r": "%dr", "d": "%dd", "p": "%p", "pp": "%p|%q", "rp": "%dr|%p"}[destination]
    lines.append(f"{name} {written}, {', '.join(arguments)};")
    lines.append({
        "h": "cvt.u64.u16 %x, %dh;", "r": "cvt.u64.u32 %x, %dr;", "d": "mov.b64 %x, %dd;",
        "p": "selp.b64 %x, 1, 0, %p;",
        "pp": "selp.b32 %o, 1, 0, %p; selp.b32 %o2, 2, 0, %q; or.b32 %o, %o, %o2; cvt.u64.u32 %x, %o;",
        "rp": "selp.b32 %o, 1, 0, %p; mov.b64 %x, {%dr, %o};",
    }[destination])  # fmt: skip
    lines.append(f"st.global.u64 [%out+{place * LANES * 8}], %x; }}")
    return "\n".join(lines)


PER_KERNEL = 50
PROLOGUE = """.visible .entry k{}(.param .u64 pin, .param .u64 pout) {{
.reg .b64 %in, %out, %t; .reg .b32 %i;
ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout];
mov.u32 %i, %tid.x; mul.wide.u32 %t, %i, 8; add.s64 %in, %in, %t; add.s64 %out, %out, %t;
"""


def ptx_module(instructions: list[Instruction]) -> str:
    text = ".version 9.0\n.target sm_90\n.address_size 64\n"
    for first in range(0, len(instructions), PER_KERNEL):
        text += PROLOGUE.format(first // PER_KERNEL)
        for place, instruction in enumerate(instructions[first : first + PER_KERNEL], start=first):
            text += ptx_of(instruction, place) + "\n"
        text += "ret;\n}\n"
    return text


ASK = r"""
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
static void check(cudaError_t e) { if (e != cudaSuccess) { std::puts(cudaGetErrorString(e)); std::exit(1); } }
int main(int, char** argv) {
  const std::string folder = std::string(argv[1]) + "/";
  const size_t count = INSTRUCTIONS, lanes = LANES;
  std::ifstream file(folder + "inputs.bin", std::ios::binary);
  std::vector<char> in((std::istreambuf_iterator<char>(file)), {}), out(count * lanes * 8);
  char *d_in, *d_out;
  check(cudaMalloc(&d_in, in.size()));
  check(cudaMalloc(&d_out, out.size()));
  check(cudaMemcpy(d_in, in.data(), in.size(), cudaMemcpyHostToDevice));
  cudaLibrary_t library;
  check(cudaLibraryLoadFromFile(&library, (folder + "instructions.cubin").c_str(), 0, 0, 0, 0, 0, 0));
  for (size_t k = 0; k * PER_KERNEL < count; ++k) {
    cudaKernel_t kernel;
    check(cudaLibraryGetKernel(&kernel, library, ("k" + std::to_string(k)).c_str()));
    void* arguments[] = {&d_in, &d_out};
    check(cudaLaunchKernel((void*)kernel, 1, lanes, arguments, 0, 0));
  }
  check(cudaDeviceSynchronize());
  check(cudaMemcpy(out.data(), d_out, out.size(), cudaMemcpyDeviceToHost));
  std::ofstream(folder + "results.bin", std::ios::binary).write(out.data(), out.size());
}
"""


def assemble(folder: pathlib.Path) -> list[Instruction]:
    """Assembles all instructions except those that ptxas refuses (not every pair of types and modifiers exists)."""
    instructions = all_instructions()
    while True:
        text = ptx_module(instructions)
        (folder / "instructions.ptx").write_text(text)
        command = ["ptxas", "-arch=sm_90", "-O1", "instructions.ptx", "-o", "instructions.cubin"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return instructions
        lines = text.split("\n")
        refused = {lines[int(n) - 1].split(" ")[0] for n in re.findall(r"line (\d+); (?:error|fatal)", done.stderr)}
        kept = [i for i in instructions if i[0] not in refused]
        if len(kept) == len(instructions):
            sys.exit(done.stderr)
        instructions = kept


def build(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    instructions = assemble(folder)
    inputs = make_inputs()
    words = [value for slot in range(4) for name in CLASSES for value in inputs[slot, name]]
    (folder / "inputs.bin").write_bytes(struct.pack(f"<{len(words)}Q", *words))
    (folder / "names.txt").write_text("".join(f"{n} {d} {' '.join(c)}\n" for n, d, c in instructions))
    (folder / "ask.cu").write_text(ASK)
    defines = [f"-DINSTRUCTIONS={len(instructions)}", f"-DLANES={LANES}", f"-DPER_KERNEL={PER_KERNEL}"]
    subprocess.run(["nvcc", "-std=c++17", *defines, "ask.cu", "-o", "ask"], cwd=folder, check=True)
    print(f"{len(instructions)} instructions of {len(all_instructions())}")


def collect(folder: pathlib.Path) -> None:
    lines = ["# What an NVIDIA H200 returned, lane by lane, in hexadecimal. See alu_hardware.py."]
    for (slot, name), values in make_inputs().items():
        lines.append(f"input {slot} {name} = " + " ".join(f"{v:x}" for v in values))
    results = (folder / "results.bin").read_bytes()
    for place, line in enumerate((folder / "names.txt").read_text().splitlines()):
        values = struct.unpack_from(f"<{LANES}Q", results, place * LANES * 8)
        lines.append(f"{line} = " + " ".join(f"{v:x}" for v in values))
    pack("".join(f"{line}\n" for line in lines).encode(), ARCHIVE)


def pack(text: bytes, archive: pathlib.Path) -> None:
    """The same text gives the same archive: it has no date and no owner."""
    member = tarfile.TarInfo("alu_hardware_h200.txt")
    member.size = len(text)
    with (
        lzma.open(archive, "wb", preset=9 | lzma.PRESET_EXTREME) as stream,
        tarfile.open(fileobj=stream, mode="w") as tar,
    ):
        tar.addfile(member, io.BytesIO(text))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["build", "collect"])
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    {"build": build, "collect": collect}[arguments.step](arguments.folder)


if __name__ == "__main__":
    main()
