// clock: the knowledge of one thread about the other threads: for each of them, the moment before which it knows the
// accesses. Each block counts its own moments (order.h). A thread is a lane of a warp, and warps are numbered through
// the whole grid.
//
// A clock is a tree over the numbers of warps. A leaf has the moments of a warp's 32 lanes. Clocks share the branches
// that are equal, and what is shared never changes. So learning costs as much as the branches that differ, and a chain
// of blocks in which each learns from the one before it (decoupled look-back, a grid's barrier) stays cheap.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "base/lanes.h"

namespace lockstep {

using Moments = std::array<uint32_t, kWarpSize>;  // of a warp's lanes; 0: nothing is known

class Clock {
 public:
  Clock() = default;
  Clock(const Clock& other);
  Clock(Clock&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  Clock& operator=(Clock other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~Clock();

  bool empty() const { return !root_; }
  bool same_as(const Clock& other) const { return root_ == other.root_; }
  // Whether that lane's accesses at `time` are known.
  bool knows(uint64_t warp, uint32_t lane, uint32_t time) const;
  void learn(const Clock& other);
  void learn(uint64_t warp, const Moments& moments);
  void learn(uint64_t first_warp, uint32_t warps, uint32_t moment);  // of all lanes of these warps

  struct Node;

 private:
  Node*& leaf(uint64_t warp);
  void grow(uint32_t height);

  Node* root_ = nullptr;
};

}  // namespace lockstep
