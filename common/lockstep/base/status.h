// status: the result of a request to the device: a code, and a text for a person.
#pragma once

#include <string>

namespace lockstep {

// The values equal those of cudaError_t (runtime/api.h asserts it), so that a cast translates them.
enum class Status : int {
  kOk = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidConfiguration = 9,
  kInvalidSymbol = 13,
  kDeviceGone = 46,  // cudaErrorDevicesUnavailable
  kLaunchMaxDepth = 65,
  kInvalidDeviceFunction = 98,
  kInvalidPtx = 218,
  kUnsupportedInstruction = 222,  // cudaErrorUnsupportedPtxVersion
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotSupported = 801,
};

// A status and, unless it is kOk, a text for a person: what happened, and the next step.
struct Outcome {
  Status status = Status::kOk;
  std::string message;
  bool ok() const { return status == Status::kOk; }
};

}  // namespace lockstep
