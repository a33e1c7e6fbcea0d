// turns: how often a loop of a program turns, where constants alone decide it. A counter begins with a constant, each
// turn adds a constant to it, and at the end of each turn it is compared with a constant. nvcc fills an array with such
// a loop: `float sums[64] = {};`.
#pragma once

#include <cstdint>

#include "program/program.h"
#include "sass/flow.h"

namespace lockstep {

// loop: its first instruction. 0: not known, or more than 65,536.
uint32_t turns_of(const Program& program, const FlowFacts& facts, uint32_t loop);

}  // namespace lockstep
