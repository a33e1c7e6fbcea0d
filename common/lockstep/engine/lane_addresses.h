// lane_addresses: where the data of one warp's access lies in this process, lane by lane.
#pragma once

#include <array>
#include <cstdint>

#include "base/lanes.h"

namespace lockstep {

struct LaneAddresses {
  std::array<uint64_t, kWarpSize> at;  // lanes that are not active repeat the first active one
  bool consecutive = false;            // at[l] == at[0] + l · bytes, for all 32 lanes
  uint64_t shared_begin = 0;           // of the block's shared memory, if they lie there; else 0
};

}  // namespace lockstep
