// uniform: the comparisons of a Program whose answer is the same for all lanes of a warp, because they compare only
// parameters, constants, and numbers of the block and the grid. What is unknown is not uniform: a register that several
// instructions write, and what is read from memory that may change.
#pragma once

#include <set>

#include "program/program.h"
#include "sass/flow.h"

namespace lockstep {

// The lines of the PTX that compare, and whose every comparison is uniform.
Conditions uniform_comparisons(const Program& program);

}  // namespace lockstep
