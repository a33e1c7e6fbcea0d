// shared_pairs: where two warps of a block may race in shared memory. Whether they do is seen when the kernel runs
// (engine/shared_races.h).
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace lockstep {

// A load and a store of shared memory that no barrier orders, by Program::accesses.
struct SharedPair {
  uint32_t load = 0, store = 0;
  bool same_address = false;  // if each thread stores to words of its own, it loads them, too
};
std::vector<SharedPair> shared_pairs_of(const Program& program);

}  // namespace lockstep
