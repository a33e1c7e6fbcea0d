// builtins: the name of a function that kernels call and nobody defines → what the runtime does for it.
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep {

// kNone: no function of the runtime. Throws Unsupported for a function of CUDA's runtime that lockstep does not have on
// the device.
Builtin builtin_named(const std::string& name);

// Whether a kernel calls CUDA's runtime by this name. CUDA 12 links such programs with functions of these names, which
// ask the driver: they are builtins all the same.
bool is_of_device_runtime(const std::string& name);

}  // namespace lockstep
