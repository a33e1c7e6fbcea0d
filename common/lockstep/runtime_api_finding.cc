// runtime_api_finding: findings about the host's side: launches that failed, errors nobody read, wrong frees, leaks.
#include <string_view>

#include "findings.h"
#include "module.h"

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

// No mistake, but what was asked for; beside the mistakes, so that whoever reads the report knows what follows from it.
// Of a call that returns its error cudaGetLastError() does not tell here: whether that call is looked at is the
// question.
cudaError_t fail_as_planned(Runtime& runtime, const char* function) {
  const bool launch = std::string_view(function).find("Launch") != std::string_view::npos;
  const std::string what = std::string_view(function).starts_with("__") ? "a kernel's launch" : function;
  add(runtime, "injected_error", "",
      "call " + std::to_string(runtime.failure.number) + ", " + what +
          ", was not made and failed with cudaErrorUnknown, as LOCKSTEP_FAIL asks");
  runtime.tell_findings();
  return launch ? leave(cudaErrorUnknown) : cudaErrorUnknown;
}

// The error of a launch by <<<>>> reaches the program only through cudaGetLastError or cudaPeekAtLastError.
void note_failed_launch(Runtime& runtime, const Kernel& kernel, const LaunchRequest& request,
                        const std::string& message) {
  if (!runtime.device->checks().launch) return;
  const std::string name = demangled(kernel.name);
  add(runtime, "bad_launch", name,
      "the launch of " + name + " with a grid of " + text(request.grid) + " blocks of " + text(request.block) +
          " threads and " + std::to_string(request.dynamic_shared_bytes) +
          " bytes of dynamic shared memory failed: " + message);
  runtime.unread_launch = name;
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

// One finding for each size, which is what a reader knows his allocations by.
void note_leaks(Runtime& runtime) {
  if (!runtime.device || !runtime.device->checks().memory) return;
  if (!runtime.fault.ok()) return;                            // no call frees anything any more
  std::map<std::pair<uint64_t, std::string>, uint64_t> left;  // bytes and who allocated them → how many
  for (const auto& [address, allocation] : runtime.allocations)
    if (!allocation.variable) ++left[{allocation.bytes, "the host"}];
  for (const uint64_t bytes : runtime.device->heap()) ++left[{bytes, "a kernel's malloc()"}];
  for (const auto& [what, count] : left) {
    const std::string each = std::to_string(what.first) + " bytes from " + what.second;
    add(runtime, "leak", "",
        (count == 1 ? "an allocation of " + each + " was"
                    : std::to_string(count) + " allocations of " + each + " were") +
            " never freed\n  Next: free what you allocate, also on the way out after an error.");
  }
}

}  // namespace lockstep::runtime
