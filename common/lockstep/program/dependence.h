// dependence: a Program's code → what a warp that is alone waits for. Fills in Program::costs, Instruction::stall and
// MemoryAccess::waited, for the cost model. PTX is not what the card runs: ptxas moves loads forward, turns short
// branches into predicates, expands divisions. That is imitated here roughly, block by block of straight code; what a
// value costs that one turn of a loop hands to the next is left out.
#pragma once

#include "program/program.h"

namespace lockstep {

void note_waits(Program& program);

}  // namespace lockstep
