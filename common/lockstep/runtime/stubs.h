// stubs: what a generated entry point does for a function that lockstep does not emulate. Includes no CUDA
// header: the stubs have no parameters, and C's calling convention does not mind.
#pragma once

namespace lockstep::runtime {

// Says once for each function that it is not emulated; gives cudaErrorNotSupported.
int refuse(const char* function);

}  // namespace lockstep::runtime

#define LOCKSTEP_STUB(name) \
  extern "C" __attribute__((weak, visibility("default"))) int name() { return refuse(#name); }
