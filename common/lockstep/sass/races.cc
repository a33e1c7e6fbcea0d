#include "sass/races.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "program/register_use.h"
#include "sass/parting.h"
#include "sass/program_flow.h"

namespace lockstep {
namespace {

constexpr size_t kDepth = 8;  // of expressions and of pointers to pointers that are followed

bool is_shared(const MemoryAccess& access) { return access.space == Space::kShared; }
bool is_global(const MemoryAccess& access) { return access.space == Space::kGlobal || access.space == Space::kGeneric; }

bool is_read(const MemoryAccess& access) { return access.op == MemoryOp::kLoad || access.op == MemoryOp::kAtomic; }

bool is_block_number(Special special) {
  return special == Special::kCtaidX || special == Special::kCtaidY || special == Special::kCtaidZ;
}

// The operands that an address is the sum of.
std::vector<uint32_t> terms_of(std::string_view name, const Instruction& in) {
  const auto is = [&](std::string_view start) { return name.starts_with(start); };
  if (is("add.") || is("selp.")) return {in.a, in.b};
  if (is("mov.") || is("cvta.") || is("cvt.") || is("sub.")) return {in.a};
  return is("mad.") ? std::vector{in.c} : std::vector<uint32_t>{};
}

}  // namespace

Races::Races(const Program& program, const FlowFacts& facts)
    : program_(program),
      facts_(facts),
      function_(functions_of(program)),
      makers_(makers_of(program)),
      constants_(constants_of(program)),
      in_launch_(program, Among::kLaunch),
      in_block_(program, Among::kWarp) {
  for (uint32_t f = 0; f < program.functions.size(); ++f)
    for (const Preset& preset : program.functions[f].presets)
      if (preset.source == Preset::kSpecial && is_block_number(static_cast<Special>(preset.bits)))
        block_numbers_.insert({f, preset.offset});
  for (const MemoryAccess& access : program.accesses) uses_.push_back(use_of(access));
  static const std::vector<uint32_t> kNoSteps;
  const auto is_barrier = [&](uint32_t pc) {
    return program.code[pc].kind == Kind::kBarrier || program.code[pc].kind == Kind::kClusterWait;
  };
  std::vector<uint32_t> starts = facts.flow().roots;
  for (uint32_t pc = 0; pc < program.code.size(); ++pc)
    if (is_barrier(pc)) starts.push_back(pc + 1);
  for (const uint32_t start : starts) {
    std::vector<bool>& reached = intervals_.emplace_back(program.code.size() + 1, false);
    spread(start, reached, [&](uint32_t at) -> const std::vector<uint32_t>& {
      return at >= program.code.size() || is_barrier(at) ? kNoSteps : facts.flow().successors[at];
    });
  }
}

bool Races::may_change(const MemoryAccess& load) {
  if (program_.is_read_only(load)) return false;
  const Use& mine = uses_[load.index];
  return std::ranges::any_of(uses_, [&](const Use& other) {
    const MemoryAccess& access = *other.access;
    if (access.op == MemoryOp::kLoad || !may_meet(mine, other)) return false;
    if (is_atomic(access)) return true;
    if (are_of_one_thread(mine, other)) return false;
    // In shared memory, the halves of a block may work on each other's words between two barriers, as reductions do.
    // So only a word that all threads look at counts here; for the others see SharedPair.
    if (is_shared(load)) return in_block_.at(load.pc, load.base) && has_same_address(mine, other);
    return !is_own(mine, other);
  });
}

std::vector<SharedPair> Races::shared_pairs() {
  std::vector<SharedPair> found;
  for (const Use& load : uses_)
    for (const Use& store : uses_) {
      if (load.access->op != MemoryOp::kLoad || store.access->op != MemoryOp::kStore) continue;
      if (!is_shared(*load.access) || !is_shared(*store.access) || !may_meet(load, store)) continue;
      if (!are_of_one_thread(load, store))
        found.push_back({load.access->index, store.access->index, has_same_address(load, store)});
    }
  return found;
}

std::vector<LanePair> Races::lane_pairs() const {
  std::vector<LanePair> found;
  std::optional<Parting> parting;
  for (const Use& one : uses_)
    for (const Use& other : uses_) {
      const MemoryAccess &brings = *one.access, &changes = *other.access;
      if (!is_read(brings) || program_.is_read_only(brings) || changes.op == MemoryOp::kLoad) continue;
      if (!share_array(one, other)) continue;
      if (!parting) parting.emplace(program_, facts_);
      const bool plain = !is_atomic(brings) && !is_atomic(changes);
      if (parting->are_on_two_sides(brings.pc, changes.pc) ||
          (plain && parting->are_in_two_turns(brings.pc, changes.pc)))
        found.push_back({brings.index, changes.index, plain});
    }
  return found;
}

// Whether the two may reach one place, if nothing orders them.
bool Races::share_array(const Use& load, const Use& other) const {
  const MemoryAccess &a = *load.access, &b = *other.access;
  const bool same_space = is_shared(a) ? is_shared(b) : is_global(a) && is_global(b);
  return same_space && !are_apart(load, other) &&
         std::ranges::any_of(load.arrays, [&](const Name& name) { return other.arrays.contains(name); });
}

bool Races::may_meet(const Use& load, const Use& other) const {
  return share_array(load, other) && are_concurrent(load, other);
}

// In global memory, the thread's number and the block's must both be asked for: every block has a thread 0.
bool Races::are_of_one_thread(const Use& load, const Use& other) {
  const std::set<uint32_t>&one = choosers(load.access->pc), &another = choosers(other.access->pc);
  bool thread = false, block = false;
  for (const uint32_t pc : one) {
    if (!another.contains(pc)) continue;
    if (is_shared(*load.access)) return true;
    const Instruction& in = program_.code[pc];
    std::set<Register> seen;
    block |= is_of_block({function_[pc], in.a}, seen) || is_of_block({function_[pc], in.b}, seen);
    thread |= !in_block_.at(pc, in.a) || !in_block_.at(pc, in.b);
  }
  return thread && block;
}

const Preset* Races::constant(Register one) const {
  const auto found = constants_.find(one);
  return found == constants_.end() ? nullptr : &found->second;
}

const std::vector<uint32_t>& Races::makers(Register one) const {
  static const std::vector<uint32_t> kNone;
  const auto found = makers_.find(one);
  return one.second == 0 || found == makers_.end() ? kNone : found->second;
}

Races::Use Races::use_of(const MemoryAccess& access) const {
  Use use{&access, {function_[access.pc], access.base}, access.offset};
  std::set<Register> seen;
  if (is_shared(access)) use.arrays.insert({access.offset});
  add_arrays(use.base, is_shared(access), 0, use.arrays, seen);
  if (is_shared(access)) use.arrays = shared_arrays(use.arrays);
  take_constants(use);
  seen.clear();
  if (use.arrays.size() == 1) use.step = step_of(use.base, seen);
  return use;
}

// nvcc adds the offset of a member to the pointer, or to the instruction's offset, as it likes.
void Races::take_constants(Use& use) const {
  for (size_t depth = 0; depth < kDepth && makers(use.base).size() == 1; ++depth) {
    const uint32_t pc = makers(use.base)[0];
    const Instruction& in = program_.code[pc];
    if (in.kind != Kind::kAlu || !program_.names[pc].starts_with("add.")) return;
    const Preset* const number = constant({use.base.first, in.b});
    if (!number || is_address(*number)) return;
    use.base.second = in.a;
    use.offset += number->width == Width::k32 ? static_cast<int32_t>(number->bits) : static_cast<int64_t>(number->bits);
  }
}

void Races::add_arrays(Register part, bool shared, size_t depth, std::set<Name>& found,
                       std::set<Register>& seen) const {
  if (part.second == 0 || !seen.insert(part).second) return;
  if (const Preset* const number = constant(part); number && (shared || is_address(*number)))
    found.insert({static_cast<int64_t>(number->bits)});
  for (const uint32_t pc : makers(part)) {
    const Instruction& in = program_.code[pc];
    if (in.kind == Kind::kMemory && program_.accesses[in.index].bytes == 8)
      add_pointer(program_.accesses[in.index], depth, found);
    if (in.kind == Kind::kAlu)
      for (const uint32_t term : terms_of(program_.names[pc], in))
        add_arrays({part.first, term}, shared, depth, found, seen);
  }
}

void Races::add_pointer(const MemoryAccess& from, size_t depth, std::set<Name>& found) const {
  const Register base{function_[from.pc], from.base};
  if (from.space == Space::kConst) {
    const Preset* const number = constant(base);
    found.insert({from.offset + (number ? static_cast<int64_t>(number->bits) : 0)});
  }
  if (!is_global(from) || depth == kDepth) return;
  std::set<Name> there;
  std::set<Register> seen;
  add_arrays(base, false, depth + 1, there, seen);
  for (Name name : there) {
    name.push_back(from.offset);
    if (name.size() <= kDepth) found.insert(std::move(name));
  }
}

// Those that begin last at or before one of the constants.
std::set<Races::Name> Races::shared_arrays(const std::set<Name>& constants) const {
  std::set<Name> found;
  for (const Name& name : constants) {
    const SharedArray* last = nullptr;
    for (const SharedArray& array : program_.shared_arrays)
      if (array.offset <= name[0] && (!last || last->offset < array.offset)) last = &array;
    if (last) found.insert({last->offset});
  }
  return found;
}

// What each value of the register is a multiple of, but for the array's address. 0: there is nothing else.
uint64_t Races::step_of(Register index, std::set<Register>& seen) const {
  if (!seen.insert(index).second) return 0;  // a loop comes back here
  const auto [function, offset] = index;
  if (const Preset* const number = constant(index)) return is_address(*number) ? 0 : number->bits;
  if (makers(index).empty()) return 1;
  uint64_t step = 0;
  for (const uint32_t pc : makers(index)) {
    const Instruction& in = program_.code[pc];
    const std::string_view name = program_.names[pc];
    const auto of = [&](uint32_t operand) { return step_of({function, operand}, seen); };
    const Preset *const b = constant({function, in.b}), *const a = constant({function, in.a});
    uint64_t one = 1;
    if (in.kind == Kind::kMemory && program_.accesses[in.index].bytes == 8) one = 0;
    if (in.kind == Kind::kAlu && (name.starts_with("mul.") || name.starts_with("mad.")))
      one = std::gcd(b ? b->bits : a ? a->bits : 1, name.starts_with("mad.") ? of(in.c) : 0);
    else if (in.kind == Kind::kAlu && name.starts_with("shl."))
      one = b && b->bits < 32 ? uint64_t{1} << b->bits : 1;
    else if (in.kind == Kind::kAlu && name.starts_with("sub."))
      one = std::gcd(of(in.a), of(in.b));
    else if (const std::vector<uint32_t> terms = terms_of(name, in); in.kind == Kind::kAlu && !terms.empty())
      one = std::accumulate(terms.begin(), terms.end(), uint64_t{0},
                            [&](uint64_t sum, uint32_t term) { return std::gcd(sum, of(term)); });
    step = std::gcd(step, one);
  }
  return step;
}

// Whether an index that was loaded is a part of the address. Several threads may have the same. added: nothing but sums
// lead from the address to this part, so what has eight bytes is a pointer.
bool Races::is_from_memory(Register part, bool added, std::set<Register>& seen) const {
  if (!seen.insert(part).second) return false;
  return std::ranges::any_of(makers(part), [&](uint32_t pc) {
    const Instruction& in = program_.code[pc];
    if (in.kind == Kind::kTexture) return true;
    if (in.kind == Kind::kMemory) {
      const MemoryAccess& from = program_.accesses[in.index];
      return from.op == MemoryOp::kLoad && is_counted(from) && !(added && from.bytes == 8);
    }
    if (in.kind != Kind::kAlu) return false;
    const std::vector<uint32_t> terms = terms_of(program_.names[pc], in);
    bool found = false;
    for_each_source(program_, in, [&](uint32_t offset) {
      found |= is_from_memory({part.first, offset}, added && std::ranges::count(terms, offset) > 0, seen);
    });
    return found;
  });
}

// Whether both registers are made in the same way.
bool Races::is_same(Register one, Register other, size_t depth) const {
  if (one == other) return true;
  if (one.first != other.first || one.second == 0 || other.second == 0 || depth == kDepth) return false;
  const Preset *const number = constant(one), *const another = constant(other);
  if (number || another) return number && another && number->bits == another->bits;
  const std::vector<uint32_t>&mine = makers(one), &theirs = makers(other);
  if (mine.size() != 1 || theirs.size() != 1) return false;
  const Instruction &a = program_.code[mine[0]], &b = program_.code[theirs[0]];
  if (a.kind == Kind::kMemory && b.kind == Kind::kMemory) {  // a parameter
    const MemoryAccess &from = program_.accesses[a.index], &there = program_.accesses[b.index];
    return from.space == Space::kConst && there.space == Space::kConst && from.offset == there.offset &&
           from.base == there.base && from.registers[0] == one.second && there.registers[0] == other.second;
  }
  if (a.kind != Kind::kAlu || b.kind != Kind::kAlu || program_.names[mine[0]] != program_.names[theirs[0]])
    return false;
  const auto same = [&](uint32_t x, uint32_t y) { return is_same({one.first, x}, {one.first, y}, depth + 1); };
  return a.guard == b.guard && a.modes == b.modes && same(a.a, b.a) && same(a.b, b.b) && same(a.c, b.c) &&
         same(a.e, b.e);
}

bool Races::has_same_address(const Use& one, const Use& other) const {
  return one.offset == other.offset && is_same(one.base, other.base);
}

// Whether two threads never meet at these accesses: they are other members of structures, or other places beside a
// pointer.
bool Races::are_apart(const Use& one, const Use& other) const {
  const MemoryAccess &a = *one.access, &b = *other.access;
  if (is_shared(a) ? !is_same(one.base, other.base) : one.arrays != other.arrays || one.arrays.size() != 1)
    return false;
  const int64_t step = static_cast<int64_t>(std::gcd(one.step, other.step)), bytes = a.bytes * a.count,
                other_bytes = b.bytes * b.count;
  int64_t distance = other.offset - one.offset;
  if (step == 0) return distance >= bytes || -distance >= other_bytes;
  distance = (distance % step + step) % step;
  return distance >= bytes && distance + other_bytes <= step;
}

// Whether the place is the thread's own. Its address is made of the thread's number, and the thread loads and stores
// there; what else it stores to the array, it loads as well, as when it exchanges two elements.
bool Races::is_own(const Use& load, const Use& store) {
  const MemoryAccess &mine = *load.access, &other = *store.access;
  if (in_launch_.at(mine.pc, mine.base)) return false;
  for (const MemoryAccess* const access : {&mine, &other}) {
    std::set<Register> seen;
    if (is_from_memory({function_[access->pc], access->base}, true, seen)) return false;
  }
  if (has_same_address(load, store)) return true;
  const auto any = [&](bool loads, const Use& there) {
    return std::ranges::any_of(uses_, [&](const Use& use) {
      const MemoryOp op = use.access->op;
      return is_global(*use.access) && op == (loads ? MemoryOp::kLoad : MemoryOp::kStore) &&
             has_same_address(use, there);
    });
  };
  return any(true, store) && any(false, load);
}

// Whether the block's number is a part of the value.
bool Races::is_of_block(Register part, std::set<Register>& seen) const {
  if (!seen.insert(part).second) return false;
  if (block_numbers_.contains(part)) return true;
  return std::ranges::any_of(makers(part), [&](uint32_t pc) {
    bool found = false;
    if (program_.code[pc].kind == Kind::kAlu)
      for_each_source(program_, program_.code[pc], [&](uint32_t offset) {
        found |= is_of_block({part.first, offset}, seen);
      });
    return found;
  });
}

Races::BlockParts Races::block_parts(Register value, std::set<Register>& seen) const {
  if (block_numbers_.contains(value)) return {{value, 1}};
  if (!seen.insert(value).second) return {};  // a loop adds a constant to it
  BlockParts found;
  for (const uint32_t pc : makers(value)) {
    const Instruction& in = program_.code[pc];
    const std::string_view name = program_.names[pc];
    BlockParts parts;
    const auto add = [&](uint32_t operand, int64_t times) {
      for (const auto& [part, count] : block_parts({value.first, operand}, seen)) parts[part] += count * times;
    };
    const Preset* const b = in.kind == Kind::kAlu ? constant({value.first, in.b}) : nullptr;
    const bool multiplies = name.starts_with("mul.") || name.starts_with("mad.");
    if (in.kind != Kind::kAlu) continue;
    if (name.starts_with("add.")) {
      add(in.a, 1);
      add(in.b, 1);
    } else if (name.starts_with("sub.")) {
      add(in.a, 1);
      add(in.b, -1);
    } else if (name.starts_with("mov.") || name.starts_with("cvt.") || name.starts_with("cvta.")) {
      add(in.a, 1);
    } else if (b && name.starts_with("shl.") && b->bits < 32) {
      add(in.a, int64_t{1} << b->bits);
    } else if (b && multiplies) {
      add(in.a, static_cast<int64_t>(b->bits));
      if (name.starts_with("mad.")) add(in.c, 1);
    } else if (std::set<Register> asked; is_of_block(value, asked)) {
      parts[value] = 1;
    }
    if (found.empty()) found = std::move(parts);
  }
  return found;
}

// A barrier orders nothing for other blocks. But if both addresses contain the block's number in the same way, the
// places are taken to belong to the block.
bool Races::are_concurrent(const Use& load, const Use& other) const {
  const bool unordered = std::ranges::any_of(intervals_, [&](const std::vector<bool>& reached) {
    return reached[load.access->pc] && reached[other.access->pc];
  });
  if (unordered || is_shared(*load.access)) return unordered;
  std::set<Register> seen, also_seen;
  const BlockParts parts = block_parts(load.base, seen);
  return parts.empty() || parts != block_parts(other.base, also_seen);
}

// The value that the branch's guard has on the side that leads to the instruction. Nothing: both sides lead there.
std::optional<bool> Races::guard_on_the_way(uint32_t branch, uint32_t pc) const {
  const bool negated = program_.code[branch].guard_negated;
  if (branch == pc) return !negated;
  static const std::vector<uint32_t> kNoSteps;
  const auto leads_there = [&](uint32_t from) -> bool {
    std::vector<bool> reached(program_.code.size() + 1, false);
    spread(from, reached, [&](uint32_t at) -> const std::vector<uint32_t>& {
      return at == branch || at >= program_.code.size() ? kNoSteps : facts_.flow().successors[at];
    });
    return reached[pc];
  };
  bool jumps = false;
  const bool falls = leads_there(branch + 1);
  for (const uint32_t to : facts_.flow().successors[branch]) jumps |= to != branch + 1 && leads_there(to);
  if (falls == jumps) return std::nullopt;
  return jumps != negated;
}

// Adds the comparisons that must have found two numbers equal if the predicate has this value.
void Races::add_equalities(Register predicate, bool value, std::set<uint32_t>& found, size_t depth) {
  if (makers(predicate).size() != 1 || depth == kDepth) return;
  const uint32_t pc = makers(predicate)[0];
  const Instruction& in = program_.code[pc];
  const std::string_view name = program_.names[pc];
  if (in.kind != Kind::kAlu) return;
  const auto add = [&](uint32_t operand, bool one) {
    add_equalities({predicate.first, operand}, one, found, depth + 1);
  };
  const bool inverts = in.uncounted || name.starts_with("not.");
  if (inverts || name.starts_with("mov.")) return add(in.a, value != inverts);
  if (name.starts_with(value ? "and." : "or.")) {
    add(in.a, value);
    add(in.b, value);
  }
  const bool equal = name.starts_with("setp.eq.") && value && name.find(".or.") == name.npos,
             unequal = name.starts_with("setp.ne.") && !value && name.find(".and.") == name.npos;
  if (!(equal || unequal) || name.find(".xor.") != name.npos) return;
  std::set<Register> passed;
  const auto is_loaded = [&](uint32_t operand) { return is_from_memory({predicate.first, operand}, false, passed); };
  if (in_launch_.at(pc, in.a) != in_launch_.at(pc, in.b) && !is_loaded(in.a) && !is_loaded(in.b)) found.insert(pc);
}

// The comparisons that find the thread's number equal to another number wherever the instruction is executed: "if (i ==
// 0)".
const std::set<uint32_t>& Races::choosers(uint32_t pc) {
  const auto [known, is_new] = choosers_.try_emplace(pc);
  std::set<uint32_t>& found = known->second;
  if (!is_new) return found;
  static const std::vector<uint32_t> kNone;
  std::vector<bool> deciders(program_.code.size() + 1, false);
  spread(pc, deciders, [&](uint32_t at) -> const std::vector<uint32_t>& {
    return at < program_.code.size() ? facts_.deciders(at) : kNone;
  });
  for (uint32_t at = 0; at < program_.code.size(); ++at) {
    if (!deciders[at] || !program_.code[at].guard) continue;
    if (const std::optional<bool> guard = guard_on_the_way(at, pc))
      add_equalities({function_[at], program_.code[at].guard}, *guard, found);
  }
  return found;
}

std::vector<SharedPair> shared_pairs_of(const Program& program) {
  const FlowFacts facts(flow_of(program));
  return Races(program, facts).shared_pairs();
}

std::vector<LanePair> lane_pairs_of(const Program& program) {
  const FlowFacts facts(flow_of(program));
  return Races(program, facts).lane_pairs();
}

}  // namespace lockstep
