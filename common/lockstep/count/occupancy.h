// occupancy: how many blocks of a shape a multiprocessor holds at once, as far as that is known without ptxas: by
// threads, by shared memory, by the number of blocks. The fourth limit is not known here: ptxas decides the number of
// registers. `nvcc -Xptxas -v` prints it, and a card may hold fewer blocks because of it.
#pragma once

#include <cstdint>

#include "base/limits.h"

namespace lockstep {

struct Occupancy {
  uint32_t by_blocks = 0, by_warps = 0, by_shared = 0;  // blocks a multiprocessor
  uint32_t blocks() const;                              // the least of them
};

// `shared_bytes`: static and dynamic, of one block. All zero for a shape that no multiprocessor could hold.
Occupancy occupancy(const DeviceLimits& limits, uint32_t threads, uint64_t shared_bytes);

}  // namespace lockstep
