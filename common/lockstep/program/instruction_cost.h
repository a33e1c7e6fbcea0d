// instruction_cost: the cost of one instruction on the card, for the cost model.
#pragma once

#include <cstdint>

namespace lockstep {

// The units that limit how many instructions a multiprocessor takes in a cycle.
enum class Pipe : uint8_t { kNone, kInteger, kFloat, kDouble, kSpecial, kShuffle };

struct InstructionCost {
  Pipe pipe = Pipe::kNone;
  uint8_t slots = 0;     // the number of instructions that ptxas makes of it
  uint16_t latency = 0;  // cycles until its result is there, without the time of a load
};

}  // namespace lockstep
