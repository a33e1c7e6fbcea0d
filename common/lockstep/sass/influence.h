// influence: the accesses of a program whose addresses, or whether they are made at all, depend on something that no
// two runs of a card need have in common: on the order in which threads happen to run, or on what a register held
// before the program wrote it. Others depend on last bits that differ between lockstep and a card.
#pragma once

#include <vector>

#include "program/program.h"
#include "sass/flow.h"
#include "sass/unwritten.h"

namespace lockstep {

struct Dependent {
  std::vector<bool> accesses;  // by Program::accesses
  std::vector<bool> branches;  // by instruction
};

// What depends on the result of an atomic, on a value that another thread may change meanwhile, or on the clock.
// Lanes leave a loop that waits for other threads, or tries again, one after the other. An H200 did not bring them
// together behind it, though BSYNC stood there. So all accesses from there to the next barrier or warp sync depend on
// the order, too.
Dependent depend_on_order(const Program& program, const FlowFacts& facts);

// What depends on a function that the hardware approximates (ex2, lg2, sin, cos, rcp, rsqrt, …): lockstep's last bits
// differ from a card's.
struct Approximated {
  // By Program::accesses: whether the address depends on one; the branches that ask about one and decide whether the
  // access is made.
  std::vector<bool> addresses;
  std::vector<std::vector<uint32_t>> deciders;
};
Approximated depend_on_approximations(const Program& program, const FlowFacts& facts);

// By Program::accesses: whether it depends on one of these reads.
std::vector<bool> depend_on_unwritten(const Program& program, const FlowFacts& facts,
                                      const std::vector<UnwrittenRead>& reads);

}  // namespace lockstep
