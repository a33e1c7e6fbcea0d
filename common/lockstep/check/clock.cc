#include "check/clock.h"

#include <algorithm>

namespace lockstep {
namespace {

// Appends an entry of a sorted list. A warp's entry stands behind those of its threads, and replaces those that it
// covers.
void append(std::vector<std::pair<uint32_t, uint32_t>>& to, std::pair<uint32_t, uint32_t> entry, uint32_t all) {
  if (entry.second <= all) return;
  if ((entry.first & 0xff) == 0xff) {
    auto threads = to.end();
    while (threads != to.begin() && (threads - 1)->first >> 8 == entry.first >> 8) --threads;
    to.erase(std::remove_if(threads, to.end(), [&](const auto& e) { return e.second <= entry.second; }), to.end());
  }
  to.push_back(entry);
}

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
  if (knows(other)) return;
  all = std::max(all, other.all);
  std::vector<std::pair<uint32_t, uint32_t>> joined;
  joined.reserve(some.size() + other.some.size());
  auto a = some.cbegin(), b = other.some.cbegin();
  while (a != some.cend() || b != other.some.cend()) {
    if (b == other.some.cend() || (a != some.cend() && a->first < b->first)) {
      append(joined, *a++, all);
    } else if (a == some.cend() || b->first < a->first) {
      append(joined, *b++, all);
    } else {
      append(joined, {a->first, std::max(a->second, b->second)}, all);
      ++a, ++b;
    }
  }
  some = std::move(joined);
}

bool Known::knows(const Known& other) const {
  if (other.all > all) return false;
  auto at = some.begin();
  for (const auto& [key, time] : other.some) {
    if (time <= all) continue;
    while (at != some.end() && at->first < key) ++at;
    if ((at == some.end() || at->first != key || at->second < time) && of(key | 0xff) < time) return false;
  }
  return true;
}

uint32_t Known::of(uint32_t key) const {
  const auto at = std::lower_bound(some.begin(), some.end(), std::pair(key, uint32_t{0}));
  return at == some.end() || at->first != key ? 0 : at->second;
}

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
  bool as_a = a->known.knows(b->known), as_b = b->known.knows(a->known);
  std::array<Tree, kFan> branches;
  for (uint32_t i = 0; i < kFan; ++i) {
    branches[i] = join(a->branches[i], b->branches[i]);
    as_a &= branches[i] == a->branches[i];
    as_b &= branches[i] == b->branches[i];
  }
  if (as_a || as_b) return as_a ? a : b;
  const Tree joined(new Node{0, std::move(branches), a->known});
  joined->known.learn(b->known);
  return joined;
}

Clock::Tree Clock::join(const Tree& tree, uint32_t height, uint64_t block, const Known& known) {
  if (tree && height == 0 && tree->known.knows(known)) return tree;
  const Tree joined(tree ? new Node{0, tree->branches, tree->known} : new Node);
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
    const Tree above(new Node);
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
