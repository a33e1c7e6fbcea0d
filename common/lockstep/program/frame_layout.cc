#include "program/frame_layout.h"

#include "program/special_registers.h"

namespace lockstep {

ParamLayout lay_out(const std::vector<Variable>& params, uint32_t start) {
  ParamLayout layout;
  layout.bytes = start;
  for (const Variable& v : params) layout.slots.push_back({append(layout.bytes, v), static_cast<uint32_t>(v.bytes)});
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
      variables.locals[v.name] = append(local_end, v);
    } else if (v.space == Space::kParam) {
      variables.params[v.name] = {append(code.param_bytes, v), static_cast<uint32_t>(v.bytes)};
    }
  }
  code.param_bytes = align_up(code.param_bytes, 16);
  code.local_bytes = align_up(local_end, 16);
  return variables;
}

uint32_t width_bytes(Width width) {
  static constexpr uint32_t kBytesOfLane[] = {0, 0, 2, 4, 8, 16};  // in the order of Width
  return width == Width::kPred ? sizeof(Mask) : kBytesOfLane[static_cast<size_t>(width)] * kWarpSize;
}

RegisterFile::RegisterFile(const Function& function, FunctionCode& code) : code_(code) {
  code_.register_bytes = 64;  // offset 0 is never a register, 8 is the carry; then aligned for vector loads
  for (const RegisterDeclaration& r : function.registers) registers_[r.name] = {r.type};
}

uint32_t RegisterFile::allocate(Width width) {
  const uint32_t bytes = std::max<uint32_t>(width_bytes(width), 8);
  const uint32_t offset = align_up(code_.register_bytes, std::min<uint32_t>(bytes, 64));
  code_.register_bytes = offset + bytes;
  return offset;
}

const Register* RegisterFile::find(const std::string& name) {
  const auto found = registers_.find(name);
  if (found == registers_.end()) return nullptr;
  if (found->second.offset == 0) found->second.offset = allocate(lockstep::width_of(found->second.type));
  return &found->second;
}

uint32_t RegisterFile::preset(Preset::Source source, Width width, uint64_t bits, uint64_t variable,
                              uint32_t alignment) {
  uint32_t& offset = presets_[{source, static_cast<int>(width), bits}];
  if (offset == 0) {
    offset = allocate(width);
    code_.presets.push_back({source, width, offset, bits, variable, alignment});
  }
  return offset;
}

Width RegisterFile::width_of(const Operand& operand) {
  if (operand.kind != Operand::kRegister) return Width::kNone;
  if (const auto special = find_special(operand.name)) return special_width(*special);
  const Register* r = find(operand.name);
  return r ? lockstep::width_of(r->type) : Width::kNone;
}

}  // namespace lockstep
