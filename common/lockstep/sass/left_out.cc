#include "sass/left_out.h"

#include <algorithm>
#include <cstdlib>

#include "base/words.h"
#include "program/neighbours.h"

namespace lockstep {

std::string LeftOut::doubt(const MemoryAccess& access) const {
  const auto is_like_it = [&](const MachineAccess* one) {
    return same_class(access.op, one->kind) && one->space == access.space;
  };
  const bool in_wider = is_in_wider(access);
  if (std::ranges::any_of(pairs_.elsewhere(), is_like_it) || (!in_wider && has_twin(access)))
    return words("ptxas may make one access of this one and others, in another place");
  if (!in_wider && std::ranges::any_of(program_.accesses,
                                       [&](const MemoryAccess& other) { return may_have_line_of(other, access); }))
    return words("ptxas may give its instruction the line of another access");
  return "";
}

// Whether the wider access of a neighbour beside it may be this one, too.
bool LeftOut::is_in_wider(const MemoryAccess& access) const {
  return std::ranges::any_of(neighbours_of(program_, access), [&](uint32_t index) {
    const MemoryAccess& other = program_.accesses[index];
    const Machine machine = pairs_.of(other);
    return is_beside(other, access) && !machine.empty() && machine[0]->bytes > other.bytes * other.count &&
           std::abs(other.offset - access.offset) < machine[0]->bytes;
  });
}

// Whether another side of a branch has an access of the same address, and that one has an instruction: ptxas makes
// one access of both before the sides part, or behind them, with the line of one of them.
bool LeftOut::has_twin(const MemoryAccess& access) const {
  constexpr uint32_t kSteps = 8;  // an address has few makers
  return std::ranges::any_of(program_.accesses, [&](const MemoryAccess& other) {
    return other.index != access.index && other.op == access.op && other.space == access.space &&
           other.bytes * other.count == access.bytes * access.count && other.offset == access.offset &&
           function_[other.pc] == function_[access.pc] &&
           has_same_value(function_[access.pc], access.base, other.base, kSteps) && !pairs_.of(other).empty() &&
           !comes_before(access.pc, other.pc) && !comes_before(other.pc, access.pc);
  });
}

// Whether both registers of a function are one, or made in the same way, as far as `steps` instructions show.
bool LeftOut::has_same_value(uint32_t function, uint32_t one, uint32_t other, uint32_t steps) const {
  if (one == other) return true;
  const auto made = makers_.find({function, one}), like = makers_.find({function, other});
  if (steps == 0 || made == makers_.end() || like == makers_.end()) return false;
  const uint32_t pc = made->second[0], other_pc = like->second[0];
  const Instruction &a = program_.code[pc], &b = program_.code[other_pc];
  const auto is_same = [&](uint32_t x, uint32_t y) { return has_same_value(function, x, y, steps - 1); };
  return made->second.size() == 1 && like->second.size() == 1 && a.kind == Kind::kAlu && b.kind == Kind::kAlu &&
         program_.names[pc] == program_.names[other_pc] && is_same(a.a, b.a) && is_same(a.b, b.b) && is_same(a.c, b.c);
}

// In one turn of the loops.
bool LeftOut::comes_before(uint32_t first, uint32_t second) const {
  std::vector<bool> reached(program_.code.size() + 1, false);
  spread(first, reached, [&](uint32_t at) {
    std::vector<uint32_t> next;
    if (at < program_.code.size()) next = facts_.flow().successors[at];
    std::erase_if(next, [&](uint32_t to) { return facts_.goes_back(at, to); });
    return next;
  });
  return reached[second];
}

// Whether instructions that look like copies of `other` may be those of an access that has none: ptxas has joined
// both, and parted them again. Copies on two sides of a branch have two places. Copies of an access whose address no
// loop changes have one address.
bool LeftOut::may_have_line_of(const MemoryAccess& other, const MemoryAccess& gone) const {
  if (other.index == gone.index || other.space != gone.space || other.op != gone.op) return false;
  const Machine machine = pairs_.of(other);
  if (machine.empty() || machine[0]->bytes > other.bytes * other.count) return false;
  const auto places = places_of(machine);
  if (is_beside(other, gone) && std::ranges::adjacent_find(places) != places.end()) return true;
  const bool one_address =
      std::ranges::all_of(machine, [&](const MachineAccess* one) { return one->address == machine[0]->address; });
  return !one_address && function_[other.pc] == function_[gone.pc] && has_one_address(other);
}

// Whether no loop around the access changes its address.
bool LeftOut::has_one_address(const MemoryAccess& access) const {
  const auto made = makers_.find({function_[access.pc], access.base});
  if (made == makers_.end()) return true;
  const std::vector<uint32_t>& loops = facts_.loops(access.pc);
  return std::ranges::none_of(made->second, [&](uint32_t pc) {
    return std::ranges::any_of(facts_.loops(pc), [&](uint32_t loop) { return std::ranges::count(loops, loop) > 0; });
  });
}

// Whether both are executed whenever one is.
bool LeftOut::is_beside(const MemoryAccess& other, const MemoryAccess& access) const {
  return program_.code[other.pc].kind == Kind::kMemory && is_counted(other) && program_.code[other.pc].guard == 0 &&
         facts_.loops(other.pc) == facts_.loops(access.pc) && facts_.deciders(other.pc) == facts_.deciders(access.pc);
}

}  // namespace lockstep
