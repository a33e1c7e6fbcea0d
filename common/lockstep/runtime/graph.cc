#include "runtime/graph.h"

#include <algorithm>
#include <queue>
#include <unordered_set>

namespace lockstep::runtime {
namespace {

// The addresses of all graphs and nodes that exist: a program may pass any pointer.
std::unordered_set<const void*>& existing() {
  static auto* const all = new std::unordered_set<const void*>;
  return *all;
}

uint64_t next_id() {
  static uint64_t id = 0;
  return ++id;
}

// In the order of NodeWork.
constexpr cudaGraphNodeType kTypes[] = {
    cudaGraphNodeTypeKernel,   cudaGraphNodeTypeMemcpy,  cudaGraphNodeTypeMemset,     cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,    cudaGraphNodeTypeEmpty,   cudaGraphNodeTypeWaitEvent,  cudaGraphNodeTypeEventRecord,
    cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional};
static_assert(std::size(kTypes) == std::variant_size_v<NodeWork>);

struct Copier {
  NodeWork operator()(const ChildWork& w) const { return ChildWork{w.graph->clone()}; }
  NodeWork operator()(const ConditionalWork& w) const {
    ConditionalWork copy{w.params, {}, nullptr};
    for (const auto& body : w.bodies) copy.bodies.push_back(body->clone());
    for (const auto& body : copy.bodies) body->is_part = true;
    return copy;
  }
  template <typename T>
  NodeWork operator()(const T& w) const {
    return w;
  }
};

}  // namespace

cudaGraphNodeType type_of(const NodeWork& work) { return kTypes[work.index()]; }

NodeWork copy_of(const NodeWork& work) { return std::visit(Copier{}, work); }

std::vector<const Graph*> parts_of(const NodeWork& work) {
  std::vector<const Graph*> parts;
  if (const auto* child = std::get_if<ChildWork>(&work)) parts.push_back(child->graph.get());
  if (const auto* conditional = std::get_if<ConditionalWork>(&work))
    for (const auto& body : conditional->bodies) parts.push_back(body.get());
  return parts;
}

GraphNode::GraphNode(Graph& owner, NodeWork does, CallStack place)
    : graph(owner), work(std::move(does)), stack(std::move(place)), id(next_id()), position(owner.added++) {
  existing().insert(this);
}
GraphNode::~GraphNode() { existing().erase(this); }
Graph::Graph() { existing().insert(this); }
Graph::~Graph() { existing().erase(this); }

Graph* find(cudaGraph_t handle) { return existing().contains(handle) ? reinterpret_cast<Graph*>(handle) : nullptr; }
GraphNode* find(cudaGraphNode_t handle) {
  return existing().contains(handle) ? reinterpret_cast<GraphNode*>(handle) : nullptr;
}

GraphNode& Graph::add(NodeWork work, CallStack stack) {
  return *nodes.emplace_back(std::make_unique<GraphNode>(*this, std::move(work), std::move(stack)));
}

bool is_valid(const cudaGraphEdgeData& data, cudaGraphNodeType from, cudaGraphNodeType to) {
  if (data.to_port != 0 || std::ranges::any_of(data.reserved, [](unsigned char byte) { return byte != 0; }))
    return false;
  const bool from_kernel = from == cudaGraphNodeTypeKernel;
  switch (data.type) {
    case cudaGraphDependencyTypeDefault:
      return data.from_port == cudaGraphKernelNodePortDefault ||
             (from_kernel && data.from_port == cudaGraphKernelNodePortLaunchCompletion);
    case cudaGraphDependencyTypeProgrammatic:
      return from_kernel && to == cudaGraphNodeTypeKernel &&
             (data.from_port == cudaGraphKernelNodePortProgrammatic ||
              data.from_port == cudaGraphKernelNodePortLaunchCompletion);
    default: return false;
  }
}

bool Graph::connect(GraphNode& from, GraphNode& to, const cudaGraphEdgeData& data) {
  if (&from.graph != this || &to.graph != this || &from == &to) return false;
  if (!is_valid(data, type_of(from.work), type_of(to.work))) return false;
  if (std::ranges::count(to.needs, &from, &Edge::from)) return false;
  to.needs.push_back({&from, data});
  from.needed_by.push_back(&to);
  return true;
}

bool Graph::disconnect(GraphNode& from, GraphNode& to) {
  if (&from.graph != this) return false;
  std::erase(from.needed_by, &to);
  return std::erase_if(to.needs, [&](const Edge& edge) { return edge.from == &from; }) > 0;
}

void Graph::remove(GraphNode& node) {
  for (const Edge& edge : node.needs) std::erase(edge.from->needed_by, &node);
  for (GraphNode* after : node.needed_by) std::erase_if(after->needs, [&](const Edge& e) { return e.from == &node; });
  std::erase_if(nodes, [&](const auto& owned) { return owned.get() == &node; });
}

namespace {

// All nodes that no circle holds back, in the order of Graph::order().
std::vector<GraphNode*> reachable(const Graph& graph) {
  const auto later = [](const GraphNode* a, const GraphNode* b) { return a->id > b->id; };
  std::priority_queue<GraphNode*, std::vector<GraphNode*>, decltype(later)> ready(later);
  std::unordered_map<const GraphNode*, size_t> missing;
  for (const auto& node : graph.nodes)
    if ((missing[node.get()] = node->needs.size()) == 0) ready.push(node.get());
  std::vector<GraphNode*> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (GraphNode* after : order.back()->needed_by)
      if (--missing[after] == 0) ready.push(after);
  }
  return order;
}

}  // namespace

std::vector<GraphNode*> Graph::order() const {
  std::vector<GraphNode*> order = reachable(*this);
  if (order.size() < nodes.size()) order.clear();
  return order;
}

GraphNode* Graph::in_circle() const {
  const std::vector<GraphNode*> order = reachable(*this);
  const bool here = order.size() < nodes.size();
  for (const auto& node : nodes) {
    if (here && !std::ranges::count(order, node.get())) return node.get();
    for (const Graph* part : parts_of(node->work))
      if (GraphNode* found = part->in_circle()) return found;
  }
  return nullptr;
}

GraphNode* Graph::first(const std::function<bool(const GraphNode&)>& is) const {
  for (const auto& node : nodes) {
    if (is(*node)) return node.get();
    for (const Graph* part : parts_of(node->work))
      if (GraphNode* found = part->first(is)) return found;
  }
  return nullptr;
}

bool Graph::holds(cudaGraphNodeType type) const {
  return first([&](const GraphNode& node) { return type_of(node.work) == type; }) != nullptr;
}

bool Graph::holds_memory() const { return holds(cudaGraphNodeTypeMemAlloc) || holds(cudaGraphNodeTypeMemFree); }

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes) {
    GraphNode& made = copy->add(copy_of(node->work), node->stack);
    made.source = node->id;
    made.enabled = node->enabled;
    made.position = node->position;
    if (auto* child = std::get_if<ChildWork>(&made.work)) child->graph->is_part = true;
    copies[node.get()] = &made;
  }
  for (const auto& node : nodes)
    for (const Edge& edge : node->needs) copy->connect(*copies[edge.from], *copies[node.get()], edge.data);
  copy->objects = objects;
  for (const auto& [object, references] : objects) object->references += references;
  copy->conditions = conditions;
  copy->added = added;
  return copy;
}

GraphNode* copied_from(const Graph& exec, const GraphNode& node) {
  return exec.first([&](const GraphNode& copy) { return copy.source == node.id; });
}

bool leads_to(const GraphNode& node, const std::vector<cudaGraphNode_t>& ends) {
  std::vector<const GraphNode*> open;
  for (const cudaGraphNode_t end : ends)
    if (const GraphNode* found = find(end)) open.push_back(found);
  std::unordered_set<const GraphNode*> seen;
  while (!open.empty()) {
    const GraphNode* now = open.back();
    open.pop_back();
    if (now == &node) return true;
    if (!seen.insert(now).second) continue;
    for (const Edge& edge : now->needs) open.push_back(edge.from);
  }
  return false;
}

void release(Graphs& graphs, UserObject& object, uint64_t count) {
  object.references -= std::min(count, object.references);
  if (object.references > 0) return;
  graphs.to_destroy.emplace_back(object.destroy, object.pointer);
  graphs.objects.erase(&object);
}

void release_objects(Graphs& graphs, const Graph& graph) {
  for (const auto& [object, references] : graph.objects) release(graphs, *object, references);
  for (const auto& node : graph.nodes)
    for (const Graph* part : parts_of(node->work)) release_objects(graphs, *part);
}

}  // namespace lockstep::runtime
