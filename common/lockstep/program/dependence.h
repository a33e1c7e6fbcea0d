// dependence: a Program's code → the waits of a warp that runs alone. Sets Program::costs, Instruction::stall and
// MemoryAccess::waited, for the cost model; and InstructionCost::awaits_memory, for the counter of waits. The card does
// not run PTX: ptxas moves loads forward, turns short branches into predicates, and expands divisions. This is a rough
// imitation, for one block of straight code at a time. Left out of the cost model: waits for a value that the previous
// turn of a loop made (carried).
#pragma once

#include "program/program.h"

namespace lockstep {

void note_waits(Program& program);

}  // namespace lockstep
