// builtin: the functions that device code calls and the runtime provides: vprintf, __assertfail, malloc, free.
#pragma once

#include "engine/launch.h"
#include "engine/warp.h"

namespace lockstep {

// Arguments and results lie in the running frame's parameter area, where `site` says.
void call_builtin(Warp& warp, const CallSite& site, Mask mask, uint32_t pc);

}  // namespace lockstep
