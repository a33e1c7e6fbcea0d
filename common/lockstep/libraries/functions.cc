// functions: an entry point for each function of one of NVIDIA's libraries, which refuses it by name. Includes no
// header of the library: the functions have no parameters, which C's calling convention allows. They are weak, so that
// those which lockstep has replace them.
#include "libraries/door.h"

#define LOCKSTEP_FUNCTION(name)                                        \
  extern "C" __attribute__((weak, visibility("default"))) int name() { \
    lockstep::libraries::refuse(LOCKSTEP_LIBRARY, #name);              \
    return LOCKSTEP_NOT_SUPPORTED;                                     \
  }
#include LOCKSTEP_FUNCTIONS
