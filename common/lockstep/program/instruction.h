// instruction: one decoded instruction, ready for 32 lanes. Operands are places in the registers of a frame.
#pragma once

#include <cstdint>

#include "alu/operands.h"

namespace lockstep {

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

struct Instruction : AluOperands {
  AluHandler alu = nullptr;  // set if kind is kAlu
  uint32_t guard = 0;        // offset of the guarding predicate; 0 = always
  bool guard_negated = false;
  bool uncounted = false;  // a helper of ours that stands for no PTX instruction
  uint16_t stall = 0;      // cycles that a warp alone takes for it, waits for loads apart (dependence.h)
  Kind kind = Kind::kAlu;
  uint32_t immediate = 0, extra = 0;  // by kind, see there
};

}  // namespace lockstep
