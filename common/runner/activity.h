// activity: how long the device was at work, from CUPTI's records of the whole process: kernels, memsets and copies on
// every stream, time that they share counted once. CUPTI is loaded where it is found and asked for nothing else.
#pragma once

namespace warpladder {

// Records from now on. False: this machine has no CUPTI, or the runner was built without its headers.
bool record_activity();

void forget_activity();  // what is recorded so far
double busy_ms();        // since then; what was launched must have ended

}  // namespace warpladder
