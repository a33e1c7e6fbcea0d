// launch: what one kernel launch was asked to do. Nothing here changes while it runs; launch_state has what does.
#pragma once

#include <set>

#include "base/limits.h"
#include "base/options.h"
#include "engine/launch_shape.h"
#include "engine/observer.h"
#include "engine/source_names.h"

namespace lockstep {

// What an access out of bounds does: it ends the launch, or the kernel continues without it, so that one run finds
// more than the first.
enum class AfterBadAccess : uint8_t { kStop, kContinue };

struct Launch {
  const Program& program;
  Memory& memory;
  const DeviceLimits& limits;
  std::set<uint64_t>& heap;  // what kernels got from malloc() and have not freed, in this launch or an earlier one
  SourceNames names;
  LaunchShape shape;
  Schedule schedule{};
  uint64_t sequence = 0;         // number of this launch on the device, from 1
  uint32_t resident_blocks = 1;  // how many blocks the card would hold at once
  uint64_t grid_workspace = 0;   // device memory for cooperative groups' grid barrier, zeroed; 0 if not cooperative
  bool independent = false;      // its blocks may run at the same time
  bool counts_traffic = false;   // for the cost model
  AfterBadAccess after_bad_access = AfterBadAccess::kStop;
  Observers observers{};  // none: nobody watches

  bool watched() const { return !observers.empty(); }
};

}  // namespace lockstep
