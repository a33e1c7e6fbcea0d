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

using Places = std::map<Register, std::vector<uint32_t>>;

// The instructions that write each register.
Places makers_of(const Program& program) {
  Places makers;
  const std::vector<uint32_t> function = functions_of(program);
  for (uint32_t pc = 0; pc < program.code.size(); ++pc)
    for_each_destination(program, program.code[pc], [&](uint32_t offset) {
      makers[{function[pc], offset}].push_back(pc);
    });
  return makers;
}

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

// The arrays that an access may reach: the parameters from which its address is made, by their offsets. Two parameters
// are taken to point to two arrays.
class Arrays {
 public:
  static constexpr int64_t kUnknown = -1;  // a pointer that lies in memory, or a variable

  explicit Arrays(const Program& program)
      : program_(program), function_(functions_of(program)), makers_(makers_of(program)) {}

  std::set<int64_t> of(const MemoryAccess& access) const {
    std::set<int64_t> found;
    std::set<uint32_t> seen;
    std::vector<uint32_t> open{access.base};
    while (!open.empty()) {
      const uint32_t offset = open.back();
      open.pop_back();
      const auto makers = makers_.find({function_[access.pc], offset});
      if (offset == 0 || makers == makers_.end() || !seen.insert(offset).second) continue;
      for (const uint32_t pc : makers->second) {
        const Instruction& in = program_.code[pc];
        if (in.kind == Kind::kAlu) open.insert(open.end(), {in.a, in.b, in.c});
        if (in.kind != Kind::kMemory) continue;
        const MemoryAccess& from = program_.accesses[in.index];
        if (from.bytes == 8) found.insert(from.space == Space::kConst ? from.offset : kUnknown);  // else an index
      }
    }
    if (found.empty()) found.insert(kUnknown);
    return found;
  }

 private:
  const Program& program_;
  std::vector<uint32_t> function_;
  Places makers_;
};

// The loads that may see what other threads write meanwhile.
class SharedWords {
 public:
  SharedWords(const Program& program, const FlowFacts& facts, const Arrays& arrays)
      : program_(program), facts_(facts), arrays_(arrays), function_(functions_of(program)) {}

  bool may_change(uint32_t pc) const {
    const MemoryAccess& access = program_.accesses[program_.code[pc].index];
    if (access.may_spin) return access.space != Space::kShared || access.order != MemoryOrder::kVolatile || polls(pc);
    const bool global = access.space == Space::kGlobal || access.space == Space::kGeneric;
    return global && facts_.places()[pc].loops > 0 && others_store(pc, access);
  }

 private:
  // Whether a branch of the same loop depends on what the load brings, and no barrier orders the turns.
  bool polls(uint32_t load) const {
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc)
      if (program_.code[pc].kind == Kind::kBarrier && facts_.places()[pc].outer == facts_.places()[load].outer)
        return false;
    std::set<uint32_t> values;
    const auto add = [&](uint32_t pc) {
      bool grows = false;
      for_each_destination(program_, program_.code[pc], [&](uint32_t d) { grows |= values.insert(d).second; });
      return grows;
    };
    add(load);
    for (bool grows = true; grows;) {
      grows = false;
      for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
        if (program_.code[pc].kind != Kind::kAlu || function_[pc] != function_[load]) continue;
        bool reads = false;
        for_each_source(program_, program_.code[pc], [&](uint32_t a) { reads |= values.contains(a); });
        grows |= reads && add(pc);
      }
    }
    const std::vector<Place>& places = facts_.places();
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc)
      if (program_.code[pc].kind == Kind::kBranch && places[pc].outer != kNoLoop &&
          places[pc].outer == places[load].outer && values.contains(program_.code[pc].guard))
        return true;
    return false;
  }

  // Whether the loop around the load stores to the same array, at other elements than the load's own.
  bool others_store(uint32_t load, const MemoryAccess& access) const {
    std::set<int64_t> mine = arrays_.of(access);
    mine.erase(Arrays::kUnknown);
    bool stores = false;
    for (const MemoryAccess& other : program_.accesses) {
      if (other.op != MemoryOp::kStore || other.space == Space::kShared || other.space == Space::kLocal ||
          program_.code[other.pc].kind != Kind::kMemory ||
          facts_.places()[other.pc].outer != facts_.places()[load].outer)
        continue;
      if (other.base == access.base && other.offset == access.offset) return false;
      for (const int64_t array : arrays_.of(other)) stores |= mine.contains(array);
    }
    return stores;
  }

  const Program& program_;
  const FlowFacts& facts_;
  const Arrays& arrays_;
  std::vector<uint32_t> function_;
};

// Registers and memory whose values depend on the order of the threads. Grows until nothing is added.
class OrderedValues {
 public:
  OrderedValues(const Program& program, const FlowFacts& facts)
      : program_(program),
        facts_(facts),
        arrays_(program),
        function_(functions_of(program)),
        reached_(program.code.size()) {
    const SharedWords words(program, facts, arrays_);
    for (uint32_t pc = 0; pc < program.code.size(); ++pc) sources_.push_back(is_source(pc, words));
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
    bool ordered = sources_[pc] || is_reached(pc);
    for_each_source(program_, in, [&](uint32_t offset) { ordered |= has(pc, offset); });
    if (in.kind == Kind::kMemory) {
      const MemoryAccess& access = program_.accesses[in.index];
      if (access.op == MemoryOp::kLoad) ordered |= is_ordered(access);
      if (access.op == MemoryOp::kStore && ordered)
        for (const Array& array : arrays_of(access)) grows |= memory_.insert(array).second;
    }
    if (ordered)
      for_each_destination(program_, in, [&](uint32_t d) { grows |= values_.insert({function_[pc], d}).second; });
    return grows;
  }

  // The space, and the array in it. Only global memory has arrays that are told apart. A generic pointer that is not
  // made from a parameter may point to any space.
  using Array = std::pair<Space, int64_t>;
  std::set<Array> arrays_of(const MemoryAccess& access) const {
    const bool generic = access.space == Space::kGeneric;
    std::set<Array> found;
    if (!generic && access.space != Space::kGlobal) return {{access.space, Arrays::kUnknown}};
    for (const int64_t array : arrays_.of(access)) found.insert({Space::kGlobal, array});
    if (generic && found.contains({Space::kGlobal, Arrays::kUnknown}))
      found.insert({{Space::kShared, Arrays::kUnknown}, {Space::kLocal, Arrays::kUnknown}});
    return found;
  }

  // Whether what the load brings depends on the order of threads.
  bool is_ordered(const MemoryAccess& load) const {
    const auto same = [](const Array& a, const Array& b) {
      return a.first == b.first &&
             (a.second == b.second || a.second == Arrays::kUnknown || b.second == Arrays::kUnknown);
    };
    return std::ranges::any_of(arrays_of(load), [&](const Array& mine) {
      return std::ranges::any_of(memory_, [&](const Array& stored) { return same(mine, stored); });
    });
  }

  bool decides(uint32_t branch) const {
    const Instruction& in = program_.code[branch];
    bool ordered = is_reached(branch);
    for_each_source(program_, in, [&](uint32_t offset) { ordered |= has(branch, offset); });
    return ordered;
  }

  bool is_source(uint32_t pc, const SharedWords& words) const {
    const Instruction& in = program_.code[pc];
    if (in.kind == Kind::kReadSpecial) return in.special != Special::kActiveMask;  // a clock
    if (in.kind == Kind::kMbarrier) return program_.mbarriers[in.index].op == MbarrierOp::kTest;
    if (in.kind != Kind::kMemory) return false;
    const MemoryOp op = program_.accesses[in.index].op;
    return op == MemoryOp::kAtomic || (op == MemoryOp::kLoad && words.may_change(pc));
  }

  const Program& program_;
  const FlowFacts& facts_;
  const Arrays arrays_;
  std::vector<uint32_t> function_;
  std::vector<bool> sources_;  // by instruction
  std::vector<bool> reached_;  // by instruction: whether such a value decides that it is executed
  std::set<Register> values_;
  std::set<Array> memory_;
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
