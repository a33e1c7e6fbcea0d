#include "program/independence.h"

#include <algorithm>

namespace lockstep {
namespace {

// Whether many such reductions give the same result in any order. Sums of floats are rounded after each step; each inc
// and dec has a limit of its own, at which it wraps.
bool commutes(const MemoryAccess& reduction) {
  switch (reduction.atomic) {
    case AtomicOp::kAdd:
    case AtomicOp::kMin:
    case AtomicOp::kMax: return !is_float(reduction.type);
    case AtomicOp::kAnd:
    case AtomicOp::kOr:
    case AtomicOp::kXor: return true;
    default: return false;
  }
}

bool is_independent(const MemoryAccess& access) {
  const bool seen_by_other_blocks = access.space == Space::kGlobal || access.space == Space::kGeneric;
  if (!seen_by_other_blocks) return true;
  if (access.may_spin) return false;
  switch (access.op) {
    case MemoryOp::kLoad:
    case MemoryOp::kStore: return true;
    case MemoryOp::kReduction: return commutes(access);
    default: return false;
  }
}

// Printed lines have an order, and all blocks share one heap.
bool is_independent(const CallSite& call) {
  return call.builtin == Builtin::kNone || call.builtin == Builtin::kAssertFail;
}

// A bulk reduction adds to global memory without atomics of the host: only one thread at a time may run it.
bool is_independent(const AsyncUse& async) { return async.reduce == nullptr; }

// A fence is independent: it orders nothing without an access that waits for another block's flag.
bool is_independent(const Instruction& in) {
  switch (in.kind) {
    case Kind::kAlu:
    case Kind::kJoin:
    case Kind::kMemory:  // the access decides
    case Kind::kBranch:
    case Kind::kBranchIndexed:
    case Kind::kCall:  // the call decides
    case Kind::kReturn:
    case Kind::kExit:
    case Kind::kBarrier:
    case Kind::kWarpBarrier:
    case Kind::kCollective:
    case Kind::kAsync:          // the use decides
    case Kind::kMbarrier:       // in the block's own shared memory
    case Kind::kMatrix:         // its loads and stores are plain ones
    case Kind::kTexture:        // a fetch is a load, and an access to a surface is a load or a store
    case Kind::kClusterArrive:  // clusters have one block
    case Kind::kClusterWait:
    case Kind::kReadSpecial:
    case Kind::kYield:
    case Kind::kFence:
    case Kind::kNothing:
    case Kind::kTrap: return true;
    default: return false;  // a kind that is new here counts as dependent
  }
}

}  // namespace

bool blocks_are_independent(const Program& program) {
  const auto independent = [](const auto& x) { return is_independent(x); };
  return std::ranges::all_of(program.code, independent) && std::ranges::all_of(program.accesses, independent) &&
         std::ranges::all_of(program.calls, independent) && std::ranges::all_of(program.async, independent);
}

}  // namespace lockstep
