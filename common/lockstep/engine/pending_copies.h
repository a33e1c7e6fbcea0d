// pending_copies: the copies (cp.async and bulk copies) that a warp has started and that have not happened yet.
// async_copy starts them and makes them happen.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.h"

namespace lockstep {

struct PendingCopies {
  // One cp.async of the lanes in `pending`; or, if use->op is kArrive, an arrival after all earlier copies.
  struct Copy {
    const AsyncUse* use;
    Mask pending;
    std::array<uint32_t, kWarpSize> group;             // of each lane
    std::array<uint64_t, kWarpSize> from, to;          // to: within shared memory
    std::array<uint8_t, kWarpSize> bytes_from_source;  // zeros follow
  };
  struct Bulk {
    const AsyncUse* use;
    uint32_t lane, group, bytes;
    uint64_t from, to, mbarrier;
    bool good;                    // both addresses are valid; else the copy moves nothing, and only its bytes count
    std::vector<std::byte> data;  // read already, if not empty
  };

  // A copy that has not yet written to one of these bytes, if there is one. The address lies within shared memory.
  struct Writer {
    uint32_t pc = 0, lane = 0;
  };
  std::optional<Writer> still_writes(uint64_t address, uint32_t bytes) const {
    const auto meets = [&](uint64_t to, uint32_t length) { return to < address + bytes && address < to + length; };
    for (const Copy& copy : copies) {
      if (copy.use->op == AsyncOp::kArrive) continue;
      for (const uint32_t l : each_lane(copy.pending))
        if (meets(copy.to[l], copy.use->to.bytes)) return Writer{copy.use->to.pc, l};
    }
    for (const Bulk& bulk : bulks)
      if (bulk.good && bulk.use->to.space == Space::kShared && meets(bulk.to, bulk.bytes))
        return Writer{bulk.use->to.pc, bulk.lane};
    return {};
  }

  bool idle() const { return copies.empty() && bulks.empty(); }
  void clear() { copies.clear(), bulks.clear(); }
  void forget_complete() {
    std::erase_if(copies, [](const Copy& copy) { return copy.pending == 0; });
  }

  std::vector<Copy> copies;  // in the order in which they were started
  std::vector<Bulk> bulks;
  std::array<uint32_t, kWarpSize> open_group{}, open_bulk_group{};  // the group of the next copy
};

}  // namespace lockstep
