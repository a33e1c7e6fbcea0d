#include "count/occupancy.h"

#include <algorithm>

namespace lockstep {

uint32_t Occupancy::blocks() const { return std::min({by_blocks, by_warps, by_shared}); }

Occupancy occupancy(const DeviceLimits& limits, uint32_t threads, uint64_t shared_bytes) {
  if (threads == 0 || threads > limits.max_threads_per_block || shared_bytes > limits.shared_per_block_optin) return {};
  constexpr uint64_t kSharedUnit = 128;  // bytes; a multiprocessor gives out whole units (cuda_occupancy.h)
  const uint64_t taken =
      (shared_bytes + limits.shared_reserved_per_block + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
  const uint32_t warps = (threads + limits.warp_size - 1) / limits.warp_size;
  return {limits.max_blocks_per_sm, limits.max_threads_per_sm / (warps * limits.warp_size),
          static_cast<uint32_t>(limits.shared_per_sm / taken)};
}

}  // namespace lockstep
