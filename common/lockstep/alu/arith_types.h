// arith_types: what the arithmetic headers share: the types that C++ lacks, rounding, and the instructions' modes.
//
// The arithmetic is compiled once per instruction set of the host (see CMakeLists.txt). LOCKSTEP_ISA names the
// namespace of each copy, so that the linker cannot give an AVX2 copy of an inline function to code that runs on any
// processor.
#pragma once

#include <cstdint>

#ifndef LOCKSTEP_ISA
#define LOCKSTEP_ISA baseline
#endif

namespace lockstep::LOCKSTEP_ISA {

// Half-precision values are their bits; the packed types hold element 0 in the low half.
struct Half {
  uint16_t bits;
};
struct Bfloat {
  uint16_t bits;
};
struct Half2 {
  uint32_t bits;
};
struct Bfloat2 {
  uint32_t bits;
};

enum class Rounding : uint8_t { kNearest, kZero, kDown, kUp, kNearestAway };

// The modifiers of a floating-point instruction. The rarer ones are packed into AluOperands::modes.
struct FloatMode {
  Rounding rounding = Rounding::kNearest;
  bool integral = false;  // .rni .rzi .rmi .rpi: round to a whole number
  bool ftz = false;       // subnormal f32 and f16 inputs and results become zeros of the same sign
  bool sat = false;       // clamp to [0, 1], NaN to 0; integers to the range of the destination
  bool relu = false;      // negative results become 0
  bool nan = false;       // min, max: one NaN makes the result NaN
  bool xorsign_abs = false;
  bool abs = false;
  bool satfinite = false;  // cvt: a value that overflows becomes the largest finite value

  constexpr bool operator==(const FloatMode&) const = default;
  constexpr uint32_t packed() const {
    return static_cast<uint32_t>(rounding) | uint32_t{integral} << 3 | uint32_t{ftz} << 4 | uint32_t{sat} << 5 |
           uint32_t{relu} << 6 | uint32_t{nan} << 7 | uint32_t{xorsign_abs} << 8 | uint32_t{abs} << 9 |
           uint32_t{satfinite} << 10;
  }
  static constexpr FloatMode unpack(uint32_t p) {
    return {.rounding = static_cast<Rounding>(p & 7),
            .integral = (p >> 3 & 1) != 0,
            .ftz = (p >> 4 & 1) != 0,
            .sat = (p >> 5 & 1) != 0,
            .relu = (p >> 6 & 1) != 0,
            .nan = (p >> 7 & 1) != 0,
            .xorsign_abs = (p >> 8 & 1) != 0,
            .abs = (p >> 9 & 1) != 0,
            .satfinite = (p >> 10 & 1) != 0};
  }
};

}  // namespace lockstep::LOCKSTEP_ISA
