// host_uses: which bytes of the memory that the host reaches one launch used. In: its accesses, and the records that
// races.h keeps of them. Out: ranges, for the program's process, which watches whether its host waits.
#pragma once

#include <cstdint>
#include <vector>

#include "base/task.h"
#include "check/races.h"
#include "check/shadow.h"
#include "engine/memory.h"

namespace lockstep {

class HostUses {
 public:
  explicit HostUses(const Memory& memory) : memory_(memory), pages_(memory.reserved() / kPage + 1) {}

  bool allocated(uint64_t address, uint64_t end);  // `end` behind the allocation's pages; false: no memory
  void freed(uint64_t address, uint64_t end);
  // bytes: offsets of the lanes' data.
  void note(Mask mask, const uint64_t* bytes);
  // The uses since the last call, which the launch of these segments made.
  std::vector<HostUse> take(const Cells& cells, SegmentId first, const Program& program);

 private:
  static constexpr uint64_t kPage = 4096;
  enum : uint8_t { kReached = 1, kNoted = 2 };

  const Memory& memory_;
  Shadow<uint8_t> pages_;
  bool any_ = false;
  std::vector<uint64_t> noted_;  // pages
};

}  // namespace lockstep
