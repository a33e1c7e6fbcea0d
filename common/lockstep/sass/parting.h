// parting: the instructions that lanes of one warp may execute in either order, because they took different ways: they
// parted at a branch, and nothing brought them together between the branch and the two instructions. A card may run
// either side of a branch first.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "program/program.h"
#include "sass/flow.h"

namespace lockstep {

// By instruction: the branches at which lanes of a warp may part. Such a branch asks about the number of a thread,
// about what lanes loaded from different places, or about what lanes made that had parted before.
std::vector<bool> parting_branches(const Program& program, const FlowFacts& facts);

class Parting {
 public:
  Parting(const Program& program, const FlowFacts& facts);
  // Whether one lane may come to `one` while another lane comes to `other` on another side of a branch, before both are
  // together again.
  bool are_on_two_sides(uint32_t one, uint32_t other) const;
  // Whether one lane may come there in another turn of a loop than the other lane. Lanes leave the loop in different
  // turns, and nothing in it brings them together. ptxas unrolls such a loop, and then lanes wait for each other behind
  // the copies, not in each turn.
  bool are_in_two_turns(uint32_t one, uint32_t other);

 private:
  using Reached = std::vector<bool>;  // by instruction
  Reached reached(uint32_t first, uint32_t until) const;
  const Reached& reached_from(uint32_t first);

  struct Side {
    uint32_t branch = 0, side = 0;
  };
  const Program& program_;
  const FlowFacts& facts_;
  std::vector<std::vector<Side>> sides_;  // by instruction: that lead there, in the order of the branches
  std::set<uint32_t> left_apart_;         // the loops that lanes may leave in different turns
  std::map<uint32_t, Reached> reached_from_;
};

}  // namespace lockstep
