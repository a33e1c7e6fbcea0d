#include "sass/flow.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lockstep {
namespace {

using Edges = std::vector<std::vector<uint32_t>>;
constexpr uint32_t kNone = 0xffffffffu;

Edges reversed(const Edges& edges) {
  Edges result(edges.size());
  for (uint32_t from = 0; from < edges.size(); ++from)
    for (const uint32_t to : edges[from]) result[to].push_back(from);
  return result;
}

// Reverse postorder from the start: every node comes after one of its predecessors.
std::vector<uint32_t> order_from(uint32_t start, const Edges& edges) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(edges.size());
  std::vector<std::pair<uint32_t, size_t>> open{{start, 0}};
  seen[start] = true;
  while (!open.empty()) {
    auto& [node, next] = open.back();
    if (next == edges[node].size()) {
      order.push_back(node);
      open.pop_back();
    } else if (const uint32_t to = edges[node][next++]; !seen[to]) {
      seen[to] = true;
      open.emplace_back(to, 0);
    }
  }
  std::ranges::reverse(order);
  return order;
}

// The dominators of each node on the ways from the start, as a tree (Cooper, Harvey and Kennedy).
class Dominators {
 public:
  Dominators(uint32_t start, const Edges& edges) : rank_(edges.size(), kNone), parent_(edges.size(), kNone) {
    const std::vector<uint32_t> order = order_from(start, edges);
    for (uint32_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
    const Edges before = reversed(edges);
    parent_[start] = start;
    for (bool changed = true; changed;) {
      changed = false;
      for (const uint32_t node : order) {
        if (node == start) continue;
        uint32_t found = kNone;
        for (const uint32_t from : before[node])
          if (parent_[from] != kNone) found = found == kNone ? from : meet(found, from);
        changed |= std::exchange(parent_[node], found) != found;
      }
    }
  }
  // Whether every way to `node` passes `by`. False for a node that cannot be reached.
  bool dominates(uint32_t by, uint32_t node) const {
    if (rank_[node] == kNone || rank_[by] == kNone) return false;
    while (rank_[node] > rank_[by]) node = parent_[node];
    return node == by;
  }

 private:
  uint32_t meet(uint32_t a, uint32_t b) const {
    while (a != b) (rank_[a] > rank_[b] ? a : b) = parent_[rank_[a] > rank_[b] ? a : b];
    return a;
  }
  std::vector<uint32_t> rank_, parent_;
};

// The instructions of each natural loop, by the instruction at which it begins.
std::map<uint32_t, std::vector<bool>> loops(const Edges& edges, const Dominators& dominators) {
  const Edges before = reversed(edges);
  std::map<uint32_t, std::vector<bool>> found;
  for (uint32_t from = 0; from < edges.size(); ++from)
    for (const uint32_t head : edges[from]) {
      if (!dominators.dominates(head, from)) continue;
      std::vector<bool>& body = found.try_emplace(head, edges.size(), false).first->second;
      body[head] = true;
      std::vector<uint32_t> open{from};
      while (!open.empty()) {
        const uint32_t node = open.back();
        open.pop_back();
        if (body[node]) continue;
        body[node] = true;
        open.insert(open.end(), before[node].begin(), before[node].end());
      }
    }
  return found;
}

}  // namespace

std::vector<Place> places(const Flow& flow) {
  const uint32_t end = flow.end(), start = end + 1;  // of all functions together
  Edges edges = flow.successors;
  edges.push_back({});
  edges.push_back(flow.roots);
  const Dominators dominators(start, edges), after(end, reversed(edges));
  std::vector<uint32_t> begin(end, start), size(end, kNone);  // of the innermost loop of each instruction
  std::vector<Place> result(end);
  std::vector<size_t> outer_size(end, 0);
  for (const auto& [head, body] : loops(edges, dominators)) {
    const auto count = static_cast<uint32_t>(std::ranges::count(body, true));
    for (uint32_t i = 0; i < end; ++i) {
      if (!body[i]) continue;
      ++result[i].loops;
      if (count < size[i]) size[i] = count, begin[i] = head;
      if (count > outer_size[i]) outer_size[i] = count, result[i].outer = head;
    }
  }
  for (uint32_t i = 0; i < end; ++i) {
    uint32_t from = begin[i];
    if (from == start)
      for (const uint32_t root : flow.roots)
        if (dominators.dominates(root, i)) from = root;
    result[i].conditional = !after.dominates(i, from);
  }
  return result;
}

}  // namespace lockstep
