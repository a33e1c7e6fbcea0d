// watched_accesses: a launch → the accesses that lockstep must watch, because threads may meet at one place there, or
// because a load may find local memory that nobody wrote. What lies at such a place may differ on a card.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/launch.h"
#include "program/program.h"
#include "sass/lane_pairs.h"
#include "sass/shared_pairs.h"

namespace lockstep {

struct Watched {
  MeetingAccesses accesses{};                            // as Launch::meeting
  std::set<std::pair<uint32_t, uint32_t>> lane_pairs{};  // as Launch::lane_pairs
};

class WatchedAccesses {
 public:
  explicit WatchedAccesses(const Memory& memory) : memory_(memory) {}

  // steering: the spaces in which values steer accesses of some kernel; others need no watch.
  Watched of(const Program& program, const LaunchShape& shape, const Steering& steering);
  void forget_programs() {
    shared_pairs_.clear();
    lane_pairs_.clear();
  }

 private:
  void add_warps(const Program& program, Watched& watched);
  void add_lanes(const Program& program, const LaunchShape& shape, const Steering& steering, Watched& watched);

  const Memory& memory_;
  std::map<const Program*, std::vector<SharedPair>> shared_pairs_;
  std::map<const Program*, std::vector<LanePair>> lane_pairs_;
};

}  // namespace lockstep
