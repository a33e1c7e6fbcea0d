#include "program/builtins.h"

#include <string_view>
#include <unordered_map>

#include "base/words.h"
#include "program/function_decoder.h"

namespace lockstep {
namespace {

const std::unordered_map<std::string_view, Builtin> kSystemCalls = {
    {"vprintf", Builtin::kPrintf},
    {"__assertfail", Builtin::kAssertFail},
    {"malloc", Builtin::kMalloc},
    {"free", Builtin::kFree},
    {"cudaGraphSetConditional", Builtin::kSetConditional}};

constexpr std::string_view kDeviceRuntime = "__cudaCDP2";

// nvcc writes cudaMalloc as __cudaCDP2Malloc. The default stream of a thread (_ptsz) is one of a block here, too.
const std::unordered_map<std::string_view, Builtin> kRuntime = {{"GetParameterBufferV2", Builtin::kParameterBuffer},
                                                                {"LaunchDeviceV2", Builtin::kLaunch},
                                                                {"StreamCreateWithFlags", Builtin::kCreateStream},
                                                                {"StreamDestroy", Builtin::kOrder},
                                                                {"StreamWaitEvent", Builtin::kOrder},
                                                                {"EventCreateWithFlags", Builtin::kCreateEvent},
                                                                {"EventRecord", Builtin::kOrder},
                                                                {"EventRecordWithFlags", Builtin::kOrder},
                                                                {"EventDestroy", Builtin::kOrder},
                                                                {"MemcpyAsync", Builtin::kCopy},
                                                                {"MemsetAsync", Builtin::kFill},
                                                                {"Malloc", Builtin::kCudaMalloc},
                                                                {"Free", Builtin::kCudaFree},
                                                                {"GetLastError", Builtin::kLastError},
                                                                {"PeekAtLastError", Builtin::kPeekAtLastError},
                                                                {"GetErrorName", Builtin::kErrorName},
                                                                {"GetErrorString", Builtin::kErrorString},
                                                                {"GetDeviceCount", Builtin::kDeviceCount},
                                                                {"GetDevice", Builtin::kCurrentDevice},
                                                                {"DeviceGetAttribute", Builtin::kAttribute},
                                                                {"RuntimeGetVersion", Builtin::kVersion}};

}  // namespace

bool is_of_device_runtime(const std::string& name) { return name.starts_with(kDeviceRuntime); }

Builtin builtin_named(const std::string& name) {
  if (const auto found = kSystemCalls.find(name); found != kSystemCalls.end()) return found->second;
  constexpr std::string_view kPerThread = "_ptsz";
  if (!is_of_device_runtime(name)) return Builtin::kNone;
  std::string_view function = std::string_view(name).substr(kDeviceRuntime.size());
  if (function.ends_with(kPerThread)) function.remove_suffix(kPerThread.size());
  if (const auto found = kRuntime.find(function); found != kRuntime.end()) return found->second;
  throw Unsupported(
      words("{function} in a kernel is not supported", {{"function", "cuda" + std::string(function) + "()"}}),
      words("call it on the host."));
}

}  // namespace lockstep
