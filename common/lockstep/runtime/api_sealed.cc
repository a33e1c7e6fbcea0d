// api_sealed: functions that CUDA does not have, for the runner under the judge. It allocates arrays that begin at any
// address. The input of a case comes to the device from the judge itself, and the output goes back the same way:
// neither passes through this process. To call them at the wrong time or with other arrays gives a wrong answer and
// nothing else.
#include "runtime/api.h"

using namespace lockstep;
using namespace lockstep::runtime;

// cudaMalloc, but the memory begins `offset` bytes (below 512) behind an aligned address. Accesses before its start are
// seen as before that of any allocation.
LOCKSTEP_API cudaError_t lockstep_allocate(void** pointer, size_t bytes, size_t offset) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    return allocate(runtime, pointer, bytes, MemoryKind::kDevice, nullptr, offset);
  });
}

// Fills this array with the input of the case.
LOCKSTEP_API cudaError_t lockstep_place_input(void* to, size_t bytes) {
  return call(Needs::kDevice, [&](Runtime& runtime) { return runtime.device->place_input(address_of(to), bytes); });
}

// The call has ended: the judge gets these two arrays as they are now.
LOCKSTEP_API cudaError_t lockstep_hand_over(const void* in, const void* out) {
  return call(Needs::kDevice,
              [&](Runtime& runtime) { return runtime.device->hand_over(address_of(in), address_of(out)); });
}
