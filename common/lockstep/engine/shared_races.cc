#include "engine/shared_races.h"

#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {

void SharedRaces::note(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses,
                       uint64_t interval, bool copied) {
  const uint32_t unit = warp.launch().unit(access), parts = access.bytes * access.count / unit;
  places_.resize(warp.launch().shape.shared_bytes / unit);
  const bool loads = access.op == MemoryOp::kLoad;
  bool races = copied;
  for (const uint32_t l : each_lane(mask)) {
    const uint64_t first = (addresses.at[l] - addresses.shared_begin) / unit;
    for (uint64_t i = first; i < first + parts; ++i) {
      Place& place = places_[i];
      if (place.interval != interval) place = {interval};
      uint32_t& mine = loads ? place.reader : place.writer;
      const uint32_t others = loads ? place.writer : place.reader;
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
