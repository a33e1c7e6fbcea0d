// steering: whether kernels make addresses of values that they load, or ask about them in branches. If none does, it
// makes no difference to the counters which value stays in memory.
#pragma once

#include "ptx/module.h"

namespace lockstep {

// By the space from which such values are loaded.
struct Steering {
  bool global = false, shared = false, local = false;
};

Steering steering_of(const Module& module);

}  // namespace lockstep
