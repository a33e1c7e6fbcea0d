// device_runtime: CUDA's runtime as kernels call it: launches from kernels, streams, events, copies, memory, errors.
// Notes what is started (started_work); runs none of it.
#pragma once

#include "engine/warp.h"

namespace lockstep {

void call_device_runtime(Warp& warp, const CallSite& site, uint32_t lane, uint32_t pc);

// Memory of the kernels' own heap, which malloc() and cudaMalloc() share. 0: no memory is left.
uint64_t allocate_heap(Warp& warp, uint64_t bytes);
bool free_heap(Warp& warp, uint64_t address);  // false: no kernel allocated this

}  // namespace lockstep
