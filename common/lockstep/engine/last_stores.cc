#include "engine/last_stores.h"

#include <atomic>
#include <cstring>

#include "engine/block.h"

namespace lockstep {
namespace {

// An entry, from its low bits: the value, or the kind of the atomic; the Access that wrote it; and flags. An entry has
// 64 bits, so that it can be exchanged at once.
constexpr int kStorerAt = 32;
constexpr uint64_t kStorer = ((uint64_t{1} << Access::kBits) - 1) << kStorerAt;
constexpr uint64_t kByAtomic = uint64_t{1} << 60, kWhat = 0xffff'ffff | kByAtomic;
constexpr uint64_t kSeveralBlocks = uint64_t{1} << 59, kStored = uint64_t{1} << 61, kSeveralWarps = uint64_t{1} << 62,
                   kSeveralValues = uint64_t{1} << 63;

Access storer(uint64_t entry) { return {static_cast<uint32_t>((entry & kStorer) >> kStorerAt)}; }

// The entry behind a store. Which of two stores came first makes no difference. All stores of an entry without
// kSeveralBlocks lie in one interval of one block.
uint64_t entry_behind(uint64_t before, uint64_t now, Space space) {
  const bool same_block = storer(before).has_same_block(storer(now));
  const bool is_ordered = same_block ? !storer(before).has_same_interval(storer(now))
                                     : space == Space::kShared;  // the earlier block has ended
  if (!(before & kStored) || (is_ordered && !(before & kSeveralBlocks))) return now;
  uint64_t after = now | (before & (kSeveralBlocks | kSeveralWarps | kSeveralValues));
  if (!same_block) after |= kSeveralBlocks;
  if ((before ^ now) & kStorer) after |= kSeveralWarps;
  if ((before ^ now) & kWhat) after |= kSeveralValues;
  return after;
}

bool is_contested(uint64_t entry) { return (entry & kSeveralWarps) && (entry & kSeveralValues); }

uint64_t put(uint64_t& entry, uint64_t now, Space space, bool concurrent) {
  if (!concurrent) return entry = entry_behind(entry, now, space);
  std::atomic_ref<uint64_t> shared(entry);
  uint64_t before = shared.load(std::memory_order_relaxed), after = 0;
  do after = entry_behind(before, now, space);
  while (!shared.compare_exchange_weak(before, after, std::memory_order_relaxed));
  return after;
}

}  // namespace

void LastStores::note(Warp& warp, const MemoryAccess& access, Space space, Mask mask,
                      const std::array<uint64_t, kWarpSize>& at) {
  const uint32_t unit = warp.launch().unit(access);
  if (unit == 1) return note_units<uint8_t>(warp, access, space, mask, at);
  if (unit == 2) return note_units<uint16_t>(warp, access, space, mask, at);
  note_units<uint32_t>(warp, access, space, mask, at);
}

template <class Unit>
void LastStores::note_units(Warp& warp, const MemoryAccess& access, Space space, Mask mask,
                            const std::array<uint64_t, kWarpSize>& at) {
  const uint64_t by = kStored | uint64_t{Access::of(warp).bits} << kStorerAt;
  const bool concurrent = space == Space::kGlobal && warp.state().concurrent;
  const uint64_t atomic = is_atomic(access) ? kByAtomic | static_cast<uint64_t>(access.atomic) : 0;
  const uint32_t width = bytes_of(access.register_width), parts = access.bytes / sizeof(Unit), count = access.count;
  NotedPlaces& places = warp.state().noted[access.index];
  bool contested = false;
  for (uint32_t e = 0; e < count; ++e) {
    const std::byte* const values = warp.registers() + access.registers[e];
    for (const uint32_t l : each_lane(mask)) {
      if (at[l] - places.range.begin >= places.range.end - places.range.begin)
        places = entries_.find(warp, space, at[l], sizeof(Unit));
      const uint64_t place = (at[l] - places.range.begin) / sizeof(Unit) + e * parts;
      for (uint32_t part = 0; part < parts; ++part) {
        Unit value = 0;
        if (!atomic) std::memcpy(&value, values + l * width + part * sizeof value, sizeof value);
        contested |= is_contested(put(places.entries[place + part], by | atomic | value, space, concurrent));
      }
    }
  }
  if (contested) warp.state().contested[access.index] = true;
}

}  // namespace lockstep
