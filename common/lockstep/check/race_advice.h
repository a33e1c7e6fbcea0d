// race_advice: how two accesses race → what that means, and the next step. Text only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/source_names.h"

namespace lockstep {

// Two accesses between which a barrier is missing: a thread that has made the first goes on to the second and does not
// wait for the others.
struct MissingBarrier {
  std::string first, second;  // "write", "read"
  uint32_t first_line = 0, second_line = 0;
  bool next_turn = false;  // the second is made in the loop's next turn
};

// How the present access and the earlier one lie to each other.
struct RacePair {
  bool same_warp = false, same_block = false;
  bool both_strong = false;   // atomic or volatile, but their strength does not hold between these two threads
  bool one_atomic = false;    // and the other is plain
  bool same_write = false;    // two threads write at one instruction
  bool updates = false;       // two threads read and overwrite the element by the same instructions
  bool only_fence = false;    // all of a hand-over is there, except the reader's fence
  bool has_volatile = false;  // one is volatile
  std::string element{};      // "s_bins[5]"
  // What the code says, if it is known (see_code).
  std::string one_step{};  // the atomic function that makes the update in one step, or with a block's scope; or empty
  bool moves = false;      // each turn of a loop gives the element to another thread
  bool narrow = false;     // the element has less than 4 bytes
  bool may_lock = false, may_signal = false;  // the kernel has a lock's operations, or a flag's
  bool may_wait = false;                      // one of the two may be the loop that waits for a lock or a flag
  std::vector<MissingBarrier> missing{};
};

// Fills in what the code says about the two. `earlier`: null if it is not known.
void see_code(RacePair& race, const SourceNames& names, const MemoryAccess& present, const MemoryAccess* earlier);

// The finding's first line, without the kernel.
std::string headline(const RacePair& race);
// Two or more lines, the last with the next step; without the indentation of the first.
std::string advice(const RacePair& race);

}  // namespace lockstep
