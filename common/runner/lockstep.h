// lockstep: functions that lockstep's runtime has and a card's does not.
#pragma once

#include <dlfcn.h>

namespace warpladder {

template <class Function>
Function* find_in_runtime(const char* name) {  // null: there is none
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace warpladder
