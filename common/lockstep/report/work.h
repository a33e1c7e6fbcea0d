// work: a launch's counters → the quantities that decide how long a card takes for it.
#pragma once

#include <cstdint>

#include "count/counters.h"

namespace lockstep {

struct Launch;

// Instructions of a warp that the card would issue, and those of them that a unit with fewer lanes executes.
struct Issued {
  uint64_t slots = 0, integer = 0, floating = 0, double_precision = 0, special = 0;
  auto operator<=>(const Issued&) const = default;
};

// Sums over the launch.
struct Work {
  uint64_t blocks = 0, threads_per_block = 0, shared_bytes = 0;  // shared: of one block
  Issued issued;
  uint64_t wavefronts = 0;                           // of shared memory, shuffles, and lines looked up in L1
  uint64_t l2_sectors = 0;                           // sectors that pass between L1 and L2
  uint64_t loaded_sectors = 0;                       // the sectors among them that loads missed in L1
  uint64_t sectors_read = 0, sectors_written = 0;    // each sector once: the traffic of the card's memory
  uint64_t atomic_sectors = 0, busiest_atomics = 0;  // all; those of the 512 bytes with the most atomics
  Chain chains, longest_chain;                       // the sum over all blocks; the slowest block's
  auto operator<=>(const Work&) const = default;
};

Work work_of(const Launch& launch, const LaunchCounters& counters);

}  // namespace lockstep
