#include "engine/place_entries.h"

#include <new>

#include "engine/block.h"
#include "engine/warp.h"

namespace lockstep {

NotedPlaces PlaceEntries::find(const Warp& warp, Space space, uint64_t address, uint32_t unit) {
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

Access Access::of(const Warp& warp) {
  const Block& block = warp.block();
  return {
      static_cast<uint32_t>(warp.index() % 32 | (block.interval() << 5 & kInterval) | (block.linear() << 10 & kBlock))};
}

}  // namespace lockstep
