#include "device/watched_accesses.h"

#include <algorithm>

#include "engine/meeting_accesses.h"

namespace lockstep {
namespace {

// Marks the accesses that may load memory of this space before it is written, and the accesses that write it.
void watch_written(const Program& program, Space space, uint8_t what, std::vector<uint8_t>& watched) {
  const auto may_be_there = [&](const MemoryAccess& access) {
    return access.space == space || access.space == Space::kGeneric;
  };
  // A load from local memory that only copies brings nothing that steers. What it copies counts as written then.
  const auto may_find = [&](const MemoryAccess& access) {
    return access.op != MemoryOp::kStore && may_be_there(access) && !(space == Space::kLocal && access.only_copied);
  };
  if (std::ranges::none_of(program.accesses, may_find)) return;
  for (const MemoryAccess& access : program.accesses)
    if (access.op == MemoryOp::kStore ? may_be_there(access) : may_find(access)) watched[access.index] |= what;
}

// An asynchronous copy may write until a thread waits for it.
void watch_copies(const Program& program, std::vector<uint8_t>& watched) {
  const auto writes_shared = [](const AsyncUse& use) {
    return (use.op == AsyncOp::kCopy || use.op == AsyncOp::kBulk) && use.to.space == Space::kShared;
  };
  if (std::ranges::none_of(program.async, writes_shared)) return;
  for (const AsyncUse& use : program.async)
    if (writes_shared(use)) watched[use.to.index] |= kRaceInShared;
  for (const MemoryAccess& access : program.accesses)
    if (access.op == MemoryOp::kLoad && access.space == Space::kShared) watched[access.index] |= kRaceInShared;
}

}  // namespace

Watched WatchedAccesses::of(const Program& program, const LaunchShape& shape, const Steering& steering) {
  if (!steering.global && !steering.shared && !steering.local) return {};
  Watched watched{meeting_accesses(program, memory_, shape.block, shape.grid, steering)};
  if (steering.local && program.local_bytes > 0)
    watch_written(program, Space::kLocal, kLeftInLocal, watched.accesses.what);
  if (steering.shared && shape.shared_bytes > 0) {
    watch_written(program, Space::kShared, kLeftInShared, watched.accesses.what);
    watch_copies(program, watched.accesses.what);
  }
  if (steering.shared && shape.warps_per_block() > 1) add_warps(program, watched);
  if (shape.threads_per_block() > 1) add_lanes(program, shape, steering, watched);
  return watched;
}

void WatchedAccesses::add_warps(const Program& program, Watched& watched) {
  const auto [pairs, is_new] = shared_pairs_.try_emplace(&program);
  if (is_new) pairs->second = shared_pairs_of(program);
  for (const SharedPair& pair : pairs->second) {
    if (pair.same_address && !(watched.accesses.what[pair.store] & kMeetInShared)) continue;
    watched.accesses.what[pair.load] |= kRaceInShared;
    watched.accesses.what[pair.store] |= kRaceInShared;
  }
}

// With several warps, what atomics bring depends on the order of threads in any case, and so does what other threads
// change in global memory.
void WatchedAccesses::add_lanes(const Program& program, const LaunchShape& shape, const Steering& steering,
                                Watched& watched) {
  const auto [pairs, is_new] = lane_pairs_.try_emplace(&program);
  if (is_new) pairs->second = lane_pairs_of(program);
  for (const LanePair& pair : pairs->second) {
    const bool shared = program.accesses[pair.brings].space == Space::kShared;
    if (!(shared ? steering.shared : steering.global) || !(shape.is_one_warp() || (shared && pair.plain))) continue;
    for (const uint32_t access : {pair.brings, pair.changes}) watched.accesses.what[access] |= kRaceInWarp;
    watched.lane_pairs.insert({pair.brings, pair.changes});
  }
}

}  // namespace lockstep
