// frame_layout: where a function's frame keeps its registers, parameters and local variables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/align.h"
#include "program/program.h"

namespace lockstep {

// Puts the variable behind those that end at `end`, and moves the end. Returns the variable's offset.
template <class Offset>
Offset append(Offset& end, const Variable& v) {
  const Offset offset = align_up(end, std::max<uint32_t>(v.align, 1));
  end = offset + static_cast<Offset>(v.bytes);
  return offset;
}

struct ParamLayout {
  std::vector<ParamSlot> slots;
  uint32_t bytes = 0;  // the end of the last slot
};
ParamLayout lay_out(const std::vector<Variable>& params, uint32_t start = 0);

struct FrameVariables {
  std::unordered_map<std::string, uint64_t> locals;   // offsets into local memory
  std::unordered_map<std::string, ParamSlot> params;  // formal parameters, results, and the arguments of calls
};
// Sets the sizes and slots in `code`, too. The parameters of a kernel lie in the parameter block, not in the frame.
FrameVariables lay_out_variables(const Function& function, bool is_kernel, FunctionCode& code);

uint32_t width_bytes(Width width);  // of a register: 32 lanes

struct Register {
  Type type;
  uint32_t offset = 0;  // 0 until first used
};

// The registers of a function. A register gets its offset when it is first used. Presets hold a value before the first
// instruction.
class RegisterFile {
 public:
  RegisterFile(const Function& function, FunctionCode& code);

  uint32_t allocate(Width width);
  const Register* find(const std::string& name);  // null if the function does not declare it
  Width width_of(const Operand& operand);         // kNone if it is not a register
  uint32_t constant(Width width, uint64_t bits) { return preset(Preset::kBits, width, bits); }
  // variable, alignment: see Preset.
  uint32_t preset(Preset::Source source, Width width, uint64_t bits, uint64_t variable = 0, uint32_t alignment = 0);

 private:
  FunctionCode& code_;
  std::unordered_map<std::string, Register> registers_;
  std::map<std::tuple<int, int, uint64_t>, uint32_t> presets_;  // source, width, bits → offset
};

}  // namespace lockstep
