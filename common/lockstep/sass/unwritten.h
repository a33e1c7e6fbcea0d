// unwritten: the registers that a program may read before it has written them. What they hold then is open: on a card,
// what another variable left there.
#pragma once

#include <cstdint>
#include <vector>

#include "count/counters.h"
#include "program/program.h"
#include "sass/flow.h"

namespace lockstep {

// How the value goes on through registers. nvcc computes much before the condition under which it is used.
struct UnwrittenRead {
  // If lanes come to `pc` at most as often as to the writers together, each of them has written the register before.
  // All these instructions are counted. Left out: writers in loops that `pc` is not in.
  struct Way {
    uint32_t pc = 0;
    std::vector<uint32_t> writers{};
  };
  struct Step {
    uint32_t pc = 0;
    bool is_use = false;           // an address, a condition, or what other lanes or a function get
    std::vector<Way> ways{};       // to this instruction; one that is written is enough
    std::vector<uint32_t> next{};  // indices into `steps`: those that read what this one makes
  };
  uint32_t offset = 0;        // the register
  std::vector<Step> steps{};  // the first reads the register
};

// The reads to which some way through the program leads without a write. A way on which a predicate is both true and
// false is none: what `if (p) x = …;` writes is written in a later `if (p)`.
std::vector<UnwrittenRead> unwritten_reads(const Program& program, const FlowFacts& facts);

// Whether in a launch with these counters, by instruction, a lane may have used what it had not written.
bool is_used(const UnwrittenRead& read, const Program& program, const std::vector<InstructionCounters>& counters);

}  // namespace lockstep
