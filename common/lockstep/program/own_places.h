// own_places: the stores whose addresses tell the threads of a launch apart. Such an address is a sum of products that
// contains the number of the thread in its block, and the number of the block. Other stores may meet at one place.
// Left out: threads that meet by constants that are added, as in a[i] and a[i + 1].
#pragma once

#include "program/program.h"

namespace lockstep {

// The numbers of a thread and of its block, in each dimension. A bit each.
inline constexpr uint8_t number_bit(Special special) {
  const auto thread = static_cast<int>(special) - static_cast<int>(Special::kTidX);
  const auto block = static_cast<int>(special) - static_cast<int>(Special::kCtaidX);
  if (thread >= 0 && thread < 3) return static_cast<uint8_t>(1 << thread);
  return block >= 0 && block < 3 ? static_cast<uint8_t>(8 << block) : 0;
}
inline constexpr uint8_t kThreadNumbers = 7;

// Sets MemoryAccess::numbers of each store to global or shared memory.
void note_own_places(Program& program);

}  // namespace lockstep
