// last_stores: which warp stored what, where several threads of a launch may write to one place. If two warps store
// different values there, and no barrier orders them, the card's schedule decides which value stays. So it does if one
// stores and the other makes an atomic, or if they make different atomics, as add and max.
#pragma once

#include <array>
#include <cstdint>

#include "engine/place_entries.h"
#include "engine/warp.h"

namespace lockstep {

// Of one launch.
class LastStores {
 public:
  // To be called before a plain store or an atomic changes memory. `at`: addresses in this process, in global or shared
  // memory. Notes the access in LaunchState::contested if another warp wrote something else, and the order was not
  // certain.
  void note(Warp& warp, const MemoryAccess& access, Space space, Mask mask, const std::array<uint64_t, kWarpSize>& at);

 private:
  template <class Unit>
  void note_units(Warp& warp, const MemoryAccess& access, Space space, Mask mask,
                  const std::array<uint64_t, kWarpSize>& at);
  PlaceEntries entries_;  // for each word, or for each byte that was stored alone
};

}  // namespace lockstep
