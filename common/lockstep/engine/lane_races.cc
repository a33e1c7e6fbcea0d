#include "engine/lane_races.h"

#include "program/program.h"

namespace lockstep {

void LaneRaces::note(const MemoryAccess& access, Mask mask, const LaneAddresses& addresses, uint32_t unit,
                     const std::set<std::pair<uint32_t, uint32_t>>& pairs, std::vector<bool>& contested) {
  const uint32_t bytes = access.bytes * access.count;
  const auto each_place = [&](const auto& use) {
    for (const uint32_t l : each_lane(mask))
      for (uint64_t at = addresses.at[l]; at < addresses.at[l] + bytes; at += unit) {
        Place& place = places_[at];
        if (place.interval != interval_) place = {interval_};
        use(place, Mask{1} << l);
      }
  };
  each_place([&](const Place& place, Mask lane) {
    for (const auto& [other, lanes] : place.lanes) {
      if (!(lanes & ~lane)) continue;
      if (pairs.contains({access.index, other})) contested[access.index] = true;
      if (pairs.contains({other, access.index})) contested[other] = true;
    }
  });
  each_place([&](Place& place, Mask lane) { place.lanes[access.index] |= lane; });
}

}  // namespace lockstep
