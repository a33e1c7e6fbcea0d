// api_device: the one device as programs see it: its properties and limits, waiting for it, and resetting it. Sizes
// come from DeviceLimits. Only features that work here are claimed. Clock rates and bus width are those of an H200,
// since programs compute a peak bandwidth from them. Sizes of mipmaps are 0: lockstep has none.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/arrays.h"
#include "runtime/watch.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

constexpr const char* kName = "lockstep (CPU, as an NVIDIA H200)";  // unless LOCKSTEP_NAME says otherwise
constexpr const char* kPciBusId = "0000:00:00.0";
constexpr size_t kLargestPitch = 0x7fffffff;
constexpr int kClockKhz = 1980000, kMemoryClockKhz = 3201000, kMemoryBusBits = 6016;

// A fact about the device: as an attribute, and as the int of cudaDeviceProp that says the same, if there is one.
struct Fact {
  int attribute;
  int value;
  int cudaDeviceProp::*property = nullptr;
};

// Clusters, sharing with other processes and devices: none of them exist here, so they are missing.
std::vector<Fact> facts_of(const DeviceLimits& limits) {
  const auto number = [](auto value) { return static_cast<int>(value); };
  return {{cudaDevAttrMaxThreadsPerBlock, number(limits.max_threads_per_block), &cudaDeviceProp::maxThreadsPerBlock},
          {cudaDevAttrMaxBlockDimX, number(limits.max_block.x)},
          {cudaDevAttrMaxBlockDimY, number(limits.max_block.y)},
          {cudaDevAttrMaxBlockDimZ, number(limits.max_block.z)},
          {cudaDevAttrMaxGridDimX, number(limits.max_grid.x)},
          {cudaDevAttrMaxGridDimY, number(limits.max_grid.y)},
          {cudaDevAttrMaxGridDimZ, number(limits.max_grid.z)},
          {cudaDevAttrMaxSharedMemoryPerBlock, number(limits.shared_per_block)},
          {cudaDevAttrTotalConstantMemory, number(limits.const_bytes)},
          {cudaDevAttrWarpSize, number(limits.warp_size), &cudaDeviceProp::warpSize},
          {cudaDevAttrMaxPitch, number(kLargestPitch)},
          {cudaDevAttrMaxRegistersPerBlock, number(limits.registers_per_sm), &cudaDeviceProp::regsPerBlock},
          {cudaDevAttrClockRate, kClockKhz},
          {cudaDevAttrTextureAlignment, number(kTextureLimits.alignment)},
          {cudaDevAttrGpuOverlap, 1},
          {cudaDevAttrMultiProcessorCount, number(limits.sm_count), &cudaDeviceProp::multiProcessorCount},
          {cudaDevAttrCanMapHostMemory, 1, &cudaDeviceProp::canMapHostMemory},
          {cudaDevAttrSurfaceAlignment, number(kTextureLimits.alignment)},
          {cudaDevAttrConcurrentKernels, 1, &cudaDeviceProp::concurrentKernels},
          {cudaDevAttrEccEnabled, 1, &cudaDeviceProp::ECCEnabled},
          {cudaDevAttrMemoryClockRate, kMemoryClockKhz},
          {cudaDevAttrGlobalMemoryBusWidth, kMemoryBusBits, &cudaDeviceProp::memoryBusWidth},
          {cudaDevAttrL2CacheSize, number(limits.l2_bytes), &cudaDeviceProp::l2CacheSize},
          {cudaDevAttrMaxThreadsPerMultiProcessor, number(limits.max_threads_per_sm),
           &cudaDeviceProp::maxThreadsPerMultiProcessor},
          {cudaDevAttrAsyncEngineCount, 3, &cudaDeviceProp::asyncEngineCount},
          {cudaDevAttrUnifiedAddressing, 1, &cudaDeviceProp::unifiedAddressing},
          {cudaDevAttrTexturePitchAlignment, number(kTextureLimits.pitch_alignment)},
          {cudaDevAttrComputeCapabilityMajor, limits.compute.major, &cudaDeviceProp::major},
          {cudaDevAttrComputeCapabilityMinor, limits.compute.minor, &cudaDeviceProp::minor},
          {cudaDevAttrStreamPrioritiesSupported, 1, &cudaDeviceProp::streamPrioritiesSupported},
          {cudaDevAttrGlobalL1CacheSupported, 1, &cudaDeviceProp::globalL1CacheSupported},
          {cudaDevAttrLocalL1CacheSupported, 1, &cudaDeviceProp::localL1CacheSupported},
          {cudaDevAttrMaxSharedMemoryPerMultiprocessor, number(limits.shared_per_sm)},
          {cudaDevAttrMaxRegistersPerMultiprocessor, number(limits.registers_per_sm),
           &cudaDeviceProp::regsPerMultiprocessor},
          {cudaDevAttrManagedMemory, 1, &cudaDeviceProp::managedMemory},
          {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
          {cudaDevAttrConcurrentManagedAccess, 1, &cudaDeviceProp::concurrentManagedAccess},
          {cudaDevAttrComputePreemptionSupported, 1, &cudaDeviceProp::computePreemptionSupported},
          {cudaDevAttrCooperativeLaunch, 1, &cudaDeviceProp::cooperativeLaunch},
          {cudaDevAttrMaxSharedMemoryPerBlockOptin, number(limits.shared_per_block_optin)},
          {cudaDevAttrHostRegisterSupported, 1, &cudaDeviceProp::hostRegisterSupported},
          {cudaDevAttrMaxBlocksPerMultiprocessor, number(limits.max_blocks_per_sm),
           &cudaDeviceProp::maxBlocksPerMultiProcessor},
          {cudaDevAttrReservedSharedMemoryPerBlock, number(limits.shared_reserved_per_block)},
          {cudaDevAttrMemoryPoolsSupported, 1, &cudaDeviceProp::memoryPoolsSupported},
          {cudaDevAttrMemSyncDomainCount, 1},
          {cudaDevAttrNumaId, -1}};
}

// 0 for an attribute that lockstep does not have.
int attribute_of(const DeviceLimits& limits, int attribute) {
  const std::vector<Fact> facts = facts_of(limits);
  const auto found = std::ranges::find(facts, attribute, &Fact::attribute);
  return found == facts.end() ? texture_size(attribute) : found->value;
}

// The properties that only CUDA 13 has, or only CUDA 12.
template <typename Properties>
void set_other_properties(Properties* p) {
  if constexpr (requires { p->hostNumaId; }) p->hostNumaId = p->deviceNumaId = -1;
  if constexpr (requires { p->clockRate; }) {
    p->clockRate = kClockKhz;
    p->memoryClockRate = kMemoryClockKhz;
    p->deviceOverlap = 1;
    p->singleToDoublePrecisionPerfRatio = 2;
    p->maxTexture1DLinear = kTextureLimits.width_linear;
  }
}

cudaDeviceProp properties_of(const Device& device) {
  const DeviceLimits& limits = device.limits();
  uint64_t free_bytes = 0, total_bytes = 0;
  device.memory_info(&free_bytes, &total_bytes);
  cudaDeviceProp p{};
  for (const Fact& fact : facts_of(limits))
    if (fact.property) p.*fact.property = fact.value;
  const char* name = std::getenv("LOCKSTEP_NAME");
  std::string_view(name != nullptr && *name != '\0' ? name : kName).copy(p.name, sizeof p.name - 1);
  std::string_view("lockstep").copy(p.uuid.bytes, sizeof p.uuid.bytes);
  p.totalGlobalMem = total_bytes;
  p.sharedMemPerBlock = limits.shared_per_block;
  p.memPitch = kLargestPitch;
  for (int axis = 0; axis < 3; ++axis) {
    p.maxThreadsDim[axis] = attribute_of(limits, cudaDevAttrMaxBlockDimX + axis);
    p.maxGridSize[axis] = attribute_of(limits, cudaDevAttrMaxGridDimX + axis);
  }
  p.totalConstMem = limits.const_bytes;
  set_texture_sizes(&p);
  p.textureAlignment = kTextureLimits.alignment;
  p.texturePitchAlignment = kTextureLimits.pitch_alignment;
  p.surfaceAlignment = kTextureLimits.alignment;
  p.sharedMemPerMultiprocessor = limits.shared_per_sm;
  p.sharedMemPerBlockOptin = limits.shared_per_block_optin;
  p.reservedSharedMemPerBlock = limits.shared_reserved_per_block;
  set_other_properties(&p);
  return p;
}

bool is_limit(cudaLimit limit) { return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize; }

// Frees all allocations of the program and gives its variables their first values again. The device itself stays, so
// that the report at exit also holds the launches before the reset.
void reset(Runtime& runtime) {
  host_waits_for_all(runtime);
  for (const auto& [address, allocation] : runtime.memory.allocations)
    if (!allocation.variable) runtime.device->free(address, allocation.kind == MemoryKind::kPinned);
  runtime.captures = {};
  runtime.graphs = {};
  runtime.memory.allocations.clear();
  runtime.memory.registered.clear();
  runtime.memory.host_flags.clear();
  runtime.events.all.clear();
  runtime.streams.all.clear();
  for (const auto& [handle, object] : std::exchange(runtime.arrays, {}).objects)
    runtime.device->destroy_texture(handle);
  runtime.pools.all.clear();
  runtime.pools.usual = {};
  runtime.pools.current = &runtime.pools.usual;
  runtime.limits = usual_limits();
  for (auto& [function, kernel] : runtime.program.kernels) {
    kernel->outcome.reset();
    kernel->carveout = -1;
  }
  for (auto& binary : runtime.program.binaries) {
    const bool was_loaded = std::exchange(binary->outcome, {}).has_value();
    if (const ModuleId module = std::exchange(binary->module, 0)) runtime.device->unload_module(module);
    const auto is_managed = [](const auto& symbol) { return symbol->managed_pointer != nullptr; };
    const bool managed = std::ranges::any_of(binary->symbols, is_managed);
    if (managed && was_loaded) runtime.load(*binary);  // the host's pointers must stay valid
  }
}

// For calls that name a device; 0 is the only one.
template <typename Body>
cudaError_t with_device(int device, Body&& body, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kNothing, name,
              [&](Runtime& runtime) -> cudaError_t { return device == 0 ? body(runtime) : cudaErrorInvalidDevice; });
}

template <typename T>
cudaError_t answer(T* out, T value, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kNothing, name, [&](Runtime&) { return give(out, value); });
}

cudaError_t nothing_to_do(const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [](Runtime&) { return cudaSuccess; });
}

}  // namespace

// The first values of a card's limits. Setting a limit changes only the number; only the stack's limit has an effect.
std::map<int, size_t> lockstep::runtime::usual_limits() {
  return {{cudaLimitStackSize, 1024},
          {cudaLimitPrintfFifoSize, 8650752},
          {cudaLimitMallocHeapSize, 8388608},
          {cudaLimitDevRuntimePendingLaunchCount, 2048},
          {cudaLimitMaxL2FetchGranularity, 64}};
}

LOCKSTEP_API cudaError_t cudaGetDeviceCount(int* count) { return answer(count, 1); }
LOCKSTEP_API cudaError_t cudaGetDevice(int* device) { return answer(device, 0); }
LOCKSTEP_API cudaError_t cudaRuntimeGetVersion(int* version) { return answer(version, CUDART_VERSION); }
LOCKSTEP_API cudaError_t cudaDriverGetVersion(int* version) { return answer(version, CUDART_VERSION); }

LOCKSTEP_API cudaError_t cudaSetDevice(int device) {
  return with_device(device, [](Runtime&) { return cudaSuccess; });
}
LOCKSTEP_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return with_device(device, [](Runtime&) { return cudaSuccess; });
}
LOCKSTEP_API cudaError_t cudaSetValidDevices(int* devices, int count) {
  return call(Needs::kNothing, [&](Runtime&) {
    if (!devices && count > 0) return cudaErrorInvalidValue;
    const bool known = std::all_of(devices, devices + std::max(count, 0), [](int device) { return device == 0; });
    return known ? cudaSuccess : cudaErrorInvalidDevice;
  });
}
LOCKSTEP_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return wanted ? answer(device, 0) : leave(cudaErrorInvalidValue);
}

LOCKSTEP_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return with_device(device, [&](Runtime& runtime) {
    if (!value || attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax)
      return cudaErrorInvalidValue;
    *value = attribute_of(runtime.device->limits(), attribute);
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return with_device(device, [&](Runtime& runtime) { return give(properties, properties_of(*runtime.device)); });
}

LOCKSTEP_API cudaError_t cudaDeviceGetPCIBusId(char* id, int bytes, int device) {
  return with_device(device, [&](Runtime&) {
    if (!id || bytes <= static_cast<int>(std::strlen(kPciBusId))) return cudaErrorInvalidValue;
    std::strcpy(id, kPciBusId);
    return cudaSuccess;
  });
}
LOCKSTEP_API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return id && !std::strcmp(id, kPciBusId) ? answer(device, 0) : leave(cudaErrorInvalidDevice);
}

LOCKSTEP_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return call(Needs::kNothing, [&](Runtime& runtime) {
    if (flags > cudaDeviceMask) return cudaErrorInvalidValue;
    runtime.device_flags = flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}
LOCKSTEP_API cudaError_t cudaGetDeviceFlags(unsigned* flags) { return answer(flags, Runtime::instance().device_flags); }

LOCKSTEP_API cudaError_t cudaDeviceSynchronize() {
  return call(Needs::kSync, [](Runtime& runtime) {
    if (runtime.captures.any()) return refuse_whole_device(runtime.captures);
    host_waits_for_all(runtime);
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaDeviceReset() {
  return call(Needs::kNothing, [](Runtime& runtime) {
    runtime.flush_output();
    runtime.end(Device::End::kReset);
    runtime.lost = runtime.lost || !runtime.fault.ok();
    reset(runtime);
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (!value || !is_limit(limit)) return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit;
    *value = runtime.limits[limit];
    return cudaSuccess;
  });
}
LOCKSTEP_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (!is_limit(limit)) return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit;
    runtime.limits[limit] = value;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return answer(config, cudaFuncCachePreferNone);
}
LOCKSTEP_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return nothing_to_do(); }
LOCKSTEP_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return answer(config, cudaSharedMemBankSizeFourByte);
}
LOCKSTEP_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return nothing_to_do(); }
LOCKSTEP_API cudaError_t cudaCtxResetPersistingL2Cache() { return nothing_to_do(); }
// Nothing is profiled, but LOCKSTEP_FAIL may count calls from here on. No call ends that: the code under test could
// make such a call.
LOCKSTEP_API cudaError_t cudaProfilerStart() {
  return call(Needs::kDevice, [](Runtime& runtime) { return runtime.device->start_profiling(), cudaSuccess; });
}
LOCKSTEP_API cudaError_t cudaProfilerStop() { return nothing_to_do(); }

// No other device exists.
LOCKSTEP_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return device == 0 && peer == 0 ? answer(can, 0) : leave(cudaErrorInvalidDevice);
}
LOCKSTEP_API cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return leave(cudaErrorInvalidDevice); }
LOCKSTEP_API cudaError_t cudaDeviceDisablePeerAccess(int) { return leave(cudaErrorInvalidDevice); }
