#include "engine/global_races.h"

#include <atomic>

#include "engine/launch.h"

namespace lockstep {
namespace {

// Half of an entry: who stored to a word, or who loaded it. Its first Access, and flags.
constexpr uint32_t kAnybody = uint32_t{1} << Access::kBits, kOtherWarps = kAnybody << 1, kOtherBlocks = kAnybody << 2;

Access first(uint32_t half) { return {half & (kAnybody - 1)}; }

bool has_others(uint32_t half, Access now) {
  if (!(half & kAnybody)) return false;
  if ((half & kOtherBlocks) || !first(half).has_same_block(now)) return true;
  return first(half).has_same_interval(now) && ((half & kOtherWarps) || first(half) != now);
}

uint32_t half_behind(uint32_t before, Access now) {
  const bool same_block = first(before).has_same_block(now);
  const bool starts = !(before & (kAnybody | kOtherBlocks)) ||
                      (!(before & kOtherBlocks) && same_block && !first(before).has_same_interval(now));
  if (starts) return now.bits | kAnybody;
  if (!same_block) return before | kOtherBlocks;
  return first(before) == now ? before : before | kOtherWarps;
}

// Whether the access races with one that was noted before.
bool put(uint64_t& entry, Access now, bool loads) {
  std::atomic_ref<uint64_t> shared(entry);
  uint64_t before = shared.load(std::memory_order_relaxed), after = 0;
  bool races = false;
  do {
    const auto stored = static_cast<uint32_t>(before), loaded = static_cast<uint32_t>(before >> 32);
    races = has_others(loads ? stored : loaded, now);
    after =
        loads ? stored | uint64_t{half_behind(loaded, now)} << 32 : half_behind(stored, now) | uint64_t{loaded} << 32;
  } while (!shared.compare_exchange_weak(before, after, std::memory_order_relaxed));
  return races;
}

}  // namespace

void GlobalRaces::note(Warp& warp, const MemoryAccess& access, Mask mask, const std::array<uint64_t, kWarpSize>& at) {
  const uint32_t unit = warp.launch().unit(access), parts = access.bytes * access.count / unit;
  const Access now = Access::of(warp);
  NotedPlaces places;
  bool races = false;
  for (const uint32_t l : each_lane(mask)) {
    if (at[l] - places.range.begin >= places.range.end - places.range.begin)
      places = entries_.find(warp, Space::kGlobal, at[l], unit);
    const uint64_t place = (at[l] - places.range.begin) / unit;
    for (uint32_t part = 0; part < parts; ++part)
      races |= put(places.entries[place + part], now, access.op == MemoryOp::kLoad);
  }
  if (!races) return;
  const Launch& launch = warp.launch();
  for (const MemoryAccess& one : launch.program.accesses)
    if (one.op == MemoryOp::kLoad && launch.may_race(one, Space::kGlobal)) warp.state().contested[one.index] = true;
}

}  // namespace lockstep
