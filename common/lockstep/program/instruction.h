// instruction: one decoded instruction, ready for 32 lanes. Operands are offsets of registers in a frame.
#pragma once

#include <cstdint>

#include "alu/operands.h"
#include "program/memory_access.h"
#include "program/special_registers.h"

namespace lockstep {

enum class Kind : uint8_t {
  kAlu,
  kJoin,           // paths that diverged may meet here; costs nothing and is not counted
  kMemory,         // index: Program::accesses
  kBranch,         // target, meeting
  kBranchIndexed,  // a: the number of the target; index: Program::tables; meeting
  kCall,           // index: Program::calls
  kReturn,
  kExit,
  kBarrier,      // index: Program::barriers
  kWarpBarrier,  // a: mask
  kCollective,   // index: Program::collectives
  kAsync,        // index: Program::async
  kMbarrier,     // index: Program::mbarriers
  kClusterArrive,
  kClusterWait,
  kReadSpecial,  // special
  kAllocate,     // local memory until the function returns. d: its address; a: bytes; alignment
  kYield,        // nanosleep: other warps run first
  kFence,        // scope. Every write is visible at once; only the checks use the scope
  kNothing,      // hints
  kTrap
};
inline constexpr uint32_t kNowhere = 0xffffffffu;

struct Instruction : AluOperands {
  AluHandler alu = nullptr;  // set if kind is kAlu
  uint32_t guard = 0;        // offset of the guarding predicate; 0 = always
  bool guard_negated = false;
  bool uncounted = false;  // a helper of ours that stands for no PTX instruction
  uint16_t stall = 0;      // cycles that a warp alone needs for it, without waits for loads (dependence.h)
  Kind kind = Kind::kAlu;
  union {  // the kind decides which of them is valid (see Kind)
    uint32_t index = 0;
    uint32_t target;     // pc
    uint32_t alignment;  // bytes
    Scope scope;
    Special special;
  };
  uint32_t meeting = kNowhere;  // of a branch: the pc at which its two sides meet again
};
static_assert(sizeof(Instruction) == 64, "one cache line");

}  // namespace lockstep
