// activity: how long the device was at work, from CUPTI's records of the whole process: kernels, memsets and copies on
// every stream; time in which several run counts once. CUPTI is loaded where it is found, and used for nothing else.
#pragma once

namespace warpladder {

// Records from now on. False: this machine has no CUPTI, or the runner was built without its headers.
bool record_activity();

void forget_activity();  // drops the records so far
double busy_ms();        // since then; all launched work must have ended

}  // namespace warpladder
