// control_flow: a function's statements → where the two sides of each branch meet again.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace lockstep {

// For each statement: the index of the statement at which lanes that part there are together again (the branch's
// immediate post-dominator), or kNowhere if they meet only at the function's end. Defined for branches; kNowhere
// for all others.
std::vector<uint32_t> reconvergence_points(const Function& function);

}  // namespace lockstep
