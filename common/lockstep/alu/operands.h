// operands: where an arithmetic instruction finds its values, and the type of its handler.
//
// A register is an array of one value per lane, lane 0 first: 16-bit types take 64 bytes, 32-bit 128, 64-bit 256,
// 128-bit 512. A predicate is one Mask, bit l for lane l. Immediates are registers too, written once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/lanes.h"

namespace lockstep {

// Every frame begins with two reserved predicates. Offset 0 is never used. This one is the carry of add.cc, addc,
// sub.cc, subc, mad.cc and madc.
inline constexpr uint32_t kCarry = 8;

struct AluOperands {
  uint32_t d = 0, d2 = 0;               // destinations, byte offsets into the frame's registers
  uint32_t a = 0, b = 0, c = 0, e = 0;  // sources
  uint32_t modes = 0;                   // what select_alu put there (rounding, lop3's table, …)
};

// Reads and writes registers of the lanes in mask, and nothing else.
using AluHandler = void (*)(std::byte* registers, const AluOperands& operands, Mask mask);

}  // namespace lockstep
