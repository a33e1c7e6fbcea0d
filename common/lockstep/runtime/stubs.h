// stubs: generated entry points for the functions that lockstep does not emulate. Includes no CUDA header: the stubs
// have no parameters, which C's calling convention allows.
#pragma once

namespace lockstep::runtime {

// Tells that the function is not emulated, and the next step. Returns cudaErrorNotSupported.
int refuse(const char* function);

}  // namespace lockstep::runtime

#define LOCKSTEP_STUB(name) \
  extern "C" __attribute__((weak, visibility("default"))) int name() { return refuse(#name); }
