#include "sass/influence.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "program/register_use.h"
#include "sass/address_numbers.h"
#include "sass/makers.h"
#include "sass/program_flow.h"
#include "sass/races.h"
#include "sass/uniform.h"

namespace lockstep {
namespace {

// The arrays that an access may reach: the parameters from which its address is made, by their offsets. Two parameters
// are taken to point to two arrays, and none to a variable. Variables are not told apart: a constant address may lie
// inside one.
class Arrays {
 public:
  static constexpr int64_t kUnknown = -1, kVariable = -2;  // kUnknown: a pointer that lies in memory

  explicit Arrays(const Program& program)
      : program_(program),
        function_(functions_of(program)),
        makers_(makers_of(program)),
        constants_(constants_of(program)) {}

  std::set<int64_t> of(const MemoryAccess& access) const {
    if (access.base == 0) return {kVariable};
    std::set<int64_t> found;
    std::set<uint32_t> seen;
    std::vector<uint32_t> open{access.base};
    while (!open.empty()) {
      const uint32_t offset = open.back();
      open.pop_back();
      const Register part{function_[access.pc], offset};
      if (const auto constant = constants_.find(part); constant != constants_.end() && is_address(constant->second))
        found.insert(kVariable);
      const auto makers = makers_.find(part);
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
  std::map<Register, Preset> constants_;
};

// The loads that may see what other threads write meanwhile.
class SharedWords {
 public:
  SharedWords(const Program& program, const FlowFacts& facts)
      : program_(program), facts_(facts), races_(program, facts), function_(functions_of(program)) {}

  bool may_change(uint32_t pc) {
    const MemoryAccess& access = program_.accesses[program_.code[pc].index];
    if (access.may_spin) return access.space != Space::kShared || access.order != MemoryOrder::kVolatile || polls(pc);
    return races_.may_change(access);
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

  const Program& program_;
  const FlowFacts& facts_;
  Races races_;
  std::vector<uint32_t> function_;
};

// The access by which an instruction reads memory, and the one by which it writes memory. An atomic writes.
struct Moves {
  const MemoryAccess *reads = nullptr, *writes = nullptr;
};
Moves moves_of(const Program& program, const Instruction& in) {
  if (in.kind == Kind::kAsync) {
    const AsyncUse& use = program.async[in.index];
    return use.op == AsyncOp::kCopy || use.op == AsyncOp::kBulk ? Moves{&use.from, &use.to} : Moves{};
  }
  const MemoryAccess* const access = plain_access(program, in);
  if (!access) return {};
  return access->op == MemoryOp::kLoad ? Moves{access, nullptr} : Moves{nullptr, access};
}

bool is_followed(const Program& program, const Instruction& in) {
  return plain_access(program, in) || prints(program, in) || waits_for_warps(in.kind) || in.kind == Kind::kAsync;
}

// Where such values come from.
struct Origins {
  std::vector<bool> made;                          // by instruction: whether it makes one, or finds one in memory
  std::set<std::pair<uint32_t, uint32_t>> read{};  // instruction, register: those that hold one there
  bool in_memory = true;                           // whether a value that is stored and loaded again counts
  ByAccess left{};                                 // the stores that leave such a value in any case; empty: none
  std::set<Register> held{};                       // the registers that hold one from the beginning
};

// The registers that tell where on the card the warp runs.
std::set<Register> whereabouts(const Program& program) {
  std::set<Register> found;
  for (uint32_t f = 0; f < program.functions.size(); ++f)
    for (const Preset& preset : program.functions[f].presets) {
      const auto special = static_cast<Special>(preset.bits);
      if (preset.source == Preset::kSpecial && (special == Special::kSmId || special == Special::kWarpId))
        found.insert({f, preset.offset});
    }
  return found;
}

bool adds_floats(const MemoryAccess& access) {
  return is_atomic(access) && access.atomic == AtomicOp::kAdd && is_float(access.type);
}

// Whether memory holds the same behind several such atomics, whatever their order. A sum of floats does but for its
// last bits.
bool in_any_order(const MemoryAccess& access) {
  switch (access.atomic) {
    case AtomicOp::kInc:
    case AtomicOp::kDec:
    case AtomicOp::kExch:
    case AtomicOp::kCas: return false;
    default: return true;
  }
}

// Registers and memory with such values. Grows until nothing is added.
class Influence {
 public:
  Influence(const Program& program, const FlowFacts& facts, const Arrays& arrays, Origins origins)
      : program_(program),
        facts_(facts),
        arrays_(arrays),
        origins_(std::move(origins)),
        function_(functions_of(program)),
        reached_(program.code.size()),
        values_(origins_.held) {
    origins_.left.resize(program.accesses.size());
    for (bool grows = true; grows;) {
      grows = false;
      for (uint32_t pc = 0; pc < program.code.size(); ++pc) grows |= follow(pc);
    }
  }

  // By instruction: the branches that depend on such a value.
  ByInstruction branches() const {
    ByInstruction result(program_.code.size(), false);
    for (uint32_t pc = 0; pc < result.size(); ++pc) result[pc] = facts_.flow().successors[pc].size() > 1 && decides(pc);
    return result;
  }

  // Whether the address of this plain access is such a value.
  bool makes_address(uint32_t pc) const {
    const Instruction& in = program_.code[pc];
    const uint32_t stride = in.kind == Kind::kMatrix ? program_.matrices[in.index].stride : 0;
    return has(pc, plain_access(program_, in)->base) || has(pc, stride);
  }

  // The branches that ask such a value and decide whether the instruction is executed; itself, if its guard does.
  std::vector<uint32_t> deciders(uint32_t pc) const {
    std::vector<bool> seen(program_.code.size() + 1, false);
    spread(pc, seen, [&](uint32_t at) { return at < program_.code.size() ? facts_.deciders(at) : kNone; });
    std::vector<uint32_t> found;
    for (uint32_t at = 0; at < program_.code.size(); ++at)
      if (seen[at] && (at == pc ? has(at, program_.code[at].guard) : asks(at))) found.push_back(at);
    return found;
  }

  // By instruction: the branches that ask whether such a value equals another one that is not a constant. (x == x asks
  // whether x is a number.)
  std::vector<bool> equalities() const {
    std::vector<bool> result(program_.code.size(), false);
    for (uint32_t pc = 0; pc < result.size(); ++pc)
      for (const Comparison& one : facts_.flow().asks[pc].comparisons) {
        const bool equal = one.relation.kind == Relation::kEqual && one.relation.of_floats && !one.relation.bound;
        const Instruction& in = program_.code[one.at];
        result[pc] = result[pc] || (equal && in.a != in.b && (has(one.at, in.a) || has(one.at, in.b)));
      }
    return result;
  }

  // By Program::accesses: whether what is in memory behind it is such a value, or depends on one. makes(pc, access):
  // for an atomic, whether it makes one of others.
  template <class Makes>
  ByAccess leaves(const Makes& makes) const {
    ByAccess result(program_.accesses.size());
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      const Instruction& in = program_.code[pc];
      if (in.kind == Kind::kTexture && program_.textures[in.index].op == TextureOp::kStore)
        result[program_.textures[in.index].access] = takes_one(pc);
      const MemoryAccess* const writes = moves_of(program_, in).writes;
      if (!writes) continue;
      result[writes->index] =
          origins_.left[writes->index] || (is_atomic(*writes) ? takes_one(pc) || makes(pc, *writes) : moves_one(pc));
    }
    return result;
  }

  ByInstruction accesses() const {
    ByInstruction result(program_.code.size());
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      const Instruction& in = program_.code[pc];
      if (plain_access(program_, in)) result[pc] = is_reached(pc) || makes_address(pc);
      // A parameter of some call: it may be the format.
      if (prints(program_, in)) result[pc] = is_reached(pc) || memory_.contains({Space::kParam, Arrays::kUnknown});
      if (waits_for_warps(in.kind)) result[pc] = is_reached(pc);
      if (in.kind == Kind::kAsync) result[pc] = takes_one(pc);
    }
    return result;
  }

  ByInstruction executed() const {
    ByInstruction result(program_.code.size());
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) result[pc] = is_reached(pc);
    return result;
  }

 private:
  bool is_reached(uint32_t pc) const { return reached_[pc] || has(pc, program_.code[pc].guard); }
  bool has(uint32_t pc, uint32_t offset) const {
    return offset != 0 && (values_.contains({function_[pc], offset}) || origins_.read.contains({pc, offset}));
  }

  // Whether anything was added.
  bool follow(uint32_t pc) {
    const Instruction& in = program_.code[pc];
    bool reached = false;
    for (const uint32_t branch : facts_.deciders(pc)) reached |= branch < reached_.size() && decides(branch);
    bool grows = reached && !reached_[pc];
    reached_[pc] = reached_[pc] || reached;
    const bool has_one = moves_one(pc);
    const MemoryAccess* const writes = origins_.in_memory ? moves_of(program_, in).writes : nullptr;
    if (writes && (origins_.left[writes->index] || (is_atomic(*writes) ? leaves_one(pc, *writes) : has_one)))
      for (const Array& array : arrays_of(*writes)) grows |= memory_.insert(array).second;
    if (has_one)
      for_each_destination(program_, in, [&](uint32_t d) { grows |= values_.insert({function_[pc], d}).second; });
    return grows;
  }

  // Whether such a value decides what the instruction does, or it uses one.
  bool takes_one(uint32_t pc) const {
    bool takes = is_reached(pc);
    for_each_source(program_, program_.code[pc], [&](uint32_t offset) { takes |= has(pc, offset); });
    return takes;
  }

  bool moves_one(uint32_t pc) const {
    const MemoryAccess* const reads = origins_.in_memory ? moves_of(program_, program_.code[pc]).reads : nullptr;
    return origins_.made[pc] || takes_one(pc) || (reads && brings(*reads));
  }

  // Whether an atomic leaves such a value in memory: the sum of floats depends on the order of the additions, and of
  // several exchanges the last one stays.
  bool leaves_one(uint32_t pc, const MemoryAccess& access) const {
    return adds_floats(access) || !in_any_order(access) || takes_one(pc);
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

  // Whether the load brings such a value.
  bool brings(const MemoryAccess& load) const {
    if (program_.is_read_only(load)) return false;
    const auto same = [](const Array& a, const Array& b) {
      return a.first == b.first &&
             (a.second == b.second || a.second == Arrays::kUnknown || b.second == Arrays::kUnknown);
    };
    return std::ranges::any_of(arrays_of(load), [&](const Array& mine) {
      return std::ranges::any_of(memory_, [&](const Array& stored) { return same(mine, stored); });
    });
  }

  bool decides(uint32_t branch) const { return is_reached(branch) || asks(branch); }

  bool asks(uint32_t branch) const {
    bool has_one = has(branch, program_.code[branch].guard);
    for_each_source(program_, program_.code[branch], [&](uint32_t offset) { has_one |= has(branch, offset); });
    return has_one;
  }

  static inline const std::vector<uint32_t> kNone{};

  const Program& program_;
  const FlowFacts& facts_;
  const Arrays& arrays_;
  Origins origins_;
  std::vector<uint32_t> function_;
  std::vector<bool> reached_;  // by instruction: whether such a value decides that it is executed
  std::set<Register> values_;
  std::set<Array> memory_;
};

// Whether a load of a surface may see what another thread writes. Surfaces are not told apart.
bool stores_to_surfaces(const Program& program) {
  return std::ranges::any_of(program.textures, [](const TextureUse& use) { return use.op == TextureOp::kStore; });
}

// Whether two runs need not agree on what the instruction makes. alone: no other warp accesses memory.
bool depends_on_threads(const Program& program, uint32_t pc, SharedWords& words, bool alone) {
  const Instruction& in = program.code[pc];
  if (in.kind == Kind::kReadSpecial) return in.special != Special::kActiveMask;  // a clock
  if (in.kind == Kind::kMbarrier) return program.mbarriers[in.index].op == MbarrierOp::kTest;
  if (alone) return false;
  if (in.kind == Kind::kTexture) return stores_to_surfaces(program);
  if (in.kind != Kind::kMemory) return false;
  const MemoryOp op = program.accesses[in.index].op;
  return op == MemoryOp::kAtomic || (op == MemoryOp::kLoad && words.may_change(pc));
}

// Not by an atomic, and not by a load that may wait for another thread.
bool loads_plainly(const Program& program, uint32_t pc) {
  const Instruction& in = program.code[pc];
  if (in.kind != Kind::kMemory) return in.kind == Kind::kTexture;
  const MemoryAccess& access = program.accesses[in.index];
  return access.op == MemoryOp::kLoad && !access.may_spin;
}

// By instruction: what lanes come to that left a loop at one of these branches, before they are brought together.
std::vector<bool> behind_loops(const Program& program, const FlowFacts& facts, const std::vector<bool>& branches) {
  std::vector<bool> behind(program.code.size() + 1, false);
  for (uint32_t branch = 0; branch < program.code.size(); ++branch) {
    if (!branches[branch] || facts.loops(branch).empty()) continue;
    const uint32_t loop = facts.loops(branch).back();
    if (!facts.leaves_loop(branch, loop)) continue;
    for (const uint32_t to : facts.flow().successors[branch])
      if (to >= program.code.size() || !std::ranges::count(facts.loops(to), loop))
        spread_apart(program, facts.flow(), to, behind);
  }
  return behind;
}

// Whether ptxas may compute this value while it compiles, because it is made of constants alone. Unlike in Uniform,
// several instructions may write a register on the way: ptxas unrolls loops. Not followed: constants that pass through
// local memory, or through the arguments of a call.
bool is_of_constants(const Program& program, const std::vector<uint32_t>& function, const Places& makers,
                     const std::map<Register, Preset>& constants, uint32_t pc) {
  std::set<uint32_t> seen{pc};
  std::vector<uint32_t> open{pc};
  bool all_known = true;
  while (all_known && !open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    all_known = program.code[at].kind == Kind::kAlu;
    for_each_source(program, program.code[at], [&](uint32_t offset) {
      const Register source{function[at], offset};
      const auto made = makers.find(source);
      if (made == makers.end())
        all_known = all_known && constants.contains(source);
      else
        for (const uint32_t maker : made->second)
          if (seen.insert(maker).second) open.push_back(maker);
    });
  }
  return all_known;
}

// Tensor cores add several products at once, and cut bits off.
bool multiplies_matrices_of_floats(const Program& program, uint32_t pc) {
  if (program.code[pc].kind != Kind::kMatrix) return false;
  const MatrixUse& use = program.matrices[program.code[pc].index];
  return use.op == MatrixOp::kMultiply && is_float(use.d.type) && use.d.type != Type::kF64;
}

// The instructions whose last bits may differ from a card's. lockstep has the bits of the card's unit for special
// functions (alu/interpolation.h). But ptxas rounds better where it knows the argument, and it makes one instruction of
// the product in a division and of an addition behind it.
ByInstruction approximations(const Program& program) {
  const auto is_special = [&](uint32_t pc) { return program.names[pc].find(".approx") != std::string::npos; };
  const auto divides = [&](uint32_t pc) { return program.names[pc].starts_with("div.full"); };
  ByInstruction found(program.code.size());
  bool any = false;
  for (uint32_t pc = 0; pc < found.size(); ++pc) {
    found[pc] = multiplies_matrices_of_floats(program, pc);
    any |= is_special(pc) || divides(pc);
  }
  if (!any) return found;
  const std::vector<uint32_t> function = functions_of(program);
  const Places makers = makers_of(program);
  const std::map<Register, Preset> constants = constants_of(program);
  for (uint32_t pc = 0; pc < found.size(); ++pc)
    if (is_special(pc) || divides(pc))
      found[pc] = program.names[pc].starts_with("div.") || is_of_constants(program, function, makers, constants, pc);
  return found;
}

void add_found(const Program& program, const ByAccess& found, Origins& origins) {
  for (uint32_t i = 0; i < found.size(); ++i)
    if (found[i]) origins.made[program.accesses[i].pc] = true;
}

// The accesses that depend on these origins.
ByInstruction depend_on(const Program& program, const FlowFacts& facts, const Arrays& arrays, Origins origins) {
  const bool any = std::ranges::count(origins.made, true) > 0 || !origins.read.empty();
  return any ? Influence(program, facts, arrays, std::move(origins)).accesses() : ByInstruction();
}

}  // namespace

Dependent depend_on_order(const Program& program, const FlowFacts& facts, const Found& found, bool alone) {
  const Arrays arrays(program);
  SharedWords words(program, facts);
  const Origins address{std::vector<bool>(program.code.size()), reads_of_address_numbers(program)};
  Origins leftover{std::vector<bool>(program.code.size())};
  add_found(program, found.unwritten, leftover);
  Origins origins{.made = {}, .read = address.read, .left = found.contested, .held = whereabouts(program)};
  bool races = std::ranges::count(found.contested, true) > 0 || std::ranges::count(found.unwritten, true) > 0;
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const bool depends = depends_on_threads(program, pc, words, alone);
    origins.made.push_back(depends);
    races |= depends && loads_plainly(program, pc);
  }
  add_found(program, found.ordered, origins);
  add_found(program, found.unwritten, origins);
  for (const MemoryAccess& access : program.accesses)
    if (access.op != MemoryOp::kStore && access.index < found.contested.size() && found.contested[access.index])
      origins.made[access.pc] = true;
  const Influence influence(program, facts, arrays, std::move(origins));
  Uniform uniform(program, Among::kLaunch);
  // Exchanges that all write the same leave the same.
  const auto makes = [&](uint32_t pc, const MemoryAccess& access) {
    return !alone && !in_any_order(access) &&
           !(uniform.at(pc, access.registers[1]) && (!access.operand2 || uniform.at(pc, access.operand2)));
  };
  Dependent result{influence.accesses(),
                   influence.executed(),
                   influence.branches(),
                   influence.leaves(makes),
                   depend_on(program, facts, arrays, address),
                   depend_on(program, facts, arrays, std::move(leftover)),
                   races};
  const std::vector<bool> behind = behind_loops(program, facts, result.branches);
  for (uint32_t pc = 0; pc < program.code.size(); ++pc)
    if (behind[pc] && (plain_access(program, program.code[pc]) || prints(program, program.code[pc])))
      result.accesses[pc] = true;
  return result;
}

Approximated depend_on_approximations(const Program& program, const FlowFacts& facts, const ByAccess& found) {
  Origins origins;
  origins.made = approximations(program);
  add_found(program, found, origins);
  const size_t instructions = program.code.size();
  Approximated result{ByInstruction(instructions), std::vector<std::vector<uint32_t>>(instructions),
                      ByInstruction(instructions), ByAccess(program.accesses.size())};
  if (std::ranges::count(origins.made, true) == 0) {
    for (const MemoryAccess& access : program.accesses) result.leaves[access.index] = adds_floats(access);
    return result;
  }
  const Arrays arrays(program);
  const Influence influence(program, facts, arrays, std::move(origins));
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& in = program.code[pc];
    if (plain_access(program, in)) result.addresses[pc] = influence.makes_address(pc);
    if (is_followed(program, in)) result.deciders[pc] = influence.deciders(pc);
  }
  result.equalities = influence.equalities();
  result.leaves = influence.leaves([](uint32_t, const MemoryAccess& access) { return adds_floats(access); });
  return result;
}

bool Found::any() const {
  return std::ranges::any_of(std::array{&ordered, &approximated, &contested, &unwritten},
                             [](const ByAccess* one) { return std::ranges::count(*one, true) > 0; });
}

Dependence dependence(const Program& program, const FlowFacts& facts, const Found& found, bool alone) {
  return {depend_on_order(program, facts, found, alone), depend_on_approximations(program, facts, found.approximated)};
}

ByInstruction depend_on_unwritten(const Program& program, const FlowFacts& facts,
                                  const std::vector<UnwrittenRead>& reads) {
  Origins origins{std::vector<bool>(program.code.size()), {}, false};
  for (const UnwrittenRead& read : reads) origins.read.emplace(read.steps[0].pc, read.offset);
  return Influence(program, facts, Arrays(program), std::move(origins)).accesses();
}

}  // namespace lockstep
