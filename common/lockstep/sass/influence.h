// influence: the accesses of a program whose addresses, or whether they are made at all, depend on something that no
// two runs of a card need have in common: on the order in which threads happen to run, or on what a register held
// before the program wrote it.
#pragma once

#include <vector>

#include "program/program.h"
#include "sass/flow.h"
#include "sass/unwritten.h"

namespace lockstep {

// What depends on the result of an atomic, on a value that another thread may change meanwhile, or on the clock.
struct OrderDependence {
  std::vector<bool> accesses;  // by Program::accesses
  std::vector<bool> branches;  // by instruction
};
// Lanes leave a loop that waits for other threads, or tries again, one after the other. An H200 did not bring them
// together behind it, though BSYNC stood there. So all accesses from there to the next barrier or warp sync depend on
// the order, too.
OrderDependence depend_on_order(const Program& program, const FlowFacts& facts);

// By Program::accesses: whether it depends on one of these reads.
std::vector<bool> depend_on_unwritten(const Program& program, const FlowFacts& facts,
                                      const std::vector<UnwrittenRead>& reads);

}  // namespace lockstep
