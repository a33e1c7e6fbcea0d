#include "program/frame_layout.h"

#include <algorithm>

#include "base/align.h"

namespace lockstep {

ParamLayout lay_out(const std::vector<Variable>& params, uint32_t start) {
  ParamLayout layout;
  layout.bytes = start;
  for (const Variable& v : params) {
    layout.bytes = align_up(layout.bytes, std::max<uint32_t>(v.align, 1));
    layout.slots.push_back({layout.bytes, static_cast<uint32_t>(v.bytes)});
    layout.bytes += static_cast<uint32_t>(v.bytes);
  }
  return layout;
}

FrameVariables lay_out_variables(const Function& function, bool is_kernel, FunctionCode& code) {
  FrameVariables variables;
  const auto add = [&](const std::vector<Variable>& list, uint32_t start, std::vector<ParamSlot>& slots) {
    const ParamLayout layout = lay_out(list, start);
    slots = layout.slots;
    for (size_t i = 0; i < list.size(); ++i) variables.params[list[i].name] = slots[i];
    return layout.bytes;
  };
  const uint32_t params_end = add(function.params, 0, code.params);
  if (!is_kernel) code.param_bytes = add(function.results, params_end, code.results);
  uint64_t local_end = 0;
  for (const Variable& v : function.variables) {
    if (v.space == Space::kLocal) {
      local_end = align_up(local_end, std::max<uint32_t>(v.align, 1));
      variables.locals[v.name] = local_end;
      local_end += v.bytes;
    } else if (v.space == Space::kParam) {
      code.param_bytes = align_up(code.param_bytes, std::max<uint32_t>(v.align, 1));
      variables.params[v.name] = {code.param_bytes, static_cast<uint32_t>(v.bytes)};
      code.param_bytes += static_cast<uint32_t>(v.bytes);
    }
  }
  code.param_bytes = align_up(code.param_bytes, 16);
  code.local_bytes = align_up(local_end, 16);
  return variables;
}

}  // namespace lockstep
