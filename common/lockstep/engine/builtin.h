// builtin: the functions that device code calls and the runtime provides: vprintf, __assertfail, malloc, free,
// cudaGraphSetConditional. CUDA's own runtime on the device has a file of its own (device_runtime).
#pragma once

#include "engine/warp.h"

namespace lockstep {

// `site` says where arguments and results lie in the parameter area of the running frame.
void call_builtin(Warp& warp, const CallSite& site, Mask mask, uint32_t pc);

}  // namespace lockstep
