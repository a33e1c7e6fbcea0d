// graph_work: the parameters of nodes, from the program's structs to NodeWork and back. Checks what is known before the
// graph runs. Addresses are checked when the node runs: a graph's memory is not there earlier.
#include <algorithm>
#include <utility>

#include "base/words.h"
#include "runtime/graph_run.h"

namespace lockstep::runtime {
namespace {

cudaError_t make(Runtime& runtime, cudaKernelNodeParamsV2& p, NodeWork* work) {
  KernelWork kernel;
  const cudaError_t error =
      make_kernel(runtime, {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra}, &kernel);
  if (error == cudaSuccess) *work = std::move(kernel);
  return error;
}

cudaError_t make(Runtime& runtime, cudaMemcpyNodeParams& p, NodeWork* work) {
  const cudaMemcpy3DParms& copy = p.copyParams;
  if (p.flags != 0) return cudaErrorInvalidValue;
  if (copy.dstPtr.ptr == &kNoVariable || copy.srcPtr.ptr == &kNoVariable) return cudaErrorInvalidSymbol;
  if (copy.extent.width == 0 || copy.extent.height == 0 || copy.extent.depth == 0) return cudaErrorInvalidValue;
  *work = CopyWork{copy};
  return check(runtime, std::get<CopyWork>(*work));
}

cudaError_t make(Runtime& runtime, cudaMemsetParamsV2& p, NodeWork* work) {
  const bool size_known = p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4;
  if (!p.dst || !size_known || p.width == 0 || p.height == 0) return cudaErrorInvalidValue;
  *work = FillWork{{p.dst, p.pitch, p.value, p.elementSize, p.width, p.height}};
  return check(runtime, std::get<FillWork>(*work));
}

cudaError_t make(Runtime&, cudaHostNodeParamsV2& p, NodeWork* work) {
  if (!p.fn) return cudaErrorInvalidValue;
  *work = HostWork{p.fn, p.userData};
  return cudaSuccess;
}

// CUDA 12.8 and older only make copies.
template <typename Params>
bool moves(const Params& params) {
  if constexpr (requires { params.ownership; }) return static_cast<int>(params.ownership) == kChildMoves;
  return false;
}

// The child belongs to the node: a copy, or what the program gave.
cudaError_t make(Runtime& runtime, cudaChildGraphNodeParams& p, NodeWork* work) {
  Graph* given = find(p.graph);
  if (!given) return cudaErrorInvalidValue;
  if (given->is_part || given->holds(cudaGraphNodeTypeConditional)) return cudaErrorNotSupported;
  if (moves(p)) {
    auto owned = runtime.graphs.graphs.extract(given);
    if (owned.empty()) return cudaErrorInvalidValue;
    *work = ChildWork{std::move(owned.mapped())};
    given->is_part = true;
    return cudaSuccess;
  }
  if (given->holds_memory()) return cudaErrorNotSupported;
  ChildWork child{given->clone()};
  child.graph->is_part = true;
  *work = std::move(child);
  return cudaSuccess;
}

template <typename EventWork>
cudaError_t make_event(Runtime& runtime, cudaEvent_t event, NodeWork* work) {
  if (!runtime.events.all.find(event)) return cudaErrorInvalidValue;
  *work = EventWork{event};
  return cudaSuccess;
}

cudaError_t make(Runtime& runtime, cudaMemAllocNodeParamsV2& p, NodeWork* work) {
  p.dptr = nullptr;
  if (p.bytesize == 0 || p.poolProps.allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
  if (p.poolProps.location.type != cudaMemLocationTypeDevice || p.poolProps.location.id != 0)
    return cudaErrorInvalidValue;
  if (p.poolProps.handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;
  return make_allocation(runtime, p.bytesize, &p.dptr, work);
}

cudaError_t make(Runtime& runtime, cudaMemFreeNodeParams& p, NodeWork* work) {
  if (!is_graph_memory(runtime, p.dptr)) return cudaErrorInvalidValue;
  *work = FreeWork{p.dptr};
  return cudaSuccess;
}

cudaError_t make(Runtime& runtime, cudaConditionalNodeParams& p, NodeWork* work) {
  const auto condition = runtime.graphs.conditions.find(p.handle);
  const unsigned most = p.type == cudaGraphCondTypeWhile ? 1 : p.type == cudaGraphCondTypeIf ? 2 : ~0u;
  if (condition == runtime.graphs.conditions.end() || condition->second.used) return cudaErrorInvalidValue;
  if (p.type > kConditionSwitch || p.size == 0 || p.size > most) return cudaErrorInvalidValue;
  ConditionalWork made{p, {}, std::make_unique<cudaGraph_t[]>(p.size)};
  for (unsigned i = 0; i < p.size; ++i) {
    made.bodies.push_back(std::make_unique<Graph>());
    made.bodies[i]->is_part = true;
    made.handles[i] = handle_of(made.bodies[i].get());
  }
  made.params.phGraph_out = p.phGraph_out = made.handles.get();
  condition->second.used = true;
  *work = std::move(made);
  return cudaSuccess;
}

// ---- and back ----

void* host_function(const Runtime& runtime, const void* function) {
  // A launch names the kernel by its handle; the program knows it by the address of its stub.
  for (const auto& [key, kernel] : runtime.program.kernels)
    if (kernel.get() == function && key != function) return const_cast<void*>(key);
  return const_cast<void*>(function);
}

}  // namespace

bool is_graph_memory(const Runtime& runtime, const void* pointer) {
  const auto found = runtime.memory.allocations.find(address_of(pointer));
  if (found != runtime.memory.allocations.end() && found->second.of_graph) return true;
  return runtime.graphs.reserved.contains(address_of(pointer));
}

cudaError_t make_allocation(Runtime& runtime, uint64_t bytes, void** pointer, NodeWork* made) {
  *pointer = nullptr;
  AllocWork work;
  uint64_t address = 0;
  const cudaError_t error = runtime.code(runtime.device->reserve(bytes, &address));
  if (error != cudaSuccess) return error;
  *pointer = pointer_to(address);
  work.memory = std::make_shared<GraphMemory>(address, bytes);
  runtime.graphs.reserved[address] = bytes;
  work.params.poolProps.allocType = cudaMemAllocationTypePinned;
  work.params.poolProps.location.type = cudaMemLocationTypeDevice;
  work.params.bytesize = bytes;
  work.params.dptr = *pointer;
  *made = std::move(work);
  return cudaSuccess;
}

bool is_node_attribute(int attribute) {
  static constexpr int kPreferredSharedMemoryCarveout = 14;  // not in the first headers of CUDA 12
  static constexpr int kOfNodes[] = {
      cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeCooperative,
      cudaLaunchAttributeClusterDimension,   cudaLaunchAttributeClusterSchedulingPolicyPreference,
      cudaLaunchAttributePriority,           cudaLaunchAttributeMemSyncDomainMap,
      cudaLaunchAttributeMemSyncDomain,      cudaLaunchAttributeDeviceUpdatableKernelNode,
      kPreferredSharedMemoryCarveout};
  return std::ranges::count(kOfNodes, attribute) > 0;
}

void keep_attribute(KernelWork& kernel, int attribute, const cudaLaunchAttributeValue& value) {
  const bool early = attribute == cudaLaunchAttributeProgrammaticStreamSerialization &&
                     value.programmaticStreamSerializationAllowed;  // of the edges to the node
  if (!is_node_attribute(attribute) && !early) return;
  kernel.attributes[attribute] = value;
  if (attribute == cudaLaunchAttributePriority)
    kernel.attributes[attribute].priority = possible_priority(value.priority);
  if (attribute == cudaLaunchAttributeCooperative) kernel.cooperative = value.cooperative != 0;
}

cudaError_t make_work(Runtime& runtime, cudaGraphNodeParams& params, NodeWork* work) {
  switch (params.type) {
    case cudaGraphNodeTypeKernel: return make(runtime, params.kernel, work);
    case cudaGraphNodeTypeMemcpy: return make(runtime, params.memcpy, work);
    case cudaGraphNodeTypeMemset: return make(runtime, params.memset, work);
    case cudaGraphNodeTypeHost: return make(runtime, params.host, work);
    case cudaGraphNodeTypeGraph: return make(runtime, params.graph, work);
    case cudaGraphNodeTypeEmpty: return *work = EmptyWork{}, cudaSuccess;
    case cudaGraphNodeTypeWaitEvent: return make_event<WaitWork>(runtime, params.eventWait.event, work);
    case cudaGraphNodeTypeEventRecord: return make_event<RecordWork>(runtime, params.eventRecord.event, work);
    case cudaGraphNodeTypeMemAlloc: return make(runtime, params.alloc, work);
    case cudaGraphNodeTypeMemFree: return make(runtime, params.free, work);
    case cudaGraphNodeTypeConditional: return make(runtime, params.conditional, work);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
      return runtime.refuse(later("external semaphores are"), later("leave their nodes out of the graph."));
    default: return cudaErrorInvalidValue;
  }
}

cudaGraphNodeParams params_of(Runtime& runtime, GraphNode& node) {
  cudaGraphNodeParams p{};
  p.type = type_of(node.work);
  if (auto* kernel = std::get_if<KernelWork>(&node.work)) {
    kernel->arguments.clear();
    for (const uint32_t offset : kernel->offsets) kernel->arguments.push_back(kernel->params.data() + offset);
    p.kernel = {host_function(runtime, kernel->function),
                kernel->grid,
                kernel->block,
                static_cast<unsigned>(kernel->shared_bytes),
                kernel->arguments.data(),
                nullptr};
  }
  if (const auto* w = std::get_if<CopyWork>(&node.work)) p.memcpy.copyParams = w->copy;
  if (const auto* w = std::get_if<FillWork>(&node.work)) {
    const cudaMemsetParams& fill = w->fill;
    p.memset = {fill.dst, fill.pitch, fill.value, fill.elementSize, fill.width, fill.height};
  }
  if (const auto* w = std::get_if<HostWork>(&node.work)) p.host = {w->function, w->data};
  if (const auto* w = std::get_if<ChildWork>(&node.work)) p.graph.graph = handle_of(w->graph.get());
  if (const auto* w = std::get_if<WaitWork>(&node.work)) p.eventWait.event = w->event;
  if (const auto* w = std::get_if<RecordWork>(&node.work)) p.eventRecord.event = w->event;
  if (const auto* w = std::get_if<AllocWork>(&node.work)) {
    const cudaMemAllocNodeParams& a = w->params;
    p.alloc = {a.poolProps, a.accessDescs, a.accessDescCount, a.bytesize, a.dptr};
  }
  if (const auto* w = std::get_if<FreeWork>(&node.work)) p.free.dptr = w->pointer;
  if (const auto* w = std::get_if<ConditionalWork>(&node.work)) p.conditional = w->params;
  return p;
}

}  // namespace lockstep::runtime
