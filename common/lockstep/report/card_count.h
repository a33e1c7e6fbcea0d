// card_count: the accesses of a launch that has ended → what a card counts for them, and why it may count another
// number.
#pragma once

#include <string>
#include <vector>

#include "engine/launch_state.h"
#include "sass/forms.h"

namespace lockstep {

// One access of a launch as the card counts it.
struct CardCount {
  MemoryAccess by_ptx, access;  // `access` has the card's kind
  InstructionCounters counts;
  std::string doubt, note;       // empty: none
  bool changed = false;          // the card makes another access than PTX
  bool looks_in_shared = false;  // for the address of an atomic of global memory
  bool varies = false;           // another run may make it more or less often
};

// A launch that has ended, and what its counters mean.
struct Ended {
  const Launch& launch;
  const LaunchCounters& counters;
  const Forms& forms;
  Dependences depends;
  bool parted = false;             // lanes of a warp went different ways
  bool grouped = false;            // they named groups of lanes, as tiles of a warp do
  std::vector<bool> went_alone{};  // by instruction: what lanes came to that did not wait for others where they meet

  Ended(const Launch& of, const LaunchCounters& counts, const Forms& made, const Dependences& on);
};

// Of an access that some warp made, and of one that none came to in the PTX.
CardCount card_count(const Ended& ended, const MemoryAccess& access);
CardCount card_count_of_nobody(const Ended& ended, const MemoryAccess& access);

// Why a wait for other warps, or an asynchronous copy, may be counted otherwise in another run of a card. Empty: there
// is no reason.
std::string order_doubt(const Ended& ended, uint32_t pc);

// The reason for a number that depends on the order of threads.
std::string by_order();

// Why a card may count these calls of printf() otherwise. Empty: it counts the same.
std::string print_doubt(const Ended& ended, uint32_t pc, const PrintCounters& calls);

}  // namespace lockstep
