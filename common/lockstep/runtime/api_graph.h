// api_graph: what the functions about graphs share (api_graph*.cc).
#pragma once

#include <utility>

#include "runtime/graph_run.h"

namespace lockstep::runtime {

// Runs `body(runtime, graph)`, or `body(runtime, node)`, if the handle is one.
template <typename Body>
cudaError_t with_graph(cudaGraph_t handle, Body&& body, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) -> cudaError_t {
    Graph* graph = find(handle);
    return graph ? body(runtime, *graph) : cudaErrorInvalidValue;
  });
}
template <typename Body>
cudaError_t with_node(cudaGraphNode_t handle, Body&& body, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) -> cudaError_t {
    GraphNode* node = find(handle);
    return node ? body(runtime, *node) : cudaErrorInvalidValue;
  });
}

// Calls the destructors of user objects that nobody refers to any more, without the lock. Returns `error`.
cudaError_t destroy_objects(cudaError_t error);

// Gives the node new work of the same kind. Kinds that own memory or graphs stay as they are. `instantiated`: the node
// belongs to what was instantiated, where less may change.
cudaError_t set_params(Runtime& runtime, GraphNode& node, cudaGraphNodeParams& params, bool instantiated = false);

}  // namespace lockstep::runtime
