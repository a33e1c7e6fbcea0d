// order: which accesses of one launch happened before which. In: barriers, syncs, fences and strong accesses, as they
// happen. Out: before(). Knows no memory cells; races does.
//
// Each block counts moments: every barrier and warp sync is one. An access is stamped with a segment, which stands
// for (block, warp, moment). Barriers of the whole block and syncs of a whole warp are then one comparison each.
// Only fences, release and acquire, and barriers of some threads need clocks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "check/clock.h"
#include "program/program.h"

namespace lockstep {

using SegmentId = uint32_t;  // 0: none

struct Segment {
  uint32_t block = 0;
  uint32_t time : 27 = 0;  // of a block with more moments than that, later races may be missed; none is invented
  uint32_t warp : 5 = 0;
};

// What a thread knew when it last fenced: what a later strong write of it will tell.
struct Snapshot {
  bool taken = false;
  Scope scope = Scope::kDevice;
  Clock acquired, known;
  Known own;
};

// What relaxed loads have read of the thread's own block and of all; known after a fence of that scope.
struct Pending {
  Clock of_block, of_all;
  void learn(const Pending& other) { of_block.learn(other.of_block), of_all.learn(other.of_all); }
};

struct ThreadClock {
  Clock acquired;  // known, beside what the block knows
  Pending pending;
  Snapshot fenced;
};

struct WarpOrder {
  SegmentId segment = 0;    // that stamps its accesses now; 0: a new one is due
  uint32_t all_before = 0;  // each lane knows the others' accesses before this moment
  // [i][j]: the moment up to which lane i knows lane j, after syncs of some lanes.
  std::unique_ptr<std::array<std::array<uint32_t, kWarpSize>, kWarpSize>> lanes;
  bool partly = false;  // `lanes` says more than all_before
};

// What was released through one address.
struct Released {
  Clock to_all, to_block;
  uint32_t block = 0;  // whom to_block is for
};
using ReleasedAt = std::unordered_map<uint64_t, Released>;

// One block's part. Belongs to the block, and begins anew with each block that takes its place.
struct BlockOrder {
  uint32_t block = 0;
  uint32_t now = 1;
  uint32_t all_before = 0;  // every thread knows the others' accesses before this moment
  SegmentId floor = 0;      // segments of this block below it are older than that
  std::vector<WarpOrder> warps;
  Clock known;                       // by every thread, of other blocks
  std::vector<ThreadClock> threads;  // empty until clocks are needed
  std::array<Clock, 16> barriers;    // told to a barrier by threads that did not wait
  ReleasedAt released;               // through its shared memory
};

class Order {
 public:
  // True if segments are numbered from the start again: no record of an earlier one may be left.
  bool begin_launch();
  void begin_block(BlockOrder& block, uint64_t linear, uint32_t warps);

  SegmentId stamp(BlockOrder& block, uint32_t warp);
  SegmentId first_segment() const { return first_; }
  // Of this launch: of an earlier one (below first_segment()) nothing is kept.
  const Segment& segment(SegmentId id) const { return segments_[id - first_]; }
  // Whether what that lane did in that segment happened before what this lane does now.
  bool before(SegmentId then, uint32_t then_lane, const BlockOrder& block, uint32_t warp, uint32_t lane) const;

  void join_block(BlockOrder& block);
  void join_lanes(BlockOrder& block, Lanes lanes, Mask live);
  void arrive(BlockOrder& block, uint32_t barrier, Lanes lanes);
  void join_some(BlockOrder& block, uint32_t barrier, const std::vector<Lanes>& participants);

  void fence(BlockOrder& block, Lanes lanes, Scope scope);
  // A strong access of one lane to an address; those from kSharedWindow on are of the block's shared memory.
  void strong(BlockOrder& block, uint32_t warp, uint32_t lane, uint64_t address, const MemoryAccess& access);

 private:
  ThreadClock& thread(BlockOrder& block, uint32_t warp, uint32_t lane);
  Known own(const BlockOrder& block, uint32_t warp, uint32_t lane) const;
  Snapshot snapshot(BlockOrder& block, uint32_t warp, uint32_t lane, Scope scope);
  static Clock clock_of(const BlockOrder& block, const Snapshot& snapshot);
  static void release(Released& released, const BlockOrder& block, const Snapshot& snapshot, Scope scope);

  std::vector<Segment> segments_;
  SegmentId first_ = 1;
  bool clocks_ = false;  // a fence, a release, an acquire or a partial barrier was seen in this launch
  ReleasedAt released_;  // through global memory
};

}  // namespace lockstep
