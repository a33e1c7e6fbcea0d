// canary: whether this machine runs a lab's programs at all, seen by an honest one. What a submission's process says of
// the machine is no evidence, and one that does not start may be the machine's doing.
#pragma once

#include "grader/judge/lab.h"
#include "grader/judge/submission.h"

namespace warpladder {

// Compiles and starts a file that does nothing, or, for OpenCL, that asks for a device. Takes seconds.
bool machine_works(const Build& build, const Lab& lab, const Device& device);

}  // namespace warpladder
