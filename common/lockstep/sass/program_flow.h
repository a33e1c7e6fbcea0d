// program_flow: a Program → its flow, in the terms of the PTX's lines; and which of its accesses depend on the order in
// which threads happen to run, so that no two runs of a card need count the same.
#pragma once

#include <vector>

#include "program/program.h"
#include "sass/flow.h"

namespace lockstep {

Flow flow_of(const Program& program);

// By Program::accesses: whether the address of the access, or whether it is made at all, depends on the result of an
// atomic, on a value that another thread may change meanwhile, or on the clock.
std::vector<bool> depend_on_order(const Program& program, const FlowFacts& facts);

}  // namespace lockstep
