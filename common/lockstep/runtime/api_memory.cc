// api_memory: allocating, freeing and describing memory. Pinned and managed memory is device memory that the host reads
// and writes in place. It counts as used memory of the card.
#include <limits>

#include "base/words.h"
#include "runtime/capturing.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace lockstep::runtime {
namespace {

// The start of the registered range that holds the pointer; 0 if none does.
uint64_t registered_start(const Runtime& runtime, const void* pointer) {
  const uint64_t address = address_of(pointer);
  auto after = runtime.memory.registered.upper_bound(address);
  if (after == runtime.memory.registered.begin()) return 0;
  --after;
  return address - after->first < after->second ? after->first : 0;
}

}  // namespace

bool is_registered(const Runtime& runtime, uint64_t address) {
  return registered_start(runtime, pointer_to(address)) != 0;
}

Target target_of(const Runtime& runtime, const void* pointer) {
  const AddressInfo info = runtime.device->find_address(address_of(pointer));
  Target target;
  target.freed = info.kind == AddressKind::kFreed;
  target.known = info.kind == AddressKind::kDevice;
  if (!target.known) return target;
  target.bytes_left = info.base + info.bytes - address_of(pointer);
  const auto found = runtime.memory.allocations.find(info.base);
  if (found != runtime.memory.allocations.end()) target.kind = found->second.kind;
  return target;
}

Target planned_target(const Runtime& runtime, const void* pointer) {
  const Target now = target_of(runtime, pointer);
  const auto& reserved = runtime.graphs.reserved;
  const auto after = reserved.upper_bound(address_of(pointer));
  if (!now.freed || after == reserved.begin()) return now;
  const auto& [begin, bytes] = *std::prev(after);
  const uint64_t into = address_of(pointer) - begin;
  return into < bytes ? Target{.known = true, .bytes_left = bytes - into} : now;
}

cudaError_t allocate(Runtime& runtime, void** pointer, uint64_t bytes, MemoryKind kind, cudaMemPool_t pool,
                     uint64_t offset) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = nullptr;  // as the real runtime leaves it when it fails
  uint64_t address = 0;
  const Outcome outcome = runtime.device->allocate(bytes, &address, kind, offset);
  if (!outcome.ok()) return runtime.code(outcome);
  if (address != 0) runtime.memory.allocations[address] = {bytes, kind, pool, false, work_stack(runtime)};
  *pointer = pointer_to(address);
  return cudaSuccess;
}

void tell_lost_free(Runtime& runtime, const void* pointer) {
  runtime.memory.allocations.erase(address_of(pointer));
  runtime.device->tell_place(CallKind::kLostFree, address_of(pointer), "");
}

cudaError_t release(Runtime& runtime, void* pointer, bool pinned) {
  const auto found = runtime.memory.allocations.find(address_of(pointer));
  const bool known = found != runtime.memory.allocations.end();
  if (known) forget_memory(runtime, found->first, found->second.bytes);
  const Outcome outcome = runtime.device->free(address_of(pointer), pinned);
  if (!outcome.ok()) return runtime.code(outcome);
  if (pinned) runtime.memory.host_flags.erase(address_of(pointer));
  if (!known) return cudaSuccess;
  if (found->second.of_graph) runtime.graphs.used -= found->second.bytes;
  if (Pool* pool = reinterpret_cast<Pool*>(found->second.pool)) pool->used -= found->second.bytes;
  runtime.memory.allocations.erase(found);
  return cudaSuccess;
}

}  // namespace lockstep::runtime

namespace {

constexpr size_t kPitchAlignment = 512;  // bytes; an H200's

bool is_pinned(const Runtime& runtime, const void* pointer) {
  const Target target = target_of(runtime, pointer);
  return target.known && target.kind == MemoryKind::kPinned;
}

cudaError_t allocate_pinned(Runtime& runtime, void** pointer, size_t bytes, unsigned flags) {
  const cudaError_t error = allocate(runtime, pointer, bytes, MemoryKind::kPinned);
  if (error == cudaSuccess && *pointer) runtime.memory.host_flags[address_of(*pointer)] = flags | cudaHostAllocMapped;
  return error;
}

cudaError_t free_now(void* pointer, bool pinned, const char* name = __builtin_FUNCTION()) {
  const auto body = [&](Runtime& runtime) {
    if (!pointer) return cudaSuccess;
    host_waits_for_all(runtime);
    return release(runtime, pointer, pinned);
  };
  return call(pointer ? Needs::kSync : Needs::kOutcome, name, body,
              [&](Runtime& runtime) { tell_lost_free(runtime, pointer); });
}

// Rows of `width` bytes, each beginning at a multiple of the pitch.
cudaError_t allocate_pitched(Runtime& runtime, void** pointer, size_t* pitch, size_t width, size_t rows) {
  if (!pointer || !pitch) return cudaErrorInvalidValue;
  if (width > std::numeric_limits<size_t>::max() - kPitchAlignment) return cudaErrorMemoryAllocation;
  const size_t row = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  if (row != 0 && rows > std::numeric_limits<size_t>::max() / row) return cudaErrorMemoryAllocation;
  *pitch = row;
  return allocate(runtime, pointer, row * rows, MemoryKind::kDevice);
}

// Managed memory does not move here, so advice has no effect.
cudaError_t advise(const Runtime& runtime, const void* pointer, size_t bytes) {
  const Target target = target_of(runtime, pointer);
  const bool managed = target.known && target.kind == MemoryKind::kManaged && bytes <= target.bytes_left;
  return managed ? cudaSuccess : cudaErrorInvalidValue;
}

// Graphs have no nodes for it.
cudaError_t advise_on(cudaStream_t stream, const void* pointer, size_t bytes, const char* name = __builtin_FUNCTION()) {
  const auto body = [&](Runtime& runtime) {
    const cudaError_t error = refuse_captured(runtime, stream);
    return error == cudaSuccess ? advise(runtime, pointer, bytes) : error;
  };
  return with_stream(Needs::kDevice, stream, body, name);
}

}  // namespace

LOCKSTEP_API cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return call(Needs::kDevice, [&](Runtime& runtime) { return allocate(runtime, pointer, bytes, MemoryKind::kDevice); });
}

LOCKSTEP_API cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (pointer) *pointer = nullptr;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate(runtime, pointer, bytes, MemoryKind::kManaged);
  });
}

LOCKSTEP_API cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return call(Needs::kDevice,
              [&](Runtime& runtime) { return allocate_pitched(runtime, pointer, pitch, width, height); });
}

LOCKSTEP_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return call(Needs::kDevice, [&](Runtime& runtime) -> cudaError_t {
    if (!pitched) return cudaErrorInvalidValue;
    if (extent.depth != 0 && extent.height > std::numeric_limits<size_t>::max() / extent.depth)
      return cudaErrorMemoryAllocation;
    *pitched = {nullptr, 0, extent.width, extent.height};
    return allocate_pitched(runtime, &pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
  });
}

LOCKSTEP_API cudaError_t cudaFree(void* pointer) { return free_now(pointer, false); }

LOCKSTEP_API cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return call(Needs::kDevice,
              [&](Runtime& runtime) { return allocate_pinned(runtime, pointer, bytes, cudaHostAllocDefault); });
}

LOCKSTEP_API cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return call(Needs::kDevice, [&](Runtime& runtime) -> cudaError_t {
    if (pointer) *pointer = nullptr;
    if (flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
      return cudaErrorInvalidValue;
    return allocate_pinned(runtime, pointer, bytes, flags);
  });
}

LOCKSTEP_API cudaError_t cudaFreeHost(void* pointer) { return free_now(pointer, true); }

// The memory is only recorded, so that errors come as on a card. Kernels cannot reach it: it is not the device's.
LOCKSTEP_API cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    constexpr unsigned kAll =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    if (!pointer || bytes == 0 || flags > kAll) return cudaErrorInvalidValue;
    const auto after = runtime.memory.registered.lower_bound(address_of(pointer));
    const bool overlaps_next = after != runtime.memory.registered.end() && after->first - address_of(pointer) < bytes;
    if (overlaps_next || registered_start(runtime, pointer) != 0) return cudaErrorHostMemoryAlreadyRegistered;
    runtime.memory.registered[address_of(pointer)] = bytes;
    runtime.memory.host_flags[address_of(pointer)] = flags | cudaHostRegisterMapped;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaHostUnregister(void* pointer) {
  return call(Needs::kSync, [&](Runtime& runtime) {
    if (runtime.memory.registered.erase(address_of(pointer)) == 0) return cudaErrorHostMemoryNotRegistered;
    host_waits_for_all(runtime);
    runtime.memory.host_flags.erase(address_of(pointer));
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (!device_pointer || flags != 0) return cudaErrorInvalidValue;
    if (registered_start(runtime, host_pointer) != 0)
      return runtime.refuse(later("accesses of kernels to memory from cudaHostRegister are"),
                            later("allocate this memory with cudaHostAlloc instead."));
    if (!is_pinned(runtime, host_pointer)) return cudaErrorInvalidValue;
    *device_pointer = host_pointer;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    const auto found = runtime.memory.host_flags.find(address_of(pointer));
    if (!flags || found == runtime.memory.host_flags.end()) return cudaErrorInvalidValue;
    *flags = found->second;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    uint64_t free = 0, total = 0;
    runtime.device->memory_info(&free, &total);
    if (free_bytes) *free_bytes = free;
    if (total_bytes) *total_bytes = total;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call(Needs::kNothing, [&](Runtime& runtime) {
    if (!attributes) return cudaErrorInvalidValue;
    *attributes = {};
    void* same = const_cast<void*>(pointer);
    const Target target = target_of(runtime, pointer);
    const bool registered = registered_start(runtime, pointer) != 0;
    attributes->device = target.known || registered ? 0 : cudaInvalidDeviceId;
    if (target.known) attributes->devicePointer = same;
    if (!target.known || target.kind != MemoryKind::kDevice) attributes->hostPointer = same;
    attributes->type = registered                            ? cudaMemoryTypeHost
                       : !target.known                       ? cudaMemoryTypeUnregistered
                       : target.kind == MemoryKind::kPinned  ? cudaMemoryTypeHost
                       : target.kind == MemoryKind::kManaged ? cudaMemoryTypeManaged
                                                             : cudaMemoryTypeDevice;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise, cudaMemLocation) {
  return call(Needs::kDevice, [&](Runtime& runtime) { return advise(runtime, pointer, bytes); });
}
LOCKSTEP_API cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation, unsigned,
                                              cudaStream_t stream) {
  return advise_on(stream, pointer, bytes);
}
LOCKSTEP_PER_THREAD(cudaMemPrefetchAsync, _ptsz);
LOCKSTEP_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t, unsigned) {
  return advise_on(stream, pointer, 0);
}
LOCKSTEP_PER_THREAD(cudaStreamAttachMemAsync, _ptsz);
