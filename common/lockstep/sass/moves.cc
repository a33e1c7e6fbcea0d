#include "sass/moves.h"

#include <algorithm>
#include <set>

#include "program/register_use.h"

namespace lockstep {
namespace {

// Whether the instruction only makes a value, so that ptxas may move it as well.
bool makes_a_value(const Program& program, const Instruction& in) {
  const MemoryAccess* const access = access_of(program, in);
  return in.kind == Kind::kAlu || (access && access->op == MemoryOp::kLoad);
}

bool reads_one_of(const Program& program, const Instruction& in, const std::set<uint32_t>& registers) {
  bool found = false;
  for_each_source(program, in, [&](uint32_t offset) { found |= registers.contains(offset); });
  return found;
}

}  // namespace

bool may_move(const Program& program, const FlowFacts& facts, const std::vector<uint32_t>& function,
              const MemoryAccess& access, uint32_t to) {
  const Flow& flow = facts.flow();
  if (function[access.pc] != function[to]) return false;
  if (facts.before_in_turn(access.pc)[to]) return true;
  const std::vector<bool> before = facts.before_in_turn(to);
  if (!before[access.pc]) return false;
  if (access.op != MemoryOp::kLoad) return true;
  // What holds the value there, or was made of it on the way.
  std::set<uint32_t> registers;
  const auto add = [&](const Instruction& in) {
    const size_t known = registers.size();
    for_each_destination(program, in, [&](uint32_t offset) { registers.insert(offset); });
    return registers.size() > known;
  };
  add(program.code[access.pc]);
  for (bool grows = true; grows;) {
    grows = false;
    for (uint32_t pc = 0; pc < flow.end(); ++pc)
      if (before[pc] && pc != to && function[pc] == function[to] && makes_a_value(program, program.code[pc]) &&
          reads_one_of(program, program.code[pc], registers))
        grows |= add(program.code[pc]);
  }
  std::vector<bool> behind(flow.end() + 1, false);
  spread(to, behind, [&](uint32_t at) {
    std::vector<uint32_t> next = at < flow.end() ? flow.successors[at] : std::vector<uint32_t>();
    std::erase_if(next, [&](uint32_t step) { return facts.goes_back(at, step); });
    return next;
  });
  for (uint32_t pc = 0; pc < flow.end(); ++pc)
    if (behind[pc] && reads_one_of(program, program.code[pc], registers)) return true;
  return false;
}

}  // namespace lockstep
