#include "sass/program_flow.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "program/register_use.h"
#include "sass/makers.h"

namespace lockstep {
namespace {

class Predicates {
 public:
  explicit Predicates(const Program& program)
      : program_(program),
        function_(functions_of(program)),
        constants_(constants_of(program)),
        makers_(makers_of(program)) {
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
      if (combines && makers->second.size() > 1 && is_constant(function, in)) {  // the answer of an earlier branch
        found.compares.insert(program_.locations[pc].ptx_line);
        found.comparisons.insert({pc, program_.locations[pc].ptx_line});
      }
      if (combines)
        for (const uint32_t source : {in.a, in.b, in.c}) add(function, source, seen, found);
      if (!combines) {
        found.compares.insert(program_.locations[pc].ptx_line);
        found.comparisons.insert({pc, program_.locations[pc].ptx_line, relation(function, pc)});
        for_each_source(program_, in, [&](uint32_t offset) { add_makers({function, offset}, found.near); });
        add_lines(combiners_, {function, predicate}, found.near);
        if (name.starts_with("setp.")) add(function, in.c, seen, found);
      }
      add(function, in.guard, seen, found);
    }
  }

  // "setp.lt.and.f32"
  Relation relation(uint32_t function, uint32_t pc) const {
    std::string_view name = program_.names[pc];
    if (!name.starts_with("setp.")) return {};
    name.remove_prefix(5);
    const bool floats = name.find(".f") != name.npos || name.find(".bf") != name.npos;
    const Instruction& in = program_.code[pc];
    return relation_of(name.substr(0, name.find('.')), floats, constant({function, in.a}, floats),
                       constant({function, in.b}, floats));
  }

  // Of wide integers the lower half, as the machine code compares them.
  std::optional<int64_t> constant(Register one, bool is_float) const {
    const auto found = constants_.find(one);
    if (found == constants_.end()) return std::nullopt;
    const uint64_t bits = found->second.bits;
    if (is_float && found->second.width == Width::k64) return float_bits(std::bit_cast<double>(bits));
    if (is_float) return float_bits(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    return found->second.width == Width::k16 ? static_cast<int16_t>(bits) : static_cast<int32_t>(bits);
  }

  bool is_constant(uint32_t function, const Instruction& in) const {
    return !makers_.contains({function, in.a}) && !makers_.contains({function, in.b}) &&
           !makers_.contains({function, in.c});
  }

  // ptxas compares no 1 or 0 that selp made of a predicate: it asks the predicate itself.
  void add_makers(Register of, Conditions& found) const {
    add_lines(makers_, of, found);
    const auto there = makers_.find(of);
    if (there == makers_.end()) return;
    for (const uint32_t pc : there->second)
      if (program_.names[pc].starts_with("selp."))
        for_each_source(program_, program_.code[pc], [&](uint32_t offset) {
          add_lines(makers_, {of.first, offset}, found);
        });
  }

  void add_lines(const Places& places, Register of, Conditions& found) const {
    if (const auto there = places.find(of); there != places.end())
      for (const uint32_t pc : there->second) found.insert(program_.locations[pc].ptx_line);
  }

  const Program& program_;
  std::vector<uint32_t> function_;
  std::map<Register, Preset> constants_;
  Places makers_, combiners_;  // combiners: the instructions that combine a predicate with others
};

// Whether other threads may see what the instruction does in memory, or it may see what they do.
bool reaches_memory(const Program& program, const Instruction& in) {
  if (in.kind == Kind::kAsync || in.kind == Kind::kMbarrier || in.kind == Kind::kTexture) return true;
  const MemoryAccess* const access = plain_access(program, in);
  return access && is_counted(*access) && access->space != Space::kLocal;
}

// The steps of lanes that no barrier and no warp sync brings together there, also into functions.
std::vector<uint32_t> steps(const Program& program, const Flow& flow, uint32_t at) {
  const Kind kind = program.code[at].kind;
  if (kind == Kind::kBarrier || kind == Kind::kWarpBarrier) return {};
  std::vector<uint32_t> next = flow.successors[at];
  for (const uint32_t f : callees_of(program, at)) next.push_back(program.functions[f].entry);
  return next;
}

}  // namespace

std::vector<uint32_t> callees_of(const Program& program, uint32_t pc) {
  if (program.code[pc].kind != Kind::kCall) return {};
  const CallSite& call = program.calls[program.code[pc].index];
  if (call.function != kNowhere) return {call.function};
  std::vector<uint32_t> any;
  for (uint32_t f = 1; f < program.functions.size() && call.target != 0; ++f) any.push_back(f);
  return any;
}

void spread_apart(const Program& program, const Flow& flow, uint32_t from, std::vector<bool>& reached) {
  spread(from, reached, [&](uint32_t at) {
    return at >= program.code.size() || program.code[at].kind == Kind::kCollective ? std::vector<uint32_t>()
                                                                                   : steps(program, flow, at);
  });
}

void spread_alone(const Program& program, const Flow& flow, uint32_t from, bool groups, std::vector<bool>& reached) {
  const std::vector<uint32_t> function = functions_of(program);
  spread(from, reached, [&](uint32_t at) {
    if (at >= program.code.size()) return std::vector<uint32_t>();
    const Kind kind = program.code[at].kind;
    if (groups && kind == Kind::kBarrier) return flow.successors[at];
    std::vector<uint32_t> next = steps(program, flow, at);
    for (uint32_t call = 0; call < program.code.size() && kind == Kind::kReturn; ++call)
      if (std::ranges::count(callees_of(program, call), function[at])) next.push_back(call + 1);
    return next;
  });
}

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
    if (indexed) flow.asks[pc].comparisons.insert({pc, program.locations[pc].ptx_line});
    if (indexed)
      for (Conditions* const lines : {&flow.asks[pc].compares, &flow.asks[pc].near})
        lines->insert(program.locations[pc].ptx_line);
    const bool leaves = in.kind == Kind::kExit || in.kind == Kind::kReturn || in.kind == Kind::kTrap;
    if (leaves) next.push_back(end);
    if (next.empty() || in.guard != 0) next.push_back(pc + 1);
  }
  return flow;
}

uint32_t gate_of(const Program& program, const FlowFacts& facts) {
  const auto end = static_cast<uint32_t>(program.code.size());
  std::vector<uint32_t> accesses;
  for (uint32_t pc = 0; pc < end; ++pc)
    if (reaches_memory(program, program.code[pc])) accesses.push_back(pc);
  std::map<uint32_t, size_t> behind;  // by instruction: how many accesses
  for (const uint32_t pc : accesses)
    for (uint32_t at = pc; at < end; at = facts.dominator(at)) ++behind[at];
  for (uint32_t at = accesses.empty() ? end : accesses[0]; at < end; at = facts.dominator(at)) {
    const Instruction& in = program.code[at];
    const bool counts = in.kind != Kind::kJoin && !in.uncounted;
    if (behind[at] == accesses.size() && facts.loops(at).empty() && counts) return at;
  }
  return end;
}

}  // namespace lockstep
