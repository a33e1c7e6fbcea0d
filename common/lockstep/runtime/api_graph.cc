// api_graph: graphs as the program builds and reads them: creation, copies, edges, user objects, conditions. The nodes'
// own functions stand in api_graph_nodes.cc, and those of what is instantiated in api_graph_exec.cc.
#include "runtime/api_graph.h"

#include <algorithm>
#include <climits>
#include <fstream>
#include <sstream>

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

// Gives a list in CUDA's way: *count is the room at `out`; without `out`, it becomes the number of all.
cudaError_t give_list(const std::vector<GraphNode*>& all, cudaGraphNode_t* out, size_t* count) {
  if (!count) return cudaErrorInvalidValue;
  if (!out) return *count = all.size(), cudaSuccess;
  for (size_t i = 0; i < *count; ++i) out[i] = i < all.size() ? handle_of(all[i]) : nullptr;
  *count = std::min(*count, all.size());
  return cudaSuccess;
}

struct FullEdge {
  GraphNode *from, *to;
  cudaGraphEdgeData data;
};

// A caller that asks without `data` must not miss what the edges say.
cudaError_t give_edges(const std::vector<FullEdge>& all, GraphNode* FullEdge::*which, cudaGraphNode_t* out,
                       cudaGraphEdgeData* data, size_t* count) {
  std::vector<GraphNode*> nodes;
  for (const FullEdge& edge : all) nodes.push_back(edge.*which);
  if (out && !data && std::ranges::any_of(all, says_more, &FullEdge::data)) return cudaErrorLossyQuery;
  const size_t room = count ? *count : 0;
  const cudaError_t error = give_list(nodes, out, count);
  for (size_t i = 0; error == cudaSuccess && out && data && i < room; ++i)
    data[i] = i < all.size() ? all[i].data : cudaGraphEdgeData{};
  return error;
}

std::vector<FullEdge> edges_of(const Graph& graph) {
  std::vector<FullEdge> edges;
  for (const auto& node : graph.nodes)
    for (const Edge& edge : node->needs) edges.push_back({edge.from, node.get(), edge.data});
  return edges;
}

const cudaGraphEdgeData& data_at(const cudaGraphEdgeData* data, size_t i) {
  static constexpr cudaGraphEdgeData kPlain{};
  return data ? data[i] : kPlain;
}

// Does something with each of the pairs; stops where it fails.
template <typename Body>
cudaError_t for_each_edge(const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count, Body&& body) {
  if (count > 0 && (!from || !to)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    GraphNode *a = find(from[i]), *b = find(to[i]);
    if (!a || !b || !body(*a, *b, i)) return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

const char* kind_name(const NodeWork& work) {
  static constexpr const char* kKinds[] = {"kernel", "memcpy",       "memset",    "host",     "child graph", "empty",
                                           "wait",   "event record", "mem alloc", "mem free", "conditional"};
  return kKinds[work.index()];
}

}  // namespace

cudaError_t lockstep::runtime::destroy_objects(cudaError_t error) {
  Runtime& runtime = Runtime::instance();
  std::unique_lock lock(runtime.mutex);
  const auto dead = std::exchange(runtime.graphs.to_destroy, {});
  lock.unlock();
  for (const auto& [destroy, pointer] : dead) destroy(pointer);
  return error;
}

LOCKSTEP_API cudaError_t cudaGraphCreate(cudaGraph_t* handle, unsigned flags) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (!handle || flags != 0) return cudaErrorInvalidValue;
    auto graph = std::make_unique<Graph>();
    *handle = handle_of(graph.get());
    runtime.graphs.graphs[graph.get()] = std::move(graph);
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return destroy_objects(with_graph(handle, [&](Runtime& runtime, Graph& graph) {
    if (graph.is_part) return cudaErrorInvalidValue;
    release_objects(runtime.graphs, graph);
    runtime.graphs.graphs.erase(&graph);
    return cudaSuccess;
  }));
}

LOCKSTEP_API cudaError_t cudaGraphClone(cudaGraph_t* handle, cudaGraph_t original) {
  return with_graph(original, [&](Runtime& runtime, Graph& graph) {
    if (!handle) return cudaErrorInvalidValue;
    for (const auto type : {cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional})
      if (graph.holds(type)) return cudaErrorNotSupported;
    auto copy = graph.clone();
    *handle = handle_of(copy.get());
    runtime.graphs.graphs[copy.get()] = std::move(copy);
    return cudaSuccess;
  });
}

// An H200 does not look into the graphs of the clone's nodes.
LOCKSTEP_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original, cudaGraph_t clone) {
  return with_node(original, [&](Runtime&, GraphNode& node) {
    const Graph* graph = find(clone);
    GraphNode* const copy = graph ? copied_from(*graph, node) : nullptr;
    return copy && &copy->graph == graph ? give(found, handle_of(copy)) : cudaErrorInvalidValue;
  });
}

LOCKSTEP_API cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph(handle, [&](Runtime&, Graph& graph) {
    std::vector<GraphNode*> all;
    for (const auto& node : graph.nodes) all.push_back(node.get());
    return give_list(all, nodes, count);
  });
}

LOCKSTEP_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph(handle, [&](Runtime&, Graph& graph) {
    std::vector<GraphNode*> roots;
    for (const auto& node : graph.nodes)
      if (node->needs.empty()) roots.push_back(node.get());
    return give_list(roots, nodes, count);
  });
}

LOCKSTEP_API cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                           cudaGraphEdgeData* data, size_t* count) {
  return with_graph(handle, [&](Runtime&, Graph& graph) {
    if ((from == nullptr) != (to == nullptr) || !count) return cudaErrorInvalidValue;
    const std::vector<FullEdge> edges = edges_of(graph);
    size_t room = *count;
    const cudaError_t error = give_edges(edges, &FullEdge::from, from, data, count);
    return error == cudaSuccess ? give_edges(edges, &FullEdge::to, to, data, &room) : error;
  });
}

LOCKSTEP_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t* nodes,
                                                      cudaGraphEdgeData* data, size_t* count) {
  return with_node(handle, [&](Runtime&, GraphNode& node) {
    std::vector<FullEdge> edges;
    for (const Edge& edge : node.needs) edges.push_back({edge.from, &node, edge.data});
    return give_edges(edges, &FullEdge::from, nodes, data, count);
  });
}

LOCKSTEP_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t* nodes,
                                                        cudaGraphEdgeData* data, size_t* count) {
  return with_node(handle, [&](Runtime&, GraphNode& node) {
    std::vector<FullEdge> edges;
    for (GraphNode* after : node.needed_by)
      for (const Edge& edge : after->needs)
        if (edge.from == &node) edges.push_back({&node, after, edge.data});
    return give_edges(edges, &FullEdge::to, nodes, data, count);
  });
}

LOCKSTEP_API cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                                  const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                                  size_t count) {
  return with_graph(handle, [&](Runtime&, Graph& graph) {
    const auto connect = [&](GraphNode& a, GraphNode& b, size_t i) { return graph.connect(a, b, data_at(data, i)); };
    return for_each_edge(from, to, count, connect);
  });
}

// An H200 does not look at the data of the edges.
LOCKSTEP_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                                     size_t count) {
  return with_graph(handle, [&](Runtime&, Graph& graph) {
    if (graph.holds_memory()) return cudaErrorNotSupported;
    const auto disconnect = [&](GraphNode& a, GraphNode& b, size_t) { return graph.disconnect(a, b); };
    return for_each_edge(from, to, count, disconnect);
  });
}

LOCKSTEP_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return with_node(handle, [&](Runtime&, GraphNode& node) {
    if (node.graph.holds_memory()) return cudaErrorNotSupported;
    node.graph.remove(node);
    return cudaSuccess;
  });
}

namespace {

// What the picture says of a node: its kind, or a kernel's name as the PTX has it. In detail: its parameters as well.
std::string label_of(Runtime& runtime, const NodeWork& work, bool detailed) {
  std::ostringstream text;
  const auto* kernel = std::get_if<KernelWork>(&work);
  const Kernel* const function = kernel ? runtime.find_kernel(kernel->function) : nullptr;
  text << (function ? function->name : kind_name(work));
  if (!detailed) return text.str();
  const auto shape = [&](const dim3& d) { text << d.x << ',' << d.y << ',' << d.z; };
  if (kernel) {
    text << "\\n<<<(";
    shape(kernel->grid);
    text << "), (";
    shape(kernel->block);
    text << "), " << kernel->shared_bytes << ">>>";
  }
  if (const auto* copy = std::get_if<CopyWork>(&work)) {
    const cudaMemcpy3DParms& p = copy->copy;
    text << "\\n" << p.srcPtr.ptr << " to " << p.dstPtr.ptr << "\\n";
    text << p.extent.width << " x " << p.extent.height << " x " << p.extent.depth;
  }
  if (const auto* fill = std::get_if<FillWork>(&work)) {
    const cudaMemsetParams& p = fill->fill;
    text << "\\n" << p.dst << " = " << p.value << "\\n" << p.width << " x " << p.height << " of " << p.elementSize;
  }
  return text.str();
}

}  // namespace

// A picture for Graphviz: the nodes and the edges. Any flag asks for all the details that it has.
LOCKSTEP_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned flags) {
  return with_graph(handle, [&](Runtime& runtime, Graph& graph) {
    if (!path) return cudaErrorInvalidValue;
    std::ofstream file(path);
    file << "digraph graph_1 {\n";
    for (const auto& node : graph.nodes)
      file << "  node_" << node->id << " [label=\"" << node->id << ' ' << label_of(runtime, node->work, flags != 0)
           << "\"];\n";
    for (const FullEdge& edge : edges_of(graph))
      file << "  node_" << edge.from->id << " -> node_" << edge.to->id << ";\n";
    file << "}\n";
    return file.good() ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

// ---- user objects ----

LOCKSTEP_API cudaError_t cudaUserObjectCreate(cudaUserObject_t* handle, void* pointer, cudaHostFn_t destroy,
                                              unsigned references, unsigned flags) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (!handle || !destroy || references == 0 || flags != cudaUserObjectNoDestructorSync) return cudaErrorInvalidValue;
    auto object = std::make_unique<UserObject>(UserObject{pointer, destroy, references});
    *handle = reinterpret_cast<cudaUserObject_t>(object.get());
    runtime.graphs.objects[object.get()] = std::move(object);
    return cudaSuccess;
  });
}

namespace {

// Runs `body(runtime, object)` for an object that exists.
template <typename Body>
cudaError_t with_object(cudaUserObject_t handle, unsigned count, Body&& body, const char* name = __builtin_FUNCTION()) {
  return destroy_objects(call(Needs::kDevice, name, [&](Runtime& runtime) -> cudaError_t {
    const auto found = runtime.graphs.objects.find(handle);
    if (found == runtime.graphs.objects.end() || count == 0 || count > INT_MAX) return cudaErrorInvalidValue;
    return body(runtime, *found->second);
  }));
}

}  // namespace

LOCKSTEP_API cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned count) {
  return with_object(handle, count, [&](Runtime&, UserObject& object) {
    object.references += count;
    return cudaSuccess;
  });
}
LOCKSTEP_API cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned count) {
  return with_object(handle, count, [&](Runtime& runtime, UserObject& object) {
    if (count > object.references) return cudaErrorInvalidValue;
    release(runtime.graphs, object, count);
    return cudaSuccess;
  });
}
LOCKSTEP_API cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle, cudaUserObject_t user, unsigned count,
                                                   unsigned flags) {
  return with_object(user, count, [&](Runtime&, UserObject& object) {
    Graph* graph = find(handle);
    if (!graph || flags > cudaGraphUserObjectMove) return cudaErrorInvalidValue;
    graph->objects[&object] += count;
    if (flags != cudaGraphUserObjectMove) object.references += count;
    return cudaSuccess;
  });
}
LOCKSTEP_API cudaError_t cudaGraphReleaseUserObject(cudaGraph_t handle, cudaUserObject_t user, unsigned count) {
  return with_object(user, count, [&](Runtime& runtime, UserObject& object) {
    Graph* graph = find(handle);
    if (!graph || graph->objects[&object] < count) return cudaErrorInvalidValue;
    if ((graph->objects[&object] -= count) == 0) graph->objects.erase(&object);
    release(runtime.graphs, object, count);
    return cudaSuccess;
  });
}

// ---- conditions ----

LOCKSTEP_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph_handle,
                                                          unsigned value, unsigned flags) {
  return with_graph(graph_handle, [&](Runtime& runtime, Graph& graph) {
    if (!handle || flags > cudaGraphCondAssignDefault) return cudaErrorInvalidValue;
    static cudaGraphConditionalHandle next = 0;
    *handle = ++next;
    graph.conditions.push_back(*handle);
    runtime.graphs.conditions[*handle] = {value, value, flags == cudaGraphCondAssignDefault, false};
    return cudaSuccess;
  });
}
