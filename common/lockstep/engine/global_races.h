// global_races: whether a warp loads a word of global memory that another warp stores in the same launch, and no
// barrier of the block orders the two. Then the card's schedule decides what the load brings.
#pragma once

#include <array>
#include <cstdint>

#include "engine/place_entries.h"
#include "engine/warp.h"

namespace lockstep {

// Of one launch. Only the accesses with kRaceInGlobal are looked at (meeting_accesses.h).
class GlobalRaces {
 public:
  // To be called before the access. `at`: addresses in this process. At a race, all loads that are looked at become
  // contested (LaunchState).
  void note(Warp& warp, const MemoryAccess& access, Mask mask, const std::array<uint64_t, kWarpSize>& at);

 private:
  PlaceEntries entries_;
};

}  // namespace lockstep
