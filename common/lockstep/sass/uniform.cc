#include "sass/uniform.h"

#include "program/register_use.h"

namespace lockstep {
namespace {

bool is_uniform(Special special, Among among) {
  switch (special) {
    case Special::kNtidX:
    case Special::kNtidY:
    case Special::kNtidZ:
    case Special::kNctaidX:
    case Special::kNctaidY:
    case Special::kNctaidZ:
    case Special::kGridId:
    case Special::kDynamicSharedBytes:
    case Special::kTotalSharedBytes:
    case Special::kZero:
    case Special::kOne: return true;
    case Special::kCtaidX:
    case Special::kCtaidY:
    case Special::kCtaidZ: return among == Among::kWarp;
    default: return false;
  }
}

}  // namespace

bool is_uniform(const Preset& preset, Among among) {
  return preset.source == Preset::kBits ||
         (preset.source == Preset::kSpecial && is_uniform(static_cast<Special>(preset.bits), among));
}

Uniform::Uniform(const Program& program, Among among)
    : program_(program), function_(functions_of(program)), makers_(makers_of(program)) {
  for (uint32_t f = 0; f < program.functions.size(); ++f)
    for (const Preset& preset : program.functions[f].presets) presets_[{f, preset.offset}] = is_uniform(preset, among);
}

bool Uniform::instruction(uint32_t pc) {
  const auto [known, is_new] = known_.try_emplace(pc, false);  // false: a loop comes back here
  if (!is_new) return known->second;
  const Instruction& in = program_.code[pc];
  bool uniform = in.kind == Kind::kAlu || is_parameter(in);
  for_each_source(program_, in, [&](uint32_t offset) { uniform = uniform && is_same({function_[pc], offset}); });
  return known_[pc] = uniform;
}

bool Uniform::is_parameter(const Instruction& in) const {
  return in.kind == Kind::kMemory && program_.accesses[in.index].op == MemoryOp::kLoad &&
         program_.accesses[in.index].space == Space::kConst;
}

bool Uniform::is_same(Register one) {
  if (const auto preset = presets_.find(one); preset != presets_.end()) return preset->second;
  const auto makers = makers_.find(one);
  return makers != makers_.end() && makers->second.size() == 1 && instruction(makers->second[0]);
}

Conditions uniform_comparisons(const Program& program) {
  Uniform uniform(program, Among::kWarp);
  std::map<uint32_t, bool> by_line;
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    if (program.code[pc].kind != Kind::kAlu || !program.names[pc].starts_with("setp.")) continue;
    const auto [line, is_new] = by_line.try_emplace(program.locations[pc].ptx_line, true);
    line->second = line->second && uniform.instruction(pc);
  }
  Conditions found;
  for (const auto& [line, same] : by_line)
    if (same) found.insert(line);
  return found;
}

}  // namespace lockstep
