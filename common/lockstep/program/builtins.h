// builtins: the name of a function that kernels call and nobody defines → what the runtime does for it.
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep {

// kNone: no function of the runtime. Throws Unsupported for a function of CUDA's runtime that lockstep does not have on
// the device.
Builtin builtin_named(const std::string& name);

}  // namespace lockstep
