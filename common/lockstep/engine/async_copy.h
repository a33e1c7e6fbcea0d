// async_copy: the copies (cp.async and bulk copies) that a warp has started and that no thread has waited for. A copy
// happens at the last moment that PTX allows: when its lane waits for its group, when a thread waits for the mbarrier
// that tracks it, or when its lane ends. So a missing wait gives a wrong answer here, too.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.h"

namespace lockstep {

class AsyncCopies {
 public:
  void clear();
  bool idle() const { return copies_.empty() && bulks_.empty(); }

  void run(Warp& warp, const AsyncUse& use, Mask mask);  // one instruction
  void finish(Warp& warp, Mask lanes);                   // the lanes end: all their copies happen

  // A copy that has not yet written to one of these bytes, if there is one. The address lies within shared memory.
  struct Writer {
    uint32_t pc = 0, lane = 0;
  };
  std::optional<Writer> still_writes(uint64_t address, uint32_t bytes) const;

  // Makes the next copy or arrival happen that the mbarrier at this address (within shared memory) waits for. False:
  // there is none.
  bool advance(Warp& warp, uint64_t mbarrier);

 private:
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

  void start_copy(Warp& warp, const AsyncUse& use, Mask mask);
  void start_arrival(Warp& warp, const AsyncUse& use, Mask mask);
  void start_bulk(Warp& warp, const AsyncUse& use, Mask mask);
  void wait(Warp& warp, const AsyncUse& use, Mask mask);
  void wait_bulk(Warp& warp, const AsyncUse& use, Mask mask);
  void complete(Warp& warp, Copy& copy, Mask lanes);
  void complete(Warp& warp, Bulk& bulk);
  static const std::byte* read_source(Warp& warp, const Bulk& bulk);
  static void show_range(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address, uint32_t bytes);

  std::vector<Copy> copies_;  // in the order in which they were started
  std::vector<Bulk> bulks_;
  std::array<uint32_t, kWarpSize> open_group_{}, open_bulk_group_{};  // the group of the next copy
};

}  // namespace lockstep
