// local_writes: which bytes of its local memory a thread has written. A load that finds others brings what another
// thread, or a function that was called before, left there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/lanes.h"

namespace lockstep {

struct MemoryAccess;

// Of the lanes of one warp. Only the accesses with kLeftInLocal are looked at (meeting_accesses.h). Without any of them
// it needs no memory.
class LocalWrites {
 public:
  // A block begins: nothing is written.
  void begin(uint64_t lane_bytes) {
    lane_bytes_ = lane_bytes;
    written_.clear();
  }
  // To be called before the access. `at`: offsets in each lane's local memory. False: it loads what is not written.
  bool note(const MemoryAccess& access, Mask mask, const std::array<uint64_t, kWarpSize>& at);
  void wrote(uint32_t lane, uint64_t offset, uint64_t bytes);
  void forget(Mask mask, uint64_t offset, uint64_t bytes);  // new variables begin there

 private:
  template <class Unit>
  bool note_units(const MemoryAccess& access, uint32_t units, Mask mask, const std::array<uint64_t, kWarpSize>& at);
  uint8_t* at(uint32_t lane, uint64_t offset) { return written_.data() + lane * lane_bytes_ + offset; }

  uint64_t lane_bytes_ = 0;
  std::vector<uint8_t> written_;  // lane_bytes_ for each lane, 0xff if written; empty: nothing is
};

}  // namespace lockstep
