// launch_shape: how many blocks and threads a launch has, and how much memory each has to itself.
#pragma once

#include <cstdint>

#include "base/dim3.h"
#include "base/lanes.h"

namespace lockstep {

struct LaunchShape {
  Dim3 grid{}, block{};
  uint64_t shared_bytes = 0;  // of a block, static and dynamic
  uint64_t dynamic_shared_bytes = 0;
  uint64_t local_bytes = 0;  // of a thread

  uint32_t threads_per_block() const { return static_cast<uint32_t>(block.count()); }
  uint32_t warps_per_block() const { return (threads_per_block() + kWarpSize - 1) / kWarpSize; }
};

// The coordinates of item number `linear` of a grid or block, x first: of the block in its grid, in the order in which
// blocks start, or of the thread in its block.
inline Dim3 index_in(const Dim3& shape, uint64_t linear) {
  const uint64_t plane = uint64_t{shape.x} * shape.y;
  return {static_cast<uint32_t>(linear % shape.x), static_cast<uint32_t>(linear % plane / shape.x),
          static_cast<uint32_t>(linear / plane)};
}

}  // namespace lockstep
