#include "engine/lane_races.h"

#include <algorithm>

#include "program/program.h"

namespace lockstep {

void LaneRaces::note(const MemoryAccess& access, Mask mask, const LaneAddresses& addresses,
                     const std::set<std::pair<uint32_t, uint32_t>>& pairs, std::vector<bool>& contested) {
  const uint32_t size = std::min<uint32_t>(access.bytes, 4), parts = access.bytes * access.count / size;
  const auto each_unit = [&](const auto& use) {
    for (const uint32_t l : each_lane(mask))
      for (uint32_t part = 0; part < parts; ++part) {
        Unit& unit = units_[(addresses.at[l] + part * size) * 8 + size];
        if (unit.interval != interval_) unit = {interval_};
        use(unit, Mask{1} << l);
      }
  };
  each_unit([&](const Unit& unit, Mask lane) {
    for (const auto& [other, lanes] : unit.lanes) {
      if (!(lanes & ~lane)) continue;
      if (pairs.contains({access.index, other})) contested[access.index] = true;
      if (pairs.contains({other, access.index})) contested[other] = true;
    }
  });
  each_unit([&](Unit& unit, Mask lane) { unit.lanes[access.index] |= lane; });
}

}  // namespace lockstep
