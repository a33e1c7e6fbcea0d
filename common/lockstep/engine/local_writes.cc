#include "engine/local_writes.h"

#include <algorithm>
#include <cstring>

#include "program/program.h"

namespace lockstep {

bool LocalWrites::note(const MemoryAccess& access, Mask mask, const std::array<uint64_t, kWarpSize>& at) {
  const uint32_t bytes = access.bytes * access.count;
  if (written_.empty()) written_.resize(lane_bytes_ * kWarpSize);
  return bytes == 1   ? note_units<uint8_t>(access, 1, mask, at)
         : bytes == 2 ? note_units<uint16_t>(access, 1, mask, at)
                      : note_units<uint32_t>(access, bytes / 4, mask, at);
}

template <class Unit>
bool LocalWrites::note_units(const MemoryAccess& access, uint32_t units, Mask mask,
                             const std::array<uint64_t, kWarpSize>& at) {
  const bool loads = access.op == MemoryOp::kLoad;
  auto all = static_cast<Unit>(~Unit{0});
  for (const uint32_t l : each_lane(mask))
    for (uint32_t i = 0; i < units; ++i) {
      uint8_t* const place = this->at(l, at[l] + i * sizeof(Unit));
      Unit unit = static_cast<Unit>(~Unit{0});
      if (loads) {
        std::memcpy(&unit, place, sizeof unit);
        all &= unit;
      } else {
        std::memcpy(place, &unit, sizeof unit);
      }
    }
  return all == static_cast<Unit>(~Unit{0});
}

void LocalWrites::wrote(uint32_t lane, uint64_t offset, uint64_t bytes) {
  if (written_.empty()) written_.resize(lane_bytes_ * kWarpSize);
  std::fill_n(at(lane, offset), bytes, 0xff);
}

void LocalWrites::forget(Mask mask, uint64_t offset, uint64_t bytes) {
  if (written_.empty()) return;
  for (const uint32_t l : each_lane(mask)) std::fill_n(at(l, offset), bytes, 0);
}

}  // namespace lockstep
