#include "sass/program_flow.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "program/register_use.h"

namespace lockstep {
namespace {

// A register of one function.
using Register = std::pair<uint32_t, uint32_t>;  // function, offset

// The function of each instruction: the code of the functions lies in their order.
std::vector<uint32_t> functions_of(const Program& program) {
  std::vector<uint32_t> function(program.code.size(), 0);
  for (uint32_t f = 0; f < program.functions.size(); ++f)
    for (uint32_t pc = program.functions[f].entry; pc < function.size(); ++pc) function[pc] = f;
  return function;
}

class Predicates {
 public:
  explicit Predicates(const Program& program) : program_(program), function_(functions_of(program)) {
    for (uint32_t pc = 0; pc < program.code.size(); ++pc)
      for_each_destination(program, program.code[pc],
                           [&](uint32_t offset) { makers_[{function_[pc], offset}].push_back(pc); });
  }

  Conditions asked(uint32_t pc) const {
    Conditions found;
    std::set<uint32_t> seen;
    add(function_[pc], program_.code[pc].guard, seen, found);
    return found;
  }

 private:
  void add(uint32_t function, uint32_t predicate, std::set<uint32_t>& seen, Conditions& found) const {
    if (predicate == 0 || !seen.insert(predicate).second) return;
    const auto makers = makers_.find({function, predicate});
    if (makers == makers_.end()) return;  // a constant
    for (const uint32_t pc : makers->second) {
      const Instruction& in = program_.code[pc];
      const std::string_view name = program_.names[pc];
      const bool combines = in.uncounted || name.ends_with(".pred");
      const bool is_alu = in.kind == Kind::kAlu;
      if (!combines || !is_alu) found.insert(program_.locations[pc].ptx_line);
      const bool has_third = name.starts_with("setp.") && in.c != 0;
      if (is_alu && combines)
        for (const uint32_t source : {in.a, in.b, in.c}) add(function, source, seen, found);
      if (is_alu && has_third) add(function, in.c, seen, found);
      add(function, in.guard, seen, found);
    }
  }

  const Program& program_;
  std::vector<uint32_t> function_;
  std::map<Register, std::vector<uint32_t>> makers_;
};

// Registers and memory whose values depend on the order of the threads. Grows until nothing is added.
class OrderedValues {
 public:
  OrderedValues(const Program& program, const FlowFacts& facts)
      : program_(program), facts_(facts), function_(functions_of(program)), reached_(program.code.size()) {
    for (bool grows = true; grows;) {
      grows = false;
      for (uint32_t pc = 0; pc < program.code.size(); ++pc) grows |= follow(pc);
    }
  }

  bool is_reached(uint32_t pc) const { return reached_[pc] || has(pc, program_.code[pc].guard); }
  bool has(uint32_t pc, uint32_t offset) const { return offset != 0 && values_.contains({function_[pc], offset}); }

 private:
  // Whether anything was added.
  bool follow(uint32_t pc) {
    const Instruction& in = program_.code[pc];
    bool reached = false;
    for (const uint32_t branch : facts_.deciders(pc)) reached |= branch < reached_.size() && decides(branch);
    bool grows = reached && !reached_[pc];
    reached_[pc] = reached_[pc] || reached;
    bool ordered = is_source(in) || is_reached(pc);
    for_each_source(program_, in, [&](uint32_t offset) { ordered |= has(pc, offset); });
    if (in.kind == Kind::kMemory) {
      const MemoryAccess& access = program_.accesses[in.index];
      if (access.op == MemoryOp::kLoad) ordered |= memory_.contains(access.space);
      if (access.op == MemoryOp::kStore && ordered) grows |= memory_.insert(access.space).second;
    }
    if (ordered)
      for_each_destination(program_, in, [&](uint32_t d) { grows |= values_.insert({function_[pc], d}).second; });
    return grows;
  }

  bool decides(uint32_t branch) const {
    const Instruction& in = program_.code[branch];
    bool ordered = is_reached(branch);
    for_each_source(program_, in, [&](uint32_t offset) { ordered |= has(branch, offset); });
    return ordered;
  }

  bool is_source(const Instruction& in) const {
    if (in.kind == Kind::kReadSpecial) return in.special != Special::kActiveMask;  // a clock
    if (in.kind == Kind::kMbarrier) return program_.mbarriers[in.index].op == MbarrierOp::kTest;
    if (in.kind != Kind::kMemory) return false;
    const MemoryAccess& access = program_.accesses[in.index];
    return access.op == MemoryOp::kAtomic || (access.op == MemoryOp::kLoad && access.may_spin);
  }

  const Program& program_;
  const FlowFacts& facts_;
  std::vector<uint32_t> function_;
  std::vector<bool> reached_;  // by instruction: whether such a value decides that it is executed
  std::set<Register> values_;
  std::set<Space> memory_;
};

}  // namespace

Flow flow_of(const Program& program) {
  const auto end = static_cast<uint32_t>(program.code.size());
  Flow flow(end);
  const Predicates predicates(program);
  for (const FunctionCode& function : program.functions) flow.roots.push_back(function.entry);
  for (uint32_t pc = 0; pc < end; ++pc) {
    const Instruction& in = program.code[pc];
    std::vector<uint32_t>& next = flow.successors[pc];
    flow.asks[pc] = predicates.asked(pc);
    const bool indexed = in.kind == Kind::kBranchIndexed;
    if (in.kind == Kind::kBranch) next.push_back(in.target);
    if (indexed) next = program.tables[in.index];
    if (indexed) flow.asks[pc].insert(program.locations[pc].ptx_line);
    const bool leaves = in.kind == Kind::kExit || in.kind == Kind::kReturn || in.kind == Kind::kTrap;
    if (leaves) next.push_back(end);
    if (next.empty() || in.guard != 0) next.push_back(pc + 1);
  }
  return flow;
}

std::vector<bool> depend_on_order(const Program& program, const FlowFacts& facts) {
  const OrderedValues values(program, facts);
  std::vector<bool> result(program.accesses.size());
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    if (program.code[pc].kind != Kind::kMemory) continue;
    const MemoryAccess& access = program.accesses[program.code[pc].index];
    result[access.index] = values.is_reached(pc) || values.has(pc, access.base);
  }
  return result;
}

}  // namespace lockstep
