// block: the warps that share one shared memory and its 16 barriers.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "engine/launch_state.h"
#include "engine/shared_races.h"
#include "engine/waits.h"
#include "engine/warp.h"
#include "engine/written_memory.h"

namespace lockstep {

class Block {
 public:
  static constexpr uint32_t kBarriers = 16;

  // slot: a number from 0 on that no other block of the launch has at the same time.
  Block(const Launch& launch, LaunchState& state, uint32_t slot);

  void begin_launch(const Launch& launch, LaunchState& state);  // the next, of the same kernel and shape
  // The next block. Its shared memory holds garbage: what the block before left there or, in a launch that is watched,
  // NaNs.
  void start(uint64_t linear);
  Progress run();  // one turn for each warp, and more after each barrier; kBlocked: all wait for each other

  const Launch& launch() const { return *launch_; }
  LaunchState& state() const { return *state_; }
  Dim3 coordinates() const { return index_in(launch_->shape.grid, linear_); }
  uint64_t linear() const { return linear_; }
  uint32_t slot() const { return slot_; }
  uint64_t interval() const { return interval_; }  // another one behind each barrier of all threads
  std::byte* shared() const { return shared_.get(); }
  WrittenMemory& written() { return written_; }  // of shared memory
  L1Cache& cache() { return cache_; }
  const std::vector<std::unique_ptr<Warp>>& warps() const { return warps_; }
  HandOvers& hand_overs() { return hand_overs_; }
  // To be called before an access to shared memory where threads may race, and when the copies of these lanes have been
  // waited for.
  void note_race(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses);
  void arrive_only(uint32_t id, uint32_t threads, uint32_t expected, uint64_t waits);     // bar.arrive
  void contribute(uint32_t id, Mask predicate, Mask mask);                                // bar.red
  void arrive_at_cluster(uint32_t warp, Mask lanes) { cluster_arrived_[warp] |= lanes; }  // barrier.cluster.arrive
  Mask arrived_at_cluster(uint32_t warp) const { return cluster_arrived_[warp]; }  // in the phase that is not complete

 private:
  bool may_be_copied_to(const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) const;

  struct Barrier {
    uint32_t early = 0;     // threads that arrived without waiting
    uint32_t expected = 0;  // threads that the barrier waits for, as they said; 0: all
    uint32_t trues = 0, votes = 0;
    uint64_t waits = 0;  // the longest chain of a warp that arrived without waiting
  };

  void order_warps();
  void join_chains();
  void spoil_shared();
  bool rests() const;
  bool complete_barriers();
  bool complete(uint32_t id);
  std::vector<Arrival> arrivals(uint32_t id) const;
  void show(const OpenedBarrier& opened) const;
  bool complete_cluster();
  BlockCounters counted() const;

  const Launch* launch_;
  LaunchState* state_;
  const uint32_t slot_;
  uint64_t linear_ = 0;
  AlignedBytes shared_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<uint32_t> order_;
  std::vector<const Warp*> sleepers_;  // that may sleep since their last turns, if the other warps wait for them
  std::array<Barrier, kBarriers> barriers_{};
  L1Cache cache_;
  HandOvers hand_overs_;
  SharedRaces shared_races_;
  WrittenMemory written_;
  uint64_t interval_ = 0;
  Chain chain_;
  std::vector<Mask> cluster_arrived_;  // lanes of each warp that arrived at barrier.cluster in this phase
};

}  // namespace lockstep
