// knowledge: for each thread, the moment before which its accesses are known. Each block counts its own moments
// (order.h). A thread is a lane of a warp, and warps are numbered through the whole grid.
//
// It is a tree over the numbers of warps. A leaf has the moments of a warp's 32 lanes. Trees share the branches that
// are equal, and what is shared never changes. So learning costs as much as the branches that differ, and a chain of
// blocks in which each learns from the one before it (decoupled look-back, a grid's barrier) stays cheap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "check/remembered.h"

namespace lockstep {

// The accesses of some warps: of all their lanes before a moment, and of one lane of the first warp before another.
struct Accesses {
  uint64_t first_warp : 40 = 0, warps : 16 = 0, lane : 8 = 0;  // warps 0: none
  uint32_t before = 0, moment = 0;

  bool include(uint64_t warp, uint32_t of_lane, uint32_t time) const {
    return warp - first_warp < warps && (time < before || (warp == first_warp && of_lane == lane && time < moment));
  }
};

class Knowledge {
 public:
  Knowledge() = default;
  Knowledge(const Knowledge& other);
  Knowledge(Knowledge&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  Knowledge& operator=(Knowledge other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~Knowledge();

  bool same_as(const Knowledge& other) const { return root_ == other.root_; }
  // Whether that lane's accesses at `time` are known.
  bool knows(uint64_t warp, uint32_t lane, uint32_t time) const;
  bool includes(uint64_t warp, const Moments& moments) const;
  Moments moments(uint64_t warp) const;
  void learn(const Knowledge& other);
  void learn(uint64_t warp, const Moments& moments);
  void learn(const Accesses& accesses);

  static size_t slabs();  // that this process has allocated for knowledge, of 2 MiB each

  struct Node;

 private:
  friend class Forgetting;
  const Node* find(uint64_t warp) const;  // the warp's leaf; null: nothing is known
  Node*& leaf(uint64_t warp);
  void grow(uint32_t height);

  Node* root_ = nullptr;
};

// Takes from knowledge what nobody can ask about any longer. What is equal then becomes one tree.
class Forgetting {
 public:
  explicit Forgetting(const Remembered& remembered) : remembered_(remembered) {}
  ~Forgetting();
  Forgetting(const Forgetting&) = delete;
  Forgetting& operator=(const Forgetting&) = delete;

  void in(Knowledge& knowledge);
  size_t met() const { return rests_.size(); }  // nodes of trees

 private:
  using Node = Knowledge::Node;
  Node* rest_of(Node* node, uint64_t number);
  Node* one_of(Node* made);

  const Remembered& remembered_;
  std::map<std::pair<Node*, uint64_t>, Node*> rests_;  // of nodes that were met, and their numbers; it owns both nodes
  std::unordered_multimap<uint64_t, Node*> equal_;     // the rests, by their content
};

}  // namespace lockstep
