// runtime_api_memory: what copies and pools need of the memory calls.
#pragma once

#include "runtime/api.h"

namespace lockstep::runtime {

// Where a pointer leads: into memory that the device knows, freed memory of it, or (neither) the host's own.
struct Place {
  bool known = false, freed = false;
  MemoryKind kind = MemoryKind::kDevice;
  uint64_t bytes_left = 0;  // from the pointer to the end of its allocation
};
Place place_of(const Runtime& runtime, const void* pointer);

cudaError_t allocate(Runtime& runtime, void** pointer, uint64_t bytes, MemoryKind kind, cudaMemPool_t pool);
cudaError_t release(Runtime& runtime, void* pointer, bool pinned);

}  // namespace lockstep::runtime
