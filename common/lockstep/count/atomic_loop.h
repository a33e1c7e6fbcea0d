// atomic_loop: ptxas writes a loop for an atomic that the card has no instruction for. In: the lanes' addresses and
// values. Out: the loads and tries of such a loop, counted; memory is not changed. Measured on an H200 for one warp at
// a time: if several warps use one address, the card retries and counts more.
#pragma once

#include <array>
#include <functional>

#include "count/counters.h"

namespace lockstep {

// Whether an atomic of this kind is a loop: atomics of 2 bytes; in shared memory also float adds of 4 bytes, and all
// atomics of 8 bytes except exch and cas.
bool is_atomic_loop(const MemoryAccess& access, bool in_shared);

struct AtomicLoop {
  Mask mask = 0;
  std::array<uint64_t, kWarpSize> addresses{};                // addresses in shared memory, or global addresses
  std::array<uint64_t, kWarpSize> cells{};                    // old values; of 2 bytes: the word around them
  std::function<uint64_t(uint64_t old, uint32_t lane)> next;  // the value that the lane writes
  bool leaves_if_same = false;                                // min, max: no try if the value would not change
  const uint16_t* compare = nullptr;                          // cas of 2 bytes: the value that each lane expects
};

struct LoopTraffic {
  Wavefronts loads, tries;  // counts for shared memory
  uint32_t fewest = 0;      // wavefronts of loads and tries, if no two lanes met in a bank
  uint32_t rounds = 0, load_sectors = 0, try_sectors = 0;  // counts for global memory
};

// do { load; try } while the try fails. A phase has 32 lanes of 4 bytes, or 16 of 8 bytes. In each phase the lowest
// lane of each bank tries; the phase costs two wavefronts and counts no conflict.
LoopTraffic run_cast_loop(const AtomicLoop& loop, uint32_t bytes);
// load the word; do { cas of the word } while its other half (cas) or any of it (add) has changed.
LoopTraffic run_half_loop(const AtomicLoop& loop, bool in_shared);

}  // namespace lockstep
