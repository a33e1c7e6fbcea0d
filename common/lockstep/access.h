// access: a decoded ld, st, atom or red → the function that carries it out for the lanes of a warp.
#pragma once

#include "program.h"

namespace lockstep {

// Null if the combination of type, width and operation is not supported.
AccessHandler select_access(const MemoryAccess& access);

}  // namespace lockstep
