// memory_access: one access of 32 lanes to memory: its address, its values, and its order for other threads.
#pragma once

#include <cstdint>

#include "alu/alu.h"
#include "alu/bulk_reduce.h"
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
  bool may_spin = false;  // volatile, relaxed, acquire, or an atomic whose result is used: a loop around it may wait
                          // for another thread
};

struct MemoryAccess : AccessAddress, AccessValues, AccessOrdering {
  AccessHandler handler = nullptr;
  MemoryOp op = MemoryOp::kLoad;
  AtomicOp atomic = AtomicOp::kAdd;
  bool waited = false;         // the warp waits for its latency (dependence.h)
  bool only_copied = false;    // a load whose values are stored again and not looked at
  bool literal_one = false;    // atom/red add of the literal 1, result unused
  uint32_t pc = 0, index = 0;  // of the instruction; in Program::accesses
};

inline const char* verb(const MemoryAccess& access) {
  return access.op == MemoryOp::kLoad ? "read" : access.op == MemoryOp::kStore ? "write" : "atomic";
}

}  // namespace lockstep
