// sleep: records what a warp reads and changes in memory, so that it can sleep until another warp changes it.
#include <array>
#include <cstring>

#include "engine/access.h"
#include "engine/block.h"

namespace lockstep {

// Where these bytes lie in this process; null if the access is wrong, or to memory that no other warp changes.
std::byte* Warp::reached(Space space, uint64_t address, uint32_t bytes) const {
  if (space == Space::kGeneric) {
    if (address - kLocalWindow < kWindowBytes) return nullptr;
    space = address - kSharedWindow < kWindowBytes ? Space::kShared : Space::kGlobal;
    if (space == Space::kShared) address -= kSharedWindow;
  }
  if (space != Space::kShared && space != Space::kGlobal) return nullptr;
  if (!range_at(*this, space, address).contains(address, bytes)) return nullptr;
  if (space == Space::kShared) return block_.shared() + (address - kSharedBase);
  return reinterpret_cast<std::byte*>(address);
}

bool Warp::sleeps() const { return !state_.turns.wake_all && sleep_.asleep(*state_.turns.changes); }

void Warp::access_watched(Path& path, const MemoryAccess& access, Mask mask) {
  const auto carry_out = [&] {
    access.hands_over ? access_strongly(path, access, mask) : access.handler(*this, access, mask);
  };
  const bool writes = access.op != MemoryOp::kLoad;
  const bool reaches_others =
      access.space == Space::kGlobal || access.space == Space::kShared || access.space == Space::kGeneric;
  if (!reaches_others || (!writes && !sleep_.idle())) return carry_out();
  const uint32_t bytes = access.bytes * access.count;
  std::array<uint64_t, kWarpSize> at;
  std::array<std::byte*, kWarpSize> data{};
  std::array<std::array<std::byte, 16>, kWarpSize> before;
  read_addresses(*this, access, mask, at.data());
  uint32_t last = first_lane(mask);
  for (const uint32_t l : each_lane(mask)) {
    data[l] = l != last && at[l] == at[last] ? data[last] : reached(access.space, at[l], bytes);
    last = l;
    if (!data[l]) continue;
    if (writes) std::memcpy(before[l].data(), data[l], bytes);
    for (uint32_t b = 0; b < bytes; b += 4) sleep_.look(Changes::slot(reinterpret_cast<uint64_t>(data[l] + b) / 4));
  }
  carry_out();
  if (!writes) return;
  for (const uint32_t l : each_lane(mask)) {
    if (!data[l] || std::memcmp(before[l].data(), data[l], bytes) == 0) continue;
    for (uint32_t b = 0; b < bytes; b += 4) state_.turns.changes->note(reinterpret_cast<uint64_t>(data[l] + b) / 4);
    ++state_.changes;
    sleep_.act();
  }
}

}  // namespace lockstep
