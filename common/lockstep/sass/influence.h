// influence: the accesses of a program whose addresses, or whether they are made at all, depend on something that no
// two runs of a card need have in common: on the order in which threads happen to run, or on what a register held
// before the program wrote it. Others depend on last bits that differ between lockstep and a card. Such values stay in
// memory, where later launches find them.
#pragma once

#include <vector>

#include "program/program.h"
#include "sass/flow.h"
#include "sass/unwritten.h"

namespace lockstep {

// By Program::accesses. Empty: none of them.
using ByAccess = std::vector<bool>;
using ByInstruction = std::vector<bool>;

struct Dependent {
  ByInstruction accesses;  // also calls of printf(), waits for other warps, and asynchronous copies
  ByInstruction executed;  // whether, or how often, lanes come to the instruction
  ByInstruction branches;
  ByAccess leaves;  // what is in memory behind it depends on the order
  // Of the accesses: those that depend on an address that serves as a number, and those that depend on shared or local
  // memory that nobody has written. They do not differ from run to run of a card, but from lockstep. Empty: none.
  ByInstruction by_address{}, by_leftover{};
  // Whether some of this comes from a race: from a plain load of what other threads change, or from the last of several
  // plain stores. Atomics alone mostly lead to the same sums and numbers in any order.
  bool races = false;
};

// The loads that find such values of earlier launches; and what a launch found itself, as in LaunchState.
struct Found {
  ByAccess ordered, approximated, contested, unwritten;
  bool any() const;
  auto operator<=>(const Found&) const = default;
};

// What depends on the result of an atomic, on a value that another thread may change meanwhile, on the clock, or on the
// multiprocessor that runs the block.
// Lanes leave a loop that waits for other threads, or tries again, one after the other. An H200 did not bring them
// together behind it, though BSYNC stood there. So all accesses from there to the next barrier or warp sync depend on
// the order, too. alone: one warp alone accesses memory, so no other thread changes a value.
// What differs from lockstep on a card, whatever the order, counts as well: addresses as numbers, and shared or local
// memory that nobody has written.
Dependent depend_on_order(const Program& program, const FlowFacts& facts, const Found& found = {}, bool alone = false);

// What depends on an approximation whose last bits may differ from a card's: a division with .approx or .full, or
// another function with .approx whose argument ptxas knows.
struct Approximated {
  ByInstruction addresses;  // whether the address depends on one
  // By instruction: the branches that ask about one and decide whether it is made. For the instructions that
  // Dependent::accesses knows.
  std::vector<std::vector<uint32_t>> deciders;
  // By instruction: the branches that ask whether such a value equals another one. That all lanes give one answer does
  // not make it certain: a sum that was made twice is the same or not.
  std::vector<bool> equalities;
  ByAccess leaves;  // what is in memory behind it has such last bits, as a sum of floats that atomics make has
};
// found: the loads that find such last bits of an earlier launch in memory.
Approximated depend_on_approximations(const Program& program, const FlowFacts& facts, const ByAccess& found = {});

// Both, of one launch.
struct Dependence {
  Dependent order;
  Approximated bits;
};
Dependence dependence(const Program& program, const FlowFacts& facts, const Found& found = {}, bool alone = false);
// On what a launch depends: by itself, and with what earlier launches left in memory.
struct Dependences {
  const Dependence &own, &all;
};

// Whether an access, or a call of printf(), depends on one of these reads.
ByInstruction depend_on_unwritten(const Program& program, const FlowFacts& facts,
                                  const std::vector<UnwrittenRead>& reads);

}  // namespace lockstep
