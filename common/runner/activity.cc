#include "common/runner/activity.h"

#ifdef RUNNER_HAS_CUPTI
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include <cupti.h>
#include <dlfcn.h>

namespace warpladder {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;  // some thousand records

// CUPTI's callbacks carry no pointer to our data, and may come from a thread of CUPTI's own: hence globals and a lock.
std::mutex mutex;
std::vector<std::pair<uint64_t, uint64_t>> spans;  // ns, of all records

struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiActivityFlushAll) flush;
  decltype(&cuptiActivityGetNextRecord) next;
};
Cupti cupti;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::malloc(kBufferBytes));  // aligned as records need it, to 8 bytes
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // as many as fit
}

// Works for all versions of these records: they are equal up to their times.
template <class Record>
void note(const CUpti_Activity* activity) {
  const auto* record = reinterpret_cast<const Record*>(activity);
  if (record->end > record->start) spans.emplace_back(record->start, record->end);
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  const std::lock_guard lock(mutex);
  CUpti_Activity* activity = nullptr;
  while (cupti.next(buffer, valid, &activity) == CUPTI_SUCCESS) {
    switch (activity->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: note<CUpti_ActivityKernel9>(activity); break;
      case CUPTI_ACTIVITY_KIND_MEMCPY: note<CUpti_ActivityMemcpy>(activity); break;
      case CUPTI_ACTIVITY_KIND_MEMSET: note<CUpti_ActivityMemset>(activity); break;
      default: break;
    }
  }
  std::free(buffer);
}

bool load() {
  // It lies beside cudart, in the binary's own search path, or where older toolkits keep it.
  void* library = nullptr;
  constexpr const char* kOwn = CUDA_VERSION >= 13000 ? "libcupti.so.13" : "libcupti.so.12";
  for (const char* name : {kOwn, "libcupti.so", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr || !find(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks) ||
      !find(library, "cuptiActivityEnable", cupti.enable) || !find(library, "cuptiActivityFlushAll", cupti.flush) ||
      !find(library, "cuptiActivityGetNextRecord", cupti.next))
    return false;
  if (cupti.register_callbacks(give_buffer, take_buffer) != CUPTI_SUCCESS) return false;
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET}) {
    if (cupti.enable(kind) != CUPTI_SUCCESS) return false;
  }
  return true;
}

}  // namespace

bool record_activity() {
  static const bool is_loaded = load();
  return is_loaded;
}

void forget_activity() {
  cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard lock(mutex);
  spans.clear();
}

double busy_ms() {
  cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard lock(mutex);
  std::sort(spans.begin(), spans.end());
  uint64_t busy = 0, until = 0;
  for (const auto& [start, end] : spans) {
    if (end <= until) continue;
    busy += end - std::max(start, until);
    until = end;
  }
  return static_cast<double>(busy) / 1e6;
}

}  // namespace warpladder

#else

namespace warpladder {

bool record_activity() { return false; }
void forget_activity() {}
double busy_ms() { return 0; }

}  // namespace warpladder

#endif
