#include "engine/device_runtime.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/words.h"
#include "engine/access.h"
#include "engine/block.h"
#include "engine/call_values.h"
#include "engine/fault.h"

namespace lockstep {
namespace {

constexpr uint64_t kTailLaunch = 3;      // the handle cudaStreamTailLaunch
constexpr uint32_t kDeepestLaunch = 24;  // grids below the host's, as documented
constexpr int kRuntimeVersion = 13000;

// One lane's call.
struct Call {
  Warp& warp;
  const CallSite& site;
  uint32_t lane, pc;

  template <class T>
  T get(size_t i) const {
    return argument<T>(warp, site, i, lane);
  }
  LaunchState& state() const { return warp.state(); }
  const Launch& launch() const { return warp.launch(); }
  uint64_t thread() const {
    return warp.block().linear() * launch().shape.threads_per_block() + warp.index() * kWarpSize + lane;
  }
  // The call's own result, which a failure keeps for cudaGetLastError.
  void give(Status status) const {
    if (status != Status::kOk) state().last_errors[thread()] = status;
    give_result(warp, site, lane, static_cast<int32_t>(status));
  }
  Status last_error() const {
    const auto found = state().last_errors.find(thread());
    return found == state().last_errors.end() ? Status::kOk : found->second;
  }
  Launcher launcher() const {
    const auto [file, line] = launch().names.source_line(pc);
    return {launch().names.kernel, file, line};
  }
};

// Stores the value where the kernel's own pointer says. False: it may not be written there, and the launch has failed,
// or goes on without it.
template <class T>
bool store(const Call& call, uint64_t address, T value) {
  Warp& warp = call.warp;
  MemoryAccess access;
  access.op = MemoryOp::kStore;
  access.bytes = sizeof value;
  access.pc = call.pc;
  access.space = Space::kGlobal;
  if (const uint64_t at = address - kLocalWindow; at < kWindowBytes) access.space = Space::kLocal, address = at;
  if (const uint64_t at = address - kSharedWindow; at < kWindowBytes) access.space = Space::kShared, address = at;
  if (!may_access(warp, access, access.space, call.lane, address)) return false;
  if (access.space == Space::kLocal) warp.written_local().wrote(call.lane * warp.local_bytes() + address, sizeof value);
  if (access.space == Space::kShared) warp.block().written().wrote(address - kSharedBase, sizeof value);
  if (access.space != Space::kLocal) show_asynchronous_lane(warp, access, call.lane, address);
  std::byte* const to = access.space == Space::kLocal    ? warp.local_memory(call.lane) + address
                        : access.space == Space::kShared ? warp.block().shared() + (address - kSharedBase)
                                                         : reinterpret_cast<std::byte*>(address);
  std::memcpy(to, &value, sizeof value);
  return true;
}

template <class T>
void store_and_succeed(const Call& call, uint64_t address, T value) {
  call.give(store(call, address, value) ? Status::kOk : Status::kInvalidValue);
}

void free_watched(const Warp& warp, uint64_t address) {
  const Launch& launch = warp.launch();
  const AddressInfo freed = launch.memory.describe(address);
  launch.memory.free(address);
  for (Observer* observer : launch.observers) observer->freed(freed.base, freed.bytes);
  auto& last_range = warp.state().last_range;
  last_range.assign(last_range.size(), {});  // one of them may be the allocation that was freed
}

// ---- launches ----

void fail_launch(const Call& call, const StartedWork& grid, const Outcome& outcome) {
  call.state().last_errors[call.thread()] = outcome.status;
  call.launch().children.failed(grid, call.warp.site(call.lane, call.pc), outcome.message);
}

// cudaGetParameterBufferV2(kernel, grid, block, shared bytes): the buffer into which the kernel's code stores the
// child's parameters, or null.
void give_parameter_buffer(const Call& call) {
  StartedWork grid{.launcher = call.launcher(),
                   .function = call.get<uint64_t>(0),
                   .grid = call.get<Dim3>(1),
                   .block = call.get<Dim3>(2),
                   .shared_bytes = call.get<uint32_t>(3)};
  uint64_t bytes = 0, buffer = 0;
  Outcome outcome = call.launch().children.check(grid, &bytes);
  if (outcome.status == Status::kUnsupportedInstruction || outcome.status == Status::kInvalidPtx)
    return fail(call.warp, {outcome.status, "unsupported", call.lane, call.pc,
                            words("a kernel that lockstep cannot run is launched here"), outcome.message});
  if (outcome.ok()) {
    buffer = allocate_watched(call.launch().memory, call.launch().observers, std::max<uint64_t>(bytes, 1),
                              {.by_host = false});
    if (!buffer) outcome = {Status::kOutOfMemory, words("no device memory is left for the parameters of a launch")};
  }
  if (!outcome.ok()) {
    fail_launch(call, grid, outcome);
  } else {
    grid.params.resize(bytes);
    call.state().parameter_buffers[buffer] = std::move(grid);
  }
  give_result(call.warp, call.site, call.lane, buffer);
}

void start(const Call& call, StartedWork work, uint64_t stream) {
  work.tail = stream == kTailLaunch;
  call.state().children.push_back(std::move(work));
  call.give(Status::kOk);
}

// cudaLaunchDeviceV2(buffer, stream). The parameters are those of this moment. A grid of the tail stream begins when
// its parent is complete: it follows its parent, and does not lie one level deeper.
void launch_grid(const Call& call) {
  const auto buffer = call.get<uint64_t>(0), stream = call.get<uint64_t>(1);
  const auto found = call.state().parameter_buffers.find(buffer);
  if (found == call.state().parameter_buffers.end()) return call.give(Status::kInvalidValue);
  StartedWork grid = std::move(found->second);
  call.state().parameter_buffers.erase(found);
  std::memcpy(grid.params.data(), reinterpret_cast<const void*>(buffer), grid.params.size());
  free_watched(call.warp, buffer);
  grid.depth = call.launch().depth + (stream != kTailLaunch);
  if (grid.depth <= kDeepestLaunch) return start(call, std::move(grid), stream);
  const Outcome outcome{Status::kLaunchMaxDepth,
                        with_next(words("kernels launch kernels {most} levels deep, and a card allows no more",
                                        {{"most", std::to_string(kDeepestLaunch)}}),
                                  words("end the recursion earlier, or go on in cudaStreamTailLaunch."))};
  fail_launch(call, grid, outcome);
  call.give(outcome.status);
}

// ---- copies and fills ----

bool holds(const Call& call, const char* function, uint64_t address, uint64_t bytes) {
  if (bytes == 0 || call.launch().memory.find(address).contains(address, bytes)) return true;
  fail(call.warp, {Status::kIllegalAddress, "out_of_bounds", call.lane, call.pc,
                   words("{function} of {size}: {what}",
                         {{"function", function},
                          {"size", byte_count(bytes)},
                          {"what", call.launch().memory.nearest(
                                       address, static_cast<uint32_t>(std::min<uint64_t>(bytes, 1 << 30)))}}),
                   "Next: " + words("copy and fill global memory only, and compare the size with the allocation's.")});
  return false;
}

void start_copy(const Call& call) {  // cudaMemcpyAsync(to, from, bytes, kind, stream)
  StartedWork copy{.kind = StartedWork::kCopy,
                   .launcher = call.launcher(),
                   .to = call.get<uint64_t>(0),
                   .from = call.get<uint64_t>(1),
                   .bytes = call.get<uint64_t>(2)};
  if (!holds(call, "cudaMemcpyAsync", copy.to, copy.bytes) || !holds(call, "cudaMemcpyAsync", copy.from, copy.bytes))
    return;
  start(call, std::move(copy), call.get<uint64_t>(4));
}

void start_fill(const Call& call) {  // cudaMemsetAsync(to, value, bytes, stream)
  StartedWork fill{.kind = StartedWork::kFill,
                   .launcher = call.launcher(),
                   .to = call.get<uint64_t>(0),
                   .bytes = call.get<uint64_t>(2),
                   .value = static_cast<uint8_t>(call.get<uint32_t>(1))};
  if (holds(call, "cudaMemsetAsync", fill.to, fill.bytes)) start(call, std::move(fill), call.get<uint64_t>(3));
}

// ---- streams, events, memory ----

// cudaStreamCreateWithFlags and cudaEventCreateWithFlags allow one flag on the device. All work of a grid runs in the
// order of its calls, so the handle need not say anything.
void create_handle(const Call& call, uint32_t flag) {
  if (call.get<uint32_t>(1) != flag) return call.give(Status::kInvalidValue);
  constexpr uint64_t kFirstHandle = 0x1000;  // above the handles that CUDA defines
  store_and_succeed(call, call.get<uint64_t>(0), kFirstHandle + call.state().handles++);
}

void allocate(const Call& call) {  // cudaMalloc(pointer to the pointer, bytes)
  const auto bytes = call.get<uint64_t>(1);
  const uint64_t address = bytes ? allocate_heap(call.warp, bytes) : 0;
  if (bytes && !address) return call.give(Status::kOutOfMemory);
  store_and_succeed(call, call.get<uint64_t>(0), address);
}

void free(const Call& call) {
  const auto address = call.get<uint64_t>(0);
  if (address == 0 || free_heap(call.warp, address)) return call.give(Status::kOk);
  fail(call.warp,
       {Status::kIllegalAddress, "invalid_free", call.lane, call.pc,
        words("cudaFree() of an address that no kernel allocated"),
        "Next: " + words("free in kernels only what kernels allocated, and only once. The host frees what it "
                         "allocated.")});
}

// ---- facts ----

struct ErrorText {
  Status status;
  const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {Status::kOk, "cudaSuccess", "no error"},
    {Status::kInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {Status::kOutOfMemory, "cudaErrorMemoryAllocation", "out of memory"},
    {Status::kInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {Status::kLaunchMaxDepth, "cudaErrorLaunchMaxDepthExceeded",
     "launch would exceed maximum depth of nested launches"},
    {Status::kInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {Status::kLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {Status::kNotSupported, "cudaErrorNotSupported", "operation not supported"}};

void give_error_text(const Call& call, const char* ErrorText::*what) {
  const auto* const found = std::ranges::find(kErrors, call.get<Status>(0), &ErrorText::status);
  const char* const text = found == std::end(kErrors) ? "unrecognized error code" : (*found).*what;
  give_result(call.warp, call.site, call.lane, call.launch().children.text(text));
}

// The attributes that kernels ask for, by cudaDeviceAttr's numbers.
void give_attribute(const Call& call) {  // cudaDeviceGetAttribute(value, attribute, device)
  const DeviceLimits& limits = call.launch().limits;
  const std::pair<uint32_t, uint32_t> attributes[] = {{1, limits.max_threads_per_block},
                                                      {2, limits.max_block.x},
                                                      {3, limits.max_block.y},
                                                      {4, limits.max_block.z},
                                                      {5, limits.max_grid.x},
                                                      {6, limits.max_grid.y},
                                                      {7, limits.max_grid.z},
                                                      {8, limits.shared_per_block},
                                                      {9, limits.const_bytes},
                                                      {10, limits.warp_size},
                                                      {12, limits.registers_per_sm},
                                                      {16, limits.sm_count},
                                                      {39, limits.max_threads_per_sm},
                                                      {75, uint32_t(limits.compute.major)},
                                                      {76, uint32_t(limits.compute.minor)},
                                                      {81, limits.shared_per_sm},
                                                      {82, limits.registers_per_sm},
                                                      {97, limits.shared_per_block_optin},
                                                      {106, limits.max_blocks_per_sm}};
  const auto wanted = call.get<uint32_t>(1);
  const auto* const found = std::ranges::find(attributes, wanted, &std::pair<uint32_t, uint32_t>::first);
  if (call.get<uint32_t>(2) != 0) return call.give(Status::kInvalidValue);
  if (found == std::end(attributes)) return call.give(Status::kNotSupported);
  store_and_succeed(call, call.get<uint64_t>(0), found->second);
}

}  // namespace

uint64_t allocate_heap(Warp& warp, uint64_t bytes) {
  const Launch& launch = warp.launch();
  const uint64_t address = allocate_watched(launch.memory, launch.observers, bytes, {.by_host = false});
  if (address) launch.heap.insert(address);
  return address;
}

bool free_heap(Warp& warp, uint64_t address) {
  if (warp.launch().heap.erase(address) == 0) return false;
  free_watched(warp, address);
  return true;
}

void call_device_runtime(Warp& warp, const CallSite& site, uint32_t lane, uint32_t pc) {
  const Call call{warp, site, lane, pc};
  constexpr uint32_t kNonBlocking = 1, kDisableTiming = 2;
  switch (site.builtin) {
    case Builtin::kParameterBuffer: return give_parameter_buffer(call);
    case Builtin::kLaunch: return launch_grid(call);
    case Builtin::kCreateStream: return create_handle(call, kNonBlocking);
    case Builtin::kCreateEvent: return create_handle(call, kDisableTiming);
    case Builtin::kOrder: return call.give(Status::kOk);  // all work runs in the order of the calls
    case Builtin::kCopy: return start_copy(call);
    case Builtin::kFill: return start_fill(call);
    case Builtin::kCudaMalloc: return allocate(call);
    case Builtin::kCudaFree: return free(call);
    case Builtin::kLastError:
      give_result(warp, site, lane, static_cast<int32_t>(call.last_error()));
      call.state().last_errors.erase(call.thread());
      return;
    case Builtin::kPeekAtLastError: return give_result(warp, site, lane, static_cast<int32_t>(call.last_error()));
    case Builtin::kErrorName: return give_error_text(call, &ErrorText::name);
    case Builtin::kErrorString: return give_error_text(call, &ErrorText::text);
    case Builtin::kDeviceCount: return store_and_succeed(call, call.get<uint64_t>(0), 1);
    case Builtin::kCurrentDevice: return store_and_succeed(call, call.get<uint64_t>(0), 0);
    case Builtin::kAttribute: return give_attribute(call);
    case Builtin::kVersion: return store_and_succeed(call, call.get<uint64_t>(0), kRuntimeVersion);
    default: return;
  }
}

}  // namespace lockstep
