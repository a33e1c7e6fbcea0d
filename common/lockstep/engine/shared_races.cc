#include "engine/shared_races.h"

#include <algorithm>
#include <bit>

#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {

void SharedRaces::note(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses,
                       uint64_t interval, bool copied) {
  const uint32_t size = std::min<uint32_t>(access.bytes, 4), parts = access.bytes * access.count / size;
  std::vector<Unit>& units = units_[static_cast<size_t>(std::countr_zero(size))];
  units.resize(warp.launch().shape.shared_bytes / size);
  const bool loads = access.op == MemoryOp::kLoad;
  bool races = copied;
  for (const uint32_t l : each_lane(mask)) {
    const uint64_t first = (addresses.at[l] - addresses.shared_begin) / size;
    for (uint64_t i = first; i < first + parts; ++i) {
      Unit& unit = units[i];
      if (unit.interval != interval) unit = {interval};
      uint32_t& mine = loads ? unit.reader : unit.writer;
      const uint32_t others = loads ? unit.writer : unit.reader;
      races |= others != kNobody && others != warp.index();
      mine = mine == kNobody || mine == warp.index() ? warp.index() : kSeveral;
    }
  }
  if (!races) return;
  const Launch& launch = warp.launch();
  for (const MemoryAccess& one : launch.program.accesses)
    if (one.op == MemoryOp::kLoad && launch.may_race(one, Space::kShared)) warp.state().contested[one.index] = true;
}

}  // namespace lockstep
