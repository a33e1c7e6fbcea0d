// place_entries: what a launch notes for each word of memory, and which warp accessed it when.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/launch_state.h"

namespace lockstep {

class Warp;

// Of one launch. The memory grows with the places that are noted: eight bytes for each unit of `unit` bytes.
class PlaceEntries {
 public:
  // The entries of the allocation, or of the block's shared memory, in which the address lies. They are 0 at first.
  NotedPlaces find(const Warp& warp, Space space, uint64_t address, uint32_t unit);

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::mutex mutex_;                                                                    // the workers share the entries
  std::map<std::pair<uint64_t, uint32_t>, std::unique_ptr<uint64_t[], Free>> entries_;  // by start and unit
};

// Who accesses memory, and when: from the low bits, the warp, the interval between two barriers of its block, and the
// block. Blocks and intervals are cut to the bits that are left: two blocks count as one if their numbers differ by a
// multiple of 2^17, and two intervals if theirs differ by a multiple of 2^5.
struct Access {
  static constexpr int kBits = 27;
  static constexpr uint32_t kInterval = 0x1f << 5, kBlock = 0x1'ffff << 10;

  uint32_t bits = 0;
  static Access of(const Warp& warp);
  bool has_same_block(Access other) const { return ((bits ^ other.bits) & kBlock) == 0; }
  bool has_same_interval(Access other) const { return ((bits ^ other.bits) & kInterval) == 0; }
  bool operator==(const Access&) const = default;
};

}  // namespace lockstep
