#include "engine/last_stores.h"

#include <atomic>
#include <cstring>
#include <new>

#include "engine/block.h"

namespace lockstep {
namespace {

// An entry, from its low bits: the value; the warp that stored it; the interval between two barriers of its block; the
// block; and flags. An entry has 64 bits, so that it can be exchanged at once. Blocks and intervals are cut to the bits
// that are left: two blocks count as one if their numbers differ by a multiple of 2^17.
constexpr int kWarpAt = 32, kIntervalAt = 37, kBlockAt = 44;
constexpr uint64_t kValue = 0xffff'ffff, kInterval = uint64_t{0x7f} << kIntervalAt,
                   kBlock = uint64_t{0x1'ffff} << kBlockAt;
constexpr uint64_t kStorer = (uint64_t{1} << 61) - 1 - kValue;
constexpr uint64_t kStored = uint64_t{1} << 61, kSeveralWarps = uint64_t{1} << 62, kSeveralValues = uint64_t{1} << 63;

uint64_t storer(const Warp& warp) {
  const Block& block = warp.block();
  return uint64_t{warp.index() % 32} << kWarpAt | (block.interval() << kIntervalAt & kInterval) |
         (block.linear() << kBlockAt & kBlock);
}

bool are_ordered(uint64_t before, uint64_t now, Space space) {
  if ((before ^ now) & kBlock) return space == Space::kShared;  // the earlier block has ended
  return ((before ^ now) & kInterval) != 0;
}

// The entry behind a store. Which of two stores came first makes no difference.
uint64_t entry_behind(uint64_t before, uint64_t now, Space space) {
  if (!(before & kStored) || (!(before & kSeveralWarps) && are_ordered(before, now, space))) return now;
  uint64_t after = now | (before & (kSeveralWarps | kSeveralValues));
  if ((before ^ now) & kStorer) after |= kSeveralWarps;
  if ((before ^ now) & kValue) after |= kSeveralValues;
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
  if (access.bytes == 1) return note_units<uint8_t>(warp, access, space, mask, at);
  if (access.bytes == 2) return note_units<uint16_t>(warp, access, space, mask, at);
  note_units<uint32_t>(warp, access, space, mask, at);
}

template <class Unit>
void LastStores::note_units(Warp& warp, const MemoryAccess& access, Space space, Mask mask,
                            const std::array<uint64_t, kWarpSize>& at) {
  const uint64_t by = kStored | storer(warp);
  const bool concurrent = space == Space::kGlobal && warp.state().concurrent;
  const uint32_t width = bytes_of(access.register_width), parts = access.bytes / sizeof(Unit), count = access.count;
  NotedPlaces& places = warp.state().noted[access.index];
  bool contested = false;
  for (uint32_t e = 0; e < count; ++e) {
    const std::byte* const values = warp.registers() + access.registers[e];
    for (const uint32_t l : each_lane(mask)) {
      if (at[l] - places.range.begin >= places.range.end - places.range.begin)
        places = find(warp, space, at[l], sizeof(Unit));
      const uint64_t place = (at[l] - places.range.begin) / sizeof(Unit) + e * parts;
      for (uint32_t part = 0; part < parts; ++part) {
        Unit value;
        std::memcpy(&value, values + l * width + part * sizeof value, sizeof value);
        contested |= is_contested(put(places.entries[place + part], by | value, space, concurrent));
      }
    }
  }
  if (contested) warp.state().contested[access.index] = true;
}

NotedPlaces LastStores::find(const Warp& warp, Space space, uint64_t address, uint32_t unit) {
  const auto shared = reinterpret_cast<uint64_t>(warp.block().shared());
  const Range range = space == Space::kShared ? Range{shared, shared + warp.launch().shape.shared_bytes}
                                              : warp.launch().memory.find(address);
  const std::lock_guard lock(mutex_);
  auto& found = entries_[{range.begin, unit}];
  if (!found)  // entries that nobody touches take no memory
    found.reset(static_cast<uint64_t*>(std::calloc((range.end - range.begin) / unit + 1, sizeof(uint64_t))));
  if (!found) throw std::bad_alloc();
  return {range, found.get()};
}

}  // namespace lockstep
