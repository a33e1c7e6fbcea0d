// watched_accesses: a launch → the accesses that lockstep must watch, because threads may meet at one place there, or
// because a load may find local memory that nobody wrote. What lies at such a place may differ on a card.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/launch.h"
#include "program/program.h"
#include "sass/shared_pairs.h"

namespace lockstep {

class WatchedAccesses {
 public:
  explicit WatchedAccesses(const Memory& memory) : memory_(memory) {}

  // As Launch::meeting. steering: the spaces in which values steer accesses of some kernel; others need no watch.
  std::vector<uint8_t> of(const Program& program, const LaunchShape& shape, const Steering& steering);
  void forget_programs() { shared_pairs_.clear(); }

 private:
  const Memory& memory_;
  std::map<const Program*, std::vector<SharedPair>> shared_pairs_;
};

}  // namespace lockstep
