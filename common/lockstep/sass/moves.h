// moves: whether ptxas may have moved an access to another place of its function. ptxas loads a value where the program
// uses it, or earlier. The two sides of a branch ask the same comparison, so the comparison does not tell them apart.
// The use of the value does.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"
#include "sass/flow.h"

namespace lockstep {

// function: functions_of(program).
bool may_move(const Program& program, const FlowFacts& facts, const std::vector<uint32_t>& function,
              const MemoryAccess& access, uint32_t to);

}  // namespace lockstep
