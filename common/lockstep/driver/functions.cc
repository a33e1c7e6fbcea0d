// functions: an entry point for each function of the driver. Includes no CUDA header: the functions have no parameters,
// which C's calling convention allows. They are weak, so that driver.cc can define some of them.
#include "driver/driver.h"

#define LOCKSTEP_DRIVER(name)                                                                           \
  extern "C" __attribute__((weak, visibility("default"))) int name() {                                  \
    return lockstep::driver::refuse(#name, __builtin_extract_return_addr(__builtin_return_address(0))); \
  }
#include "driver_functions.inc"
