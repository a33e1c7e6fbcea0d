#include "device/watched_accesses.h"

#include "engine/meeting_accesses.h"

namespace lockstep {

std::vector<uint8_t> WatchedAccesses::of(const Program& program, const LaunchShape& shape, const Steering& steering) {
  if (!steering.global && !steering.shared) return {};
  std::vector<uint8_t> watched = meeting_accesses(program, memory_, shape.block, shape.grid, steering);
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
