// api_library_call: functions that CUDA does not have, for lockstep's own cuBLAS and cuRAND (libraries/), which the
// program has loaded beside this library.
#include "base/words.h"
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

// The library does not have the function; or, if what is not null, not with that.
LOCKSTEP_API void lockstep_refuse(const char* library, const char* function, const char* what) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  note_refusal();
  std::string why =
      what ? words("{function} with {what} is not in lockstep's own {library}.",
                   {{"function", function}, {"what", words(what)}, {"library", library}})
           : words("{function} is not in lockstep's own {library}.", {{"function", function}, {"library", library}});
  if (const std::string place = place_of(call_stack()); !place.empty())
    why += "\n  " + words("at {place}", {{"place", place}});
  runtime.tell_failed_call(
      with_next(why, words("replace the call by a kernel of your own, or run the program on a GPU.")));
}
