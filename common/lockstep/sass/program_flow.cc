#include "sass/program_flow.h"

#include <set>
#include <string_view>

#include "program/register_use.h"
#include "sass/makers.h"

namespace lockstep {
namespace {

class Predicates {
 public:
  explicit Predicates(const Program& program)
      : program_(program), function_(functions_of(program)), makers_(makers_of(program)) {
    for (uint32_t pc = 0; pc < program.code.size(); ++pc)
      if (program.code[pc].kind == Kind::kAlu && program.names[pc].ends_with(".pred"))
        for_each_source(program, program.code[pc], [&](uint32_t offset) {
          combiners_[{function_[pc], offset}].push_back(pc);
        });
  }

  Asked asked(uint32_t pc) const {
    Asked found;
    std::set<uint32_t> seen;
    add(function_[pc], program_.code[pc].guard, seen, found);
    return found;
  }

 private:
  void add(uint32_t function, uint32_t predicate, std::set<uint32_t>& seen, Asked& found) const {
    if (predicate == 0 || !seen.insert(predicate).second) return;
    const auto makers = makers_.find({function, predicate});
    if (makers == makers_.end()) return;  // a constant
    for (const uint32_t pc : makers->second) {
      const Instruction& in = program_.code[pc];
      const std::string_view name = program_.names[pc];
      const bool combines = in.kind == Kind::kAlu && (in.uncounted || name.ends_with(".pred"));
      found.near.insert(program_.locations[pc].ptx_line);
      if (combines && makers->second.size() > 1 && is_constant(function, in))  // the answer of an earlier branch
        found.compares.insert(program_.locations[pc].ptx_line);
      if (combines)
        for (const uint32_t source : {in.a, in.b, in.c}) add(function, source, seen, found);
      if (!combines) {
        found.compares.insert(program_.locations[pc].ptx_line);
        for_each_source(program_, in, [&](uint32_t offset) { add_lines(makers_, {function, offset}, found.near); });
        add_lines(combiners_, {function, predicate}, found.near);
        if (name.starts_with("setp.")) add(function, in.c, seen, found);
      }
      add(function, in.guard, seen, found);
    }
  }

  bool is_constant(uint32_t function, const Instruction& in) const {
    return !makers_.contains({function, in.a}) && !makers_.contains({function, in.b}) &&
           !makers_.contains({function, in.c});
  }

  void add_lines(const Places& places, Register of, Conditions& found) const {
    if (const auto there = places.find(of); there != places.end())
      for (const uint32_t pc : there->second) found.insert(program_.locations[pc].ptx_line);
  }

  const Program& program_;
  std::vector<uint32_t> function_;
  Places makers_, combiners_;  // combiners: the instructions that combine a predicate with others
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
    if (indexed)
      for (Conditions* const lines : {&flow.asks[pc].compares, &flow.asks[pc].near})
        lines->insert(program.locations[pc].ptx_line);
    const bool leaves = in.kind == Kind::kExit || in.kind == Kind::kReturn || in.kind == Kind::kTrap;
    if (leaves) next.push_back(end);
    if (next.empty() || in.guard != 0) next.push_back(pc + 1);
  }
  return flow;
}

}  // namespace lockstep
