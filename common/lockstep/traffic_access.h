// traffic_access: one access of a warp to global memory → the block's L1 cache, the launch's traffic, and whether the
// warp waits for it. For the cost model, and so only where a report is wanted.
#pragma once

#include "block.h"
#include "launch.h"
#include "places.h"
#include "row.h"
#include "warp.h"

namespace lockstep {

// Lanes in their order; those that follow each other within a line are looked up together.
class TrafficAccess {
 public:
  TrafficAccess(Warp& warp, const MemoryAccess& access)
      : traffic_(warp.launch().counters.traffic), cache_(warp.block().cache()), access_(access) {}

  // The sectors [first, last].
  void touch(uint64_t first, uint64_t last) {
    for (uint64_t line = first / 4; line <= last / 4; ++line) {
      const uint32_t low = line == first / 4 ? first % 4 : 0, high = line == last / 4 ? last % 4 : 3;
      if (line != line_) look_up(), line_ = line, sectors_ = 0, lanes_ = 0;
      sectors_ |= (2u << high) - (1u << low);
      ++lanes_;
    }
  }
  void finish(Warp& warp) {
    look_up();
    if (!access_.waited) return;
    ++(missed_ ? warp.chain().misses : warp.chain().l1_waits);
  }

 private:
  void look_up() {
    if (sectors_ == 0) return;
    switch (access_.op) {
      case MemoryOp::kLoad: {
        ++traffic_.load_lines;
        const bool cached = access_.order == MemoryOrder::kWeak;
        const uint32_t missing = cached ? cache_.load(line_, sectors_) : sectors_;
        if (!missing) return;
        missed_ = true;
        traffic_.missed_sectors += static_cast<uint64_t>(std::popcount(missing));
        traffic_.footprint.read(line_, missing);
        return;
      }
      case MemoryOp::kStore:
        ++traffic_.store_lines;
        traffic_.store_sectors += static_cast<uint64_t>(std::popcount(sectors_));
        traffic_.footprint.write(line_, sectors_);
        return;
      case MemoryOp::kAtomic:
      case MemoryOp::kReduction:
        missed_ = true;
        traffic_.atomic_lanes += lanes_;
        traffic_.footprint.add_atomics(line_, lanes_);
        traffic_.footprint.read(line_, sectors_);
        traffic_.footprint.write(line_, sectors_);
        return;
    }
  }

  Traffic& traffic_;
  L1Cache& cache_;
  const MemoryAccess& access_;
  uint64_t line_ = 0;
  uint32_t sectors_ = 0, lanes_ = 0;
  bool missed_ = false;
};

inline void count_traffic(Warp& warp, const MemoryAccess& access, const Row& row) {
  constexpr int64_t kSector = 32;
  const uint32_t bytes = access.bytes * access.count;
  TrafficAccess traffic(warp, access);
  if (row.stride <= kSector && row.stride >= -kSector) {
    const uint64_t a = row.first, b = row.last();
    traffic.touch(std::min(a, b) / kSector, (std::max(a, b) + bytes - 1) / kSector);
  } else {
    for (uint32_t i = 0; i < row.count; ++i) traffic.touch(row.at(i) / kSector, (row.at(i) + bytes - 1) / kSector);
  }
  traffic.finish(warp);
}

inline void count_traffic(Warp& warp, const MemoryAccess& access, Mask mask, const Places& places) {
  constexpr uint64_t kSector = 32;
  const uint32_t bytes = access.bytes * access.count;
  TrafficAccess traffic(warp, access);
  for (; mask; mask &= mask - 1) {
    const uint64_t at = places.at[first_lane(mask)];
    traffic.touch(at / kSector, (at + bytes - 1) / kSector);
  }
  traffic.finish(warp);
}

inline void wait_for_shared(Warp& warp, const Wavefronts& wavefronts) {
  ++warp.chain().shared_waits;
  warp.chain().cycles += wavefronts.total - 1;
}

}  // namespace lockstep
