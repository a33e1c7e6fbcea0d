// api_graph_nodes: making nodes, and reading and changing their parameters. Each function fills the one struct that
// holds the parameters of any kind, or takes its part of it; graph_work.cc does the rest.
#include <algorithm>

#include "base/words.h"
#include "runtime/api_graph.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

// The nodes that a new node depends on.
struct Before {
  const cudaGraphNode_t* nodes = nullptr;
  size_t count = 0;
  const cudaGraphEdgeData* data = nullptr;
};

bool has_free_node(const Graph& graph, const void* pointer) {
  const auto frees = [&](const GraphNode& node) {
    const auto* work = std::get_if<FreeWork>(&node.work);
    return work && work->pointer == pointer;
  };
  return graph.first(frees) != nullptr;
}

// Whether the graph may have a node of these parameters, as far as that depends on the graph.
cudaError_t allows(Runtime& runtime, const Graph& graph, const cudaGraphNodeParams& params) {
  const Graphs& graphs = runtime.graphs;
  switch (params.type) {
    case cudaGraphNodeTypeGraph:
      if (find(params.graph.graph) != &graph) return cudaSuccess;
      runtime.advice = with_next(words("a graph cannot be a node of itself. On a card the program crashes here."),
                                 words("clone the graph with cudaGraphClone(), and add the clone."));
      return cudaErrorInvalidValue;
    case cudaGraphNodeTypeMemAlloc: return graph.is_part ? cudaErrorNotSupported : cudaSuccess;
    case cudaGraphNodeTypeMemFree: {  // the memory has one free node in all graphs
      const auto frees = [&](const auto& entry) { return has_free_node(*entry.second, params.free.dptr); };
      return std::ranges::any_of(graphs.graphs, frees) ? cudaErrorInvalidValue : cudaSuccess;
    }
    case cudaGraphNodeTypeConditional:  // the handle was made for this graph
      return std::ranges::count(graph.conditions, params.conditional.handle) ? cudaSuccess : cudaErrorInvalidValue;
    default: return cudaSuccess;
  }
}

// The edges to a new node of this type. False: one of them cannot be.
bool read_edges(const Graph& graph, const Before& before, cudaGraphNodeType to, std::vector<Edge>* edges) {
  for (size_t i = 0; i < before.count; ++i) {
    const Edge edge{find(before.nodes[i]), before.data ? before.data[i] : cudaGraphEdgeData{}};
    if (!edge.from || &edge.from->graph != &graph || std::ranges::count(*edges, edge.from, &Edge::from)) return false;
    if (!is_valid(edge.data, type_of(edge.from->work), to)) return false;
    edges->push_back(edge);
  }
  return true;
}

cudaError_t add(cudaGraphNode_t* handle, cudaGraph_t graph_handle, const Before& before, cudaGraphNodeParams& params,
                const char* name = __builtin_FUNCTION()) {
  const auto body = [&](Runtime& runtime, Graph& graph) -> cudaError_t {
    const bool reserved = std::ranges::any_of(params.reserved0, [](int number) { return number != 0; });
    if (!handle || reserved || (before.count > 0 && !before.nodes)) return cudaErrorInvalidValue;
    if (const cudaError_t error = allows(runtime, graph, params); error != cudaSuccess) return error;
    std::vector<Edge> needs;
    if (!read_edges(graph, before, params.type, &needs)) return cudaErrorInvalidValue;
    NodeWork work;
    if (const cudaError_t error = make_work(runtime, params, &work); error != cudaSuccess) return error;
    GraphNode& node = graph.add(std::move(work), call_stack());
    for (const Edge& edge : needs) graph.connect(*edge.from, node, edge.data);
    *handle = handle_of(&node);
    return cudaSuccess;
  };
  return with_graph(graph_handle, body, name);
}

// Runs `body(params)` for a node of this type.
template <typename Body>
cudaError_t get(cudaGraphNode_t handle, cudaGraphNodeType type, bool valid, Body&& body,
                const char* name = __builtin_FUNCTION()) {
  const auto read = [&](Runtime& runtime, GraphNode& node) -> cudaError_t {
    if (!valid || type_of(node.work) != type) return cudaErrorInvalidValue;
    body(params_of(runtime, node));
    return cudaSuccess;
  };
  return with_node(handle, read, name);
}

cudaError_t set(cudaGraphNode_t handle, cudaGraphNodeParams params, const char* name = __builtin_FUNCTION()) {
  return with_node(
      handle, [&](Runtime& runtime, GraphNode& node) { return set_params(runtime, node, params); }, name);
}

cudaGraphNodeParams of_type(cudaGraphNodeType type) {
  cudaGraphNodeParams params{};
  params.type = type;
  return params;
}

// What the program's struct says; without one, a type that no node has.
template <typename Params>
cudaGraphNodeParams given(const Params* p, cudaGraphNodeParams (*read)(const Params&)) {
  return p ? read(*p) : of_type(cudaGraphNodeTypeCount);
}

cudaGraphNodeParams kernel_params(const cudaKernelNodeParams& p) {
  cudaGraphNodeParams params = of_type(cudaGraphNodeTypeKernel);
  params.kernel = {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra};
  return params;
}
cudaGraphNodeParams copy_params(const cudaMemcpy3DParms& p) {
  cudaGraphNodeParams params = of_type(cudaGraphNodeTypeMemcpy);
  params.memcpy.copyParams = p;
  return params;
}
cudaGraphNodeParams fill_params(const cudaMemsetParams& p) {
  cudaGraphNodeParams params = of_type(cudaGraphNodeTypeMemset);
  params.memset = {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
  return params;
}
cudaGraphNodeParams host_params(const cudaHostNodeParams& p) {
  cudaGraphNodeParams params = of_type(cudaGraphNodeTypeHost);
  params.host = {p.fn, p.userData};
  return params;
}
cudaGraphNodeParams child_params(cudaGraph_t graph) {
  cudaGraphNodeParams params = of_type(cudaGraphNodeTypeGraph);
  params.graph.graph = graph;
  return params;
}
cudaGraphNodeParams record_params(cudaEvent_t event) {
  cudaGraphNodeParams params = of_type(cudaGraphNodeTypeEventRecord);
  params.eventRecord.event = event;
  return params;
}
cudaGraphNodeParams wait_params(cudaEvent_t event) {
  cudaGraphNodeParams params = of_type(cudaGraphNodeTypeWaitEvent);
  params.eventWait.event = event;
  return params;
}

// The address of a part of a variable; null: the variable has no such part, so the node's check fails.
void* part_of(const void* variable, size_t bytes, size_t offset) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  void* start = nullptr;
  if (!runtime.device) return nullptr;
  const cudaError_t error = find_part(runtime, {variable, bytes, offset}, &start);
  return error == cudaErrorInvalidSymbol ? const_cast<char*>(&kNoVariable) : start;
}
cudaGraphNodeParams to_symbol(const SymbolPart& part, const void* from, cudaMemcpyKind kind) {
  return copy_params(make_copy(part_of(part.variable, part.bytes, part.offset), from, part.bytes, kind).copy);
}
cudaGraphNodeParams from_symbol(void* to, const SymbolPart& part, cudaMemcpyKind kind) {
  return copy_params(make_copy(to, part_of(part.variable, part.bytes, part.offset), part.bytes, kind).copy);
}

// Only a copy of one row can change in what was instantiated. can_become() knows this of fills.
bool is_row(const NodeWork& work) {
  const auto* copy = std::get_if<CopyWork>(&work);
  return !copy || (copy->copy.extent.height == 1 && copy->copy.extent.depth == 1);
}

// The node of `exec` that was copied from this one gets new work.
cudaError_t set_in(cudaGraphExec_t exec, cudaGraphNode_t handle, cudaGraphNodeParams params,
                   const char* name = __builtin_FUNCTION()) {
  const auto body = [&](Runtime& runtime, GraphNode& node) -> cudaError_t {
    const auto found = runtime.graphs.execs.find(exec);
    GraphNode* const copy = found == runtime.graphs.execs.end() ? nullptr : copied_from(*found->second->graph, node);
    if (!copy || params.type != type_of(copy->work)) return cudaErrorInvalidValue;
    auto* const child = std::get_if<ChildWork>(&copy->work);
    if (!child) return set_params(runtime, *copy, params, true);
    const Graph* from = find(params.graph.graph);
    cudaGraphExecUpdateResultInfo info{};
    if (!from) return cudaErrorInvalidValue;
    const bool updated = update(runtime.graphs, *child->graph, *from, &info, {.same_order = true});
    return updated ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
  };
  return destroy_objects(with_node(handle, body, name));
}

}  // namespace

cudaError_t lockstep::runtime::set_params(Runtime& runtime, GraphNode& node, cudaGraphNodeParams& params,
                                          bool instantiated) {
  const cudaGraphNodeType type = type_of(node.work);
  if (params.type != type) return cudaErrorInvalidValue;
  if (type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree) return cudaErrorNotSupported;
  if (type == cudaGraphNodeTypeGraph || type == cudaGraphNodeTypeConditional) return cudaErrorInvalidValue;
  NodeWork work;
  if (const cudaError_t error = make_work(runtime, params, &work); error != cudaSuccess) return error;
  if (auto* kernel = std::get_if<KernelWork>(&work)) {
    kernel->attributes = std::get<KernelWork>(node.work).attributes;
    kernel->cooperative = std::get<KernelWork>(node.work).cooperative;
  }
  if (instantiated &&
      (!is_row(node.work) || !is_row(work) || can_become(node.work, work, {}) != cudaGraphExecUpdateSuccess))
    return cudaErrorInvalidValue;
  node.work = std::move(work);
  return cudaSuccess;
}

// ---- making nodes, and changing them by the parameters of their kind ----

LOCKSTEP_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                          const cudaGraphEdgeData* data, size_t count, cudaGraphNodeParams* params) {
  if (!params) return leave(cudaErrorInvalidValue);
  return add(node, graph, {before, count, data}, *params);
}

// A function that makes nodes of one kind: `params` is what its last arguments say.
#define LOCKSTEP_ADD(Name, params, ...)                                                                  \
  LOCKSTEP_API cudaError_t Name(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, \
                                size_t count __VA_OPT__(, ) __VA_ARGS__) {                               \
    cudaGraphNodeParams all = params;                                                                    \
    return add(node, graph, {before, count}, all);                                                       \
  }
LOCKSTEP_ADD(cudaGraphAddEmptyNode, of_type(cudaGraphNodeTypeEmpty))
LOCKSTEP_ADD(cudaGraphAddChildGraphNode, child_params(child), cudaGraph_t child)

// The same, and those that change a node of a graph and of what was instantiated from it.
#define LOCKSTEP_KIND(Add, Set, SetInExec, params, ...)                                         \
  LOCKSTEP_ADD(Add, params, __VA_ARGS__)                                                        \
  LOCKSTEP_API cudaError_t Set(cudaGraphNode_t node, __VA_ARGS__) { return set(node, params); } \
  LOCKSTEP_API cudaError_t SetInExec(cudaGraphExec_t exec, cudaGraphNode_t node, __VA_ARGS__) { \
    return set_in(exec, node, params);                                                          \
  }
LOCKSTEP_KIND(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
              given(p, kernel_params), const cudaKernelNodeParams* p)
LOCKSTEP_KIND(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
              given(p, copy_params), const cudaMemcpy3DParms* p)
LOCKSTEP_KIND(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
              given(p, fill_params), const cudaMemsetParams* p)
LOCKSTEP_KIND(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, given(p, host_params),
              const cudaHostNodeParams* p)
LOCKSTEP_KIND(cudaGraphAddEventRecordNode, cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
              record_params(event), cudaEvent_t event)
LOCKSTEP_KIND(cudaGraphAddEventWaitNode, cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
              wait_params(event), cudaEvent_t event)
LOCKSTEP_KIND(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
              copy_params(make_copy(to, from, bytes, kind).copy), void* to, const void* from, size_t bytes,
              cudaMemcpyKind kind)
LOCKSTEP_KIND(cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol,
              cudaGraphExecMemcpyNodeSetParamsToSymbol, to_symbol({variable, bytes, offset}, from, kind),
              const void* variable, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind)
LOCKSTEP_KIND(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
              cudaGraphExecMemcpyNodeSetParamsFromSymbol, from_symbol(to, {variable, bytes, offset}, kind), void* to,
              const void* variable, size_t bytes, size_t offset, cudaMemcpyKind kind)
#undef LOCKSTEP_KIND
#undef LOCKSTEP_ADD

LOCKSTEP_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* before, size_t count,
                                                  cudaMemAllocNodeParams* p) {
  if (!p) return leave(cudaErrorInvalidValue);
  cudaGraphNodeParams params = of_type(cudaGraphNodeTypeMemAlloc);
  params.alloc = {p->poolProps, p->accessDescs, p->accessDescCount, p->bytesize, nullptr};
  const cudaError_t error = add(node, graph, {before, count}, params);
  p->dptr = params.alloc.dptr;
  return error;
}
LOCKSTEP_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                 const cudaGraphNode_t* before, size_t count, void* pointer) {
  cudaGraphNodeParams params = of_type(cudaGraphNodeTypeMemFree);
  params.free.dptr = pointer;
  return add(node, graph, {before, count}, params);
}

// ---- reading ----

LOCKSTEP_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
  return with_node(handle, [&](Runtime&, GraphNode& node) { return give(type, type_of(node.work)); });
}
LOCKSTEP_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* out) {
  return get(node, cudaGraphNodeTypeKernel, out, [&](const cudaGraphNodeParams& p) {
    *out = {p.kernel.func,           p.kernel.gridDim,      p.kernel.blockDim,
            p.kernel.sharedMemBytes, p.kernel.kernelParams, p.kernel.extra};
  });
}
LOCKSTEP_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* out) {
  return get(node, cudaGraphNodeTypeMemcpy, out,
             [&](const cudaGraphNodeParams& params) { *out = params.memcpy.copyParams; });
}
LOCKSTEP_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* out) {
  return get(node, cudaGraphNodeTypeMemset, out, [&](const cudaGraphNodeParams& p) {
    *out = {p.memset.dst, p.memset.pitch, p.memset.value, p.memset.elementSize, p.memset.width, p.memset.height};
  });
}
LOCKSTEP_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* out) {
  return get(node, cudaGraphNodeTypeHost, out, [&](const cudaGraphNodeParams& p) {
    *out = {p.host.fn, p.host.userData};
  });
}
LOCKSTEP_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* out) {
  return get(node, cudaGraphNodeTypeGraph, out, [&](const cudaGraphNodeParams& p) { *out = p.graph.graph; });
}
LOCKSTEP_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* out) {
  return get(node, cudaGraphNodeTypeEventRecord, out,
             [&](const cudaGraphNodeParams& p) { *out = p.eventRecord.event; });
}
LOCKSTEP_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* out) {
  return get(node, cudaGraphNodeTypeWaitEvent, out, [&](const cudaGraphNodeParams& p) { *out = p.eventWait.event; });
}
LOCKSTEP_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* out) {
  return get(node, cudaGraphNodeTypeMemAlloc, out, [&](const cudaGraphNodeParams& p) {
    *out = {p.alloc.poolProps, p.alloc.accessDescs, p.alloc.accessDescCount, p.alloc.bytesize, p.alloc.dptr};
  });
}
LOCKSTEP_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* out) {
  return get(node, cudaGraphNodeTypeMemFree, out,
             [&](const cudaGraphNodeParams& p) { *static_cast<void**>(out) = p.free.dptr; });
}

// ---- changing nodes by the struct that holds the parameters of any kind ----

LOCKSTEP_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return params ? set(node, *params) : leave(cudaErrorInvalidValue);
}
LOCKSTEP_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    cudaGraphNodeParams* params) {
  return params ? set_in(exec, node, *params) : leave(cudaErrorInvalidValue);
}
LOCKSTEP_API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                              cudaGraph_t child) {
  return set_in(exec, node, child_params(child));
}

// ---- attributes of kernel nodes ----

LOCKSTEP_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID attribute,
                                                         const cudaLaunchAttributeValue* value) {
  return with_node(handle, [&](Runtime& runtime, GraphNode& node) {
    auto* const kernel = std::get_if<KernelWork>(&node.work);
    if (!kernel || !value || !is_node_attribute(attribute)) return cudaErrorInvalidValue;
    if (attribute == cudaLaunchAttributeClusterDimension &&
        value->clusterDim.x * value->clusterDim.y * value->clusterDim.z > 1)
      return runtime.refuse(kClusters, later("leave the cluster dimension of the node alone."));
    if (attribute == cudaLaunchAttributeDeviceUpdatableKernelNode && value->deviceUpdatableKernelNode.deviceUpdatable)
      return runtime.refuse(later("updates of a graph's nodes by kernels are"),
                            later("leave cudaLaunchAttributeDeviceUpdatableKernelNode of the node alone, and update "
                                  "from the host."));
    const bool window = attribute == cudaLaunchAttributeAccessPolicyWindow;
    if (window && !(value->accessPolicyWindow.hitRatio >= 0 && value->accessPolicyWindow.hitRatio <= 1))
      return cudaErrorInvalidValue;
    keep_attribute(*kernel, attribute, *value);
    return cudaSuccess;
  });
}
LOCKSTEP_API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID attribute,
                                                         cudaLaunchAttributeValue* value) {
  return with_node(handle, [&](Runtime&, GraphNode& node) {
    auto* const kernel = std::get_if<KernelWork>(&node.work);
    if (!kernel || !value || !is_node_attribute(attribute)) return cudaErrorInvalidValue;
    const auto found = kernel->attributes.find(attribute);
    *value = found == kernel->attributes.end() ? cudaLaunchAttributeValue{} : found->second;
    if (attribute == cudaLaunchAttributeCooperative) value->cooperative = kernel->cooperative;
    return cudaSuccess;
  });
}
LOCKSTEP_API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return with_node(to, [&](Runtime&, GraphNode& node) {
    auto* const kernel = std::get_if<KernelWork>(&node.work);
    GraphNode* const other = find(from);
    auto* const source = other ? std::get_if<KernelWork>(&other->work) : nullptr;
    if (!kernel || !source) return cudaErrorInvalidValue;
    kernel->attributes = source->attributes;
    kernel->cooperative = source->cooperative;
    return cudaSuccess;
  });
}
