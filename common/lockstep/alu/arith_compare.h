// arith_compare: the comparisons of set and setp.
#pragma once

#include "alu/arith_float.h"

namespace lockstep::LOCKSTEP_ISA {

// With a NaN the unordered comparisons (kEqu, …) hold, and all others do not, kNe included. Integers use the first six.
enum class Comparison : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kNan };

constexpr float comparable(Half h) { return to_float(h); }
constexpr float comparable(Bfloat b) { return to_float(b); }
template <class T>
constexpr T comparable(T x) {
  return x;
}

template <class T>
constexpr bool compare(Comparison c, T x, T y) {
  const auto a = comparable(x);
  const auto b = comparable(y);
  switch (c) {
    case Comparison::kEq: return a == b;
    case Comparison::kNe: return a < b || a > b;
    case Comparison::kLt: return a < b;
    case Comparison::kLe: return a <= b;
    case Comparison::kGt: return a > b;
    case Comparison::kGe: return a >= b;
    case Comparison::kEqu: return !(a < b || a > b);
    case Comparison::kNeu: return a != b;
    case Comparison::kLtu: return !(a >= b);
    case Comparison::kLeu: return !(a > b);
    case Comparison::kGtu: return !(a <= b);
    case Comparison::kGeu: return !(a < b);
    case Comparison::kNum: return a == a && b == b;
    case Comparison::kNan: return a != a || b != b;
  }
  return false;
}

// How set and setp combine the comparison with a third, boolean operand.
enum class Combination : uint8_t { kNone, kAnd, kOr, kXor };

// Combines 32 lanes at once.
constexpr uint32_t combine(Combination combination, uint32_t compared, uint32_t other) {
  switch (combination) {
    case Combination::kNone: return compared;
    case Combination::kAnd: return compared & other;
    case Combination::kOr: return compared | other;
    case Combination::kXor: return compared ^ other;
  }
  return compared;
}

}  // namespace lockstep::LOCKSTEP_ISA
