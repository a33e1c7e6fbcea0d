#include "sass/pairs.h"

namespace lockstep {

Pairs::Pairs(const Program& program, const MachineKernel& machine) : program_(program) {
  std::set<uint32_t> accessing;  // lines
  for (uint32_t pc = 0; pc < program.code.size(); ++pc)
    if (const Kind kind = program.code[pc].kind; kind != Kind::kAlu && kind != Kind::kJoin)
      accessing.insert(program.locations[pc].ptx_line);
  for (const MachineAccess& one : machine.accesses) {
    at_[one.line].push_back(&one);
    if (one.space != Space::kLocal && !accessing.contains(one.line)) elsewhere_.push_back(&one);
  }
}

Machine Pairs::of(const MemoryAccess& access) const {
  Machine result;
  for (const MachineAccess* one : at(line_of(access)))
    if (same_class(access.op, one->kind)) result.push_back(one);
  return result;
}

const Machine& Pairs::at(uint32_t line) const {
  static const Machine kNone;
  const auto there = at_.find(line);
  return there == at_.end() ? kNone : there->second;
}

bool same_class(MemoryOp op, MachineAccess::Class kind) {
  if (op == MemoryOp::kLoad) return kind == MachineAccess::kLoad;
  if (op == MemoryOp::kStore) return kind == MachineAccess::kStore;
  return kind == MachineAccess::kAtomic || kind == MachineAccess::kReduction;
}

std::multiset<std::pair<uint32_t, Conditions>> places_of(const Machine& machine) {
  std::multiset<std::pair<uint32_t, Conditions>> places;
  for (const MachineAccess* one : machine) places.emplace(one->loops, one->conditions);
  return places;
}

}  // namespace lockstep
