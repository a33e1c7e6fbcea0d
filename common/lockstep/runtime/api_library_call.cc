// api_library_call: functions that CUDA does not have, for lockstep's own cuBLAS and cuRAND (libraries/), which the
// program has loaded beside this library.
#include "runtime/api.h"
#include "runtime/refusals.h"

using namespace lockstep;
using namespace lockstep::runtime;

// One call of the library was computed on the host.
LOCKSTEP_API void lockstep_note_computed(const char* library) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  if (runtime.device) runtime.device->tell_place(CallKind::kLibraryCall, 0, library);
}

// what: "cublasCher2k is not in lockstep's own cuBLAS".
LOCKSTEP_API void lockstep_refuse(const char* what) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  note_refusal();
  const std::string place = place_of(call_stack());
  runtime.tell_failed_call(std::string(what) + "." + (place.empty() ? "" : "\n  at " + place) +
                           "\n  Next: replace the call by a kernel of your own, or run the program on a GPU.");
}
