// control_flow: a function's statements → for each branch, the statement at which its two sides meet again.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace lockstep {

// For each branch: the index of the statement at which lanes that diverged there are together again (the immediate
// post-dominator), or kNowhere if they meet only at the end of the function. For all other statements: kNowhere.
std::vector<uint32_t> reconvergence_points(const Function& function);

// By statement: whether lanes that diverged may come here on several forward ways before the place where all of them
// are together again. Machine code often brings such lanes together here.
std::vector<bool> early_meetings(const Function& function);

// The statements in runs. A run is executed from its first to its last statement: blocks that only follow each other
// are one run, whether a jump stands between them or not. Left out: what cannot be reached.
std::vector<std::vector<uint32_t>> straight_runs(const Function& function);

}  // namespace lockstep
