// call_site: the place in the program's code that called the runtime, or touched memory → its line in the source. Only
// addresses are kept until somebody asks for the line: that takes the program's debug information (nvcc -Xcompiler
// -g1).
#pragma once

#include <cstdint>
#include <vector>

#include "device/device.h"

namespace lockstep::runtime {

// Return addresses, the innermost first. Frames of this library may be among them.
using Frames = std::vector<void*>;

Frames present_frames();
// A number for these frames, the same for the same frames. 0: no place.
uint64_t call_number(const Frames& frames);
// The innermost line that is neither in this library nor in CUDA's or the system's headers. Of a launch: the line of
// <<<>>>. Line 0: there is no debug information.
Site call_line(uint64_t number);

}  // namespace lockstep::runtime
