// moves: whether ptxas may have moved an access to another place of its function. It loads a value where it is used, or
// earlier. The sides of a branch ask the same comparison: only one of them uses the value.
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
