#include "check/clock.h"

#include <algorithm>
#include <array>

namespace lockstep {
namespace {
constexpr uint32_t kBits = 4;  // bits of the block number that each level of the tree uses
constexpr uint32_t kFan = 1 << kBits;
}  // namespace

void Known::learn(uint32_t key, uint32_t time) {
  if (time <= all) return;
  const auto at = std::lower_bound(some.begin(), some.end(), std::pair(key, uint32_t{0}));
  if (at == some.end() || at->first != key)
    some.emplace(at, key, time);
  else
    at->second = std::max(at->second, time);
}

void Known::learn(const Known& other) {
  all = std::max(all, other.all);
  std::erase_if(some, [&](const auto& entry) { return entry.second <= all; });
  for (const auto& [key, time] : other.some) learn(key, time);
}

uint32_t Known::of(uint32_t key) const {
  const auto at = std::lower_bound(some.begin(), some.end(), std::pair(key, uint32_t{0}));
  return at == some.end() || at->first != key ? 0 : at->second;
}

struct Clock::Node {
  std::array<Tree, kFan> branches{};  // used by an inner node
  Known known;                        // used by a leaf
};

bool Clock::knows(uint64_t block, uint32_t warp, uint32_t lane, uint32_t time) const {
  if (!root_ || block >> (kBits * height_)) return false;
  const Node* node = root_.get();
  for (uint32_t level = height_; level-- > 0;) {
    node = node->branches[block >> (kBits * level) & (kFan - 1)].get();
    if (!node) return false;
  }
  const Known& known = node->known;
  return time < known.all || (!known.some.empty() && (time < known.of(Known::warp_key(warp)) ||
                                                      time < known.of(Known::thread_key(warp, lane))));
}

// Joins two trees. Returns one of them unchanged if it already has the knowledge of both, so that clocks share it.
Clock::Tree Clock::join(const Tree& a, const Tree& b) {
  if (a == b || !b) return a;
  if (!a) return b;
  auto joined = std::make_shared<Node>(*a);
  joined->known.learn(b->known);
  bool as_a = joined->known.all == a->known.all && joined->known.some == a->known.some;
  bool as_b = joined->known.all == b->known.all && joined->known.some == b->known.some;
  for (uint32_t i = 0; i < kFan; ++i) {
    joined->branches[i] = join(a->branches[i], b->branches[i]);
    as_a &= joined->branches[i] == a->branches[i];
    as_b &= joined->branches[i] == b->branches[i];
  }
  return as_a ? a : as_b ? b : joined;
}

Clock::Tree Clock::join(const Tree& tree, uint32_t height, uint64_t block, const Known& known) {
  auto joined = tree ? std::make_shared<Node>(*tree) : std::make_shared<Node>();
  if (height == 0) {
    joined->known.learn(known);
  } else {
    Tree& branch = joined->branches[block >> (kBits * (height - 1)) & (kFan - 1)];
    branch = join(branch, height - 1, block, known);
  }
  return joined;
}

void Clock::grow(uint32_t height) {
  for (; height_ < height; ++height_) {
    if (!root_) continue;
    auto above = std::make_shared<Node>();
    above->branches[0] = root_;
    root_ = above;
  }
}

void Clock::learn(const Clock& other) {
  if (!other.root_ || root_ == other.root_) return;
  Clock theirs = other;
  grow(theirs.height_);
  theirs.grow(height_);
  root_ = join(root_, theirs.root_);
}

void Clock::learn(uint64_t block, const Known& known) {
  uint32_t height = height_;
  while (block >> (kBits * height)) ++height;
  grow(height);
  root_ = join(root_, height_, block, known);
}

}  // namespace lockstep
