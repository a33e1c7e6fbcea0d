// api_pool: stream-ordered allocation. Every call is complete when it returns, so a pool only counts its bytes.
#include <algorithm>

#include "runtime/capturing.h"
#include "runtime/graph_run.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

cudaMemPool_t handle_of(Pool* pool) { return reinterpret_cast<cudaMemPool_t>(pool); }

Pool* find_pool(Runtime& runtime, cudaMemPool_t handle) {
  return handle == handle_of(&runtime.pools.usual) ? &runtime.pools.usual : runtime.pools.all.find(handle);
}

// Runs `body(runtime, pool)`. `valid`: the other arguments are valid.
template <typename Body>
cudaError_t with_pool(cudaMemPool_t handle, bool valid, Body&& body, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) -> cudaError_t {
    Pool* pool = find_pool(runtime, handle);
    return pool && valid ? body(runtime, *pool) : cudaErrorInvalidValue;
  });
}

// The memory is there only when the stream has come so far: for other streams, the allocation writes it.
cudaError_t allocate_from(Runtime& runtime, Pool* pool, void** pointer, size_t bytes, cudaStream_t stream) {
  if (!pool) return cudaErrorInvalidValue;
  if (!is_stream(runtime, stream)) return cudaErrorInvalidResourceHandle;
  const auto make = [&](NodeWork* work) {
    return pointer && bytes ? make_allocation(runtime, bytes, pointer, work) : cudaErrorInvalidValue;
  };
  if (const auto taken = captured(runtime, stream, make)) return *taken;
  const cudaError_t error = allocate(runtime, pointer, bytes, MemoryKind::kDevice, handle_of(pool));
  if (error != cudaSuccess || !*pointer) return error;
  pool->used_high = std::max(pool->used_high, pool->used += bytes);
  const WorkScope scope(runtime, stream, "cudaMallocAsync");
  if (runtime.device->watches_streams()) runtime.device->use({address_of(*pointer), bytes, bytes}, true);
  return cudaSuccess;
}

cudaError_t give_pool(cudaMemPool_t* handle, int device, Pool* Pools::*which, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) {
    if (!handle) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *handle = handle_of(which ? runtime.pools.*which : &runtime.pools.usual);
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t lockstep::runtime::free_on(Runtime& runtime, void* pointer, cudaStream_t stream) {
  if (!pointer) return cudaSuccess;
  const WorkScope scope(runtime, stream, "cudaFreeAsync");
  const auto freed = runtime.memory.allocations.find(address_of(pointer));
  if (freed != runtime.memory.allocations.end() && runtime.device->watches_streams())
    runtime.device->use({freed->first, freed->second.bytes, freed->second.bytes}, true);
  return release(runtime, pointer, false);
}

LOCKSTEP_API cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return call(Needs::kDevice,
              [&](Runtime& runtime) { return allocate_from(runtime, runtime.pools.current, pointer, bytes, stream); });
}
LOCKSTEP_PER_THREAD(cudaMallocAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                                                 cudaStream_t stream) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    return allocate_from(runtime, find_pool(runtime, pool), pointer, bytes, stream);
  });
}
LOCKSTEP_PER_THREAD(cudaMallocFromPoolAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const auto body = [&](Runtime& runtime) -> cudaError_t {
    if (!is_stream(runtime, stream)) return cudaErrorInvalidResourceHandle;
    if (!pointer) return cudaSuccess;
    // Other memory than a graph's is an error only when the graph is instantiated.
    const auto make = [&](NodeWork* work) { return *work = FreeWork{pointer}, cudaSuccess; };
    if (const auto error = captured(runtime, stream, make)) return *error;
    return free_on(runtime, pointer, stream);
  };
  return call(Needs::kDevice, "cudaFreeAsync", body, [&](Runtime& runtime) { tell_lost_free(runtime, pointer); });
}
LOCKSTEP_PER_THREAD(cudaFreeAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return give_pool(pool, device, nullptr);
}
LOCKSTEP_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return give_pool(pool, device, &Pools::current);
}
LOCKSTEP_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return with_pool(handle, true, [&](Runtime& runtime, Pool& pool) {
    if (device != 0) return cudaErrorInvalidDevice;
    runtime.pools.current = &pool;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* handle, const cudaMemPoolProps* properties) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (!handle || !properties || properties->allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
    if (properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0)
      return cudaErrorInvalidDevice;
    *handle = handle_of(runtime.pools.all.create({}));
    return cudaSuccess;
  });
}

// Allocations outlive their pool. They are only counted no longer.
LOCKSTEP_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return with_pool(handle, true, [&](Runtime& runtime, Pool& pool) {
    if (&pool == &runtime.pools.usual) return cudaErrorInvalidValue;
    for (auto& [address, allocation] : runtime.memory.allocations)
      if (allocation.pool == handle) allocation.pool = nullptr;
    if (runtime.pools.current == &pool) runtime.pools.current = &runtime.pools.usual;
    runtime.pools.all.destroy(&pool);
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return with_pool(pool, true, [](Runtime&, Pool&) { return cudaSuccess; });
}

LOCKSTEP_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool(handle, value != nullptr, [&](Runtime&, Pool& pool) {
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies: pool.flags[attribute] = *static_cast<int*>(value); break;
      case cudaMemPoolAttrReleaseThreshold: pool.release_threshold = *static_cast<uint64_t*>(value); break;
      case cudaMemPoolAttrUsedMemHigh:
      case cudaMemPoolAttrReservedMemHigh:  // may only be reset
        if (*static_cast<uint64_t*>(value) != 0) return cudaErrorInvalidValue;
        pool.used_high = pool.used;
        break;
      default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool(handle, value != nullptr, [&](Runtime&, Pool& pool) {
    auto* number = static_cast<uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = pool.flags.count(attribute) ? pool.flags[attribute] : 1;
        break;
      case cudaMemPoolAttrReleaseThreshold: *number = pool.release_threshold; break;
      // A pool keeps no freed memory, so the reserved bytes are the used bytes.
      case cudaMemPoolAttrUsedMemCurrent:
      case cudaMemPoolAttrReservedMemCurrent: *number = pool.used; break;
      case cudaMemPoolAttrUsedMemHigh:
      case cudaMemPoolAttrReservedMemHigh: *number = pool.used_high; break;
      default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

// The one device always has access.
LOCKSTEP_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* descriptions, size_t count) {
  return with_pool(pool, descriptions || count == 0, [](Runtime&, Pool&) { return cudaSuccess; });
}
LOCKSTEP_API cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                              cudaMemLocation* location) {
  return with_pool(pool, flags && location, [&](Runtime&, Pool&) {
    const bool ours = location->type == cudaMemLocationTypeDevice && location->id == 0;
    *flags = ours ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}
