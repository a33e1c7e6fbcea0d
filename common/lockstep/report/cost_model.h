// cost_model: the work of a launch and a card → how long the card would take. The time is modelled, never measured;
// docs/model.md shows how far it is from times that we have measured. Pure arithmetic.
//
// A launch takes a fixed time plus the time of its slowest part: memory, the L2 cache, wavefronts of L1 and shared
// memory, issuing instructions, atomics at one address, or the chain of waits of a block's warps, wave after wave of
// blocks. The other parts add a little, since two parts never overlap completely.
#pragma once

#include "report/cards.h"
#include "report/work.h"

namespace lockstep {

// In microseconds. Each part is its time if it were alone, without the launch itself. blocks: the time to start all
// blocks.
struct ModelledTime {
  double us = 0;
  const char* bound = "";  // the largest part
  double launch = 0, dram = 0, l2 = 0, shared = 0, issue = 0, atomics = 0, latency = 0, blocks = 0;
};

// False: the card cannot hold a block of this shape.
bool fits(const Work& work, const Card& card);
ModelledTime modelled_time(const Work& work, const Card& card);

}  // namespace lockstep
