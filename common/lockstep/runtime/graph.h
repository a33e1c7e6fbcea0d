// graph: a CUDA graph as plain values: its nodes, what each one does, and the edges between them. In: nodes and edges,
// one at a time. Out: their order. Runs nothing (graph_run) and knows no stream (capture). Everything here is called
// under the runtime's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/call_place.h"
#include "runtime/cuda_api.h"
#include "runtime/streams.h"

namespace lockstep::runtime {

struct Graph;
struct GraphExec;

// ---- what a node does: one struct for each kind. Pointers in them are the program's. ----

struct KernelWork {
  const void* function = nullptr;  // as the program named it
  dim3 grid{}, block{};
  size_t shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::byte> params{};                       // the kernel's .param space, packed
  std::vector<uint32_t> offsets{};                       // of each argument in params
  std::vector<void*> arguments{};                        // the arguments' addresses, for cudaGraphKernelNodeGetParams
  std::map<int, cudaLaunchAttributeValue> attributes{};  // that the program set and may ask for
};
struct CopyWork {
  cudaMemcpy3DParms copy{};
};
struct FillWork {
  cudaMemsetParams fill{};
};
struct HostWork {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};
struct ChildWork {
  std::unique_ptr<Graph> graph;
};
struct EmptyWork {};
struct WaitWork {
  cudaEvent_t event = nullptr;
};
struct RecordWork {
  cudaEvent_t event = nullptr;
};
// The addresses of an allocation node's memory, which belong to the graph and to what was instantiated from it.
struct GraphMemory {
  uint64_t address = 0, bytes = 0;
  ~GraphMemory();
};
struct AllocWork {
  cudaMemAllocNodeParams params{};
  std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
  void* pointer = nullptr;
};
struct ConditionalWork {
  cudaConditionalNodeParams params{};
  std::vector<std::unique_ptr<Graph>> bodies;
  std::unique_ptr<cudaGraph_t[]> handles;  // of the bodies, for the program
};
using NodeWork = std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork, WaitWork, RecordWork,
                              AllocWork, FreeWork, ConditionalWork>;

cudaGraphNodeType type_of(const NodeWork& work);
NodeWork copy_of(const NodeWork& work);
std::vector<const Graph*> parts_of(const NodeWork& work);  // the graphs that the node owns

// ---- nodes and graphs ----

struct Graphs;
struct GraphNode;
struct Edge {
  GraphNode* from = nullptr;
  cudaGraphEdgeData data{};
};

// Whether the edge is more than an order: whether it has a port or a type.
inline bool says_more(const cudaGraphEdgeData& data) { return data.from_port || data.to_port || data.type; }
// Whether CUDA has edges of this kind between such nodes. Only a kernel can let the next one start early.
bool is_valid(const cudaGraphEdgeData& data, cudaGraphNodeType from, cudaGraphNodeType to);

struct GraphNode {
  GraphNode(Graph& owner, NodeWork does, CallStack place);
  ~GraphNode();
  GraphNode(const GraphNode&) = delete;
  GraphNode& operator=(const GraphNode&) = delete;

  Graph& graph;
  NodeWork work;
  const CallStack stack;                // of the call that made the node
  const uint64_t id;                    // no other node of this process has it
  uint64_t source = 0;                  // the id of the node that this one was copied from
  size_t position;                      // how many nodes were added to the graph, or to the one copied, before it
  bool enabled = true;                  // in what was instantiated; a node that is not enabled does nothing
  std::vector<Edge> needs{};            // in the order in which they were added
  std::vector<GraphNode*> needed_by{};  // likewise
};

// The program's object that a graph keeps alive. Its destructor is called when the last reference is given back.
struct UserObject {
  void* pointer = nullptr;
  cudaHostFn_t destroy = nullptr;
  uint64_t references = 0;
};

struct Graph {
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  GraphNode& add(NodeWork work, CallStack stack);
  // False: there is an edge already, there is no such kind of edge, or the two belong to another graph.
  bool connect(GraphNode& from, GraphNode& to, const cudaGraphEdgeData& data = {});
  bool disconnect(GraphNode& from, GraphNode& to);  // false: there is no edge
  void remove(GraphNode& node);
  // Each node after all that it needs; among those that may come next, the one that was added first. Empty, although
  // there are nodes: the edges make a circle.
  std::vector<GraphNode*> order() const;
  // The first such node, also in the graphs of its nodes; null: there is none.
  GraphNode* first(const std::function<bool(const GraphNode&)>& is) const;
  GraphNode* in_circle() const;              // the first node that a circle holds back
  bool holds(cudaGraphNodeType type) const;  // likewise
  bool holds_memory() const;                 // allocation or free nodes
  std::unique_ptr<Graph> clone() const;

  std::vector<std::unique_ptr<GraphNode>> nodes{};
  std::map<UserObject*, uint64_t> objects{};  // with the references that the graph holds
  std::vector<cudaGraphConditionalHandle> conditions{};
  size_t added = 0;                         // nodes, also those that were destroyed
  bool is_part = false;                     // a node owns it, so the program cannot destroy it
  std::weak_ptr<GraphExec> instantiated{};  // the last one; with memory nodes there may be one at a time
};

// The program's handles. Null: there is no such object, or no more.
Graph* find(cudaGraph_t handle);
GraphNode* find(cudaGraphNode_t handle);
inline cudaGraph_t handle_of(Graph* graph) { return reinterpret_cast<cudaGraph_t>(graph); }
inline cudaGraphNode_t handle_of(GraphNode* node) { return reinterpret_cast<cudaGraphNode_t>(node); }

// The node of `exec`, or of the graphs of its nodes, that was copied from `node`. Null: none was.
GraphNode* copied_from(const Graph& exec, const GraphNode& node);

// graph_update.cc. Gives the nodes of `exec` the work of the nodes of `from`, which must have the same shape. On
// failure nothing changes, and `info` says why. The user objects of `from` replace those of `exec`.
struct UpdateRules {
  bool same_order = false;  // each pair of nodes must have been added at the same position
  bool priorities = false;  // may not change
};
bool update(Graphs& graphs, Graph& exec, const Graph& from, cudaGraphExecUpdateResultInfo* info, UpdateRules rules);
// Whether a node that was instantiated with the work `old` can get this work of the same type.
cudaGraphExecUpdateResult can_become(const NodeWork& old, const NodeWork& now, UpdateRules rules);

// Whether `node` is one of these, or comes before one of them.
bool leads_to(const GraphNode& node, const std::vector<cudaGraphNode_t>& ends);

// What was instantiated from a graph: a copy, whose nodes have the graph's as their sources.
struct GraphExec {
  std::unique_ptr<Graph> graph;
  unsigned long long flags = 0;
  Clock last{};  // the end of its last launch, which the next one waits for
};

struct ConditionValue {
  uint32_t value = 0, at_launch = 0;
  bool assigned_at_launch = false;
  bool used = false;  // a node depends on it
};

// All graphs of the process.
struct Graphs {
  std::unordered_map<const void*, std::unique_ptr<Graph>> graphs;
  std::unordered_map<const void*, std::shared_ptr<GraphExec>> execs;
  std::unordered_map<const void*, std::unique_ptr<UserObject>> objects;
  std::map<cudaGraphConditionalHandle, ConditionValue> conditions;
  std::vector<std::pair<cudaHostFn_t, void*>> to_destroy;  // user objects without references, for destroy_objects()
  std::map<uint64_t, uint64_t> reserved{};                 // the memory of allocation nodes: address → bytes
  uint64_t used = 0;                                       // bytes of allocation nodes that are allocated now
  uint64_t held = 0, held_high = 0;  // bytes that graphs keep for them until cudaDeviceGraphMemTrim
  uint64_t launches = 0;
};

// Gives back references to a user object; all references of a graph that is about to end.
void release(Graphs& graphs, UserObject& object, uint64_t count);
void release_objects(Graphs& graphs, const Graph& graph);

}  // namespace lockstep::runtime
