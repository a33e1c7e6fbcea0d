// meeting_accesses: the stores and atomics of a launch that may write to a place to which another thread writes, and
// the accesses of an array to which several parameters point, where a thread may load what another one stores. For the
// others, the sums of their addresses (program/access_places.h) prove that each thread has places of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "base/dim3.h"
#include "program/steering.h"

namespace lockstep {

class Memory;
struct Program;

// What may happen at an access, a bit each: threads meet there in this space; a load and a store of two warps race
// (global_races.h, shared_races.h); two accesses of lanes of one warp race (lane_races.h); a load finds memory of this
// space that nobody wrote (written_memory.h).
inline constexpr uint8_t kMeetInGlobal = 1, kMeetInShared = 2, kRaceInShared = 4, kRaceInGlobal = 8, kRaceInWarp = 16,
                         kLeftInLocal = 32, kLeftInShared = 64;

// By Program::accesses; both are empty if nothing is noted.
struct MeetingAccesses {
  std::vector<uint8_t> what{};  // the bits above
  // Notes are made for each 1, 2 or 4 bytes: the size of the smallest access that may come to the same memory. So a
  // load of a byte meets a store of the word in which it lies.
  std::vector<uint8_t> units{};
};

// memory: the kernel's parameters have their values there. asked: the spaces that matter.
MeetingAccesses meeting_accesses(const Program& program, const Memory& memory, const Dim3& block, const Dim3& grid,
                                 const Steering& asked);

}  // namespace lockstep
