// instruction: one decoded instruction, ready for 32 lanes. Operands are places in the registers of a frame.
//
// A register is an array of one value per lane, lane 0 first: 16-bit types take 64 bytes, 32-bit 128, 64-bit
// 256, 128-bit 512. A predicate is one Mask, bit l for lane l. Immediates are registers too, written once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep {

inline constexpr int kWarpSize = 32;
using Mask = uint32_t;
inline constexpr Mask kFullMask = 0xffffffffu;

// Every frame begins with two reserved predicates: offset 0 is never used (a guard of 0 means "always"), and
// this one is the carry of add.cc, addc, sub.cc, subc, mad.cc and madc.
inline constexpr uint32_t kCarry = 8;

struct Instruction;

// Arithmetic: reads and writes registers of the lanes in mask, knows nothing else.
using AluHandler = void (*)(std::byte* registers, const Instruction& instruction, Mask mask);

struct Instruction {
  AluHandler alu = nullptr;                 // null: control, memory or collective; see `kind`
  uint32_t d = 0, d2 = 0;                   // destinations, byte offsets into the frame's registers
  uint32_t a = 0, b = 0, c = 0, e = 0;      // sources
  uint32_t aux = 0;                         // what the handler's selection put there (rounding, lut, …)
  uint32_t guard = 0;                       // offset of the guarding predicate; 0 = none (offset 0 is never used)
  bool guard_negated = false;
  uint8_t kind = 0;                         // engine's own
  uint16_t detail = 0;                      // engine's own
  int64_t immediate = 0;                    // engine's own: address offset, target, …
};

template <class T>
T* lanes(std::byte* registers, uint32_t offset) {
  return reinterpret_cast<T*>(registers + offset);
}

}  // namespace lockstep
