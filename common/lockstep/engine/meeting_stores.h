// meeting_stores: the stores of a launch that may store to a place to which another thread stores. For the others, the
// sums of their addresses (program/store_places.h) prove that each thread has places of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "base/dim3.h"
#include "program/steering.h"

namespace lockstep {

class Memory;
struct Program;

// What may happen at an access, a bit each: threads meet there in this space; a load and a store race (shared_races.h).
inline constexpr uint8_t kMeetInGlobal = 1, kMeetInShared = 2, kRaceInShared = 4;

// By Program::accesses. memory: the kernel's parameters have their values there. asked: the spaces that matter.
std::vector<uint8_t> meeting_stores(const Program& program, const Memory& memory, const Dim3& block, const Dim3& grid,
                                    const Steering& asked);

}  // namespace lockstep
