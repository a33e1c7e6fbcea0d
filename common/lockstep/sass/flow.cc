#include "sass/flow.h"

#include <algorithm>
#include <map>
#include <set>
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
    order_ = order_from(start, edges);
    for (uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
    const Edges before = reversed(edges);
    parent_[start] = start;
    for (bool changed = true; changed;) {
      changed = false;
      for (const uint32_t node : order_) {
        if (node == start) continue;
        uint32_t found = kNone;
        for (const uint32_t from : before[node])
          if (parent_[from] != kNone) found = found == kNone ? from : meet(found, from);
        changed |= std::exchange(parent_[node], found) != found;
      }
    }
  }
  const std::vector<uint32_t>& order() const { return order_; }  // every node behind its parent
  // The last of those, except the node itself.
  uint32_t parent(uint32_t node) const { return parent_[node]; }
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
  std::vector<uint32_t> order_, rank_, parent_;
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
      spread(from, body, [&](uint32_t node) -> const std::vector<uint32_t>& { return before[node]; });
    }
  return found;
}

// Which branches decide whether a node is reached: those with a way on which it is certain, and another on which not.
Edges find_deciders(const Edges& edges, const Dominators& after) {
  Edges result(edges.size());
  for (uint32_t branch = 0; branch < edges.size(); ++branch) {
    if (edges[branch].size() < 2 || after.parent(branch) == kNone) continue;
    for (const uint32_t first : edges[branch])
      for (uint32_t node = first; node != kNone && node != after.parent(branch); node = after.parent(node)) {
        if (result[node].empty() || result[node].back() != branch) result[node].push_back(branch);
        if (node == after.parent(node)) break;  // the end
      }
  }
  return result;
}

// Marks the nodes that forward ways from several sides of the branch reach before its lanes are all together.
void mark_meetings(const Edges& edges, const Edges& back, const std::vector<uint32_t>& ways, uint32_t branch,
                   uint32_t meeting, std::vector<bool>& found) {
  const auto end = static_cast<uint32_t>(back.size());
  std::map<uint32_t, uint32_t> first;  // the side that reached the node first
  for (uint32_t side = 0; side < edges[branch].size(); ++side) {
    std::set<uint32_t> seen;
    std::vector<uint32_t> open{edges[branch][side]};
    if (std::ranges::count(back[branch], open[0])) continue;
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      if (at == meeting || at >= end || !seen.insert(at).second) continue;
      if (first.try_emplace(at, side).first->second != side && ways[at] > 1) found[at] = true;
      for (const uint32_t next : edges[at])
        if (!std::ranges::count(back[at], next)) open.push_back(next);
    }
  }
}

// Whether nothing stands between the instructions of the loop, except jumps.
bool is_in_one_piece(const std::vector<bool>& body, uint32_t head, const Edges& edges) {
  auto left = std::ranges::count(body, true);
  for (uint32_t at = head; left > 0; ++at) {
    if (at == body.size() || (!body[at] && (edges[at].size() != 1 || edges[at][0] == at + 1))) return false;
    left -= body[at];
  }
  return true;
}

// Whether lanes may step back from `first` to the head of their loop before they come to the meeting.
bool begins_next_turn(uint32_t first, const std::vector<bool>& body, uint32_t head, uint32_t meeting,
                      const Edges& edges) {
  std::vector<bool> reached(body.size(), false);
  spread(first, reached,
         [&](uint32_t at) { return at == head || at == meeting || !body[at] ? std::vector<uint32_t>() : edges[at]; });
  return reached[head];
}

// The branches in the loop of which several sides stay there, and so many sides begin the next turn before all meet.
std::vector<uint32_t> begin_turns_apart(const std::vector<bool>& body, uint32_t head, uint32_t sides,
                                        const Edges& edges, const Dominators& after) {
  std::vector<uint32_t> found;
  for (uint32_t branch = 0; branch < body.size(); ++branch) {
    const uint32_t meeting = after.parent(branch);
    if (!body[branch] || edges[branch].size() < 2 || meeting == head) continue;
    const auto stays = [&](uint32_t to) { return body[to]; };
    const auto is_early = [&](uint32_t to) { return begins_next_turn(to, body, head, meeting, edges); };
    if (std::ranges::count_if(edges[branch], stays) > 1 && std::ranges::count_if(edges[branch], is_early) >= sides)
      found.push_back(branch);
  }
  return found;
}

}  // namespace

FlowFacts::FlowFacts(Flow flow)
    : flow_(std::move(flow)), places_(flow_.end()), back_(flow_.end()), loops_(flow_.end()) {
  const uint32_t end = flow_.end(), start = end + 1;  // of all functions together
  Edges edges = flow_.successors;
  edges.push_back({});
  predecessors_ = reversed(edges);
  edges.push_back(flow_.roots);
  const Dominators dominators(start, edges), after(end, reversed(edges));
  std::vector<uint32_t> ways(end + 2, 0);
  for (uint32_t from = 0; from < end; ++from)
    for (const uint32_t to : edges[from])
      if (dominators.dominates(to, from))
        back_[from].push_back(to);
      else
        ++ways[to], in_order_ &= to > from;
  std::vector<bool> early(end + 2, false);
  std::vector<size_t> outer_size(end, 0);
  for (uint32_t i = 0; i < end; ++i) {
    dominators_.push_back(dominators.parent(i));
    together_.push_back(after.parent(i));
  }
  const std::map<uint32_t, std::vector<bool>> bodies = lockstep::loops(edges, dominators);
  std::map<uint32_t, size_t> sizes;
  for (const auto& [head, body] : bodies) {
    const auto count = sizes[head] = static_cast<size_t>(std::ranges::count(body, true));
    for (uint32_t i = 0; i < end; ++i) {
      if (!body[i]) continue;
      ++places_[i].loops;
      loops_[i].push_back(head);
      if (count > outer_size[i]) outer_size[i] = count, places_[i].outer = head;
      for (const uint32_t to : edges[i])  // lanes leave the loop in different turns
        if (!body[to] && after.parent(i) != to) early[to] = true;
    }
    in_order_ &= is_in_one_piece(body, head, edges);
    // With several steps back, lanes come into different turns. With one, they may meet before it: if those further
    // behind go first, they do.
    const auto steps = std::ranges::count_if(back_, [&](const auto& to) { return std::ranges::count(to, head) > 0; });
    std::vector<uint32_t> apart = begin_turns_apart(body, head, steps > 1 ? 1 : 2, edges, after);
    for (uint32_t i = 0; i < end; ++i) places_[i].turns = places_[i].turns || (body[i] && !apart.empty());
    // A `continue` may skip the only way out of a loop. Then all lanes meet before this way out, some of them in a
    // later turn. ptxas lets them meet before the step back.
    if (steps == 1) {
      apart = begin_turns_apart(body, head, 1, edges, after);
      std::erase_if(apart, [&](uint32_t branch) {
        const uint32_t meeting = after.parent(branch);
        return meeting >= end || !body[meeting];
      });
    }
    turns_apart_[head] = std::move(apart);
  }
  for (std::vector<uint32_t>& around : loops_)  // a loop is smaller than those around it
    std::ranges::stable_sort(around, std::ranges::greater(), [&](uint32_t head) { return sizes.at(head); });
  edges.back().clear();  // which function is called is not a condition
  deciders_ = find_deciders(edges, after);
  for (uint32_t branch = 0; branch < end; ++branch)
    if (edges[branch].size() > 1) mark_meetings(edges, back_, ways, branch, after.parent(branch), early);
  early_.assign(early.begin(), early.begin() + end);
  for (const uint32_t node : dominators.order()) {
    if (node >= end) continue;
    const uint32_t before = dominators.parent(node);
    const bool same_loop = before < end && places_[before].outer == places_[node].outer;
    places_[node].merges = early[node] || (same_loop && places_[before].merges);
  }
}

// The instructions behind the meeting that may come before it without a step back in a loop around it.
std::vector<uint32_t> FlowFacts::late_before(uint32_t meeting) const {
  std::vector<bool> before(flow_.end() + 1, false);
  const std::vector<uint32_t>& around = loops_[meeting];
  spread(meeting, before, [&](uint32_t at) {
    std::vector<uint32_t> from = predecessors_[at];
    if (std::ranges::count(around, at) > 0) std::erase_if(from, [&](uint32_t one) { return goes_back(one, at); });
    return from;
  });
  std::vector<uint32_t> late;
  for (uint32_t at = meeting + 1; at < flow_.end(); ++at)
    if (before[at]) late.push_back(at);
  return late;
}

bool FlowFacts::meets_in_order(uint32_t meeting) const {
  const std::vector<uint32_t> late = late_before(meeting);
  const auto is_late_from = [&](uint32_t branch) {
    uint32_t sides = 0;
    bool is_late = false;
    for (const uint32_t side : flow_.successors[branch]) {
      std::vector<bool> reached(flow_.end() + 1, false);  // before all lanes are together
      spread(side, reached, [&](uint32_t at) {
        return at == together_[branch] || at >= flow_.end() ? std::vector<uint32_t>() : flow_.successors[at];
      });
      if (!reached[meeting]) continue;
      ++sides;
      is_late |= std::ranges::any_of(late, [&](uint32_t at) { return reached[at]; });
    }
    return sides > 1 && is_late;
  };
  for (uint32_t branch = 0; branch < flow_.end() && !late.empty(); ++branch)
    if (flow_.successors[branch].size() > 1 && together_[branch] != meeting && is_late_from(branch)) return false;
  return true;
}

std::vector<bool> FlowFacts::before_in_turn(uint32_t instruction) const {
  std::vector<bool> before(flow_.end() + 1, false);
  spread(instruction, before, [&](uint32_t at) {
    std::vector<uint32_t> from = predecessors_[at];
    std::erase_if(from, [&](uint32_t one) { return goes_back(one, at); });
    return from;
  });
  return before;
}

std::vector<Asked> FlowFacts::conditions(uint32_t instruction) const {
  std::vector<Asked> found;
  const std::vector<bool> before = before_in_turn(instruction);
  const auto add = [&](uint32_t at) {
    if (flow_.asks[at].near.empty()) return;
    found.push_back(flow_.asks[at]);
    found.back().at = at;
    found.back().in_turn = before[at];
  };
  add(instruction);
  std::vector<bool> seen(flow_.end());
  std::vector<uint32_t> open = deciders_[instruction];
  while (!open.empty()) {
    const uint32_t branch = open.back();
    open.pop_back();
    if (branch >= flow_.end() || seen[branch]) continue;
    seen[branch] = true;
    add(branch);
    open.insert(open.end(), deciders_[branch].begin(), deciders_[branch].end());
  }
  return found;
}

}  // namespace lockstep
