// api_memory: the part of the memory calls that copies and pools need, too.
#pragma once

#include "runtime/api.h"

namespace lockstep::runtime {

// The memory that a pointer points to: the device's, freed memory of the device, or (neither) the host's own.
struct Target {
  bool known = false, freed = false;
  MemoryKind kind = MemoryKind::kDevice;
  uint64_t bytes_left = 0;  // from the pointer to the end of its allocation
};
Target target_of(const Runtime& runtime, const void* pointer);

cudaError_t allocate(Runtime& runtime, void** pointer, uint64_t bytes, MemoryKind kind, cudaMemPool_t pool);
cudaError_t release(Runtime& runtime, void* pointer, bool pinned);

}  // namespace lockstep::runtime
