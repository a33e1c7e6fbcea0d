// api: what the entry points of libcudart share: the one Runtime of the process, and call(), which every entry
// point uses. CUDA's calls go in, requests to Device come out. The entry points stand in
// api_{registration,launch,function,memory,copy,array,texture,pool,stream,capture,graph…,device,error,interrupt,
// sealed,library_call}.cc by subject. Every other function of the toolkit's library is a stub that refuses by name
// (stubs.cmake).
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/words.h"
#include "device/device.h"
#include "runtime/call_place.h"
#include "runtime/capture.h"
#include "runtime/cuda_api.h"
#include "runtime/fatbin.h"
#include "runtime/graph.h"
#include "runtime/streams.h"

// An entry point: visible outside the library, with C's name.
#define LOCKSTEP_API extern "C" __attribute__((visibility("default")))
// The variant of `name` for programs that are built with --default-stream per-thread. It is the same function: streams
// differ only in their order, and here every call is complete when it returns. The check of races takes the default
// stream of a thread for the legacy one, which waits for more: it may miss a race there, and invents none.
#define LOCKSTEP_PER_THREAD(name, suffix) LOCKSTEP_SAME(name, suffix)  // cuda_api.h may define another name
#define LOCKSTEP_SAME(name, suffix) LOCKSTEP_API __attribute__((alias(#name))) decltype(name) name##suffix

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
static_assert(static_cast<int>(Status::kLaunchMaxDepth) == cudaErrorLaunchMaxDepthExceeded);
static_assert(static_cast<int>(Status::kNotSupported) == cudaErrorNotSupported);

struct Allocation {
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  cudaMemPool_t pool = nullptr;  // the pool of a cudaMallocAsync
  bool variable = false;         // a managed variable of the program: not to be freed
  CallStack stack{};             // of the call that made it
  bool of_graph = false;         // an allocation node of a graph made it
};

struct Binary;

// A __global__ function of the program. cudaKernel_t and cudaFunction_t are pointers to it.
struct Kernel {
  Binary* binary = nullptr;
  std::string name;
  std::optional<Outcome> outcome;  // set: `info` and `max_dynamic_shared` are valid
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

// One registered fat binary. Its PTX is loaded when it is first needed, as by the real runtime. So a library that is
// linked but not used costs nothing, and may even hold PTX that the device cannot run.
struct Binary {
  std::vector<std::span<const std::byte>> containers;
  std::string text;                // of a library that the program loads while it runs; it has no containers
  ModuleId module = 0;             // 0: the device can run nothing of it
  std::optional<Outcome> outcome;  // the outcome of loading it; none: not loaded
  std::vector<std::unique_ptr<Symbol>> symbols;
};

struct Runtime;

struct Event {
  unsigned flags = 0;
  uint64_t number = 0;                      // the number of its last record, counted over all events; 0: not recorded
  int64_t nanoseconds = 0;                  // the host's clock at that record
  Clock known{};                            // the work that comes before that record
  std::optional<CapturedPlace> captured{};  // its last record was captured
  void record(Runtime& runtime, cudaStream_t stream);
};
inline constexpr int kGreatestPriority = -5;  // an H200's; 0 is the least
constexpr int possible_priority(int priority) { return std::clamp(priority, kGreatestPriority, 0); }
struct Stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
};
struct Pool {
  uint64_t release_threshold = 0, used = 0, used_high = 0;
  std::map<int, int> flags;  // reuse attributes
};

// Objects that the program created. Their addresses are its handles.
template <typename T>
class Handles {
 public:
  T* create(T value) {
    auto created = std::make_unique<T>(value);
    return (all_[created.get()] = std::move(created)).get();
  }
  // Null: there is no such object.
  T* find(const void* handle) const {
    const auto found = all_.find(handle);
    return found == all_.end() ? nullptr : found->second.get();
  }
  bool destroy(const void* handle) { return all_.erase(handle) > 0; }
  void clear() { all_.clear(); }

 private:
  std::unordered_map<const void*, std::unique_ptr<T>> all_;
};

// Everything that the program registered before main().
struct Registered {
  std::vector<std::unique_ptr<Binary>> binaries;
  // By the host's stub function, and by the kernel's own address, which is its cudaKernel_t.
  std::unordered_map<const void*, std::shared_ptr<Kernel>> kernels;
  std::unordered_map<const void*, Symbol*> symbols;  // by the host's shadow variable
};
struct MemoryTables {
  std::map<uint64_t, Allocation> allocations;  // by address
  std::map<uint64_t, uint64_t> registered;     // host memory given to cudaHostRegister: address, bytes
  std::map<uint64_t, unsigned> host_flags;     // of pinned and registered memory
};
struct Events {
  Handles<Event> all;
  uint64_t records = 0;  // records of events so far
  uint64_t waited = 0;   // the program has waited for all records up to this one
};
struct Streams {
  Handles<Stream> all;
  unsigned long long next_id = 3;  // after the null, the legacy and the per-thread stream
};
// A CUDA array: rows in memory of the device.
struct Array {
  uint64_t address = 0;
  size_t pitch = 0;  // bytes from one row to the next
  cudaChannelFormatDesc desc{};
  cudaExtent extent{};  // as the program gave it: in elements, 0 for a dimension that is not there
  unsigned flags = 0;
};
// What the program said when it created a texture or surface object.
struct TextureObject {
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  bool is_surface = false;
};
struct Arrays {
  Handles<Array> all;
  std::map<uint64_t, TextureObject> objects;  // by handle
};
struct Pools {
  Handles<Pool> all;
  Pool usual;
  Pool* current = &usual;
};

// The node of a graph that is at work. Its work is told with the place of the call that made the node.
struct AtWork {
  const CallStack* stack = nullptr;  // null: no graph is at work
  uint64_t launch = 0;               // the number of the graph's launch
};

// What the check of races knows of the order of the program's streams (watch.h).
struct Watch {
  StreamOrder order;
  std::map<uint64_t, Clock> known;  // work that closes pages to the host → what had ended when it had
  AtWork node;
};

inline constexpr const char* kClusters = later("thread block clusters are");
std::string no_memory_text();

std::map<int, size_t> usual_limits();  // by cudaLimit; a limit that is not there is 0

// All state of the process, except the state of a thread. Never destroyed: calls may come until the process ends.
struct Runtime {
  std::mutex mutex;  // held in every entry point, except during user callbacks, and in those that read the last error
  std::atomic<bool> error_was_read = false;  // since the device was last told

  Outcome start_up;                // not ok: the environment is malformed
  std::unique_ptr<Device> device;  // set if start_up is ok
  Outcome fault;                   // the fault of a kernel; sticky
  bool surfaced = false;           // a synchronising call has returned the fault to the program
  bool told_lost = false;          // the program knows that launches after the fault do not run
  bool lost = false;               // reset after a fault: as on a card, this process can do no more work

  Registered program;
  MemoryTables memory;
  Events events;
  Streams streams;
  Pools pools;
  Arrays arrays;
  Graphs graphs;
  Captures captures;
  Watch watch;
  unsigned device_flags = cudaDeviceMapHost;
  std::map<int, size_t> limits = usual_limits();

  std::set<std::string> told;  // messages printed so far, with marks
  std::string advice;          // on the present call, if it fails (call_advice.h)
  pid_t pid = getpid();

  static Runtime& instance();

  // Prints `message` once on stderr, each line after "lockstep: ", or gives it to the program's teller.
  void tell(const std::string& message);
  // Tells the device that the program has looked at the last error, if it has.
  void tell_error_reads();
  // Prints the output of kernels.
  void flush_output();
  // Tells the device which lines made the allocations that are left.
  void tell_places();
  // The program ends, or resets the device.
  void end(Device::End how);
  // Prints the findings since the last call. Whether there were any.
  bool tell_findings();
  // Tells why the call failed, if that is known, and the next step.
  void tell_failed(std::string_view name, cudaError_t error);
  // As tell(), of a call that fails. The report has these messages as well.
  void tell_failed_call(const std::string& message);
  // The present call asks for something that lockstep lacks: "thread block clusters are". next: the next step. Both are
  // forms (base/words.h).
  cudaError_t refuse(const char* what, const char* next);

  // Returns the code for the program. Its message, if nobody has told it yet, becomes the advice on the present call.
  cudaError_t code(const Outcome& outcome);

  // A program names kernels and variables by host addresses. Null: no kernel is registered with this address.
  Kernel* find_kernel(const void* function);
  // Loads a binary's modules, once.
  const Outcome& load(Binary& binary);
  void forget(const Binary* binary);  // with its kernels and variables
  // Fills in kernel.info. Fails with cudaErrorNoKernelImageForDevice and similar codes.
  cudaError_t resolve(Kernel& kernel);
  // Fails with cudaErrorInvalidSymbol if the variable is not registered, or not in the binary's PTX.
  cudaError_t find_variable(const void* variable, GlobalInfo* info);
};

// The memory that a pointer points to: the device's, freed memory of the device, or (neither) the host's own.
struct Target {
  bool known = false, freed = false;
  MemoryKind kind = MemoryKind::kDevice;
  uint64_t bytes_left = 0;  // from the pointer to the end of its allocation
};
Target target_of(const Runtime& runtime, const void* pointer);
// The same for the node of a graph: the memory of graphs is taken for allocated, since it may be when the node runs.
Target planned_target(const Runtime& runtime, const void* pointer);
// Whether the host's own memory there was given to cudaHostRegister.
bool is_registered(const Runtime& runtime, uint64_t address);

cudaError_t allocate(Runtime& runtime, void** pointer, uint64_t bytes, MemoryKind kind, cudaMemPool_t pool = nullptr,
                     uint64_t offset = 0);
cudaError_t release(Runtime& runtime, void* pointer, bool pinned);
void tell_lost_free(Runtime& runtime, const void* pointer);  // the program frees it, after a fault

// The state that a call needs. After a fault the real runtime still answers questions about itself, but does no work.
enum class Needs {
  kNothing,  // works even after a fault
  kDevice,   // fails once a fault has surfaced
  kOutcome,  // waits for the work or asks for its state: surfaces a fault, prints the output of kernels
  kSync,     // as kOutcome: a wait that is counted
};

CallStack launch_stack();                      // the stack of a launch, with the function that has the <<<…>>>
CallStack work_stack(const Runtime& runtime);  // of the present call, or of the graph's node that is at work
// Tells the device what memory of unfinished work the host has touched since the last call.
void tell_touches(Runtime& runtime);
// `name`: of the function, which streams that are captured may not allow. Empty: it is none of CUDA's.
cudaError_t enter(Runtime& runtime, Needs needs, std::string_view name = {});
cudaError_t fail_as_planned(Runtime& runtime, std::string_view function);
cudaError_t leave(cudaError_t error);  // stores the last error of this thread

inline cudaError_t to_error(Runtime&, cudaError_t error) { return error; }
inline cudaError_t to_error(Runtime& runtime, const Outcome& outcome) { return runtime.code(outcome); }

// Watches for SIGTERM and SIGINT from now on. A program that installs handlers of its own, or ignores the signals,
// keeps doing so: then nothing happens here.
void watch_signals(Runtime& runtime);
// From now on the device is told where the program's own code accesses device memory, before that ends the program.
void watch_host_accesses();
// After such a signal: writes the report and ends the process. Before it: returns.
void end_if_interrupted(Runtime& runtime);
inline void nothing(Runtime&) {}

// Runs an entry point's body, which returns a cudaError_t or an Outcome. Locks the runtime and checks its state first.
// `function` is the entry point's name; a helper between the two passes it on. `lost` runs instead of the body if a
// fault in a kernel prevents the call.
template <typename Body, typename Lost = void (*)(Runtime&)>
cudaError_t call(Needs needs, const char* function, Body&& body, Lost&& lost = nothing) {
  const std::string_view name = written_name(function);
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  tell_touches(runtime);
  runtime.tell_error_reads();
  runtime.advice.clear();
  if (const cudaError_t error = enter(runtime, needs, name); error != cudaSuccess) {
    if (runtime.surfaced) lost(runtime);
    runtime.tell_failed(name, error);
    return leave(error);
  }
  if (runtime.device->call_fails(name)) return fail_as_planned(runtime, name);
  try {
    const cudaError_t error = to_error(runtime, body(runtime));
    if (error != cudaSuccess) runtime.tell_failed(name, error);
    leave(error);
    end_if_interrupted(runtime);
    return error;
  } catch (const std::bad_alloc&) {  // an entry point is C's: no exception may leave it
    runtime.tell_failed_call(no_memory_text());
    return leave(cudaErrorMemoryAllocation);
  }
}
template <typename Body>
cudaError_t call(Needs needs, Body&& body, const char* name = __builtin_FUNCTION()) {
  return call(needs, name, body);
}

inline uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
inline void* pointer_to(uint64_t address) { return reinterpret_cast<void*>(address); }

// The error for a host function that is not a kernel. The real runtime takes a wrong address for a wrong handle.
inline cudaError_t unknown_function(const void* function) {
  return function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}

template <typename T>
cudaError_t give(T* out, T value) {
  if (!out) return cudaErrorInvalidValue;
  *out = value;
  return cudaSuccess;
}

// Whether the handle is a stream that the program created, or one of the three that always exist.
bool is_stream(const Runtime& runtime, cudaStream_t stream);

// Runs `body(runtime)` if the handle is a stream's.
template <typename Body>
cudaError_t with_stream(Needs needs, cudaStream_t stream, Body&& body, const char* name = __builtin_FUNCTION()) {
  return call(needs, name, [&](Runtime& runtime) -> cudaError_t {
    return is_stream(runtime, stream) ? body(runtime) : cudaErrorInvalidResourceHandle;
  });
}

}  // namespace lockstep::runtime
