// api_sealed: two functions that CUDA does not have, for the runner under the judge. The input of a case comes to the
// device from the judge itself, and the output goes back the same way: neither passes through this process. To call
// them at the wrong time or with other arrays gives a wrong answer and nothing else.
#include "runtime/api.h"

using namespace lockstep;
using namespace lockstep::runtime;

// Fills this array with the input of the case.
LOCKSTEP_API cudaError_t lockstep_place_input(void* to, size_t bytes) {
  return call(Needs::kDevice, [&](Runtime& runtime) { return runtime.device->place_input(address_of(to), bytes); });
}

// The call has ended: the judge gets these two arrays as they are now.
LOCKSTEP_API cudaError_t lockstep_hand_over(const void* in, const void* out) {
  return call(Needs::kDevice,
              [&](Runtime& runtime) { return runtime.device->hand_over(address_of(in), address_of(out)); });
}
