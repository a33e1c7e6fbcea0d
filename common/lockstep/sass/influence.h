// influence: the accesses of a program whose addresses, or whether they are made at all, depend on something that no
// two runs of a card need have in common: on the order in which threads happen to run, or on what a register held
// before the program wrote it.
#pragma once

#include <vector>

#include "program/program.h"
#include "sass/flow.h"
#include "sass/unwritten.h"

namespace lockstep {

// By Program::accesses: whether it depends on the result of an atomic, on a value that another thread may change
// meanwhile, or on the clock.
std::vector<bool> depend_on_order(const Program& program, const FlowFacts& facts);

// By Program::accesses: whether it depends on one of these reads.
std::vector<bool> depend_on_unwritten(const Program& program, const FlowFacts& facts,
                                      const std::vector<UnwrittenRead>& reads);

}  // namespace lockstep
