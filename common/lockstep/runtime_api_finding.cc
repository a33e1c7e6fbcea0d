// runtime_api_finding: findings about the host's side: launches that failed, errors nobody read, wrong frees, leaks.
#include "findings.h"

#include "runtime_api_memory.h"

namespace lockstep::runtime {
namespace {

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

void add(Runtime& runtime, const char* kind, const std::string& kernel, const std::string& message) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = kernel;
  finding.message = message;
  runtime.device->add_finding(finding);
}

}  // namespace

// The error of a launch by <<<>>> reaches the program only through cudaGetLastError or cudaPeekAtLastError.
void note_failed_launch(Runtime& runtime, const Kernel& kernel, const std::string& message) {
  if (!runtime.device->checks().launch) return;
  add(runtime, "bad_launch", kernel.info.name, "the launch of " + kernel.info.name + " failed: " + message);
  runtime.unread_launch = kernel.info.name;
}

void note_unread_error(Runtime& runtime) {
  if (runtime.unread_launch.empty()) return;
  add(runtime, "unchecked_error", runtime.unread_launch,
      "the launch of " + runtime.unread_launch +
          " failed, and the program never looked\n  Next: after each launch, CUDA_CHECK(cudaGetLastError()); a launch "
          "returns nothing itself, and cudaDeviceSynchronize() does not tell of it.");
  runtime.unread_launch.clear();
}

void note_bad_free(Runtime& runtime, const void* pointer) {
  if (!runtime.device->checks().memory) return;
  const AddressInfo info = runtime.device->find_address(address_of(pointer));
  std::string what = "an address that no allocation gave: the host's own, or never set";
  std::string next =
      "free what cudaMalloc gave with cudaFree, what cudaMallocHost gave with cudaFreeHost, the rest as it "
      "was allocated";
  if (info.kind == AddressKind::kFreed) {
    what = "memory that was freed before";
    next = "free each allocation once; set the pointer to nullptr after it";
  } else if (info.kind == AddressKind::kDevice && info.base != address_of(pointer)) {
    what = "an address " + std::to_string(address_of(pointer) - info.base) + " bytes into an allocation";
    next = "keep the pointer that cudaMalloc gave, and free that one";
  } else if (info.kind == AddressKind::kDevice) {
    what = "memory of another kind: pinned memory is freed by cudaFreeHost, other memory by cudaFree";
  }
  add(runtime, "invalid_free", "", "free of " + hex(address_of(pointer)) + ": " + what + "\n  Next: " + next + ".");
}

void note_leaks(Runtime& runtime) {
  if (!runtime.device || !runtime.device->checks().memory) return;
  if (!runtime.fault.ok()) return;  // no call frees anything any more
  constexpr uint64_t kNamed = 5;
  uint64_t count = 0, bytes = 0;
  std::string list;
  for (const auto& [address, allocation] : runtime.allocations) {
    if (allocation.variable) continue;
    bytes += allocation.bytes;
    if (++count <= kNamed) list += "\n  " + std::to_string(allocation.bytes) + " bytes at " + hex(address);
  }
  if (count > kNamed) list += "\n  and " + std::to_string(count - kNamed) + " more";
  if (count)
    add(runtime, "leak", "",
        std::to_string(count) + " allocations of " + std::to_string(bytes) + " bytes together were never freed" + list +
            "\n  Next: cudaFree each, also on the way out after an error.");
}

}  // namespace lockstep::runtime
