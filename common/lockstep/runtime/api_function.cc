// api_function: a program's questions about its kernels, and its settings for them: attributes, names, occupancy.
#include <algorithm>

#include "base/words.h"
#include "runtime/api.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

// Runs `body(runtime, kernel)` for a kernel that can be launched. `valid`: the other arguments are valid.
template <typename Body>
cudaError_t with_kernel(bool valid, const void* function, Body&& body, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) -> cudaError_t {
    if (!valid) return cudaErrorInvalidValue;
    Kernel* kernel = runtime.find_kernel(function);
    if (!kernel) return unknown_function(function);
    if (const cudaError_t error = runtime.resolve(*kernel); error != cudaSuccess) return error;
    return to_error(runtime, body(runtime, *kernel));
  });
}

}  // namespace

LOCKSTEP_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return with_kernel(attributes != nullptr, function, [&](Runtime& runtime, Kernel& kernel) {
    const DeviceLimits& limits = runtime.device->limits();
    *attributes = {};
    attributes->sharedSizeBytes = kernel.info.static_shared_bytes;
    attributes->localSizeBytes = kernel.info.local_bytes;
    const KernelLimits of_kernel = runtime.device->kernel_limits(kernel.info.id);
    attributes->maxThreadsPerBlock = static_cast<int>(of_kernel.most_threads);
    attributes->numRegs = static_cast<int>(of_kernel.registers);
    attributes->ptxVersion = kernel.info.ptx_version;
    attributes->binaryVersion = limits.compute.number();
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernel.max_dynamic_shared);
    attributes->preferredShmemCarveout = kernel.carveout;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel(true, function, [&](Runtime& runtime, Kernel& kernel) -> cudaError_t {
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize: {
        const uint64_t most = runtime.device->limits().shared_per_block_optin;
        if (value < 0 || static_cast<uint64_t>(value) + kernel.info.static_shared_bytes > most)
          return cudaErrorInvalidValue;
        const Outcome outcome = runtime.device->set_max_dynamic_shared(kernel.info.id, static_cast<uint64_t>(value));
        if (outcome.ok()) kernel.max_dynamic_shared = static_cast<uint64_t>(value);
        return runtime.code(outcome);
      }
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        kernel.carveout = value;
        return cudaSuccess;
      case cudaFuncAttributeNonPortableClusterSizeAllowed:
      case cudaFuncAttributeClusterSchedulingPolicyPreference: return cudaSuccess;
      case cudaFuncAttributeClusterDimMustBeSet:
      case cudaFuncAttributeRequiredClusterWidth:
      case cudaFuncAttributeRequiredClusterHeight:
      case cudaFuncAttributeRequiredClusterDepth:
        return runtime.refuse(kClusters, later("leave the cluster attributes of the kernel alone."));
      default: return cudaErrorInvalidValue;
    }
  });
}

// The split between cache and shared memory is a hint on every card, and lockstep has no cache.
LOCKSTEP_API cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return with_kernel(true, function, [](Runtime&, Kernel&) { return cudaSuccess; });
}
LOCKSTEP_API cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return with_kernel(true, function, [](Runtime&, Kernel&) { return cudaSuccess; });
}

LOCKSTEP_API cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return with_kernel(name != nullptr, function,
                     [&](Runtime&, Kernel& kernel) { return give(name, kernel.name.c_str()); });
}

LOCKSTEP_API cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes) {
  return with_kernel(offset != nullptr, function, [&](Runtime&, Kernel& kernel) {
    if (index >= kernel.info.params.size()) return cudaErrorInvalidValue;
    *offset = kernel.info.params[index].offset;
    if (bytes) *bytes = kernel.info.params[index].bytes;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* function) {
  return with_kernel(handle != nullptr, function,
                     [&](Runtime&, Kernel& kernel) { return give(handle, reinterpret_cast<cudaFunction_t>(&kernel)); });
}

LOCKSTEP_API cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* function) {
  return with_kernel(handle != nullptr, function,
                     [&](Runtime&, Kernel& kernel) { return give(handle, reinterpret_cast<cudaKernel_t>(&kernel)); });
}

LOCKSTEP_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                                int threads, size_t shared_bytes,
                                                                                unsigned flags) {
  const bool valid = blocks && threads > 0 && flags <= cudaOccupancyDisableCachingOverride;
  return with_kernel(valid, function, [&](Runtime& runtime, Kernel& kernel) {
    const bool allowed = shared_bytes <= kernel.max_dynamic_shared;
    *blocks = allowed ? static_cast<int>(
                            runtime.device->blocks_per_sm(kernel.info.id, static_cast<uint32_t>(threads), shared_bytes))
                      : 0;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                                       size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}

// The dynamic shared memory that a block may use while `blocks` blocks share a multiprocessor.
LOCKSTEP_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                                   int threads) {
  return with_kernel(bytes && blocks > 0 && threads > 0, function, [&](Runtime& runtime, Kernel& kernel) {
    const DeviceLimits& limits = runtime.device->limits();
    const uint64_t taken = uint64_t{limits.shared_reserved_per_block} + kernel.info.static_shared_bytes;
    const uint64_t share = limits.shared_per_sm / static_cast<uint64_t>(blocks);
    *bytes = std::min(kernel.max_dynamic_shared, share - std::min(share, taken));
    return cudaSuccess;
  });
}
