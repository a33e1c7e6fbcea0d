// api_launch: from `kernel<<<grid, block, shared, stream>>>(arguments)` to Device::launch. The kernel has ended when
// the launch returns. As on a card, a fault in the kernel comes back only from the next call that waits for the device.
// An error of the launch itself comes back at once.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "base/words.h"
#include "ptx/module.h"
#include "runtime/capturing.h"
#include "runtime/graph_run.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
  bool cooperative = false;
  uintptr_t caller = 0;  // in the function that has the <<<…>>>
};

// Between <<<…>>> and the kernel's host stub only the arguments are evaluated, so the stack stays low. It is a plain
// array: a thread_local object with a destructor no longer exists when a static object's destructor launches a kernel.
constexpr size_t kDeepest = 16;
thread_local std::array<Configuration, kDeepest> t_configurations;
thread_local size_t t_depth = 0;
thread_local uintptr_t t_caller = 0;  // of the configuration that was taken last

Dim3 to_dim3(dim3 d) { return {d.x, d.y, d.z}; }

// Copies each argument to its offset in the block that becomes the kernel's .param space.
std::vector<std::byte> pack(const FunctionInfo& function, void** arguments) {
  std::vector<std::byte> block(function.param_bytes);
  for (size_t i = 0; i < function.params.size(); ++i) {
    const ParamInfo& param = function.params[i];
    if (param.bytes != 0) std::memcpy(block.data() + param.offset, arguments[i], param.bytes);
  }
  return block;
}

// The arguments in the form of the driver's launches: pairs of a key and a pointer, up to a null key.
std::vector<std::byte> packed_already(const FunctionInfo& function, void** extra) {
  constexpr uintptr_t kBuffer = 1, kBytes = 2;  // CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE
  const std::byte* buffer = nullptr;
  size_t bytes = 0;
  for (; *extra; extra += 2) {
    const auto key = reinterpret_cast<uintptr_t>(extra[0]);
    if (key == kBuffer) buffer = static_cast<const std::byte*>(extra[1]);
    if (key == kBytes) bytes = *static_cast<const size_t*>(extra[1]);
  }
  return buffer && bytes >= function.param_bytes ? std::vector(buffer, buffer + function.param_bytes)
                                                 : std::vector<std::byte>{};
}

// However the launch ends, the next one has another caller.
struct ForgetCaller {
  ~ForgetCaller() { t_caller = 0; }
};

LaunchRequest request_of(Runtime& runtime, const Kernel& kernel, const KernelWork& work) {
  LaunchRequest request;
  request.function = kernel.info.id;
  request.grid = to_dim3(work.grid);
  request.block = to_dim3(work.block);
  request.dynamic_shared_bytes = work.shared_bytes;
  request.cooperative = work.cooperative;
  request.params = work.params;
  request.stack_bytes = runtime.limits[cudaLimitStackSize];
  return request;
}

cudaError_t run_kernel(Runtime& runtime, const Kernel& kernel, const KernelWork& work, cudaStream_t stream) {
  const LaunchRequest request = request_of(runtime, kernel, work);
  WorkScope scope(runtime, stream, later("the launch"));
  const Outcome outcome = runtime.device->launch(request);
  scope.used(runtime.device->take_host_uses());
  runtime.fault = runtime.device->fault();
  const CallStack* const node = runtime.watch.node.stack;
  if (!outcome.ok()) runtime.device->tell_place(CallKind::kFailedLaunch, 0, place_of(node ? *node : launch_stack()));
  // Print now: the program may never ask for the error.
  const bool told = runtime.tell_findings();
  if (!runtime.fault.ok()) return cudaSuccess;
  const cudaError_t error = told ? static_cast<cudaError_t>(outcome.status) : runtime.code(outcome);
  // In CUDA 13 two errors are cudaErrorInvalidValue (seen on an H200): the one that the documentation calls
  // cudaErrorInvalidConfiguration, and a block larger than the kernel's launch bounds. The message says more.
  const bool beyond_bounds = request.block.count() > kernel.info.max_threads_per_block;
  const bool wrong_shape =
      error == cudaErrorInvalidConfiguration || (error == cudaErrorLaunchOutOfResources && beyond_bounds);
  return wrong_shape && CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : error;
}

// Whether the device takes a launch of this shape. It is asked when a node is made; the device itself is asked when the
// node runs.
bool can_launch(Runtime& runtime, const Kernel& kernel, const KernelWork& work) {
  const Dim3 grid = to_dim3(work.grid), block = to_dim3(work.block);
  const DeviceLimits& limits = runtime.device->limits();
  const auto within = [](const Dim3& d, const Dim3& most) {
    return d.x && d.y && d.z && d.x <= most.x && d.y <= most.y && d.z <= most.z;
  };
  if (!within(grid, limits.max_grid) || !within(block, limits.max_block)) return false;
  if (block.count() > kernel.info.max_threads_per_block || work.shared_bytes > kernel.max_dynamic_shared) return false;
  if (!work.cooperative) return true;
  const auto threads = static_cast<uint32_t>(block.count());
  const uint64_t blocks = runtime.device->blocks_per_sm(kernel.info.id, threads, work.shared_bytes);
  return grid.count() <= blocks * limits.sm_count;
}

// A launch that cannot be made is made at once, and not captured: so it fails as any other, with its finding. It makes
// the capture invalid. If the capture is invalid already, that is the launch's error.
std::optional<cudaError_t> capture_launch(Runtime& runtime, const Kernel& kernel, KernelWork& work, cudaStream_t stream,
                                          std::span<const cudaLaunchAttribute> attributes) {
  if (!runtime.captures.any()) return std::nullopt;
  if (!can_launch(runtime, kernel, work)) {
    const uint32_t number = stream_number(runtime, stream);
    CapturedStream* found = nullptr;
    if (const cudaError_t error = find_captured(runtime.captures, number, &found); error != cudaSuccess) return error;
    invalidate(runtime.captures, number);
    return std::nullopt;
  }
  const auto make = [&](NodeWork* made) {
    for (const ParamInfo& param : kernel.info.params) work.offsets.push_back(param.offset);
    if (const Stream* created = runtime.streams.all.find(stream))
      work.attributes[cudaLaunchAttributePriority].priority = created->priority;
    for (const cudaLaunchAttribute& attribute : attributes) keep_attribute(work, attribute.id, attribute.val);
    *made = std::move(work);
    return cudaSuccess;
  };
  return captured(runtime, stream, make, launch_stack);
}

// As on a card, nothing runs after a fault.
void tell_lost(Runtime& runtime, const void* function) {
  const Kernel* kernel = runtime.find_kernel(function);
  const std::string name = kernel ? demangled(kernel->name) : words("a kernel");
  runtime.device->tell_place(CallKind::kLostLaunch, 0, name);
  if (!std::exchange(runtime.told_lost, true))
    runtime.tell(with_next(words("the launch of {kernel} did not run: a kernel before it failed, and then nothing more "
                                 "runs, as on a card.",
                                 {{"kernel", name}}),
                           words("mend that kernel first; every launch after it is missing.")));
}

cudaError_t launch(Runtime& runtime, const void* function, const Configuration& configuration, void** arguments,
                   std::span<const cudaLaunchAttribute> attributes = {}) {
  const ForgetCaller at_the_end;
  Kernel* kernel = runtime.find_kernel(function);
  if (!kernel) return unknown_function(function);
  if (!is_stream(runtime, configuration.stream)) return cudaErrorInvalidResourceHandle;
  if (!runtime.fault.ok()) {  // not surfaced yet: the launch waits behind the kernel that failed
    tell_lost(runtime, function);
    return cudaSuccess;
  }
  if (const cudaError_t error = runtime.resolve(*kernel); error != cudaSuccess) return error;
  if (!arguments && !kernel->info.params.empty()) return cudaErrorInvalidValue;
  KernelWork work{.function = function,
                  .grid = configuration.grid,
                  .block = configuration.block,
                  .shared_bytes = configuration.shared_bytes,
                  .cooperative = configuration.cooperative,
                  .params = pack(kernel->info, arguments)};
  if (const auto error = capture_launch(runtime, *kernel, work, configuration.stream, attributes)) return *error;
  return run_kernel(runtime, *kernel, work, configuration.stream);
}

cudaError_t launch_function(const void* function, const Configuration& configuration, void** arguments,
                            const char* name = __builtin_FUNCTION()) {
  const auto body = [&](Runtime& runtime) { return launch(runtime, function, configuration, arguments); };
  return call(Needs::kDevice, name, body, [&](Runtime& runtime) { tell_lost(runtime, function); });
}

// Reads the attributes that matter here. Refuses the attributes that change the kernel's meaning and are not emulated.
cudaError_t read_attributes(Runtime& runtime, const cudaLaunchConfig_t& config, bool* cooperative,
                            std::vector<Event*>* events) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    switch (attribute.id) {
      case cudaLaunchAttributeCooperative: *cooperative = attribute.val.cooperative != 0; break;
      case cudaLaunchAttributeClusterDimension:
        if (attribute.val.clusterDim.x * attribute.val.clusterDim.y * attribute.val.clusterDim.z <= 1) break;
        return runtime.refuse(kClusters, later("launch without cudaLaunchAttributeClusterDimension."));
      // Both events are over when the launch is.
      case cudaLaunchAttributeProgrammaticEvent:
        events->push_back(runtime.events.all.find(attribute.val.programmaticEvent.event));
        break;
      case cudaLaunchAttributeLaunchCompletionEvent:
        events->push_back(runtime.events.all.find(attribute.val.launchCompletionEvent.event));
        break;
      case cudaLaunchAttributeDeviceUpdatableKernelNode:
        return runtime.refuse(
            later("updates of a graph's nodes by kernels are"),
            later("launch without cudaLaunchAttributeDeviceUpdatableKernelNode, and update from the host."));
      default: break;  // hints: order, priority, caches
    }
  }
  return std::ranges::count(*events, nullptr) ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

}  // namespace

cudaError_t lockstep::runtime::run(Runtime& runtime, const KernelWork& work, cudaStream_t stream) {
  Kernel* kernel = runtime.find_kernel(work.function);
  if (!kernel) return unknown_function(work.function);
  if (!runtime.fault.ok()) return cudaSuccess;
  if (const cudaError_t error = runtime.resolve(*kernel); error != cudaSuccess) return error;
  return run_kernel(runtime, *kernel, work, stream);
}

cudaError_t lockstep::runtime::make_kernel(Runtime& runtime, const cudaKernelNodeParams& params, KernelWork* work) {
  Kernel* kernel = runtime.find_kernel(params.func);
  if (!kernel) return unknown_function(params.func);
  if (const cudaError_t error = runtime.resolve(*kernel); error != cudaSuccess) return error;
  if (params.kernelParams && params.extra) return cudaErrorInvalidValue;
  if (!params.kernelParams && !params.extra && !kernel->info.params.empty()) return cudaErrorInvalidValue;
  *work = {
      .function = params.func,
      .grid = params.gridDim,
      .block = params.blockDim,
      .shared_bytes = params.sharedMemBytes,
      .params = params.extra ? packed_already(kernel->info, params.extra) : pack(kernel->info, params.kernelParams)};
  for (const ParamInfo& param : kernel->info.params) work->offsets.push_back(param.offset);
  if (work->params.size() != kernel->info.param_bytes) return cudaErrorInvalidValue;
  return can_launch(runtime, *kernel, *work) ? cudaSuccess : cudaErrorInvalidValue;
}

// A launch by <<<…>>> may be the last thing that a function does. Then its frame is gone when the launch itself comes.
CallStack lockstep::runtime::launch_stack() {
  CallStack stack = call_stack();
  if (t_caller) stack.insert(stack.begin(), std::exchange(t_caller, 0));
  return stack;
}

LOCKSTEP_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, CUstream_st* stream) {
  if (t_depth == kDeepest) return cudaErrorMissingConfiguration;
  const auto caller = reinterpret_cast<uintptr_t>(__builtin_return_address(0)) - 1;
  t_configurations[t_depth++] = {grid, block, shared_bytes, stream, false, caller};
  return cudaSuccess;
}

LOCKSTEP_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  if (t_depth == 0) return leave(cudaErrorMissingConfiguration);
  const Configuration& top = t_configurations[--t_depth];
  t_caller = top.caller;
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

// A handle for the kernel. Its launch shows whether it can run.
LOCKSTEP_API cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* function) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  Kernel* kernel = runtime.find_kernel(function);
  if (!kernel) return leave(cudaErrorInvalidDeviceFunction);
  *handle = reinterpret_cast<cudaKernel_t>(kernel);
  return cudaSuccess;
}

LOCKSTEP_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                            size_t shared_bytes, cudaStream_t stream) {
  return launch_function(kernel, {grid, block, shared_bytes, stream}, arguments);
}
LOCKSTEP_PER_THREAD(__cudaLaunchKernel, _ptsz);

// nvcc 12 makes this call of a <<<…>>>, after it has taken the configuration.
LOCKSTEP_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                          size_t shared_bytes, cudaStream_t stream) {
  const char* const name = t_caller ? "__cudaLaunchKernel" : "cudaLaunchKernel";
  return launch_function(function, {grid, block, shared_bytes, stream}, arguments, name);
}
LOCKSTEP_PER_THREAD(cudaLaunchKernel, _ptsz);

LOCKSTEP_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                                     size_t shared_bytes, cudaStream_t stream) {
  return launch_function(function, {grid, block, shared_bytes, stream, true}, arguments);
}
LOCKSTEP_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);

LOCKSTEP_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  const auto body = [&](Runtime& runtime) {
    if (!config || (config->numAttrs != 0 && !config->attrs)) return cudaErrorInvalidValue;
    Configuration configuration{config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream};
    std::vector<Event*> events;
    cudaError_t error = read_attributes(runtime, *config, &configuration.cooperative, &events);
    if (error != cudaSuccess) return error;
    error = launch(runtime, function, configuration, arguments, {config->attrs, config->numAttrs});
    if (error == cudaSuccess)
      for (Event* event : events)
        if (!capture_record(runtime, *event, configuration.stream, 0)) event->record(runtime, configuration.stream);
    return error;
  };
  return call(Needs::kDevice, "cudaLaunchKernelExC", body, [&](Runtime& runtime) { tell_lost(runtime, function); });
}
LOCKSTEP_PER_THREAD(cudaLaunchKernelExC, _ptsz);
