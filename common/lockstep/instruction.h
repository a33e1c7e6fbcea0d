// instruction: one decoded instruction, ready for 32 lanes. Operands are places in the registers of a frame.
//
// A register is an array of one value per lane, lane 0 first: 16-bit types take 64 bytes, 32-bit 128, 64-bit
// 256, 128-bit 512. A predicate is one Mask, bit l for lane l. Immediates are registers too, written once.
#pragma once

#include <bit>
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

enum class Kind : uint8_t {
  kAlu,
  kJoin,           // paths that diverged may meet here; costs nothing and is not counted
  kMemory,         // extra: Program::accesses
  kBranch,         // immediate: target; extra: where the two sides meet again, or kNowhere
  kBranchIndexed,  // a: index; immediate: Program::tables; extra: as kBranch
  kCall,           // immediate: Program::calls
  kReturn,
  kExit,
  kBarrier,      // immediate: Program::barriers
  kWarpBarrier,  // a: mask
  kCollective,   // immediate: Program::collectives
  kAsync,        // extra: Program::async
  kMbarrier,     // extra: Program::mbarriers
  kClusterArrive,
  kClusterWait,
  kReadSpecial,  // immediate: Special
  kAllocate,     // local memory until the function returns. d: where it lies; a: bytes; immediate: alignment
  kYield,        // nanosleep: others first
  kFence,        // immediate: Scope. Every write is visible at once anyway; only checks ask
  kNothing,      // hints
  kTrap,
  kUnsupported,
};
inline constexpr uint32_t kNowhere = 0xffffffffu;

struct Instruction {
  AluHandler alu = nullptr;             // set if kind is kAlu
  uint32_t d = 0, d2 = 0;               // destinations, byte offsets into the frame's registers
  uint32_t a = 0, b = 0, c = 0, e = 0;  // sources
  uint32_t aux = 0;                     // what select_alu put there (rounding, lut, …)
  uint32_t guard = 0;                   // offset of the guarding predicate; 0 = always
  bool guard_negated = false;
  bool uncounted = false;  // a helper of ours that stands for no PTX instruction
  uint16_t stall = 0;      // cycles that a warp alone takes for it, waits for loads apart (dependence.h)
  Kind kind = Kind::kAlu;
  uint32_t immediate = 0, extra = 0;  // by kind, see there
};

template <class T>
T* lanes(std::byte* registers, uint32_t offset) {
  return reinterpret_cast<T*>(registers + offset);
}

// The lowest lane of a mask that has one.
inline uint32_t first_lane(Mask mask) { return static_cast<uint32_t>(std::countr_zero(mask)); }

}  // namespace lockstep
