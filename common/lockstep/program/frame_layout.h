// frame_layout: where a function's frame keeps its variables that are not in registers.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "program/function_code.h"
#include "ptx/module.h"

namespace lockstep {

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

}  // namespace lockstep
