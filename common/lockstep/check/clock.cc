#include "check/clock.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr uint32_t kBits = 4;  // bits of a warp's number that each level of the tree uses
constexpr uint32_t kFan = 1 << kBits;

}  // namespace

// One thread has all clocks of a launch, so that the count of owners need not be atomic.
struct Clock::Node {
  uint32_t owners, height;  // height: levels below it; a leaf has none
  union {
    std::array<Node*, kFan> branches;  // null: nothing is known
    Moments moments;
  };
};

namespace {

using Node = Clock::Node;

// Nodes come and go with every release. The allocator takes longer for them than all the rest does.
class SpareNodes {
 public:
  ~SpareNodes() {
    while (first_) delete std::exchange(first_, first_->branches[0]);
  }
  Node* take() { return first_ ? std::exchange(first_, first_->branches[0]) : new Node; }
  void give(Node* node) { node->branches[0] = std::exchange(first_, node); }

 private:
  Node* first_ = nullptr;
};
thread_local SpareNodes spare_nodes;

// A new node has no owner yet.
Node* new_node(uint32_t height) {
  Node* const node = spare_nodes.take();
  node->owners = 0;
  node->height = height;
  return node;
}

Node* retain(Node* node) {
  if (node) ++node->owners;
  return node;
}

void drop(Node* node) {
  if (!node || --node->owners) return;
  if (node->height)
    for (Node* const branch : node->branches) drop(branch);
  spare_nodes.give(node);
}

void replace(Node*& owner, Node* node) { drop(std::exchange(owner, retain(node))); }

Node* empty_node(uint32_t height) {
  Node* const node = new_node(height);
  if (height)
    node->branches.fill(nullptr);
  else
    node->moments.fill(0);
  return node;
}

// Makes sure that the owner has the node for itself, so that it may change.
void own(Node*& owner, uint32_t height) {
  if (owner && owner->owners == 1) return;
  Node* mine = nullptr;
  if (!owner) {
    mine = empty_node(height);
  } else {
    mine = new_node(height);
    if (height)
      std::ranges::transform(owner->branches, mine->branches.begin(), retain);
    else
      mine->moments = owner->moments;
  }
  replace(owner, mine);
}

struct Joined {
  Node* node;
  bool as_a, as_b;  // says no more than a, or than b
};

Joined join(Node* a, Node* b);

Joined join_moments(Node* a, Node* b) {
  Moments latest;
  uint32_t beyond_a = 0, beyond_b = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    latest[l] = std::max(a->moments[l], b->moments[l]);
    beyond_a |= latest[l] ^ a->moments[l];
    beyond_b |= latest[l] ^ b->moments[l];
  }
  if (!beyond_a || !beyond_b) return {nullptr, !beyond_a, !beyond_b};
  Node* const node = new_node(0);
  node->moments = latest;
  return {node, false, false};
}

Joined join_branches(Node* a, Node* b) {
  std::array<Node*, kFan> branches;
  bool as_a = true, as_b = true;
  for (uint32_t i = 0; i < kFan; ++i) {
    const Joined joined = join(a->branches[i], b->branches[i]);
    branches[i] = joined.node;
    as_a &= joined.as_a;
    as_b &= joined.as_b;
  }
  if (as_a || as_b) return {nullptr, as_a, as_b};
  Node* const node = new_node(a->height);
  std::ranges::transform(branches, node->branches.begin(), retain);
  return {node, false, false};
}

// The knowledge of two trees of one height. One of them is the result if it has the knowledge of both; if both have,
// the same one each time, so that clocks come to share it.
Joined join(Node* a, Node* b) {
  if (a == b) return {a, true, true};
  if (!b) return {a, true, false};
  if (!a) return {b, false, true};
  Joined joined = a->height ? join_branches(a, b) : join_moments(a, b);
  if (joined.as_a && joined.as_b)
    joined.node = std::min(a, b);
  else if (joined.as_a || joined.as_b)
    joined.node = joined.as_a ? a : b;
  return joined;
}

}  // namespace

Clock::Clock(const Clock& other) : root_(retain(other.root_)) {}
Clock::~Clock() { drop(root_); }

bool Clock::knows(uint64_t warp, uint32_t lane, uint32_t time) const {
  const Node* node = root_;
  if (!node || warp >> kBits * node->height) return false;
  while (node && node->height) node = node->branches[warp >> kBits * (node->height - 1) & (kFan - 1)];
  return node && time < node->moments[lane];
}

void Clock::grow(uint32_t height) {
  while (root_ && root_->height < height) {
    Node* const above = empty_node(root_->height + 1);
    above->branches[0] = retain(root_);
    replace(root_, above);
  }
}

// Where the warp's leaf is. No other clock shares the way to it.
Clock::Node*& Clock::leaf(uint64_t warp) {
  uint32_t height = root_ ? root_->height : 0;
  while (warp >> kBits * height) ++height;
  grow(height);
  Node** at = &root_;
  for (; height > 0; --height) {
    own(*at, height);
    at = &(*at)->branches[warp >> kBits * (height - 1) & (kFan - 1)];
  }
  return *at;
}

void Clock::learn(const Clock& other) {
  if (!other.root_ || root_ == other.root_) return;
  if (!root_) return void(*this = other);
  Clock theirs = other;
  grow(theirs.root_->height);
  theirs.grow(root_->height);
  replace(root_, join(root_, theirs.root_).node);
}

void Clock::learn(uint64_t warp, const Moments& moments) {
  Node*& node = leaf(warp);
  own(node, 0);
  for (uint32_t l = 0; l < kWarpSize; ++l) node->moments[l] = std::max(node->moments[l], moments[l]);
}

void Clock::learn(uint64_t first_warp, uint32_t warps, uint32_t moment) {
  Node* const all = retain(new_node(0));
  all->moments.fill(moment);
  for (uint64_t warp = first_warp; warp < first_warp + warps; ++warp) {
    Node*& node = leaf(warp);
    replace(node, join(node, all).node);
  }
  drop(all);
}

}  // namespace lockstep
