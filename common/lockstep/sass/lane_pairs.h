// lane_pairs: where two lanes of one warp may race, because they took different ways (parting.h). Whether they do is
// seen when the kernel runs (engine/lane_races.h).
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace lockstep {

// By Program::accesses: one that brings a value to the thread, and one that changes memory. The one may be executed
// before or after the other.
struct LanePair {
  uint32_t brings = 0, changes = 0;
  bool plain = true;  // neither is an atomic
};
std::vector<LanePair> lane_pairs_of(const Program& program);

}  // namespace lockstep
