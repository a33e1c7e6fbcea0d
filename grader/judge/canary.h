// canary: whether this machine compiles and runs a lab's programs at all, seen by an honest one. What a submission's
// process says of the machine is no evidence, and one that does not start, or not compile, may be the machine's doing.
#pragma once

#include <optional>

#include "grader/judge/lab.h"
#include "grader/judge/submission.h"

namespace warpladder {

// What fails, or takes more than half of the time that a submission has, when a file that does nothing is compiled.
std::optional<Failure> compiler_trouble(const Build& build, const Lab& lab);

// Compiles and starts a file that does nothing, or, for OpenCL, that asks for a device. Takes seconds.
bool machine_works(const Build& build, const Lab& lab, const Device& device);

}  // namespace warpladder
