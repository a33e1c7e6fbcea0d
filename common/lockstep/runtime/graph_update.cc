// graph_update: cudaGraphExecUpdate. Pairs the nodes of two graphs as the toolkit's documentation says: from their last
// nodes backwards, in the order in which nodes and edges were added. Then the work of one goes into the other. What may
// change, and the results, are those of an H200.
#include <unordered_map>

#include "runtime/graph.h"

namespace lockstep::runtime {
namespace {

int priority_of(const KernelWork& kernel) {
  const auto found = kernel.attributes.find(cudaLaunchAttributePriority);
  return found == kernel.attributes.end() ? 0 : found->second.priority;
}

cudaGraphExecUpdateResult change_of(const KernelWork& old, const KernelWork& now, UpdateRules rules) {
  const bool same = old.cooperative == now.cooperative && (!rules.priorities || priority_of(old) == priority_of(now));
  return same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorAttributesChanged;
}

// The kind says in which memory the two sides of a copy lie.
cudaGraphExecUpdateResult change_of(const CopyWork& old, const CopyWork& now, UpdateRules) {
  const cudaMemcpy3DParms &a = old.copy, &b = now.copy;
  const bool same = a.kind == b.kind && !a.srcArray == !b.srcArray && !a.dstArray == !b.dstArray;
  return same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorParametersChanged;
}

// Only a single row may change its size.
cudaGraphExecUpdateResult change_of(const FillWork& old, const FillWork& now, UpdateRules) {
  const cudaMemsetParams &a = old.fill, &b = now.fill;
  const bool same_rows =
      a.height == b.height &&
      (a.height == 1 || (a.elementSize == b.elementSize && a.width == b.width && a.pitch == b.pitch));
  return same_rows ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorParametersChanged;
}

cudaGraphExecUpdateResult change_of(const AllocWork&, const AllocWork&, UpdateRules) {
  return cudaGraphExecUpdateErrorNotSupported;
}
cudaGraphExecUpdateResult change_of(const FreeWork&, const FreeWork&, UpdateRules) {
  return cudaGraphExecUpdateErrorNotSupported;
}

cudaGraphExecUpdateResult change_of(const ConditionalWork& old, const ConditionalWork& now, UpdateRules) {
  const bool same = old.params.type == now.params.type && old.params.size == now.params.size;
  return same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorNotSupported;
}

template <typename Work>
cudaGraphExecUpdateResult change_of(const Work&, const Work&, UpdateRules) {
  return cudaGraphExecUpdateSuccess;
}

class Pairing {
 public:
  Pairing(cudaGraphExecUpdateResultInfo* info, UpdateRules rules) : info_(*info), rules_(rules) {}

  // False: `info` says why the two do not match.
  bool match(Graph& exec, const Graph& from);
  void apply(Graphs& graphs);

 private:
  bool match(GraphNode& old, GraphNode& now);
  bool match_work(GraphNode& old, GraphNode& now);
  bool match_all(const std::vector<std::unique_ptr<Graph>>& old, const std::vector<std::unique_ptr<Graph>>& now);
  bool fail(cudaGraphExecUpdateResult result, GraphNode* node, GraphNode* from = nullptr);

  cudaGraphExecUpdateResultInfo& info_;
  const UpdateRules rules_;
  std::unordered_map<GraphNode*, GraphNode*> pairs_;  // old → now
  std::unordered_map<GraphNode*, GraphNode*> back_;
  std::vector<std::pair<Graph*, const Graph*>> graphs_;  // likewise
};

bool Pairing::fail(cudaGraphExecUpdateResult result, GraphNode* node, GraphNode* from) {
  info_ = {result, node ? handle_of(node) : nullptr, from ? handle_of(from) : nullptr};
  return false;
}

std::vector<GraphNode*> last_nodes(const Graph& graph) {
  std::vector<GraphNode*> last;
  for (const auto& node : graph.nodes)
    if (node->needed_by.empty()) last.push_back(node.get());
  return last;
}

bool Pairing::match(Graph& exec, const Graph& from) {
  const std::vector<GraphNode*> old = last_nodes(exec), now = last_nodes(from);
  if (exec.nodes.size() != from.nodes.size()) return fail(cudaGraphExecUpdateErrorTopologyChanged, nullptr);
  if (old.size() != now.size())
    return fail(cudaGraphExecUpdateErrorTopologyChanged, now.size() > old.size() ? now[old.size()] : nullptr);
  graphs_.emplace_back(&exec, &from);
  for (size_t i = 0; i < old.size(); ++i)
    if (!match(*old[i], *now[i])) return false;
  return true;
}

bool Pairing::match(GraphNode& old, GraphNode& now) {
  const auto [pair, is_new] = pairs_.try_emplace(&old, &now);
  const auto [reverse, is_new_back] = back_.try_emplace(&now, &old);
  if (pair->second != &now || reverse->second != &old) return fail(cudaGraphExecUpdateErrorTopologyChanged, &now);
  if (!is_new) return true;
  if (rules_.same_order && old.position != now.position) return fail(cudaGraphExecUpdateErrorTopologyChanged, &now);
  if (type_of(old.work) != type_of(now.work)) return fail(cudaGraphExecUpdateErrorNodeTypeChanged, &now);
  if (old.needs.size() != now.needs.size()) return fail(cudaGraphExecUpdateErrorTopologyChanged, &now);
  if (!match_work(old, now)) return false;
  for (size_t i = 0; i < old.needs.size(); ++i)
    if (!match(*old.needs[i].from, *now.needs[i].from)) return false;
  return true;
}

bool Pairing::match_all(const std::vector<std::unique_ptr<Graph>>& old,
                        const std::vector<std::unique_ptr<Graph>>& now) {
  for (size_t i = 0; i < old.size(); ++i)
    if (!match(*old[i], *now[i])) return false;
  return true;
}

bool Pairing::match_work(GraphNode& old, GraphNode& now) {
  const cudaGraphExecUpdateResult result = can_become(old.work, now.work, rules_);
  if (result != cudaGraphExecUpdateSuccess) return fail(result, &now);
  if (const auto* child = std::get_if<ChildWork>(&now.work))
    return match(*std::get<ChildWork>(old.work).graph, *child->graph);
  if (const auto* conditional = std::get_if<ConditionalWork>(&now.work))
    return match_all(std::get<ConditionalWork>(old.work).bodies, conditional->bodies);
  return true;
}

void Pairing::apply(Graphs& graphs) {
  for (const auto& [old, now] : pairs_) {
    if (auto* conditional = std::get_if<ConditionalWork>(&old->work))
      conditional->params.handle = std::get<ConditionalWork>(now->work).params.handle;
    else if (!std::holds_alternative<ChildWork>(now->work))
      old->work = copy_of(now->work);
  }
  for (const auto& [exec, from] : graphs_) {
    exec->conditions = from->conditions;
    for (const auto& [object, references] : from->objects) object->references += references;
    for (const auto& [object, references] : std::exchange(exec->objects, from->objects))
      release(graphs, *object, references);
  }
}

}  // namespace

cudaGraphExecUpdateResult can_become(const NodeWork& old, const NodeWork& now, UpdateRules rules) {
  return std::visit(
      [&](const auto& work) { return change_of(std::get<std::decay_t<decltype(work)>>(old), work, rules); }, now);
}

bool update(Graphs& graphs, Graph& exec, const Graph& from, cudaGraphExecUpdateResultInfo* info, UpdateRules rules) {
  *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  Pairing pairing(info, rules);
  if (!pairing.match(exec, from)) return false;
  pairing.apply(graphs);
  return true;
}

}  // namespace lockstep::runtime
