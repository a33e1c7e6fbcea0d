#include "device/watched_accesses.h"

#include <algorithm>

#include "engine/meeting_accesses.h"

namespace lockstep {
namespace {

bool may_be_local(const MemoryAccess& access) {
  return access.space == Space::kLocal || access.space == Space::kGeneric;
}

// A load that only copies brings nothing that steers. What it copies counts as written then.
void watch_local(const Program& program, std::vector<uint8_t>& watched) {
  const auto may_find = [](const MemoryAccess& access) {
    return access.op == MemoryOp::kLoad && may_be_local(access) && !access.only_copied;
  };
  if (program.local_bytes == 0 || std::ranges::none_of(program.accesses, may_find)) return;
  for (const MemoryAccess& access : program.accesses)
    if (access.op == MemoryOp::kLoad ? may_find(access) : may_be_local(access)) watched[access.index] |= kLeftInLocal;
}

}  // namespace

std::vector<uint8_t> WatchedAccesses::of(const Program& program, const LaunchShape& shape, const Steering& steering) {
  if (!steering.global && !steering.shared && !steering.local) return {};
  std::vector<uint8_t> watched = meeting_accesses(program, memory_, shape.block, shape.grid, steering);
  if (steering.local) watch_local(program, watched);
  if (!steering.shared || shape.warps_per_block() == 1) return watched;
  const auto [pairs, is_new] = shared_pairs_.try_emplace(&program);
  if (is_new) pairs->second = shared_pairs_of(program);
  for (const SharedPair& pair : pairs->second) {
    if (pair.same_address && !(watched[pair.store] & kMeetInShared)) continue;
    watched[pair.load] |= kRaceInShared;
    watched[pair.store] |= kRaceInShared;
  }
  return watched;
}

}  // namespace lockstep
