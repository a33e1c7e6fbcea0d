// written_memory: which bytes of a block's shared memory, or of the local memory of a warp's lanes, the kernel has
// written. A load that finds other bytes brings what another kernel, block or thread left there.
#pragma once

#include <cstdint>
#include <vector>

#include "count/row.h"
#include "engine/observer.h"

namespace lockstep {

// Only the accesses with kLeftInShared or kLeftInLocal are looked at (meeting_accesses.h). Without any of them it needs
// no memory.
class WrittenMemory {
 public:
  // Nothing of these bytes is written.
  void begin(uint64_t bytes) {
    bytes_ = bytes;
    written_.clear();
  }
  // To be called before the access. begin: where the memory begins in this process. False: the access brings what is
  // not written. What an atomic makes of such a value does not count as written.
  bool note(const MemoryAccess& access, Mask mask, const LaneAddresses& addresses, uint64_t begin);
  bool note(const MemoryAccess& access, const Row& row);  // row: of bytes from the memory's beginning
  void wrote(uint64_t first, uint64_t count);
  void forget(uint64_t first, uint64_t count);  // new variables begin there

 private:
  uint8_t* all() {
    written_.resize(bytes_);
    return written_.data();
  }

  uint64_t bytes_ = 0;
  std::vector<uint8_t> written_;  // 0xff for each byte that is written; empty: nothing is
};

}  // namespace lockstep
