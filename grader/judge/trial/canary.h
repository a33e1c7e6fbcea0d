// canary: an honest program shows whether this machine compiles and runs a lab's programs at all. It is asked when a
// submission does not compile, does not start or blames the machine: the submission's own word proves nothing.
#pragma once

#include "grader/judge/base/failure.h"
#include "grader/judge/lab/lab.h"
#include "grader/judge/run/surroundings.h"

namespace warpladder {

// Compiles a file that does nothing, under the limits of a submission. Returns a failure if this fails.
std::optional<Failure> compiler_trouble(const Build& build, const Lab& lab);

// Compiles and starts a file that does nothing or, for OpenCL, that asks for a device. Takes seconds.
bool machine_works(const Build& build, const Lab& lab, const Device& device);

}  // namespace warpladder
