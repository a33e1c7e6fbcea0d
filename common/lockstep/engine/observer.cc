#include "engine/observer.h"

#include <algorithm>

namespace lockstep {

uint64_t allocate_watched(Memory& memory, const Observers& observers, uint64_t bytes, MemoryUse use) {
  const uint64_t address = memory.allocate(bytes, use);
  if (address == 0) return 0;
  if (std::ranges::all_of(observers, [&](Observer* observer) { return observer->allocated(address, bytes); }))
    return address;
  memory.free(address);
  return 0;
}

}  // namespace lockstep
