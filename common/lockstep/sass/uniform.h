// uniform: the values of a Program that are the same for all lanes of a warp, or of a launch, because they are made of
// parameters and constants; for a warp, also of the numbers of the block. What is unknown is not uniform: a register
// that several instructions write, and what is read from memory that may change.
#pragma once

#include <map>
#include <set>

#include "program/program.h"
#include "sass/flow.h"
#include "sass/makers.h"

namespace lockstep {

enum class Among : uint8_t { kWarp, kLaunch };

// Whether the register holds the same value for all lanes from the beginning.
bool is_uniform(const Preset& preset, Among among);

class Uniform {
 public:
  Uniform(const Program& program, Among among);
  // Whether the instruction writes the same value for all lanes, whenever they execute it.
  bool instruction(uint32_t pc);
  // Whether this register, in the function of the instruction, is the same for all lanes.
  bool at(uint32_t pc, uint32_t offset) { return is_same({function_[pc], offset}); }

 private:
  bool is_parameter(const Instruction& in) const;
  bool is_same(Register one);

  const Program& program_;
  std::vector<uint32_t> function_;
  Places makers_;
  std::map<Register, bool> presets_;
  std::map<uint32_t, bool> known_;
};

// The lines of the PTX that compare, and whose every comparison is uniform in a warp.
Conditions uniform_comparisons(const Program& program);

}  // namespace lockstep
