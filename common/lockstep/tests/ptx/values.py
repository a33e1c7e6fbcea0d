#!/usr/bin/env python3
"""Expected values of the arithmetic goldens, computed from PTX's definitions in Python's integers and fractions.

Shares nothing with lockstep's own arithmetic. `values.py` checks that every golden named here promises what is
computed here; `values.py --write` puts the values into the files.
"""

import argparse
import math
import re
import struct
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

FOLDER = Path(__file__).parent
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def truncated_div(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# Floating point: a value is a Fraction, or "nan", "inf", "-inf", "-0".
# A format is (bits of exponent, bits of fraction).
HALF, BFLOAT, SINGLE, DOUBLE = (5, 10), (8, 7), (8, 23), (11, 52)


def decode(bits: int, fmt: tuple[int, int]) -> Fraction | str:
    exponent_bits, fraction_bits = fmt
    bias = (1 << (exponent_bits - 1)) - 1
    sign = -1 if bits >> (exponent_bits + fraction_bits) else 1
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    if exponent == (1 << exponent_bits) - 1:
        return "nan" if fraction else "inf" if sign > 0 else "-inf"
    if exponent == 0 and fraction == 0:
        return Fraction(0) if sign > 0 else "-0"
    if exponent:
        fraction |= 1 << fraction_bits
    return sign * Fraction(fraction) * Fraction(2) ** (max(exponent, 1) - bias - fraction_bits)


def encode(value: Fraction | str, fmt: tuple[int, int], rounding: str = "rn", zero_sign: int = 0) -> int:
    exponent_bits, fraction_bits = fmt
    bias = (1 << (exponent_bits - 1)) - 1
    top = exponent_bits + fraction_bits
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    if value == "nan":
        return infinity | 1 << (fraction_bits - 1)
    if value in ("inf", "-inf", "-0"):
        return (0 if value == "-0" else infinity) | (value[0] == "-") << top
    if value == 0:
        return zero_sign << top
    sign, magnitude = (1, -value) if value < 0 else (0, value)
    exponent = max(floor_log2(magnitude), 1 - bias)
    scaled = magnitude / Fraction(2) ** (exponent - fraction_bits)
    whole = round_fraction(scaled, rounding, sign)
    # A carry out of the fraction moves into the exponent by plain addition.
    bits = ((exponent + bias - 1) << fraction_bits) + whole if whole >> fraction_bits else whole
    if bits >= infinity:
        towards_zero = rounding == "rz" or rounding == ("rp" if sign else "rm")
        bits = infinity - 1 if towards_zero else infinity
    return sign << top | bits


def floor_log2(x: Fraction) -> int:
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if Fraction(2) ** n <= x else n - 1


def round_fraction(x: Fraction, rounding: str, sign: int = 0) -> int:
    """x is not negative; sign tells whether the number it stands for is."""
    floor = x.numerator // x.denominator
    rest = x - floor
    if rounding == "rz" or rest == 0:
        return floor
    if rounding == "rm":
        return floor + sign
    if rounding == "rp":
        return floor + 1 - sign
    return floor + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2))


def f32(x: float) -> int:
    return struct.unpack("<I", struct.pack("<f", x))[0]


def hexes(values: list[int]) -> list[str]:
    return [hex(v) for v in values]


# The inputs stand in the goldens too, as buffers.
INT_A = [7, 0xFFFFFFF9, 0x80000000, 0x7FFFFFFF, 0, 100, 0xDEADBEEF, 1]
INT_B = [3, 2, 0xFFFFFFFF, 1, 5, 0xFFFFFFF6, 0x12345, 31]


def pairs() -> list[tuple[int, int]]:
    return list(zip(INT_A, INT_B))


def by_operation(*operations: Callable[[int, int], int]) -> list[str]:
    return hexes([operation(a, b) & M32 for operation in operations for a, b in pairs()])


def int_arithmetic() -> dict[str, list[str]]:
    s = signed
    return {
        "out": by_operation(
            lambda a, b: a + b,
            lambda a, b: a - b,
            lambda a, b: a * b,
            lambda a, b: a * b >> 32,
            lambda a, b: s(a) * s(b) >> 32,
            lambda a, b: a * b + 10,
            lambda a, b: (s(a) * s(b) >> 32) + 10,
            lambda a, b: a // b,
            lambda a, b: a % b,
            lambda a, b: 0 if (a, b) == (0x80000000, M32) else truncated_div(s(a), s(b)),
            lambda a, b: min(a, b),
            lambda a, b: max(a, b),
            lambda a, b: min(s(a), s(b)),
            lambda a, b: max(s(a), s(b)),
            lambda a, b: abs(s(a)),
            lambda a, b: -s(a),
            lambda a, b: abs(a - b) + b,
            lambda a, b: abs(s(a) - s(b)) + b,
        )
    }


def shifts() -> dict[str, list[str]]:
    def funnel_left(a: int, b: int, n: int) -> int:  # the high word of (b:a) << n
        return ((b << 32 | a) << n) >> 32

    def funnel_right(a: int, b: int, n: int) -> int:  # the low word of (b:a) >> n
        return (b << 32 | a) >> n

    return {
        "out": by_operation(
            lambda a, b: a << b if b < 32 else 0,
            lambda a, b: a >> b if b < 32 else 0,
            lambda a, b: signed(a) >> min(b, 31),
            lambda a, b: funnel_left(a, b, b & 31),
            lambda a, b: funnel_right(a, b, b & 31),
            lambda a, b: funnel_left(a, b, min(b, 32)),
            lambda a, b: funnel_right(a, b, min(b, 32)),
        )
    }


def bits() -> dict[str, list[str]]:
    def bfe(a: int, position: int, length: int, sign: bool) -> int:
        bits_above = a >> position
        if length == 0:
            return 0
        field = bits_above & ((1 << length) - 1)
        top = min(position + length - 1, 31)
        if sign and a >> top & 1:
            kept = top - position + 1
            field |= M32 << kept if kept > 0 else M32
        return field

    def bfi(a: int, b: int, position: int, length: int) -> int:
        mask = (((1 << length) - 1) << position) & M32
        return (b & ~mask) | (a << position & mask)

    def prmt(a: int, b: int, selector: int) -> int:
        source = (b << 32 | a).to_bytes(8, "little")
        result = 0
        for i in range(4):
            nibble = selector >> (4 * i) & 15
            byte = source[nibble & 7]
            if nibble & 8:
                byte = 0xFF if byte & 0x80 else 0
            result |= byte << (8 * i)
        return result

    def lop3(a: int, b: int, c: int, table: int) -> int:
        return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(32))

    def bfind(a: int) -> int:
        return a.bit_length() - 1 if a else M32

    def bfind_signed(a: int) -> int:
        return bfind(~a & M32 if a >> 31 else a)

    return {
        "out": by_operation(
            lambda a, b: bin(a).count("1"),
            lambda a, b: 32 - a.bit_length(),
            lambda a, b: int(f"{a:032b}"[::-1], 2),
            lambda a, b: bfind(a),
            lambda a, b: bfind_signed(a),
            lambda a, b: 31 - bfind(a) if a else M32,
            lambda a, b: bfe(a, 4, 8, False),
            lambda a, b: bfe(a, 28, 8, True),
            lambda a, b: bfe(a, 3, 5, True),
            lambda a, b: bfi(a, b, 8, 12),
            lambda a, b: bfi(a, b, 28, 20),
            lambda a, b: prmt(a, b, 0x5410),
            lambda a, b: prmt(a, b, 0x0123),
            lambda a, b: prmt(a, b, 0xF9BC),
            lambda a, b: lop3(a, b, 0x0F0F0F0F, 0xE8),
            lambda a, b: lop3(a, b, 0x0F0F0F0F, 0x96),
            lambda a, b: a & b,
            lambda a, b: a | b,
            lambda a, b: a ^ b,
            lambda a, b: ~a,
            lambda a, b: int(a == 0),
        )
    }


def wide() -> dict[str, list[str]]:
    operations = [
        lambda a, b: a * b,
        lambda a, b: signed(a) * signed(b),
        lambda a, b: a * b + 5,
        lambda a, b: signed(a) * signed(b) + 5,
        lambda a, b: (a << 32 | b) * (b << 32 | a),
        lambda a, b: (a << 32 | b) * (b << 32 | a) >> 64,
        lambda a, b: (a << 32 | b) // (b << 32 | 1),
        lambda a, b: (a << 32 | b) % (b << 32 | 1),
        lambda a, b: (a << 32 | b) >> 33,
        lambda a, b: signed(a << 32 | b, 64) >> 7,
        lambda a, b: bin(a << 32 | b).count("1"),
        lambda a, b: 64 - (a << 32 | b).bit_length(),
    ]
    return {"out": hexes([operation(a, b) & M64 for operation in operations for a, b in pairs()])}


def carries() -> dict[str, list[str]]:
    sums, differences, products = [], [], []
    for a, b in pairs():
        x, y = int.from_bytes(struct.pack("<4I", a, b, a, b), "little"), (1 << 128) - 1 - a
        sums += struct.unpack("<4I", ((x + y) & ((1 << 128) - 1)).to_bytes(16, "little"))
        differences += struct.unpack("<4I", ((x - y) & ((1 << 128) - 1)).to_bytes(16, "little"))
        product = (b << 32 | a) * a & M64
        products += [product & M32, product >> 32]
    return {"out": hexes(sums + differences + products)}


def dot_products() -> dict[str, list[str]]:
    def bytes_of(x: int, sign: bool) -> list[int]:
        return list(struct.unpack("<4b" if sign else "<4B", struct.pack("<I", x)))

    def dp4a(a: int, b: int, sign_a: bool, sign_b: bool) -> int:
        return 1000 + sum(x * y for x, y in zip(bytes_of(a, sign_a), bytes_of(b, sign_b)))

    def dp2a(a: int, b: int, high: bool) -> int:
        halves = struct.unpack("<2h", struct.pack("<I", a))
        chosen = bytes_of(b, True)[2:] if high else bytes_of(b, True)[:2]
        return 1000 + sum(x * y for x, y in zip(halves, chosen))

    return {
        "out": by_operation(
            lambda a, b: dp4a(a, b, False, False),
            lambda a, b: dp4a(a, b, True, True),
            lambda a, b: dp4a(a, b, False, True),
            lambda a, b: dp2a(a, b, False),
            lambda a, b: dp2a(a, b, True),
            lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF),
            lambda a, b: signed(a, 24) * signed(b, 24) + 9,
        )
    }


FLOAT_A = [0x3F800000, 0x3F800001, 0xC0490FDB, 0x7F7FFFFF, 0x00000001, 0x80000000, 0x7F800000, 0x3EAAAAAB]
FLOAT_B = [0x33800000, 0x3F7FFFFF, 0x3DCCCCCD, 0x7F7FFFFF, 0x3F000000, 0x00000000, 0xFF800000, 0x40400000]


def add(x: Fraction | str, y: Fraction | str, rounding: str) -> tuple[Fraction | str, int]:
    """The exact sum, and the sign of a zero."""
    infinite = [v for v in (x, y) if v in ("inf", "-inf", "nan")]
    if infinite:
        return ("nan" if "nan" in infinite or len(set(infinite)) == 2 else infinite[0]), 0
    both_negative = x == "-0" and y == "-0"
    value = sum(Fraction(0) if v == "-0" else v for v in (x, y))
    return value, int(both_negative or (rounding == "rm" and not (x == 0 and y == 0)))


def multiply(x: Fraction | str, y: Fraction | str) -> tuple[Fraction | str, int]:
    def sign(v: Fraction | str) -> int:
        return int(v.startswith("-") if isinstance(v, str) else v < 0)

    negative = sign(x) ^ sign(y)
    zero = [v for v in (x, y) if v == "-0" or v == 0]
    if "nan" in (x, y):
        return "nan", 0
    if "inf" in (str(x).lstrip("-"), str(y).lstrip("-")):
        return ("nan" if zero else "-inf" if negative else "inf"), 0
    return (Fraction(0) if zero else x * y), negative


def fused(x: Fraction | str, y: Fraction | str, z: Fraction | str, rounding: str) -> tuple[Fraction | str, int]:
    product, sign = multiply(x, y)
    if product == 0 and sign:
        product = "-0"
    return add(product, z, rounding)


def float_rounding() -> dict[str, list[str]]:
    out = []
    for rounding in ("rn", "rz", "rm", "rp"):
        for a, b in zip(FLOAT_A, FLOAT_B):
            x, y = decode(a, SINGLE), decode(b, SINGLE)
            for value, sign in (add(x, y, rounding), multiply(x, y), fused(x, y, x, rounding)):
                out.append(encode(value, SINGLE, rounding, sign))
    return {"out": hexes(out)}


DOUBLE_A = [0x3FF0000000000000, 0x3FF0000000000001, 0xC00921FB54442D18, 0x7FEFFFFFFFFFFFFF]
DOUBLE_B = [0x3CA0000000000000, 0x3FB999999999999A, 0x4000000000000000, 0x7FE0000000000000]


def double_rounding() -> dict[str, list[str]]:
    out = []
    for rounding in ("rn", "rz", "rm", "rp"):
        for a, b in zip(DOUBLE_A, DOUBLE_B):
            x, y = decode(a, DOUBLE), decode(b, DOUBLE)
            for value, sign in (add(x, y, rounding), multiply(x, y), fused(x, y, x, rounding), (x / y, 0)):
                out.append(encode(value, DOUBLE, rounding, sign))
    return {"out": hexes(out)}


CONVERT = [0.5, 1.5, 2.5, -0.5, -1.5, -2.7, 1e10, -1e10, 300.25, -129.0, 0.0, 4294967040.0]


def float_to_int() -> dict[str, list[str]]:
    def rounded(x: float, how: str) -> int:
        return {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}[how](x)

    def clamp(v: int, low: int, high: int) -> int:
        return max(low, min(high, v))

    out = []
    for x in CONVERT + [math.nan, math.inf]:
        if math.isnan(x):
            # NaN becomes 0 for 32-bit and narrower results, 2^63 for 64-bit ones.
            out += [0, 0, 0, 0, 0, 0, 0]
            continue
        whole = {how: (x if math.isinf(x) else rounded(x, how)) for how in ("rni", "rzi", "rmi", "rpi")}
        for how in ("rni", "rzi", "rmi", "rpi"):
            out.append(int(clamp(whole[how], -(1 << 31), (1 << 31) - 1)) & M32)
        out.append(int(clamp(whole["rzi"], 0, M32)))
        out.append(int(clamp(whole["rzi"], 0, 0xFFFF)))
        out.append(int(clamp(whole["rzi"], -128, 127)) & M32)
    return {"out": hexes(out)}


NARROW = [0x00000000, 0x000000FF, 0xFFFFFF80, 0x12345678, 0x8000FFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x00008000]


def int_to_int() -> dict[str, list[str]]:
    out = []
    for v in NARROW:
        out += [v & 0xFF, signed(v, 8) & M32, v & 0xFFFF, signed(v, 16) & M32]
        out += [max(-128, min(127, signed(v))) & M32, max(0, min(0xFFFF, signed(v)))]
        out += [min(255, v), max(0, signed(v))]
    return {"out": hexes(out)}


def int_to_float() -> dict[str, list[str]]:
    singles, doubles = [], []
    for v in NARROW:
        wide_value = Fraction(v << 32 | v)
        for rounding in ("rn", "rz", "rm", "rp"):
            singles.append(encode(Fraction(signed(v)), SINGLE, rounding))
        singles.append(encode(Fraction(v), SINGLE))
        singles.append(encode(wide_value, SINGLE))
        doubles += [encode(Fraction(signed(v)), DOUBLE), encode(wide_value, DOUBLE)]
    return {"out": hexes(singles), "wide": hexes(doubles)}


HALF_A = [0x3C00, 0x3C01, 0xC248, 0x7BFF, 0x0001, 0x8000, 0x7C00, 0x3555]
HALF_B = [0x1000, 0x3BFF, 0x2E66, 0x7BFF, 0x3800, 0x0000, 0xFC00, 0x4200]


def halves() -> dict[str, list[str]]:
    out = []
    for fmt, sources in ((HALF, (HALF_A, HALF_B)),):
        for a, b in zip(*sources):
            x, y = decode(a, fmt), decode(b, fmt)
            opposite = {"inf": "-inf", "-inf": "inf", "-0": Fraction(0)}
            minus_y = opposite.get(y, "-0" if y == 0 else None) if isinstance(y, str) or y == 0 else -y
            for value, sign in (add(x, y, "rn"), add(x, minus_y, "rn"), multiply(x, y), fused(x, y, x, "rn")):
                bits_out = encode(value, fmt, "rn", sign)
                out.append(0x7FFF if value == "nan" else bits_out)
    return {"out": hexes(out)}


TO_HALF = [0x3F800000, 0x3F801000, 0x3F803000, 0x477FE000, 0x477FF000, 0x33800000, 0x33000000, 0xC0490FDB]


def half_conversions() -> dict[str, list[str]]:
    out = []
    for v in TO_HALF:
        x = decode(v, SINGLE)
        out += [encode(x, HALF), encode(x, HALF, "rz"), encode(x, BFLOAT), encode(x, BFLOAT, "rz")]
    back = [encode(decode(h, HALF), SINGLE) for h in HALF_A]
    return {"out": hexes(out), "back": hexes(back)}


GOLDENS: dict[str, Callable[[], dict[str, list[str]]]] = {
    "arithmetic/int32": int_arithmetic,
    "arithmetic/shifts": shifts,
    "arithmetic/bits": bits,
    "arithmetic/int64": wide,
    "arithmetic/carries": carries,
    "arithmetic/dot_products": dot_products,
    "arithmetic/float_rounding": float_rounding,
    "arithmetic/double_rounding": double_rounding,
    "arithmetic/float_to_int": float_to_int,
    "arithmetic/int_to_int": int_to_int,
    "arithmetic/int_to_float": int_to_float,
    "arithmetic/half": halves,
    "arithmetic/half_conversions": half_conversions,
}


def wrapped(values: list[str]) -> str:
    lines, line = [], ""
    for value in values:
        if len(line) + len(value) > 105:
            lines.append(line)
            line = ""
        line += " " + value
    return "\n//!  ".join(lines + [line])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the values into the files")
    write = parser.parse_args().write
    wrong = 0
    for name, compute in GOLDENS.items():
        path = FOLDER / f"{name}.ptx"
        text = path.read_text()
        for buffer, values in compute().items():
            line = re.compile(rf"^(//! expect {buffer} \w+[^=\n]*=)((?:.*\n//!   )*.*)$", re.M)
            found = line.search(text)
            if not found:
                sys.exit(f"{path}: nothing is expected of {buffer}")
            promised = found.group(2).replace("\n//!", " ").split()
            if write:
                text = text[: found.end(1)] + wrapped(values) + text[found.end() :]
            elif promised != values:
                wrong += 1
                print(f"{path}: {buffer} differs from what is computed here", file=sys.stderr)
        if write:
            path.write_text(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
