// api_error: names and texts of cudaError_t. The names come from the toolkit's own header at build time.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>

#include "runtime/api.h"

namespace {

using ErrorText = std::pair<cudaError_t, const char*>;

#define LOCKSTEP_ERROR(name) {name, #name},
constexpr ErrorText kNames[] = {
#include "cuda_error_names.inc"
};
#undef LOCKSTEP_ERROR

// The errors that a learner meets, in the words that a search engine finds.
constexpr ErrorText kTexts[] = {
    {cudaSuccess, "no error"},
    {cudaErrorInvalidValue, "invalid argument"},
    {cudaErrorMemoryAllocation, "out of memory"},
    {cudaErrorInitializationError, "initialization error"},
    {cudaErrorInvalidConfiguration, "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "invalid device symbol"},
    {cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"},
    {cudaErrorMissingConfiguration, "__global__ function call is not configured"},
    {cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorInvalidDeviceFunction, "invalid device function"},
    {cudaErrorNoDevice, "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "invalid device ordinal"},
    {cudaErrorInvalidKernelImage, "device kernel image is invalid"},
    {cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"},
    {cudaErrorInvalidPtx, "a PTX JIT compilation failed"},
    {cudaErrorUnsupportedPtxVersion, "PTX that is not supported"},
    {cudaErrorInvalidResourceHandle, "invalid resource handle"},
    {cudaErrorNotReady, "device not ready"},
    {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "the launch timed out and was terminated"},
    {cudaErrorAssert, "device-side assert triggered"},
    {cudaErrorIllegalInstruction, "an illegal instruction was encountered"},
    {cudaErrorMisalignedAddress, "misaligned address"},
    {cudaErrorLaunchFailure, "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "operation not supported"},
    {cudaErrorUnknown, "unknown error"},
};

constexpr const char* kUnrecognised = "unrecognized error code";

// "cudaErrorHostMemoryNotRegistered" → "host memory not registered".
std::string text_from_name(std::string_view name) {
  name.remove_prefix(std::min(name.size(), std::string_view("cudaError").size()));
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool word = i > 0 && std::isupper(c) && !std::isupper(static_cast<unsigned char>(name[i - 1]));
    if (word) text += ' ';
    text += static_cast<char>(std::tolower(c));
  }
  return text;
}

// Created once and never destroyed: programs keep the pointers.
const std::map<int, std::string>& texts() {
  static const auto* const table = [] {
    auto* made = new std::map<int, std::string>;
    for (const auto& [error, text] : kTexts) made->emplace(error, text);
    for (const auto& [error, name] : kNames) made->emplace(error, text_from_name(name));
    return made;
  }();
  return *table;
}

}  // namespace

LOCKSTEP_API const char* cudaGetErrorName(cudaError_t error) {
  const auto* found = std::ranges::find(kNames, error, &ErrorText::first);
  return found == std::end(kNames) ? kUnrecognised : found->second;
}

LOCKSTEP_API const char* cudaGetErrorString(cudaError_t error) {
  const auto found = texts().find(error);
  return found == texts().end() ? kUnrecognised : found->second.c_str();
}
