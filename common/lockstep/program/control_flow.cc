#include "program/control_flow.h"

#include <algorithm>
#include <unordered_map>

#include "base/words.h"
#include "program/opcodes.h"
#include "ptx/lexer.h"

namespace lockstep {
namespace {

Kind kind_of(const Statement& s) {
  const Opcode* opcode = find_opcode(s.full_name());
  return opcode ? opcode->kind : Kind::kNothing;
}

bool is_branch(const Statement& s) { return kind_of(s) == Kind::kBranch || kind_of(s) == Kind::kBranchIndexed; }
bool leaves(const Statement& s) {
  const Kind kind = kind_of(s);
  return kind == Kind::kReturn || kind == Kind::kExit || kind == Kind::kTrap;
}

// The basic blocks of a function, and one virtual block at the end. Every way out of the function leads to it.
struct Blocks {
  std::vector<uint32_t> first;                    // first statement of each block
  std::vector<uint32_t> block_of;                 // statement → block
  std::vector<std::vector<uint32_t>> successors;  // the last is the virtual end, without successors
  uint32_t end() const { return static_cast<uint32_t>(first.size()); }
};

std::unordered_map<std::string, uint32_t> label_positions(const Function& function) {
  std::unordered_map<std::string, uint32_t> positions;
  for (uint32_t i = 0; i < function.body.size(); ++i)
    if (!function.body[i].label.empty()) positions[function.body[i].label] = i;
  return positions;
}

std::vector<std::string> targets_of(const Function& function, const Statement& s) {
  if (s.operands.size() < (s.opcode() == "bra" ? 1 : 2)) throw operand_is_missing(s);
  if (s.opcode() == "bra") return {s.operands[0].name};
  const auto table = function.branch_targets.find(s.operands[1].name);
  return table == function.branch_targets.end() ? std::vector<std::string>{} : table->second;
}

Blocks split(const Function& function) {
  const auto& body = function.body;
  const auto n = static_cast<uint32_t>(body.size());
  std::vector<bool> leader(n + 1, false);
  if (n > 0) leader[0] = true;
  for (uint32_t i = 0; i < n; ++i) {
    if (!body[i].label.empty()) leader[i] = true;
    if (is_branch(body[i]) || leaves(body[i])) leader[i + 1] = true;
  }
  Blocks blocks;
  blocks.block_of.resize(n);
  for (uint32_t i = 0; i < n; ++i) {
    if (leader[i]) blocks.first.push_back(i);
    blocks.block_of[i] = static_cast<uint32_t>(blocks.first.size() - 1);
  }
  blocks.successors.resize(blocks.first.size() + 1);
  const auto labels = label_positions(function);
  for (uint32_t b = 0; b < blocks.end(); ++b) {
    const uint32_t next = b + 1;  // the virtual end, for the last block
    const Statement& last = body[(next < blocks.end() ? blocks.first[next] : n) - 1];
    auto& out = blocks.successors[b];
    if (is_branch(last))
      for (const std::string& target : targets_of(function, last)) {
        const auto found = labels.find(target);
        if (found == labels.end())
          throw PtxError(last.location.ptx_line, words("no label '{name}'", {{"name", target}}));
        out.push_back(blocks.block_of[found->second]);
      }
    if (leaves(last)) out.push_back(blocks.end());
    if (!(is_branch(last) || leaves(last)) || !last.guard.empty()) out.push_back(next);
  }
  return blocks;
}

// The blocks in such an order that each comes after one of its successors.
std::vector<uint32_t> reverse_postorder_from_end(const Blocks& blocks,
                                                 const std::vector<std::vector<uint32_t>>& predecessors) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(predecessors.size(), false);
  std::vector<std::pair<uint32_t, size_t>> stack{{blocks.end(), 0}};
  seen[blocks.end()] = true;
  while (!stack.empty()) {
    auto& [b, i] = stack.back();
    if (i < predecessors[b].size()) {
      const uint32_t p = predecessors[b][i++];
      if (!seen[p]) seen[p] = true, stack.emplace_back(p, 0);
    } else {
      order.push_back(b);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Immediate post-dominators: the iterative algorithm of Cooper, Harvey and Kennedy, on the reversed graph.
// kNowhere for blocks from which the end cannot be reached.
std::vector<uint32_t> post_dominators(const Blocks& blocks) {
  const size_t count = blocks.successors.size();
  std::vector<std::vector<uint32_t>> predecessors(count);
  for (uint32_t b = 0; b < count; ++b)
    for (const uint32_t s : blocks.successors[b]) predecessors[s].push_back(b);
  const std::vector<uint32_t> order = reverse_postorder_from_end(blocks, predecessors);
  std::vector<uint32_t> rank(count, kNowhere), idom(count, kNowhere);
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  idom[blocks.end()] = blocks.end();
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) (rank[a] > rank[b] ? a : b) = idom[rank[a] > rank[b] ? a : b];
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const uint32_t b : order) {
      if (b == blocks.end()) continue;
      uint32_t found = kNowhere;
      for (const uint32_t s : blocks.successors[b])
        if (idom[s] != kNowhere) found = found == kNowhere ? s : meet(found, s);
      if (found != idom[b]) idom[b] = found, changed = true;
    }
  }
  return idom;
}

}  // namespace

std::vector<uint32_t> reconvergence_points(const Function& function) {
  std::vector<uint32_t> points(function.body.size(), kNowhere);
  const Blocks blocks = split(function);
  const std::vector<uint32_t> idom = post_dominators(blocks);
  for (uint32_t i = 0; i < points.size(); ++i) {
    if (!is_branch(function.body[i])) continue;
    const uint32_t meeting = idom[blocks.block_of[i]];
    if (meeting != kNowhere && meeting != blocks.end()) points[i] = blocks.first[meeting];
  }
  return points;
}

// Marks the blocks that forward ways from both sides of branch `b` reach before `meeting`, if several ways lead there.
static void mark_meetings(const Blocks& blocks, const std::vector<uint32_t>& ways, uint32_t b, uint32_t meeting,
                          std::vector<bool>& found) {
  std::vector<uint32_t> first(blocks.end(), kNowhere);  // the side that reached the block first
  for (uint32_t side = 0; side < blocks.successors[b].size(); ++side) {
    std::vector<bool> seen(blocks.end(), false);
    std::vector<uint32_t> open{blocks.successors[b][side]};
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      if (at <= b || at == meeting || at == blocks.end() || seen[at]) continue;
      seen[at] = true;
      if (first[at] == kNowhere) first[at] = side;
      if (first[at] != side && ways[at] > 1) found[at] = true;
      for (const uint32_t next : blocks.successors[at])
        if (next > at) open.push_back(next);
    }
  }
}

// Where a way goes on that leads to this block, if nothing but jumps stands there.
static uint32_t behind_jumps(const Function& function, const Blocks& blocks, uint32_t b) {
  const auto only_jumps = [&](uint32_t at) {
    if (at >= blocks.end() || blocks.successors[at].size() != 1 || blocks.successors[at][0] <= at + 1) return false;
    const uint32_t end = at + 1 < blocks.end() ? blocks.first[at + 1] : static_cast<uint32_t>(function.body.size());
    return std::all_of(function.body.begin() + blocks.first[at], function.body.begin() + end,
                       [](const Statement& s) { return !s.label.empty() || is_branch(s); });
  };
  while (only_jumps(b)) b = blocks.successors[b][0];
  return b;
}

std::vector<bool> early_meetings(const Function& function) {
  const Blocks blocks = split(function);
  const std::vector<uint32_t> idom = post_dominators(blocks);
  std::vector<uint32_t> ways(blocks.end() + 1, 0), end(blocks.end() + 1, 0);  // end: behind the loop that begins here
  for (uint32_t b = 0; b < blocks.end(); ++b)
    for (const uint32_t s : blocks.successors[b]) {
      ways[s] += s > b;
      if (s <= b) end[s] = std::max(end[s], b + 1);
    }
  std::vector<bool> found(blocks.end() + 1, false);
  for (uint32_t b = 0; b < blocks.end(); ++b) {
    if (blocks.successors[b].size() < 2) continue;
    mark_meetings(blocks, ways, b, idom[b], found);
    // Lanes leave a loop in different turns.
    for (uint32_t head = 0; head <= b; ++head)
      for (const uint32_t s : blocks.successors[b])
        if (const uint32_t to = behind_jumps(function, blocks, s); b < end[head] && to >= end[head] && to != idom[b])
          found[to] = true;
  }
  std::vector<bool> result(function.body.size() + 1, false);
  for (uint32_t b = 0; b < blocks.end(); ++b)
    if (found[b]) result[blocks.first[b]] = true;
  return result;
}

std::vector<std::vector<uint32_t>> straight_runs(const Function& function) {
  const Blocks blocks = split(function);
  std::vector<uint32_t> ways(blocks.end() + 1, 0);  // that lead to the block
  if (blocks.end() > 0) ways[0] = 1;
  for (const auto& successors : blocks.successors)
    for (const uint32_t to : successors) ++ways[to];
  const auto only_next = [&](uint32_t b) {
    const auto& next = blocks.successors[b];
    return next.size() == 1 && next[0] != blocks.end() && ways[next[0]] == 1 ? next[0] : kNowhere;
  };
  std::vector<bool> continues(blocks.end() + 1, false);
  for (uint32_t b = 0; b < blocks.end(); ++b)
    if (const uint32_t next = only_next(b); next != kNowhere) continues[next] = true;
  std::vector<std::vector<uint32_t>> runs;
  for (uint32_t first = 0; first < blocks.end(); ++first) {
    if (continues[first] || ways[first] == 0) continue;
    std::vector<uint32_t>& run = runs.emplace_back();
    for (uint32_t b = first; b != kNowhere; b = only_next(b)) {
      const uint32_t end = b + 1 < blocks.end() ? blocks.first[b + 1] : static_cast<uint32_t>(function.body.size());
      for (uint32_t at = blocks.first[b]; at < end; ++at) run.push_back(at);
    }
  }
  return runs;
}

}  // namespace lockstep
