// collective: what shfl, vote, match, redux and elect compute, given the lanes that take part.
#pragma once

#include <array>

#include "program/program.h"

namespace lockstep {

// `active`: the lanes that execute it together.
void run_collective(const Collective& collective, std::byte* registers, Mask active);
// For each lane the lane whose value this shuffle gives it.
std::array<int32_t, kWarpSize> shuffle_sources(const Collective& shuffle, const std::byte* registers);

}  // namespace lockstep
