// places: what the addresses of one warp's access resolve to.
#pragma once

#include <array>
#include <cstdint>

#include "program/instruction.h"

namespace lockstep {

// Where each lane's data lies in this process.
struct Places {
  std::array<uint64_t, kWarpSize> at;  // lanes that are not active repeat the first active one
  bool consecutive = false;            // at[l] == at[0] + l · bytes, for all 32 lanes
  uint64_t shared_begin = 0;           // of the block's shared memory, if they lie there
};

}  // namespace lockstep
