// traffic_access: one access of a warp to global memory → the block's L1 cache, the launch's traffic, and whether the
// warp waits for it. For the cost model, so only if the program asks for a report.
#pragma once

#include "count/row.h"
#include "engine/block.h"
#include "engine/host_access.h"
#include "program/neighbours.h"

namespace lockstep {

class TrafficAccess {
 public:
  TrafficAccess(Warp& warp, const MemoryAccess& access)
      : traffic_(warp.state().counters.traffic), cache_(warp.block().cache()), access_(access) {}

  // Looks up sectors of one line that so many lanes access.
  void look_up(uint64_t line, uint32_t sectors, uint32_t lanes) {
    if (access_.op == MemoryOp::kLoad) {
      ++traffic_.load_lines;
      const uint32_t missing = access_.order == MemoryOrder::kWeak ? cache_.load(line, sectors) : sectors;
      if (!missing) return;
      missed_ = true;
      traffic_.missed_sectors += static_cast<uint64_t>(std::popcount(missing));
      traffic_.footprint.touch(line, missing, 0);
    } else if (access_.op == MemoryOp::kStore) {
      ++traffic_.store_lines;
      traffic_.store_sectors += static_cast<uint64_t>(std::popcount(sectors));
      traffic_.footprint.touch(line, 0, sectors);
    } else {
      missed_ = true;
      traffic_.atomic_lanes += lanes;
      traffic_.footprint.add_atomics(line, lanes);
      traffic_.footprint.touch(line, sectors, sectors);
    }
  }

  // Looks up all sectors from the first to the last.
  void look_up_all(uint64_t first, uint64_t last, uint32_t lanes) {
    uint32_t sectors = (0xfu << first % 4) & 0xf;  // to the end of its line
    for (uint64_t line = first / 4; line < last / 4; ++line, sectors = 0xf) look_up(line, sectors, lanes);
    look_up(last / 4, sectors & ((2u << last % 4) - 1), lanes);
  }

  void finish(Warp& warp) const {
    if (access_.waited) ++(missed_ ? warp.chain().misses : warp.chain().l1_waits);
  }

 private:
  Traffic& traffic_;
  L1Cache& cache_;
  const MemoryAccess& access_;
  bool missed_ = false;
};

// Looks up `count` lanes in their order. Neighbours in one line are looked up together.
template <class Address>
void look_up_lanes(TrafficAccess& traffic, uint32_t count, uint32_t bytes, const Address& address) {
  uint64_t line = 0;
  uint32_t sectors = 0, lanes = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t first = address(i) / 32, last = (address(i) + bytes - 1) / 32;  // an access lies in one line
    if (lanes && first / 4 != line) traffic.look_up(line, sectors, lanes), sectors = lanes = 0;
    line = first / 4;
    sectors |= 1u << first % 4 | 1u << last % 4;
    ++lanes;
  }
  if (lanes) traffic.look_up(line, sectors, lanes);
}

inline void count_traffic(Warp& warp, const MemoryAccess& access, const Row& row) {
  const uint32_t bytes = access.bytes * access.count;
  TrafficAccess traffic(warp, access);
  if (row.stride <= 32 && row.stride >= -32) {  // the row leaves out no sector
    const uint64_t a = row.first, b = row.last();
    traffic.look_up_all(std::min(a, b) / 32, (std::max(a, b) + bytes - 1) / 32, row.count);
  } else {
    look_up_lanes(traffic, row.count, bytes, [&](uint32_t i) { return row.at(i); });
  }
  traffic.finish(warp);
}

inline void count_traffic(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  std::array<uint64_t, kWarpSize> at;
  uint32_t count = 0;
  for (const uint32_t l : each_lane(mask)) at[count++] = addresses.at[l];
  TrafficAccess traffic(warp, access);
  look_up_lanes(traffic, count, access.bytes * access.count, [&](uint32_t i) { return at[i]; });
  traffic.finish(warp);
}

// An asynchronous copy: its bytes and its traffic.
inline void count_copy(Warp& warp, MemoryOp op, uint64_t at, uint64_t bytes) {
  LaunchCounters& counters = warp.state().counters;
  (op == MemoryOp::kLoad ? counters.async_loaded : counters.async_stored) += bytes;
  count_host_copy(warp, op, at, bytes);
  if (!warp.launch().counts_traffic || bytes == 0) return;
  MemoryAccess access;
  access.op = op;
  TrafficAccess(warp, access).look_up_all(at / 32, (at + bytes - 1) / 32, 1);
}

// What the access would count if ptxas had joined it with its neighbours (neighbours.h). The card aligns a wider access
// to its width, so it begins at the lane's address, rounded down. count_width(bytes, counts): one of the wider widths.
template <class CountWidth>
void count_wider(Warp& warp, const MemoryAccess& access, const CountWidth& count_width) {
  if (!warp.launch().counts_traffic) return;
  WiderCounts& wider = warp.state().counters.wider[access.neighbour - 1];
  for (size_t i = WiderCounts::index(2u * access.bytes * access.count); i < wider.widths.size(); ++i)
    count_width(WiderCounts::bytes(i), wider.widths[i]);
}

inline std::array<uint64_t, kWarpSize> rounded_down(const uint64_t* addresses, uint32_t bytes) {
  std::array<uint64_t, kWarpSize> begins;
  for (uint32_t l = 0; l < kWarpSize; ++l) begins[l] = addresses[l] / bytes * bytes;
  return begins;
}

inline void add_shared(InstructionCounters& counts, const Wavefronts& wavefronts) {
  ++counts.shared.requests;
  counts.shared.wavefronts += wavefronts.total;
  counts.shared.ideal += wavefronts.ideal;
}

// Lanes that are not in the mask repeat one that is.
[[gnu::noinline]] inline void count_wider_shared(Warp& warp, const MemoryAccess& access, Mask mask,
                                                 const uint64_t* addresses) {
  count_wider(warp, access, [&](uint32_t bytes, InstructionCounters& counts) {
    const bool merges = merges_phases(access);
    add_shared(counts, shared_wavefronts(rounded_down(addresses, bytes).data(), mask, bytes, merges));
  });
}

[[gnu::noinline]] inline void count_wider_shared(Warp& warp, const MemoryAccess& access, const Row& row) {
  count_wider(warp, access, [&](uint32_t bytes, InstructionCounters& counts) {
    const bool merges = merges_phases(access);
    Row wide = row;
    wide.first = row.first / bytes * bytes;
    const bool stays_row = row.stride % static_cast<int64_t>(bytes) == 0;
    if (const auto known = stays_row ? shared_wavefronts(wide, bytes, merges) : std::nullopt)
      return add_shared(counts, *known);
    std::array<uint64_t, kWarpSize> addresses;
    for (uint32_t l = 0; l < kWarpSize; ++l)
      addresses[l] = row.at(std::clamp(l, row.begin, row.begin + row.count - 1) - row.begin);
    add_shared(counts, shared_wavefronts(rounded_down(addresses.data(), bytes).data(), row.mask(), bytes, merges));
  });
}

// `offsets`: in each lane's local memory.
[[gnu::noinline]] inline void count_wider_local(Warp& warp, const MemoryAccess& access, Mask mask,
                                                const uint64_t* offsets) {
  count_wider(warp, access, [&](uint32_t bytes, InstructionCounters& counts) {
    counts.local.requests += std::max(1u, bytes / 4);
    counts.local.sectors += local_sectors(rounded_down(offsets, bytes).data(), mask, bytes);
  });
}

inline void wait_for_shared(Warp& warp, const Wavefronts& wavefronts) {
  ++warp.chain().shared_waits;
  warp.chain().cycles += wavefronts.total - 1;
}

}  // namespace lockstep
