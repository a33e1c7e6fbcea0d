// lane_races: whether a lane loads a word that another lane of its warp stores, on another side of a branch or in
// another turn of a loop. A card may run either of them first.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/observer.h"

namespace lockstep {

// Of one warp. Only the accesses with kRaceInWarp are looked at (meeting_accesses.h).
class LaneRaces {
 public:
  // To be called at each access. unit: as in MeetingAccesses; one for all accesses. pairs: as Launch::lane_pairs. If
  // lanes race, the access that brings a value becomes contested (LaunchState).
  void note(const MemoryAccess& access, Mask mask, const LaneAddresses& addresses, uint32_t unit,
            const std::set<std::pair<uint32_t, uint32_t>>& pairs, std::vector<bool>& contested);
  // A barrier, a warp sync or a collective has brought lanes together.
  void begin_interval() { ++interval_; }
  void begin_block() {
    begin_interval();
    places_.clear();
  }

 private:
  // The lanes that came to a place since they were together.
  struct Place {
    uint64_t interval = 0;
    std::map<uint32_t, Mask> lanes{};  // by access
  };
  uint64_t interval_ = 0;
  std::unordered_map<uint64_t, Place> places_;  // by address
};

}  // namespace lockstep
