// occupancy: how many blocks of a shape a multiprocessor holds at once: by threads, by registers, by shared memory, by
// the number of blocks. ptxas decides the number of registers. Without ptxas nobody knows it, and a card may hold fewer
// blocks because of it.
#pragma once

#include <cstdint>

#include "base/limits.h"

namespace lockstep {

struct Occupancy {
  uint32_t by_blocks = 0, by_warps = 0, by_registers = 0, by_shared = 0;  // blocks a multiprocessor
  uint32_t blocks() const;                                                // the least of them
};

// shared_bytes: static and dynamic, of one block. registers: of a thread; 0: not known, so they limit nothing. All zero
// for a shape that no multiprocessor could hold.
Occupancy occupancy(const DeviceLimits& limits, uint32_t threads, uint64_t shared_bytes, uint32_t registers);
// The threads that a block may have because of its registers.
uint32_t most_threads(const DeviceLimits& limits, uint32_t registers);

}  // namespace lockstep
