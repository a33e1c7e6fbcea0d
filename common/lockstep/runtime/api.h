// runtime_api: what the entry points of libcudart.so.13 share: the one Runtime of the process, and call(), through
// which every entry point goes. In: CUDA's calls. Out: requests to Device. The entry points stand in
// runtime_api_{registration,launch,function,memory,copy,pool,stream,device,error}.cc by subject; every other
// function of the toolkit's library is a stub that refuses by name (stubs.cmake).
#pragma once

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/device.h"
#include "runtime/fatbin.h"

// An entry point: seen from outside the library, with C's name.
#define LOCKSTEP_API extern "C" __attribute__((visibility("default")))
// The variant of `name` that programs built with --default-stream per-thread call. Streams differ only in their
// order, and here every call is done when it returns, so it is the same function.
#define LOCKSTEP_PER_THREAD(name, suffix) LOCKSTEP_API __attribute__((alias(#name))) decltype(name) name##suffix

namespace lockstep::runtime {

static_assert(static_cast<int>(Status::kOk) == cudaSuccess);
static_assert(static_cast<int>(Status::kInvalidValue) == cudaErrorInvalidValue);
static_assert(static_cast<int>(Status::kOutOfMemory) == cudaErrorMemoryAllocation);
static_assert(static_cast<int>(Status::kInvalidConfiguration) == cudaErrorInvalidConfiguration);
static_assert(static_cast<int>(Status::kInvalidSymbol) == cudaErrorInvalidSymbol);
static_assert(static_cast<int>(Status::kDeviceGone) == cudaErrorDevicesUnavailable);
static_assert(static_cast<int>(Status::kInvalidDeviceFunction) == cudaErrorInvalidDeviceFunction);
static_assert(static_cast<int>(Status::kInvalidPtx) == cudaErrorInvalidPtx);
static_assert(static_cast<int>(Status::kUnsupportedInstruction) == cudaErrorUnsupportedPtxVersion);
static_assert(static_cast<int>(Status::kIllegalAddress) == cudaErrorIllegalAddress);
static_assert(static_cast<int>(Status::kLaunchOutOfResources) == cudaErrorLaunchOutOfResources);
static_assert(static_cast<int>(Status::kLaunchTimeout) == cudaErrorLaunchTimeout);
static_assert(static_cast<int>(Status::kAssert) == cudaErrorAssert);
static_assert(static_cast<int>(Status::kIllegalInstruction) == cudaErrorIllegalInstruction);
static_assert(static_cast<int>(Status::kMisalignedAddress) == cudaErrorMisalignedAddress);
static_assert(static_cast<int>(Status::kLaunchFailure) == cudaErrorLaunchFailure);
static_assert(static_cast<int>(Status::kCooperativeLaunchTooLarge) == cudaErrorCooperativeLaunchTooLarge);

struct Allocation {
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  cudaMemPool_t pool = nullptr;  // of cudaMallocAsync
  bool variable = false;         // a managed variable of the program: not to be freed
};

struct Binary;

// A __global__ function of the program; cudaKernel_t and cudaFunction_t are pointers to it.
struct Kernel {
  Binary* binary = nullptr;
  std::string name;
  bool resolved = false;  // `outcome`, `info` and `max_dynamic_shared` are valid
  Outcome outcome;
  FunctionInfo info;
  uint64_t max_dynamic_shared = 0;
  int carveout = -1;
};

// A __device__, __constant__ or __managed__ variable of the program.
struct Symbol {
  Binary* binary = nullptr;
  std::string name;
  uint64_t bytes = 0;
  void** managed_pointer = nullptr;  // the host's copy of a managed variable's address
};

// One registered fat binary. Its PTX is loaded when first needed, as the real runtime does, so that a library which
// is linked but not used costs nothing and may even hold what the device cannot run.
struct Binary {
  std::vector<std::span<const std::byte>> containers;
  ModuleId module = 0;  // 0: nothing that the device can run
  bool loaded = false;
  Outcome outcome;  // of loading
  std::vector<std::unique_ptr<Symbol>> symbols;
};

struct Runtime;

struct Event {
  unsigned flags = 0;
  uint64_t number = 0;      // of its last record among all; 0: not recorded
  int64_t nanoseconds = 0;  // of the host's clock
  void record(Runtime& runtime);
};
struct Stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
};
struct Pool {
  uint64_t release_threshold = 0, used = 0, used_high = 0;
  std::map<int, int> flags;  // reuse attributes
};

// All of the process's state but what belongs to a thread. Never destroyed: calls may come until the very end.
struct Runtime {
  std::mutex mutex;  // held through every entry point but for user callbacks

  Outcome start_up;                // not ok: the environment is malformed
  std::unique_ptr<Device> device;  // set if start_up is ok
  Outcome fault;                   // what went wrong in a kernel; sticky
  bool surfaced = false;           // a synchronising call has told the program of it
  bool lost = false;               // reset after a fault: like the real runtime, no work in this process any more

  std::vector<std::unique_ptr<Binary>> binaries;
  std::unordered_map<const void*, std::unique_ptr<Kernel>> kernels;  // by the host's stub function
  std::set<const void*> kernel_handles;
  std::unordered_map<const void*, Symbol*> symbols;  // by the host's shadow variable

  std::map<uint64_t, Allocation> allocations;  // by address
  std::map<uint64_t, uint64_t> registered;     // host memory given to cudaHostRegister: address, bytes
  std::map<uint64_t, unsigned> host_flags;     // of pinned and registered memory
  std::set<Event*> events;
  std::set<Stream*> streams;
  unsigned long long next_stream_id = 3;  // after the null, the legacy and the per-thread stream
  std::set<Pool*> pools;
  Pool default_pool;
  Pool* current_pool = &default_pool;

  unsigned device_flags = cudaDeviceMapHost;
  std::map<int, size_t> set_limits;

  uint64_t records = 0;  // of events, so far
  uint64_t waited = 0;   // the program has waited for all records up to this one

  std::set<std::string> told;  // messages printed so far
  pid_t pid = getpid();

  static Runtime& instance();

  // Prints `message` once on stderr, each line after "lockstep: ".
  void tell(const std::string& message);
  // Prints what kernels printed.
  void flush_output();
  // The program ends, or resets the device.
  void end(Device::End how);
  // Prints the findings that came since the last time.
  void tell_findings();

  // The code for the program; the message, if any, for its author.
  cudaError_t code(const Outcome& outcome);

  // Looks up what a program names by host addresses. Null if it is not registered.
  Kernel* find_kernel(const void* function);
  Symbol* find_symbol(const void* variable);
  // Loads a binary's modules unless that is done.
  const Outcome& load(Binary& binary);
  // Fills in kernel.info. The status is cudaErrorNoKernelImageForDevice and the like.
  cudaError_t resolve(Kernel& kernel);
  cudaError_t resolve(Symbol& symbol, GlobalInfo* info);
};

// Which state a call needs. The real runtime, after a fault, still tells of itself, but does no work.
enum class Needs {
  kNothing,  // works even after a fault
  kDevice,   // fails once a fault has surfaced
  kOutcome,  // waits for the work or asks what became of it: surfaces a fault, prints what kernels printed
  kSync,     // as kOutcome: a wait that is counted
};

cudaError_t enter(Runtime& runtime, Needs needs);
cudaError_t fail_as_planned(Runtime& runtime, std::string_view function);
cudaError_t leave(cudaError_t error);  // notes the last error of this thread

inline cudaError_t to_error(Runtime&, cudaError_t error) { return error; }
inline cudaError_t to_error(Runtime& runtime, const Outcome& outcome) { return runtime.code(outcome); }

// Runs an entry point's body, which gives a cudaError_t or an Outcome, with the runtime locked and its state checked.
// `name` is the entry point's own; a helper between the two hands it on.
template <typename Body>
cudaError_t call(Needs needs, Body&& body, const char* name = __builtin_FUNCTION()) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  if (const cudaError_t error = enter(runtime, needs); error != cudaSuccess) return leave(error);
  if (runtime.device->call_fails(name)) return fail_as_planned(runtime, name);
  try {
    return leave(to_error(runtime, body(runtime)));
  } catch (const std::bad_alloc&) {  // an entry point is C's: nothing may be thrown through it
    runtime.tell("this process has no memory left to emulate with; lift its memory limit, or launch smaller blocks");
    return leave(cudaErrorMemoryAllocation);
  }
}

inline uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
inline void* pointer_to(uint64_t address) { return reinterpret_cast<void*>(address); }

// What a host function that is no kernel gets: a wrong address is taken for a wrong handle.
inline cudaError_t unknown_function(const void* function) {
  return function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}

// Whether the handle is a stream of ours, or one of the three that always exist.
bool is_stream(const Runtime& runtime, cudaStream_t stream);

}  // namespace lockstep::runtime
