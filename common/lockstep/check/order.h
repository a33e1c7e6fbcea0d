// order: which accesses of one launch happened before which. In: barriers, syncs, fences and strong accesses, as they
// happen. Out: before(). races.h has the records of memory.
//
// Each block counts moments: every barrier and warp sync is one. An access is stamped with a segment, which stands
// for (block, warp, moment). Barriers of the whole block and syncs of a whole warp are then one comparison each.
// Only fences, release and acquire, and barriers of some threads need clocks. Fences and strong accesses change clocks
// late: as events they wait until somebody asks, or until there are many (events.h, order_events.cc).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "check/clock.h"
#include "check/events.h"
#include "check/remembered.h"
#include "program/program.h"

namespace lockstep {

// What a lane knows about its own warp, itself included.
struct OwnWarp {
  Accesses accesses;
  bool partly = false;  // it knows some lanes longer: up to these moments
  Moments moments;
};

// The knowledge of a thread at its last fence. Its later strong writes pass it on.
struct Snapshot {
  bool taken = false;
  bool newest = false;  // the thread has not acquired anything from its warp since
  Scope scope = Scope::kDevice;
  Clock clock;
  OwnWarp own;
};

// What was released to the thread's own block and to all.
struct Told {
  Clock of_block, of_all;
  uint32_t series = 0;  // Released::series
  bool same_as(const Told& other) const { return of_block.same_as(other.of_block) && of_all.same_as(other.of_all); }
  void learn(const Told& other);
};

struct ThreadClock {
  Clock clock;    // with what the whole block knows; without the thread's latest accesses
  Told acquired;  // what `clock` has acquired last
  // What the thread's relaxed reads have read. A fence of that scope adds it to the clock. The latest reads are apart,
  // because most of them are told more before a fence comes, or no fence comes.
  Told pending;
  std::vector<Told> latest;
  Snapshot fenced;

  const Told& settle();  // all of pending
};

struct WarpOrder {
  SegmentId segment = 0;    // the segment that stamps its accesses now; 0: the next access needs a new one
  uint32_t all_before = 0;  // each lane knows the others' accesses before this moment
  // [i][j]: the moment up to which lane i knows lane j, after syncs of some lanes.
  std::unique_ptr<std::array<Moments, kWarpSize>> lanes;
  bool partly = false;               // `lanes` says more than all_before
  std::vector<ThreadClock> threads;  // empty: all have the block's clock

  // Of `lanes`, where lane i knows nothing beyond all_before until it is written.
  std::array<Moments, kWarpSize>& begin_partly() {
    if (!lanes) lanes = std::make_unique<std::array<Moments, kWarpSize>>();
    if (!partly) *lanes = {}, partly = true;
    return *lanes;
  }
};

// The knowledge that was released through one address. Without block scopes, and in shared memory, one of the two is
// enough, and the other is empty.
struct Released {
  Clock to_all, to_block;
  uint32_t block = 0;   // the block that to_block is for
  uint32_t series = 0;  // while it is the same, the clocks only learn; 0: not yet numbered
};
using ReleasedAt = std::unordered_map<uint64_t, Released>;

// The order of one resident block. begin_block() starts it again for the next block.
struct BlockOrder {
  uint32_t block = 0;
  uint32_t now = 1;
  uint64_t first_event = 0;  // OrderEvents::end() when it began
  uint32_t all_before = 0;   // every thread knows the others' accesses before this moment
  SegmentId floor = 0;       // segments of this block with a smaller number are older than all_before
  std::vector<WarpOrder> warps;
  ThreadClock common;              // of each thread of a warp whose threads have no clocks of their own
  uint32_t common_before = 0;      // the common clock has the block's accesses before this moment
  std::array<Clock, 16> barriers;  // for each barrier, the knowledge of threads that arrived without waiting
  ReleasedAt released;             // through its shared memory
};

class Order {
 public:
  static constexpr size_t kFewEvents = 1 << 18;  // so many may wait in any launch, in addresses

  // `remember` tells which accesses of this launch memory still remembers; the last that was stamped may be missing.
  // Without it, or if it says false, any access may be asked about.
  explicit Order(std::function<bool(Remembered&)> remember = {}, size_t few_events = kFewEvents);

  // block_scopes: the program orders accesses to global memory also within a block only.
  // True if segments are numbered from the start again: then all records of earlier launches must be cleared.
  bool begin_launch(bool block_scopes);
  void begin_block(BlockOrder& block, uint64_t linear, uint32_t warps);

  SegmentId stamp(BlockOrder& block, uint32_t warp);
  SegmentId first_segment() const { return first_; }
  SegmentId next_segment() const { return first_ + static_cast<SegmentId>(segments_.size()); }
  // For segments of this launch only. Segments below first_segment() belong to earlier launches and are not kept.
  const Segment& segment(SegmentId id) const { return segments_[id - first_]; }
  // Whether the accesses of lane `then_lane` in segment `then` happened before what this lane does now.
  bool before(SegmentId then, uint32_t then_lane, const BlockOrder& block, uint32_t warp, uint32_t lane);
  // Whether the segment's warp is of this block, and has passed nothing on since. Then only accesses of the same thread
  // come after an access of the segment.
  bool is_present(SegmentId then, const BlockOrder& block) const {
    return then >= first_ && segment(then).block == block.block && block.warps[segment(then).warp].segment == then;
  }
  // Whether a fence of this block would make it so: its threads have read, by an atomic, what was released after then.
  bool lacks_fence(SegmentId then, uint32_t then_lane, const BlockOrder& block);

  void join_block(BlockOrder& block);
  void join_lanes(BlockOrder& block, Lanes lanes, Mask live);
  void arrive(BlockOrder& block, uint32_t barrier, Lanes lanes);
  void join_some(BlockOrder& block, uint32_t barrier, const std::vector<Lanes>& participants);

  void fence(BlockOrder& block, Lanes lanes, Scope scope);
  // A strong access of lanes to one address, one after the other. Addresses from kSharedWindow on mean the block's
  // shared memory. failed: lanes whose compare-and-swap finds another value. They read, and write nothing.
  void strong(BlockOrder& block, Lanes lanes, uint64_t address, const MemoryAccess& access, Mask failed = 0);
  // The same, of lanes that have an address each: `addresses` has 32.
  void strong_apart(BlockOrder& block, Lanes lanes, const uint64_t* addresses, const MemoryAccess& access,
                    Mask failed = 0);

 private:
  // So many events may wait to be played: at most, for each access that memory remembers, and for each node of the
  // clocks' trees. In addresses; kMostEvents of them take 8 MiB. With a quarter of kFewEvents and of the last two,
  // long_own_data of bench/orders.cu takes 9 % more instructions of the host, and long_acq_rel_own_counters 13 %.
  static constexpr size_t kMostEvents = 1 << 20, kEventsForEach = 32, kEventsForNode = 128;
  static constexpr size_t kMostEnded = 1 << 11;  // so many warps may be kept though they have ended

  bool passes_on_all(BlockOrder& block, Lanes lanes, const StrongAccess& access);
  void chain(BlockOrder& block, Lanes lanes, uint64_t address, const StrongAccess& access);
  OrderEvent event(OrderEvent::Kind kind, BlockOrder& block, Lanes lanes, const StrongAccess& access);
  void added(const BlockOrder& block, uint32_t warp);
  void keep_ended(BlockOrder& block);
  void play();  // all events
  bool play_together(size_t count);
  void play_first(size_t count, size_t idle = 0);
  void make_room();
  std::optional<Remembered> remembered(SegmentId from);
  void pass_over(const OrderEvent& event);
  void play_fence(const OrderEvent& event);
  void play_strong(const OrderEvent& event, const uint64_t* addresses);
  void play_chain(const OrderEvent& event, uint64_t address, const Moments& row);
  void play_strong_of(const OrderEvent& event, uint32_t lane, uint64_t address);
  static void read(ThreadClock& thread, const BlockOrder& block, const Released& released, const StrongAccess& access,
                   bool may_repeat);
  ThreadClock& thread(BlockOrder& block, uint32_t warp, uint32_t lane) {
    WarpOrder& w = block.warps[warp];
    if (w.threads.empty()) begin_threads(block, w);
    return w.threads[lane];
  }
  void begin_threads(BlockOrder& block, WarpOrder& warp);
  void note_fence(const OrderEvent& event, uint32_t lane, ThreadClock& thread) const;
  void note_own(const OrderEvent& event, uint32_t lane, OwnWarp& own) const;
  void tell(Clock& clock, const OwnWarp& own);
  static const Clock& clock(const BlockOrder& block, uint32_t warp, uint32_t lane) {
    const WarpOrder& w = block.warps[warp];
    return (w.threads.empty() ? block.common : w.threads[lane]).clock;
  }
  uint64_t number(const BlockOrder& block, uint32_t warp) const { return uint64_t{block.block} * warps_ + warp; }
  void bring_up_to_date(BlockOrder& block);
  void begin_moment(BlockOrder& block, uint32_t warp);
  struct Release {
    uint64_t address;
    Scope scope;
    bool knows = false;  // the clock has acquired what was released there before, to the threads of this scope
    const OwnWarp* own = nullptr;  // released, too
  };
  void release(Released& to, const BlockOrder& block, const Clock& clock, const Release& how);

  std::function<bool(Remembered&)> remember_;
  History history_;     // of all clocks, which go before it
  OrderEvents events_;  // that the clocks have not learned from
  // Blocks that have ended before their events were played; the number of the event behind each block's last.
  std::deque<std::pair<BlockOrder, uint64_t>> ended_;
  size_t ended_warps_ = 0;
  const size_t few_events_;
  size_t most_events_ = 0;
  std::vector<Segment> segments_;
  SegmentId first_ = 1;
  SegmentId stamped_ = 0;  // the last
  uint32_t warps_ = 1;     // of a block
  bool block_scopes_ = true;
  uint32_t series_ = 0;
  bool clocks_ = false;  // a fence, a release, an acquire or a partial barrier was seen in this launch
  ReleasedAt released_;  // through global memory
};

}  // namespace lockstep
