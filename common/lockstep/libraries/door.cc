#include "libraries/door.h"

#include <dlfcn.h>

namespace lockstep::libraries {
namespace {

// The function of lockstep's runtime; null: the program is not on lockstep. The libraries are not linked with the
// runtime: one libcurand.so.10 serves programs of CUDA 12 and of CUDA 13.
template <typename Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void note_computed(const char* library) {
  static auto* const note = find<void(const char*)>("lockstep_note_computed");
  if (note) note(library);
}

void refuse(const char* library, std::string function, const char* what) {
  static auto* const tell = find<void(const char*, const char*, const char*)>("lockstep_refuse");
  if (const size_t version = function.find("_v2"); version != function.npos) function.erase(version, 3);  // a header's
  if (tell) tell(library, function.c_str(), what);
}

}  // namespace lockstep::libraries
