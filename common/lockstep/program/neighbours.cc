#include "program/neighbours.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockstep {
namespace {

bool can_join(const MemoryAccess& access) {
  const bool moves = access.op == MemoryOp::kLoad || access.op == MemoryOp::kStore;
  const bool aligned = access.space == Space::kShared || access.space == Space::kLocal;
  return moves && aligned && access.bytes * access.count < kWidestAccess;
}

auto base_of(const MemoryAccess& access) { return std::tuple(access.op, access.space, access.wide_base, access.base); }

}  // namespace

void note_neighbours(Program& program) {
  std::map<decltype(base_of({})), std::vector<MemoryAccess*>> groups;
  for (MemoryAccess& access : program.accesses)
    if (can_join(access)) groups[base_of(access)].push_back(&access);
  for (auto& [base, group] : groups) {
    std::ranges::sort(group, {}, [](const MemoryAccess* access) { return std::pair(access->offset, access->index); });
    const auto near = [&](size_t a, size_t b) {
      return b < group.size() && group[b]->offset - group[a]->offset < kWidestAccess &&
             group[b]->offset > group[a]->offset;
    };
    for (size_t i = 0; i < group.size(); ++i) {
      size_t next = i + 1, before = i;
      while (next < group.size() && group[next]->offset == group[i]->offset) ++next;
      while (before > 0 && group[before]->offset == group[i]->offset) --before;
      if (near(i, next) || near(before, i)) group[i]->neighbour = ++program.neighbours;
    }
  }
}

std::vector<uint32_t> neighbours_of(const Program& program, const MemoryAccess& access) {
  std::vector<uint32_t> found;
  for (const MemoryAccess& other : program.accesses)
    if ((other.neighbour || other.space == Space::kGlobal) && base_of(other) == base_of(access) &&
        other.offset > access.offset - kWidestAccess && other.offset < access.offset + kWidestAccess)
      found.push_back(other.index);
  std::ranges::sort(found, {}, [&](uint32_t index) { return program.accesses[index].offset; });
  return found;
}

}  // namespace lockstep
