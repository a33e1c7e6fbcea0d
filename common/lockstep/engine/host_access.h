// host_access: one access of a warp to memory that the host's program reads and writes in place (pinned or managed) →
// the bytes that pass between the two sides. The program may look at any time, so each store counts. Lanes at one
// address count once: nobody can see more than the last of their values. To be called before the data moves
// (OtherWords).
#pragma once

#include <algorithm>

#include "count/row.h"
#include "engine/block.h"

namespace lockstep {

inline void count_host_bytes(Warp& warp, MemoryOp op, const Range& range, uint64_t bytes) {
  LaunchCounters& counters = warp.state().counters;
  if (op != MemoryOp::kLoad) counters.host_stored += bytes;
  if (op == MemoryOp::kLoad || op == MemoryOp::kAtomic) {  // a reduction's old values stay where they are
    HostLoads& loads = counters.host_loads[range.begin];
    loads.size = range.end - range.begin;
    loads.loaded += bytes;
  }
}

// All lanes lie in the range.
inline void count_host_row(Warp& warp, const MemoryAccess& access, const Range& range, const Row& row) {
  if (!range.host_reaches) return;
  const uint64_t bytes = access.bytes * access.count;
  count_host_bytes(warp, access.op, range, row.stride == 0 ? bytes : bytes * row.count);
  for (uint32_t i = 0; access.op != MemoryOp::kLoad && i < row.count; ++i)
    warp.launch().memory.before_store(row.at(i), bytes);
}

// The lanes may lie in several allocations.
inline void count_host_lanes(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  Memory& memory = warp.launch().memory;
  if (!memory.any_host_reaches()) return;
  std::array<uint64_t, kWarpSize> at;
  size_t count = 0;
  for (const uint32_t l : each_lane(mask)) at[count++] = addresses.at[l];
  std::sort(at.begin(), at.begin() + count);
  const size_t distinct = static_cast<size_t>(std::unique(at.begin(), at.begin() + count) - at.begin());
  const uint64_t bytes = access.bytes * access.count;
  Range range;
  for (size_t i = 0; i < distinct; ++i) {
    if (!range.contains(at[i], bytes)) range = memory.find(at[i]);
    if (!range.host_reaches) continue;
    count_host_bytes(warp, access.op, range, bytes);
    if (access.op != MemoryOp::kLoad) memory.before_store(at[i], bytes);
  }
}

// For an asynchronous copy: a part of global memory that it reads or writes.
inline void count_host_copy(Warp& warp, MemoryOp op, uint64_t at, uint64_t bytes) {
  Memory& memory = warp.launch().memory;
  if (!memory.any_host_reaches()) return;
  const Range range = memory.find(at);
  if (!range.host_reaches) return;
  count_host_bytes(warp, op, range, bytes);
  if (op != MemoryOp::kLoad) memory.before_store(at, bytes);
}

}  // namespace lockstep
