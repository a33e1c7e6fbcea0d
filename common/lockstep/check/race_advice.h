// race_advice: how two accesses race → what that means, and the next step. Text only.
#pragma once

#include <string>

namespace lockstep {

// How the present access and the earlier one lie to each other.
struct RacePair {
  bool same_warp = false, same_block = false;
  bool both_strong = false;   // atomic or volatile, but their strength does not hold between these two threads
  bool one_atomic = false;    // and the other is plain
  bool same_write = false;    // two threads write at one instruction
  bool updates = false;       // two threads read and overwrite the element by the same instructions
  bool only_fence = false;    // all of a hand-over is there, except the reader's fence
  bool has_volatile = false;  // one is volatile
};

// Two or more lines, the last with the next step; without the indentation of the first.
std::string advice(const RacePair& race);

}  // namespace lockstep
