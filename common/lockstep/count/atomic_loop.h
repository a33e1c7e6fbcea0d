// atomic_loop: atomics that the card has no instruction for are loops that ptxas writes: lanes' addresses and values →
// the loads and tries of such a loop, counted. Changes no memory. Measured on an H200 for one warp at a time; where
// several warps are at one address, those that come too late try again, and the card counts more.
#pragma once

#include <array>
#include <functional>

#include "count/counters.h"

namespace lockstep {

// Whether an atomic of this kind is a loop: 2 bytes everywhere; in shared memory also the float adds of 4 bytes, and of
// 8 bytes all but exch and cas.
bool is_atomic_loop(const MemoryAccess& access, bool in_shared);

struct AtomicLoop {
  Mask mask = 0;
  std::array<uint64_t, kWarpSize> addresses{};                // in shared memory, or global ones
  std::array<uint64_t, kWarpSize> cells{};                    // what lies there before; 2 bytes: the word around it
  std::function<uint64_t(uint64_t old, uint32_t lane)> next;  // what the lane wants there
  bool leaves_if_same = false;                                // min, max: no try where nothing would change
  const uint16_t* compare = nullptr;                          // cas of 2 bytes: what each lane expects
};

struct LoopTraffic {
  Wavefronts loads, tries;                                 // in shared memory
  uint32_t rounds = 0, load_sectors = 0, try_sectors = 0;  // in global memory
};

// do { load; try } while it failed. Of the lanes of a phase (32 of 4 bytes, 16 of 8) one a bank is tried at a time, the
// lowest; a phase costs two wavefronts and counts no conflict.
LoopTraffic run_cast_loop(const AtomicLoop& loop, uint32_t bytes);
// load the word; do { cas of the word } while its other half changed (cas) or anything did (add).
LoopTraffic run_half_loop(const AtomicLoop& loop, bool in_shared);

}  // namespace lockstep
