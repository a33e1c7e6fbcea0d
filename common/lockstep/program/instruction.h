// instruction: one decoded instruction, ready for 32 lanes; its access to memory; its cost on the card. Operands are
// offsets of registers in a frame.
#pragma once

#include <cstdint>

#include "alu/alu.h"
#include "alu/bulk_reduce.h"
#include "program/special_registers.h"
#include "ptx/module.h"

namespace lockstep {

enum class MemoryOp : uint8_t { kLoad, kStore, kAtomic, kReduction };
// PTX's memory orders.
enum class MemoryOrder : uint8_t { kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcquireRelease };
// The threads that are sure to see an access in its order. A cluster counts as the whole card.
enum class Scope : uint8_t { kBlock, kDevice };

class Warp;
struct MemoryAccess;
using AccessHandler = void (*)(Warp& warp, const MemoryAccess& access, Mask mask);

struct AccessAddress {
  Space space = Space::kGeneric;
  bool wide_base = true;  // the base register is 64 bits wide
  uint32_t base = 0;      // address register, or 0: the offset alone is the address
  int64_t offset = 0;
};

struct AccessValues {
  Type type = Type::kNone;
  uint8_t bytes = 0;  // one element
  uint8_t count = 1;  // elements of a vector
  Width register_width = Width::k32;
  uint32_t registers[4] = {};  // destinations or sources; 0: discarded
  uint32_t operand2 = 0;       // atomics: b is registers[1]; cas: c
};

struct AccessOrdering {
  MemoryOrder order = MemoryOrder::kWeak;  // atom and red: at least kRelaxed
  Scope scope = Scope::kDevice;
  bool reaches_host = false;  // volatile, or of system scope: a host that polls may see it while the kernel runs
  bool may_spin = false;    // volatile, relaxed, acquire, or an atomic whose result is used: a loop around it may wait
                            // for another thread
  bool hands_over = false;  // a strong access in a program that may wait at such accesses (engine/waits.h)
};

// One access of 32 lanes to memory: its address, its values, and its order for other threads.
struct MemoryAccess : AccessAddress, AccessValues, AccessOrdering {
  AccessHandler handler = nullptr;
  MemoryOp op = MemoryOp::kLoad;
  AtomicOp atomic = AtomicOp::kAdd;
  bool waited = false;         // the warp waits for its latency (dependence.h)
  bool only_copied = false;    // a load whose values are stored again and not looked at
  bool literal_one = false;    // atom/red add of the literal 1, result unused
  uint32_t pc = 0, index = 0;  // of the instruction; in Program::accesses
  uint32_t neighbour = 0;      // see neighbours.h; 0: none
};

inline bool is_atomic(const MemoryAccess& access) {
  return access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
}

// Accesses to constants and parameters are not.
inline bool is_counted(const MemoryAccess& access) {
  return access.space != Space::kConst && access.space != Space::kParam;
}

inline const char* verb(const MemoryAccess& access) {
  return access.op == MemoryOp::kLoad ? "read" : access.op == MemoryOp::kStore ? "write" : "atomic";
}

enum class Kind : uint8_t {
  kAlu,
  kJoin,    // paths that diverged may meet here; costs nothing and is not counted. index: 1 if not all of them come
  kMemory,  // index: Program::accesses
  kBranch,  // target, meeting
  kBranchIndexed,  // a: the number of the target; index: Program::tables; meeting
  kCall,           // index: Program::calls
  kReturn,
  kExit,
  kBarrier,      // index: Program::barriers
  kWarpBarrier,  // a: mask
  kCollective,   // index: Program::collectives
  kAsync,        // index: Program::async
  kMbarrier,     // index: Program::mbarriers
  kMatrix,       // index: Program::matrices
  kTexture,      // index: Program::textures
  kClusterArrive,
  kClusterWait,
  kReadSpecial,  // special
  kAllocate,     // local memory until the function returns. d: its address; a: bytes; alignment
  kYield,        // nanosleep: other warps run first
  kFence,        // scope. Every write is visible at once; only the checks use the scope
  kNothing,      // hints
  kTrap
};

// Whether warps wait for other warps at such an instruction.
constexpr bool waits_for_warps(Kind kind) {
  return kind == Kind::kBarrier || kind == Kind::kMbarrier || kind == Kind::kClusterWait;
}

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

// The units that limit how many instructions a multiprocessor takes in a cycle.
enum class Pipe : uint8_t { kNone, kInteger, kFloat, kDouble, kSpecial, kShuffle };

struct InstructionCost {
  Pipe pipe = Pipe::kNone;
  uint8_t slots = 0;           // the number of instructions that ptxas makes of it
  uint16_t latency = 0;        // cycles until its result is there, without the time of a load
  bool awaits_memory = false;  // the warp waits here for global memory (dependence.h)
};

}  // namespace lockstep
