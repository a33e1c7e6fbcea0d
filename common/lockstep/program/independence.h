// independence: can the blocks of a kernel run at the same time, and each find and leave the same as in any order?
// Looks at the program alone. What plain loads and stores do is not asked: blocks that pass values to each other by
// these have no defined order on a card either.
#pragma once

#include "program/program.h"

namespace lockstep {

// True if no block can wait for another, learn how far another is, or leave a result that depends on the order.
bool blocks_are_independent(const Program& program);

}  // namespace lockstep
