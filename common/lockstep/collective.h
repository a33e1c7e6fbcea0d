// collective: what shfl, vote, match, redux and elect compute, given the lanes that take part.
#pragma once

#include "instruction.h"
#include "program.h"

namespace lockstep {

// `active`: the lanes that execute it together.
void run_collective(const Collective& collective, std::byte* registers, Mask active);

}  // namespace lockstep
