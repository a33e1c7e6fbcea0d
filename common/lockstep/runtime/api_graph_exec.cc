// api_graph_exec: what is instantiated from graphs: instantiation, launches, updates; and the memory of graphs.
#include "base/words.h"
#include "runtime/api_graph.h"

#include <algorithm>

#include "runtime/capturing.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

// Runs `body(runtime, exec)` if the handle is one.
template <typename Body>
cudaError_t with_exec(cudaGraphExec_t handle, Body&& body, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) -> cudaError_t {
    const auto found = runtime.graphs.execs.find(handle);
    return found == runtime.graphs.execs.end() ? cudaErrorInvalidValue : body(runtime, *found->second);
  });
}

// Whether a node frees memory that is not a graph's, as a captured cudaFreeAsync may.
bool frees_other_memory(const Runtime& runtime, const Graph& graph) {
  const auto frees_other = [&](const GraphNode& node) {
    const auto* frees = std::get_if<FreeWork>(&node.work);
    return frees && !is_graph_memory(runtime, frees->pointer);
  };
  return graph.first(frees_other) != nullptr;
}

using Types = std::vector<cudaGraphNodeType>;

GraphNode* first_of_other_type(const Graph& graph, const Types& types) {
  return graph.first([&](const GraphNode& node) { return !std::ranges::count(types, type_of(node.work)); });
}

// A node that is not allowed where it stands; null: there is none.
GraphNode* misplaced(const Graph& graph, unsigned long long flags) {
  static const Types kFromKernels = {cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset,
                                     cudaGraphNodeTypeGraph};
  static const Types kInBodies = {cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset,
                                  cudaGraphNodeTypeGraph,  cudaGraphNodeTypeEmpty,  cudaGraphNodeTypeConditional};
  GraphNode* found = nullptr;
  if (flags & cudaGraphInstantiateFlagDeviceLaunch) found = first_of_other_type(graph, kFromKernels);
  if (found) return found;
  graph.first([&](const GraphNode& node) {
    if (const auto* conditional = std::get_if<ConditionalWork>(&node.work))
      for (const auto& body : conditional->bodies)
        if (!found) found = first_of_other_type(*body, kInBodies);
    return found != nullptr;
  });
  return found;
}

// cudaGraphInstantiateSuccess, or why the graph cannot be instantiated, and the node that is the cause.
cudaGraphInstantiateResult look_for_mistakes(Runtime& runtime, const Graph& graph, unsigned long long flags,
                                             cudaGraphNode_t* cause) {
  if ((*cause = handle_of(graph.in_circle()))) return cudaGraphInstantiateInvalidStructure;
  if ((*cause = handle_of(misplaced(graph, flags)))) return cudaGraphInstantiateNodeOperationNotSupported;
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) && graph.nodes.empty()) return cudaGraphInstantiateError;
  if (frees_other_memory(runtime, graph)) {
    runtime.advice =
        with_next(words("the graph frees memory that no graph allocates."),
                  words("capture the cudaMallocAsync() of this memory as well, or free it outside of the graph."));
    return cudaGraphInstantiateError;
  }
  for (const cudaGraphConditionalHandle handle : graph.conditions)
    if (!runtime.graphs.conditions.at(handle).used) return kUnusedCondition;
  return cudaGraphInstantiateSuccess;
}

cudaError_t instantiate(Runtime& runtime, cudaGraphExec_t* handle, Graph& graph, cudaGraphInstantiateParams& params) {
  constexpr unsigned long long kFlags = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                        cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
  params.errNode_out = nullptr;
  params.result_out = cudaGraphInstantiateError;
  constexpr unsigned long long kNotBoth =
      cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch;
  if (!handle || params.flags > kFlags || (params.flags & kNotBoth) == kNotBoth) return cudaErrorInvalidValue;
  if (graph.is_part) return cudaErrorNotSupported;
  *handle = nullptr;
  if (!graph.instantiated.expired() && (graph.holds_memory() || graph.holds(cudaGraphNodeTypeConditional)))
    return cudaErrorNotSupported;
  params.result_out = look_for_mistakes(runtime, graph, params.flags, &params.errNode_out);
  if (params.result_out != cudaGraphInstantiateSuccess) return cudaErrorInvalidValue;
  if (params.flags & cudaGraphInstantiateFlagDeviceLaunch) {
    params.result_out = cudaGraphInstantiateError;
    return runtime.refuse(later("launches of graphs from kernels are"),
                          later("instantiate without cudaGraphInstantiateFlagDeviceLaunch, and launch from the host."));
  }
  auto exec = std::make_shared<GraphExec>(GraphExec{graph.clone(), params.flags});
  graph.instantiated = exec;
  *handle = reinterpret_cast<cudaGraphExec_t>(exec.get());
  runtime.graphs.execs[exec.get()] = std::move(exec);
  return cudaSuccess;
}

cudaError_t instantiate_with(cudaGraphExec_t* handle, cudaGraph_t graph, unsigned long long flags,
                             const char* name = __builtin_FUNCTION()) {
  cudaGraphInstantiateParams params{flags, nullptr, nullptr, cudaGraphInstantiateError};
  const auto body = [&](Runtime& runtime, Graph& found) {
    const bool uploads = flags & cudaGraphInstantiateFlagUpload;  // that needs a stream
    return uploads ? cudaErrorInvalidValue : instantiate(runtime, handle, found, params);
  };
  return with_graph(graph, body, name);
}

// A stream that is captured takes no launch: a graph becomes a part of another as a child node.
cudaError_t launch(Runtime& runtime, GraphExec& exec, cudaStream_t stream) {
  if (const cudaError_t error = refuse_captured(runtime, stream); error != cudaSuccess) return error;
  const std::shared_ptr<GraphExec> kept = runtime.graphs.execs.at(&exec);  // a host node may destroy the handle
  return run_graph(runtime, exec, stream);
}

// Only these kinds can be left out of a launch.
bool can_be_disabled(const GraphNode& node) {
  const cudaGraphNodeType type = type_of(node.work);
  return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset;
}

template <typename Body>
cudaError_t with_copy(cudaGraphExec_t exec, cudaGraphNode_t handle, Body&& body,
                      const char* name = __builtin_FUNCTION()) {
  const auto look = [&](Runtime&, GraphExec& found) -> cudaError_t {
    const GraphNode* node = find(handle);
    GraphNode* const copy = node ? copied_from(*found.graph, *node) : nullptr;
    return copy && can_be_disabled(*copy) ? body(*copy) : cudaErrorInvalidValue;
  };
  return with_exec(exec, look, name);
}

}  // namespace

LOCKSTEP_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return instantiate_with(exec, graph, flags);
}
LOCKSTEP_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                       unsigned long long flags) {
  return instantiate_with(exec, graph, flags);
}
LOCKSTEP_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                        cudaGraphInstantiateParams* params) {
  return with_graph(graph, [&](Runtime& runtime, Graph& found) {
    return params ? instantiate(runtime, exec, found, *params) : cudaErrorInvalidValue;
  });
}
LOCKSTEP_PER_THREAD(cudaGraphInstantiateWithParams, _ptsz);

LOCKSTEP_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return with_exec(exec, [&](Runtime&, GraphExec& found) {
    // An H200 leaves these flags out.
    constexpr unsigned long long kHidden = cudaGraphInstantiateFlagUseNodePriority | cudaGraphInstantiateFlagUpload;
    return give(flags, found.flags & ~kHidden);
  });
}

// Memory that a launch has allocated and nothing has freed stays.
LOCKSTEP_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return destroy_objects(with_exec(exec, [&](Runtime& runtime, GraphExec& found) {
    release_objects(runtime.graphs, *found.graph);
    runtime.graphs.execs.erase(&found);
    return cudaSuccess;
  }));
}

LOCKSTEP_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return with_exec(exec, [&](Runtime& runtime, GraphExec& found) {
    return is_stream(runtime, stream) ? launch(runtime, found, stream) : cudaErrorInvalidResourceHandle;
  });
}
LOCKSTEP_PER_THREAD(cudaGraphLaunch, _ptsz);

// There is nothing to prepare.
LOCKSTEP_API cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return with_exec(exec, [&](Runtime& runtime, GraphExec&) {
    if (!is_stream(runtime, stream)) return cudaErrorInvalidResourceHandle;
    return refuse_captured(runtime, stream);
  });
}
LOCKSTEP_PER_THREAD(cudaGraphUpload, _ptsz);

LOCKSTEP_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                             cudaGraphExecUpdateResultInfo* info) {
  return destroy_objects(with_exec(exec, [&](Runtime& runtime, GraphExec& found) {
    const Graph* from = find(graph);
    if (!from || from->is_part || !info) return cudaErrorInvalidValue;
    const UpdateRules rules{.priorities = (found.flags & cudaGraphInstantiateFlagUseNodePriority) != 0};
    return update(runtime.graphs, *found.graph, *from, info, rules) ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
  }));
}

LOCKSTEP_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return with_copy(exec, node, [&](GraphNode& copy) {
    copy.enabled = enabled != 0;
    return cudaSuccess;
  });
}
LOCKSTEP_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return with_copy(exec, node, [&](GraphNode& copy) { return give(enabled, unsigned{copy.enabled}); });
}

// ---- memory ----

LOCKSTEP_API cudaError_t cudaDeviceGraphMemTrim(int device) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (device != 0) return cudaErrorInvalidDevice;
    runtime.graphs.held = runtime.graphs.used;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (device != 0) return cudaErrorInvalidDevice;
    if (!value) return cudaErrorInvalidValue;
    const Graphs& graphs = runtime.graphs;
    auto& number = *static_cast<uint64_t*>(value);
    switch (attribute) {
      case cudaGraphMemAttrUsedMemCurrent:
      case cudaGraphMemAttrReservedMemCurrent: number = graphs.held; break;
      case cudaGraphMemAttrUsedMemHigh:
      case cudaGraphMemAttrReservedMemHigh: number = graphs.held_high; break;
      default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

// The high marks may be reset to zero, which makes them the present values.
LOCKSTEP_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (device != 0) return cudaErrorInvalidDevice;
    const bool high = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    if (!value || !high || *static_cast<uint64_t*>(value) != 0) return cudaErrorInvalidValue;
    runtime.graphs.held_high = runtime.graphs.held;
    return cudaSuccess;
  });
}
