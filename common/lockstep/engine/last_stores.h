// last_stores: which warp stored what, where several threads of a launch may store to one place. If two warps store
// different values there, and no barrier orders them, the card's schedule decides which value stays.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {

// Of one launch. Its memory grows with the places that are noted: eight bytes for each word, or for each byte that was
// stored alone.
class LastStores {
 public:
  // To be called before a plain store changes memory. `at`: addresses in this process, in global or shared memory.
  // Notes the access in LaunchState::contested if another warp stored another value, and the order was not certain.
  void note(Warp& warp, const MemoryAccess& access, Space space, Mask mask, const std::array<uint64_t, kWarpSize>& at);

 private:
  template <class Unit>
  void note_units(Warp& warp, const MemoryAccess& access, Space space, Mask mask,
                  const std::array<uint64_t, kWarpSize>& at);
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  NotedPlaces find(const Warp& warp, Space space, uint64_t address, uint32_t unit);

  std::mutex mutex_;                                                                    // the workers share the entries
  std::map<std::pair<uint64_t, uint32_t>, std::unique_ptr<uint64_t[], Free>> entries_;  // by start and unit
};

}  // namespace lockstep
