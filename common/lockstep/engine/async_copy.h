// async_copy: starts copies (cp.async and bulk copies) and makes them happen. A copy happens at the last moment that
// PTX allows: when its lane waits for its group, when a thread waits for the mbarrier that tracks it, or when its lane
// ends. So a missing wait gives a wrong answer here, too.
#pragma once

#include "program/program.h"

namespace lockstep {

class Block;

void run_async(Warp& warp, const AsyncUse& use, Mask mask);  // one instruction
void finish_copies(Warp& warp, Mask lanes);                  // the lanes end: all their copies happen

// Makes one copy or arrival of the block happen that the mbarrier at this address (within shared memory) waits for.
// False: there is none.
bool advance_copies(Block& block, uint64_t mbarrier);

}  // namespace lockstep
