// requests: the plain values that cross the door to a device: the requests of a program, and the values in the answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/dim3.h"

namespace lockstep {

using ModuleId = uint32_t;
using FunctionId = uint32_t;

struct ParamInfo {
  uint32_t offset = 0, bytes = 0;  // in the packed parameter block
};

// What cudaFuncGetAttributes reports. `registers` counts PTX registers; ptxas would use another number.
struct FunctionInfo {
  FunctionId id = 0;
  std::string name;
  std::vector<ParamInfo> params;
  uint32_t param_bytes = 0;
  uint32_t static_shared_bytes = 0, local_bytes = 0;
  uint32_t registers = 0;
  uint32_t max_threads_per_block = 1024;
  int ptx_version = 75;  // the .target, e.g. 75 for sm_75
};

// What ptxas says of a kernel. Without ptxas: as many registers as the PTX has.
struct KernelLimits {
  uint32_t registers = 0;     // of a thread
  uint32_t most_threads = 0;  // of a block
};

struct GlobalInfo {
  uint64_t address = 0;
  uint64_t bytes = 0;
};

struct LaunchRequest {
  FunctionId function = 0;
  Dim3 grid, block;
  uint64_t dynamic_shared_bytes = 0;
  bool cooperative = false;           // every block resident at once, or kCooperativeLaunchTooLarge
  std::span<const std::byte> params;  // packed as FunctionInfo::params says
  uint64_t stack_bytes = 0;           // of a thread, for recursion; a value below the usual 16 KiB changes nothing
};

// Rows of `width` bytes in device memory. The starts of two rows are `pitch` bytes apart.
struct Region {
  uint64_t address = 0, pitch = 0, width = 0, rows = 1;
  // From the first row's start to the last row's end. False: a uint64_t cannot hold the number. There is a row.
  bool reach(uint64_t* bytes) const {
    return !__builtin_mul_overflow(pitch, rows - 1, bytes) && !__builtin_add_overflow(*bytes, width, bytes);
  }
};

// What the device is told of the host: the place in the program; of a launch after a fault, its kernel's name; of a
// free after a fault, nothing; of a call that failed, the message; of a call of a library that was computed on the
// host, the library. kHostRead and kHostWrite are no calls: the host accesses device memory.
enum class CallKind : uint8_t {
  kAllocation,
  kFailedLaunch,
  kPlannedFailure,
  kLostLaunch,
  kLostFree,
  kFailedCall,
  kHostRead,
  kHostWrite,
  kLibraryCall,
  kLast = kLibraryCall
};

// What a kernel said by cudaGraphSetConditional.
struct Condition {
  uint64_t handle = 0;
  uint32_t value = 0, unused = 0;  // no gap: its bytes cross the door
};

// One call of the program may need several copies. The program waits for the device in the first of them only.
enum class CopyPart : uint8_t { kFirst, kLater };

}  // namespace lockstep
