// clock: the knowledge of one thread about the other threads: for each block, the moment up to which it knows all
// threads, one warp, or one thread. Each block counts its own moments (order.h).
//
// A clock is a tree over block numbers. Clocks share branches that are equal, which are never copied. So a chain of
// blocks in which each learns from the one before it (decoupled look-back, a grid's barrier) stays cheap.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep {

// The knowledge about one block: its accesses before these moments are known.
struct Known {
  uint32_t all = 0;                                 // for every thread
  std::vector<std::pair<uint32_t, uint32_t>> some;  // key of a warp or a thread → moment; sorted by key

  static uint32_t warp_key(uint32_t warp) { return warp << 8 | 0xff; }
  static uint32_t thread_key(uint32_t warp, uint32_t lane) { return warp << 8 | lane; }
  void learn(uint32_t key, uint32_t time);
  void learn(const Known& other);
  bool knows(const Known& other) const;
  uint32_t of(uint32_t key) const;
};

// Of a tree that clocks share: counts its owners. One thread has all clocks of a launch, so the count need not be
// atomic; std::shared_ptr's is, and took most of the time.
template <class Node>
class Shared {
 public:
  Shared() = default;
  explicit Shared(Node* node) : node_(node) { retain(); }
  Shared(const Shared& other) : node_(other.node_) { retain(); }
  Shared(Shared&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Shared() {
    if (node_ && --node_->owners == 0) delete node_;
  }
  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const Shared& other) const = default;
  Node* operator->() const { return node_; }
  Node& operator*() const { return *node_; }
  Node* get() const { return node_; }

 private:
  void retain() {
    if (node_) ++node_->owners;
  }
  Node* node_ = nullptr;
};

class Clock {
 public:
  bool empty() const { return !root_; }
  bool same_as(const Clock& other) const { return root_ == other.root_; }
  // Whether that thread's accesses at `time` are known.
  bool knows(uint64_t block, uint32_t warp, uint32_t lane, uint32_t time) const;
  void learn(const Clock& other);
  void learn(uint64_t block, const Known& known);

 private:
  static constexpr uint32_t kBits = 4;  // bits of the block number that each level of the tree uses
  static constexpr uint32_t kFan = 1 << kBits;
  struct Node {
    uint32_t owners = 0;
    std::array<Shared<Node>, kFan> branches{};  // used by an inner node
    Known known{};                              // used by a leaf
  };
  using Tree = Shared<Node>;
  static Tree join(const Tree& a, const Tree& b);
  static Tree join(const Tree& tree, uint32_t height, uint64_t block, const Known& known);
  void grow(uint32_t height);

  Tree root_;
  uint32_t height_ = 0;  // levels of branches above the leaves
};

}  // namespace lockstep
