// sleep: records what a warp reads and changes in memory, so that it can sleep until another warp changes it.
#include <array>
#include <bit>
#include <cstring>

#include "engine/access.h"
#include "engine/block.h"

namespace lockstep {
namespace {

// A warp that reads more words than this at once, and not to synchronise, works and does not wait.
constexpr int kFewLanes = 4;

bool is_row(const std::array<uint64_t, kWarpSize>& at, Mask mask, uint32_t bytes) {
  uint64_t astray = ~mask;
  for (uint32_t l = 0; l < kWarpSize; ++l) astray |= at[l] ^ (at[0] + l * bytes);
  return astray == 0;
}

uint64_t word_of(const std::byte* data) { return reinterpret_cast<uint64_t>(data) / 4; }

}  // namespace

bool Warp::sleeps() const { return !state_->turns.wake_all && sleep_.asleep(*state_->turns.changes); }

// Where these bytes lie in this process; null if the access is wrong, or to memory that no other warp changes.
std::byte* Warp::reached(Space space, uint64_t address, uint32_t bytes, Range& last) const {
  if (space == Space::kGeneric) {
    if (address - kLocalWindow < kWindowBytes) return nullptr;
    space = address - kSharedWindow < kWindowBytes ? Space::kShared : Space::kGlobal;
    if (space == Space::kShared) address -= kSharedWindow;
  }
  if (!last.contains(address, bytes)) last = range_at(*this, space, address);
  if (!last.contains(address, bytes)) return nullptr;
  if (space == Space::kShared) return block_.shared() + (address - kSharedBase);
  return reinterpret_cast<std::byte*>(address);
}

void Warp::note_changes(const std::byte* before, const std::byte* now, uint32_t bytes) {
  if (std::memcmp(before, now, bytes) == 0) return;
  for (uint32_t b = 0; b < bytes; b += 4)
    if (std::memcmp(before + b, now + b, std::min(bytes - b, 4u)) != 0) state_->turns.changes->note(word_of(now + b));
  ++state_->changes;
  sleep_.act();
}

void Warp::access_watched(Path& path, const MemoryAccess& access, Mask mask) {
  const auto carry_out = [&] {
    access.hands_over ? access_strongly(path, access, mask) : access.handler(*this, access, mask);
  };
  if (access.space != Space::kGlobal && access.space != Space::kShared && access.space != Space::kGeneric)
    return carry_out();
  const bool writes = access.op != MemoryOp::kLoad;
  if (!writes && !access.may_spin && std::popcount(mask) > kFewLanes) sleep_.act();
  if (!writes && !sleep_.idle()) return carry_out();
  const uint32_t bytes = access.bytes * access.count;
  std::array<uint64_t, kWarpSize> at;
  read_addresses(*this, access, mask, at.data());
  Range last;
  std::array<std::byte, 16 * kWarpSize> before;
  if (access.op == MemoryOp::kStore && is_row(at, mask, bytes)) {
    std::byte* const data = reached(access.space, at[0], kWarpSize * bytes, last);
    if (data) std::memcpy(before.data(), data, kWarpSize * bytes);
    carry_out();
    if (data) note_changes(before.data(), data, kWarpSize * bytes);
    return;
  }
  std::array<std::byte*, kWarpSize> data{};
  for (const uint32_t l : each_lane(mask)) {
    data[l] = reached(access.space, at[l], bytes, last);
    if (!data[l]) continue;
    if (writes) std::memcpy(&before[l * 16], data[l], bytes);
    for (uint32_t b = 0; b < bytes; b += 4) sleep_.look(Changes::slot(word_of(data[l] + b)));
  }
  carry_out();
  for (const uint32_t l : each_lane(writes ? mask : 0))
    if (data[l]) note_changes(&before[l * 16], data[l], bytes);
}

}  // namespace lockstep
