// independence: can the blocks of a kernel run at the same time, with the same results as in any order? Looks at the
// program alone. Plain loads and stores are not looked at: blocks that pass values to each other with them have no
// defined order on a card either.
#pragma once

#include "program/program.h"

namespace lockstep {

// True if no block can wait for another, learn how far another is, or leave a result that depends on the order.
bool blocks_are_independent(const Program& program);

}  // namespace lockstep
