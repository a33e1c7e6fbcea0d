// dependence: a Program's code → the waits of a warp that runs alone. Sets Program::costs, Instruction::stall and
// MemoryAccess::waited, for the cost model. The card does not run PTX: ptxas moves loads forward, turns short branches
// into predicates, and expands divisions. This is a rough imitation, for one block of straight code at a time. Left
// out: waits for a value that the previous turn of a loop made.
#pragma once

#include "program/program.h"

namespace lockstep {

void note_waits(Program& program);

}  // namespace lockstep
