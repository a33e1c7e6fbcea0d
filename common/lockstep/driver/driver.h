// driver: what the functions of the drop-in libcuda.so.1 do.
#pragma once

namespace lockstep::driver {

// Tells, once for each library and once for the program, why the function cannot work. caller: the address to which the
// function returns. Returns CUDA_ERROR_NO_DEVICE, as on a machine without a card.
int refuse(const char* function, const void* caller);

}  // namespace lockstep::driver
