// launch_limits: a request for a launch → the first thing that is wrong with it, before the kernel starts: its shape,
// its resources, the limit of cooperative launches, an instruction that is not supported. Each answer names the next
// step.
#pragma once

#include <cstdint>

#include "base/limits.h"
#include "base/status.h"
#include "device/kernels.h"
#include "device/requests.h"

namespace lockstep {

// Blocks of this shape that one multiprocessor holds at once.
uint32_t blocks_per_sm(const DeviceLimits& limits, const LoadedKernel& kernel, uint32_t threads,
                       uint64_t dynamic_shared_bytes);

// kOk, and the number of blocks that the card holds at once; else the first thing that is wrong.
Outcome check_launch(const DeviceLimits& limits, const LoadedKernel& kernel, const LaunchRequest& request,
                     uint64_t* resident);

}  // namespace lockstep
