// block: the warps that share one shared memory and its 16 barriers.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "launch.h"
#include "warp.h"

namespace lockstep {

struct Arrival;
struct BlockChecks;

class Block {
 public:
  static constexpr uint32_t kBarriers = 16;

  explicit Block(Launch& launch);
  ~Block();

  void start(Dim3 coordinates, uint64_t linear);  // anew; shared memory keeps whatever was there
  Progress run();                                 // one turn for each warp, or more while it gets on

  const Dim3& coordinates() const { return coordinates_; }
  uint64_t linear() const { return linear_; }
  std::byte* shared() const { return shared_.get(); }
  BlockChecks* checks() const { return checks_.get(); }  // null if nothing is watched
  const std::vector<std::unique_ptr<Warp>>& warps() const { return warps_; }
  void arrive_only(uint32_t id, uint32_t threads, uint32_t expected);  // bar.arrive
  void contribute(uint32_t id, Mask predicate, Mask mask);             // bar.red

 private:
  struct Barrier {
    uint32_t early = 0;     // threads that arrived without waiting
    uint32_t expected = 0;  // as they said
    uint32_t trues = 0, votes = 0;
  };

  bool complete_barriers();
  bool complete(uint32_t id);
  std::vector<Arrival> arrivals(uint32_t id) const;
  void report_deadlock();

  Launch& launch_;
  Dim3 coordinates_;
  uint64_t linear_ = 0;
  AlignedBytes shared_;
  std::unique_ptr<BlockChecks> checks_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<uint32_t> order_;
  std::array<Barrier, kBarriers> barriers_{};
};

}  // namespace lockstep
