// shared_races: whether a warp loads a word of shared memory that another warp of the block stores, and no barrier of
// the block orders the two; or a word that an asynchronous copy may still write. Then the card's schedule decides what
// the load brings.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/observer.h"

namespace lockstep {

class Warp;

// Of one block. Only the accesses with kRaceInShared are looked at (meeting_accesses.h).
class SharedRaces {
 public:
  // To be called before an access to the block's shared memory. interval: another one behind each barrier of all
  // threads. copied: it loads what an asynchronous copy may still write. At a race, all loads that are looked at become
  // contested (LaunchState).
  void note(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses, uint64_t interval,
            bool copied);

 private:
  static constexpr uint32_t kNobody = ~0u, kSeveral = ~0u - 1;  // else the number of a warp in its block

  // The accesses to a place since the last barrier.
  struct Place {
    uint64_t interval = 0;
    uint32_t writer = kNobody, reader = kNobody;
  };
  std::vector<Place> places_;  // of MeetingAccesses::units bytes each; all accesses to shared memory have one
};

}  // namespace lockstep
