#include "sass/makers.h"

#include "program/register_use.h"

namespace lockstep {

std::vector<uint32_t> functions_of(const Program& program) {
  std::vector<uint32_t> function(program.code.size(), 0);
  for (uint32_t f = 0; f < program.functions.size(); ++f)
    for (uint32_t pc = program.functions[f].entry; pc < function.size(); ++pc) function[pc] = f;
  return function;
}

Places makers_of(const Program& program) {
  Places makers;
  const std::vector<uint32_t> function = functions_of(program);
  for (uint32_t pc = 0; pc < program.code.size(); ++pc)
    for_each_destination(program, program.code[pc], [&](uint32_t offset) {
      makers[{function[pc], offset}].push_back(pc);
    });
  return makers;
}

std::map<Register, Preset> constants_of(const Program& program) {
  std::map<Register, Preset> constants;
  for (uint32_t f = 0; f < program.functions.size(); ++f)
    for (const Preset& preset : program.functions[f].presets)
      if (preset.source == Preset::kBits) constants[{f, preset.offset}] = preset;
  return constants;
}

bool is_address(const Preset& constant) {
  constexpr uint64_t kLeastAddress = uint64_t{1} << 32;  // a smaller one is a number
  return constant.width == Width::k64 && constant.bits >= kLeastAddress && constant.bits < kSharedWindow;
}

}  // namespace lockstep
