// graph_update: cudaGraphExecUpdate. Pairs the nodes of two graphs as the toolkit's documentation says: from their last
// nodes backwards, in the order in which nodes and edges were added. Then the work of one goes into the other.
#include <unordered_map>

#include "runtime/graph.h"

namespace lockstep::runtime {
namespace {

class Pairing {
 public:
  Pairing(cudaGraphExecUpdateResultInfo* info, bool same_order) : info_(*info), same_order_(same_order) {}

  // False: `info` says why the two do not match.
  bool match(Graph& exec, const Graph& from);
  void apply();

 private:
  bool match(GraphNode& old, GraphNode& now);
  bool match_work(GraphNode& old, GraphNode& now);
  bool match_all(const std::vector<std::unique_ptr<Graph>>& old, const std::vector<std::unique_ptr<Graph>>& now);
  bool fail(cudaGraphExecUpdateResult result, GraphNode* node, GraphNode* from = nullptr);

  cudaGraphExecUpdateResultInfo& info_;
  const bool same_order_;
  std::unordered_map<GraphNode*, GraphNode*> pairs_;  // old → now
  std::unordered_map<GraphNode*, GraphNode*> back_;
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
  if (exec.nodes.size() != from.nodes.size() || old.size() != now.size())
    return fail(cudaGraphExecUpdateErrorTopologyChanged, nullptr);
  for (size_t i = 0; i < old.size(); ++i)
    if (!match(*old[i], *now[i])) return false;
  return true;
}

bool Pairing::match(GraphNode& old, GraphNode& now) {
  const auto [pair, is_new] = pairs_.try_emplace(&old, &now);
  const auto [reverse, is_new_back] = back_.try_emplace(&now, &old);
  if (pair->second != &now || reverse->second != &old) return fail(cudaGraphExecUpdateErrorTopologyChanged, &now);
  if (!is_new) return true;
  if (same_order_ && old.position != now.position) return fail(cudaGraphExecUpdateErrorTopologyChanged, &now);
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
  if (std::holds_alternative<AllocWork>(now.work) || std::holds_alternative<FreeWork>(now.work))
    return fail(cudaGraphExecUpdateErrorNotSupported, &now);
  if (const auto* kernel = std::get_if<KernelWork>(&now.work))
    if (kernel->cooperative != std::get<KernelWork>(old.work).cooperative)
      return fail(cudaGraphExecUpdateErrorAttributesChanged, &now);
  if (const auto* child = std::get_if<ChildWork>(&now.work))
    return match(*std::get<ChildWork>(old.work).graph, *child->graph);
  if (const auto* conditional = std::get_if<ConditionalWork>(&now.work)) {
    const auto& before = std::get<ConditionalWork>(old.work);
    if (before.params.type != conditional->params.type || before.params.size != conditional->params.size)
      return fail(cudaGraphExecUpdateErrorParametersChanged, &now);
    return match_all(before.bodies, conditional->bodies);
  }
  return true;
}

void Pairing::apply() {
  for (const auto& [old, now] : pairs_)
    if (!std::holds_alternative<ChildWork>(now->work) && !std::holds_alternative<ConditionalWork>(now->work))
      old->work = copy_of(now->work);
}

}  // namespace

bool update(Graph& exec, const Graph& from, cudaGraphExecUpdateResultInfo* info, bool same_order) {
  *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  Pairing pairing(info, same_order);
  if (!pairing.match(exec, from)) return false;
  pairing.apply();
  return true;
}

}  // namespace lockstep::runtime
