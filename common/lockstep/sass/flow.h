// flow: the instructions of a kernel as a graph → in how many loops each of them lies, and whether a turn of the
// innermost loop can leave it out. The same question is asked of PTX and of machine code, so the answers can be
// compared.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

struct Flow {
  std::vector<std::vector<uint32_t>> successors;  // by instruction; the number of instructions: the end
  std::vector<uint32_t> roots;                    // where the kernel and each of its functions begin
  uint32_t end() const { return static_cast<uint32_t>(successors.size()); }
};

inline constexpr uint32_t kNoLoop = 0xffffffffu;

struct Place {
  uint32_t loops = 0;         // that contain the instruction
  uint32_t outer = kNoLoop;   // the first instruction of the outermost of them
  bool conditional = false;   // there is a way from the loop's (without a loop: the function's) begin that leaves it out
};

// One for each instruction.
std::vector<Place> places(const Flow& flow);

}  // namespace lockstep
