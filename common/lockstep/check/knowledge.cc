#include "check/knowledge.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "base/widest.h"

namespace lockstep {
namespace {

constexpr uint32_t kBits = 4;  // bits of a warp's number that each level of the tree uses
constexpr uint32_t kFan = 1 << kBits;

}  // namespace

// One thread has all clocks of a launch, so that the count of owners need not be atomic.
struct Knowledge::Node {
  uint32_t owners, height;  // height: levels below it; a leaf has none
  union {
    std::array<Node*, kFan> branches;  // null: nothing is known
    Moments moments;
  };
};

namespace {

using Node = Knowledge::Node;

// ---- where nodes lie ----

// Nodes come and go with every release, and the allocator would take longer for them than all the rest does. They lie
// in large pages: clocks visit many nodes in no order, and the processor remembers the addresses of few pages.
//
// The nodes that one thread may use. Of the models of thread_local, this one makes no calls.
struct Room {
  Node* spare;            // a list, by branches[0]
  std::byte *next, *end;  // the part of the slab that was never used
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Room room = {};

// The next launch may run on another thread, and use or drop nodes of this one. So nodes are not freed when a thread
// ends: later threads take them over.
struct LeftRooms {
  std::mutex mutex;
  std::vector<Room> all;
  size_t slabs = 0;
};
LeftRooms& left_rooms() {
  static LeftRooms* const left = new LeftRooms;  // threads may end later than static objects
  return *left;
}
struct LeaveRoom {
  ~LeaveRoom() {
    LeftRooms& left = left_rooms();
    const std::scoped_lock lock(left.mutex);
    if (room.spare || room.next != room.end) left.all.push_back(std::exchange(room, {}));
  }
};

void take_room() {
  constexpr size_t kLargePage = 2 << 20;
  LeftRooms& left = left_rooms();
  const std::scoped_lock lock(left.mutex);
  if (!left.all.empty()) {
    room = left.all.back();
    return left.all.pop_back();
  }
  void* const slab = std::aligned_alloc(kLargePage, kLargePage);
  if (!slab) throw std::bad_alloc();
  // The first slab has small pages: most programs use only a part of it, and a large page is cleared as a whole.
  if (left.slabs++ > 0) madvise(slab, kLargePage, MADV_HUGEPAGE);
  room.next = static_cast<std::byte*>(slab);
  room.end = room.next + kLargePage / sizeof(Node) * sizeof(Node);
}

[[gnu::noinline]] void leave_room_at_the_end() { thread_local const LeaveRoom at_the_threads_end; }

[[gnu::noinline]] Node* allocate_node() {
  leave_room_at_the_end();
  if (room.next == room.end) take_room();
  if (room.spare) return std::exchange(room.spare, room.spare->branches[0]);
  return new (std::exchange(room.next, room.next + sizeof(Node))) Node;
}

// ---- nodes ----

// A new node has no owner yet.
Node* new_node(uint32_t height) {
  Node* const node = room.spare ? std::exchange(room.spare, room.spare->branches[0]) : allocate_node();
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
  if (!room.spare) leave_room_at_the_end();
  node->branches[0] = std::exchange(room.spare, node);
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

// One of the two is the result if it has the knowledge of both; if both have, the same one each time, so that clocks
// come to share it.
template <class JoinNodes>
[[gnu::always_inline]] inline Joined join_by(Node* a, Node* b, JoinNodes&& join_nodes) {
  if (a == b) return {a, true, true};
  if (!b) return {a, true, false};
  if (!a) return {b, false, true};
  Joined joined = join_nodes(a, b);
  if (joined.as_a && joined.as_b)
    joined.node = std::min(a, b);
  else if (joined.as_a || joined.as_b)
    joined.node = joined.as_a ? a : b;
  return joined;
}

[[gnu::always_inline]] inline Joined join_moments(const Node* a, const Node* b) {
  uint32_t beyond_a = 0, beyond_b = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    const uint32_t latest = std::max(a->moments[l], b->moments[l]);
    beyond_a |= latest ^ a->moments[l];
    beyond_b |= latest ^ b->moments[l];
  }
  if (!beyond_a || !beyond_b) return {nullptr, !beyond_a, !beyond_b};
  Node* const node = new_node(0);
  for (uint32_t l = 0; l < kWarpSize; ++l) node->moments[l] = std::max(a->moments[l], b->moments[l]);
  return {node, false, false};
}
[[gnu::always_inline]] inline Joined join_leaf(Node* a, Node* b) { return join_by(a, b, join_moments); }

// A bit for each branch that two nodes do not share.
uint32_t differing(const Node* a, const Node* b) {
  uint32_t differ = 0;
  for (uint32_t i = 0; i < kFan; ++i) differ |= static_cast<uint32_t>(a->branches[i] != b->branches[i]) << i;
  return differ;
}

// Nodes usually come from far caches. Their times overlap if they are asked for together.
[[gnu::always_inline]] inline void fetch(const Node* node) {
  if (!node) return;
  const auto* bytes = reinterpret_cast<const char*>(node);
  for (size_t i = 0; i < sizeof *node; i += 64) __builtin_prefetch(bytes + i);
}

template <class Join>
[[gnu::always_inline]] inline Joined join_branches(Node* a, Node* b, Join&& join_branch) {
  std::array<Node*, kFan> branches = a->branches;
  bool as_a = true, as_b = true;
  const uint32_t differ = differing(a, b);
  for (const uint32_t i : each_lane(differ)) fetch(a->branches[i]), fetch(b->branches[i]);
  for (const uint32_t i : each_lane(differ)) {
    const Joined joined = join_branch(a->branches[i], b->branches[i]);
    branches[i] = joined.node;
    as_a &= joined.as_a;
    as_b &= joined.as_b;
  }
  if (as_a || as_b) return {nullptr, as_a, as_b};
  Node* const node = new_node(a->height);
  std::ranges::transform(branches, node->branches.begin(), retain);
  return {node, false, false};
}
// Of nodes of height 1. Most work of clocks is done here, so one call joins all leaves of a node.
Joined join_leaves(Node* a, Node* b) { return join_branches(a, b, join_leaf); }

// The knowledge of two trees of one height.
Joined join(Node* a, Node* b) {
  return join_by(a, b, [](Node* one, Node* other) {
    if (one->height == 1) return widest<join_leaves>(one, other);
    return one->height ? join_branches(one, other, join) : join_moments(one, other);
  });
}

// Whether the node then knows more than the moments. Through a reference to its owner, there would be no vector
// instructions: each moment that is written might change the owner.
[[gnu::always_inline]] inline bool learn_moments(Node& node, const Moments& moments) {
  uint32_t beyond = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    const uint32_t latest = std::max(node.moments[l], moments[l]);
    beyond |= latest ^ moments[l];
    node.moments[l] = latest;
  }
  return beyond != 0;
}

[[gnu::always_inline]] inline void learn_leaf(Node*& node, Node* other) {
  if (!other || node == other) return;
  if (!node || node->owners > 1) return replace(node, join_leaf(node, other).node);
  if (!learn_moments(*node, other->moments)) replace(node, other);
}

template <class Learn>
[[gnu::always_inline]] inline void learn_branches(Node*& owner, Node* other, Learn&& learn_branch) {
  Node* const node = owner;
  bool same = true;
  const uint32_t differ = differing(node, other);
  for (const uint32_t i : each_lane(differ)) fetch(node->branches[i]), fetch(other->branches[i]);
  for (const uint32_t i : each_lane(differ)) {
    learn_branch(node->branches[i], other->branches[i]);
    same &= node->branches[i] == other->branches[i];
  }
  if (same) replace(owner, other);
}

// node = join(node, other). It is never inlined, because learn_levels() rarely needs it.
[[gnu::noipa]] void join_into(Node*& node, Node* other) { replace(node, join(node, other).node); }

// Both nodes have that height, and the first has one owner. One call learns all levels: a tree of at most 256 warps has
// two.
template <uint32_t height>
[[gnu::always_inline]] inline void learn_levels(Node** owner, Node* theirs) {
  learn_branches(*owner, theirs, [](Node*& node, Node* other) {
    if constexpr (height == 1) {
      learn_leaf(node, other);
    } else if (other && node != other) {
      if (!node || node->owners > 1) return join_into(node, other);
      learn_levels<height - 1>(&node, other);
    }
  });
}

// The same as node = join(node, other), but changes the nodes that nobody else has.
void learn(Node*& node, Node* other) {
  if (!other || node == other) return;
  if (!node || node->owners > 1) return join_into(node, other);
  if (node->height == 1) return widest<learn_levels<1>>(&node, other);
  if (node->height == 2) return widest<learn_levels<2>>(&node, other);
  node->height ? learn_branches(node, other, learn) : learn_leaf(node, other);
}

}  // namespace

size_t Knowledge::slabs() {
  LeftRooms& left = left_rooms();
  const std::scoped_lock lock(left.mutex);
  return left.slabs;
}

Knowledge::Knowledge(const Knowledge& other) : root_(retain(other.root_)) {}
Knowledge::~Knowledge() { drop(root_); }

[[gnu::always_inline]] inline const Knowledge::Node* Knowledge::find(uint64_t warp) const {
  const Node* node = root_;
  if (!node || warp >> kBits * node->height) return nullptr;
  for (uint32_t height = node->height; node && height > 0; --height)  // the heights of the others need not be fetched
    node = node->branches[warp >> kBits * (height - 1) & (kFan - 1)];
  return node;
}

bool Knowledge::knows(uint64_t warp, uint32_t lane, uint32_t time) const {
  const Node* const node = find(warp);
  return node && time < node->moments[lane];
}

bool Knowledge::includes(uint64_t warp, const Moments& moments) const {
  const Node* const node = find(warp);
  uint32_t beyond = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) beyond |= static_cast<uint32_t>(moments[l] > (node ? node->moments[l] : 0));
  return !beyond;
}

Moments Knowledge::moments(uint64_t warp) const {
  const Node* const node = find(warp);
  return node ? node->moments : Moments{};
}

void Knowledge::grow(uint32_t height) {
  while (root_ && root_->height < height) {
    Node* const above = empty_node(root_->height + 1);
    above->branches[0] = retain(root_);
    replace(root_, above);
  }
}

// Where the warp's leaf is. No other clock shares the way to it.
Knowledge::Node*& Knowledge::leaf(uint64_t warp) {
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

void Knowledge::learn(const Knowledge& other) {
  if (!other.root_ || root_ == other.root_) return;
  if (!root_) return void(*this = other);
  if (root_->height == other.root_->height) return lockstep::learn(root_, other.root_);
  Knowledge theirs = other;
  grow(theirs.root_->height);
  theirs.grow(root_->height);
  lockstep::learn(root_, theirs.root_);
}

void Knowledge::learn(uint64_t warp, const Moments& moments) {
  if (includes(warp, moments)) return;
  Node*& node = leaf(warp);
  own(node, 0);
  learn_moments(*node, moments);
}

void Knowledge::learn(const Accesses& accesses) {
  if (accesses.warps == 1 && accesses.before == 0) {  // usually: one lane
    const Node* const known = find(accesses.first_warp);
    if (accesses.moment <= (known ? known->moments[accesses.lane] : 0)) return;
    Node*& node = leaf(accesses.first_warp);
    own(node, 0);
    node->moments[accesses.lane] = accesses.moment;
    return;
  }
  Moments first;
  first.fill(accesses.before);
  first[accesses.lane] = std::max(accesses.before, accesses.moment);
  if (accesses.warps) learn(accesses.first_warp, first);
  if (accesses.warps < 2) return;
  Node* const all = retain(new_node(0));
  all->moments.fill(accesses.before);
  for (uint64_t i = 1; i < accesses.warps; ++i) lockstep::learn(leaf(accesses.first_warp + i), all);
  drop(all);
}

// ---- forgetting ----

namespace {

uint64_t hash_of(const Node& node) {
  uint64_t hash = node.height;
  const auto add = [&](uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29; };
  if (node.height)
    for (const Node* const branch : node.branches) add(reinterpret_cast<uintptr_t>(branch));
  else
    for (uint32_t l = 0; l < kWarpSize; l += 2) add(node.moments[l] | uint64_t{node.moments[l + 1]} << 32);
  return hash;
}

bool equal(const Node& a, const Node& b) {
  if (a.height != b.height) return false;
  return a.height ? a.branches == b.branches : a.moments == b.moments;
}

}  // namespace

Forgetting::~Forgetting() {
  for (const auto& [place, rest] : rests_) drop(place.first), drop(rest);
}

void Forgetting::in(Knowledge& knowledge) {
  if (knowledge.root_) replace(knowledge.root_, rest_of(knowledge.root_, 0));
}

// number: of the node among those of its height. Its rest may be null. Equal nodes are one node, also at several places
// of a tree. But what memory remembers differs from place to place.
Knowledge::Node* Forgetting::rest_of(Node* node, uint64_t number) {
  if (const auto met = rests_.find({node, number}); met != rests_.end()) return met->second;
  Node* rest = new_node(node->height);
  bool empty = true;
  if (node->height) {
    for (uint32_t i = 0; i < kFan; ++i) {
      Node* const branch = node->branches[i] ? rest_of(node->branches[i], number << kBits | i) : nullptr;
      rest->branches[i] = retain(branch);
      empty &= !branch;
    }
  } else {
    const Moments* const latest = remembered_.of(number);
    for (uint32_t l = 0; l < kWarpSize; ++l) {
      rest->moments[l] = latest ? std::min(node->moments[l], (*latest)[l]) : 0;
      empty &= !rest->moments[l];
    }
  }
  retain(rest);
  Node* const one = empty ? nullptr : one_of(rest);
  rests_.emplace(std::pair(retain(node), number), retain(one));
  drop(rest);
  return one;
}

// The first that was equal.
Knowledge::Node* Forgetting::one_of(Node* made) {
  const uint64_t hash = hash_of(*made);
  const auto [first, last] = equal_.equal_range(hash);
  for (auto i = first; i != last; ++i)
    if (equal(*i->second, *made)) return i->second;
  equal_.emplace(hash, made);
  return made;
}

}  // namespace lockstep
