// events: fences and strong accesses that clocks have not learned from yet, in the order in which they happened.
//
// What a thread learns from them matters only when somebody asks. So order.h notes them here, which is cheap, and plays
// them when somebody asks, or when there are many.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "check/remembered.h"
#include "program/program.h"

namespace lockstep {

struct BlockOrder;

// What order.h wants to know of a MemoryAccess.
struct StrongAccess {
  MemoryOp op = MemoryOp::kLoad;
  MemoryOrder order = MemoryOrder::kRelaxed;
  Scope scope = Scope::kDevice;

  StrongAccess() = default;
  explicit StrongAccess(const MemoryAccess& access) : op(access.op), order(access.order), scope(access.scope) {}

  bool operator==(const StrongAccess&) const = default;
  bool reads() const { return op != MemoryOp::kStore; }
  bool updates() const { return op == MemoryOp::kAtomic || op == MemoryOp::kReduction; }
  bool acquires() const { return order == MemoryOrder::kAcquire || order == MemoryOrder::kAcquireRelease; }
  bool releases() const { return order == MemoryOrder::kRelease || order == MemoryOrder::kAcquireRelease; }
};

struct OrderEvent {
  // kFence and kStrong: each lane for itself. kChain: the lanes use one address, one after the other.
  enum Kind : uint8_t { kFence, kStrong, kChain } kind = kFence;
  StrongAccess access;  // a fence has only a scope
  BlockOrder* block = nullptr;
  Lanes lanes;
  Mask failed = 0;          // lanes whose compare-and-swap writes nothing
  uint32_t all_before = 0;  // the two moments of these names, of the warp and of its block
  uint32_t now = 0;
  SegmentId next = 0;   // the number of the next segment
  bool partly = false;  // the warp's lanes know each other in part; then the event must not wait

  bool operator==(const OrderEvent&) const = default;
};

class OrderEvents {
 public:
  // A second fence in a row says nothing new.
  void add(const OrderEvent& event) {
    if (event.kind == OrderEvent::kFence && !events_.empty() && events_.back() == event) return;
    events_.push_back(event);
  }
  void add_address(uint64_t address) { addresses_.push_back(address); }  // for each lane of kStrong, one for kChain
  void add_row(const Moments& row) { rows_.push_back(row); }             // for kChain: what the lanes pass on

  bool empty() const { return events_.empty(); }
  size_t size() const { return addresses_.size() + kFenceSize * events_.size(); }
  SegmentId first_next() const { return events_.front().next; }
  // The events that happened before the first access of that segment.
  size_t count_before(SegmentId segment) const {
    const auto is_before = [&](const OrderEvent& event) { return event.next <= segment; };
    return static_cast<size_t>(std::ranges::partition_point(events_, is_before) - events_.begin());
  }
  // Events are numbered through a launch: the first that waits, and the next that comes.
  uint64_t begin() const { return played_; }
  uint64_t end() const { return played_ + events_.size(); }
  // Lets the events of a block from that number on be of another, to which its contents have moved.
  void move(uint64_t from, const BlockOrder* block, BlockOrder* to) {
    for (size_t i = std::max(from, played_) - played_; i < events_.size(); ++i)
      if (events_[i].block == block) events_[i].block = to;
  }
  void clear() { events_.clear(), addresses_.clear(), rows_.clear(); }

  // Gives the first events, one after the other, with the addresses and rows that follow it; and forgets them.
  template <class Play>
  void play(size_t count, Play&& play) {
    const uint64_t* address = addresses_.data();
    const Moments* row = rows_.data();
    for (size_t i = 0; i < count; ++i) {
      const OrderEvent& event = events_[i];
      play(event, address, row);
      if (event.kind == OrderEvent::kStrong) address += std::popcount(event.lanes.mask);
      if (event.kind == OrderEvent::kChain) ++address, ++row;
    }
    played_ += count;
    events_.erase(events_.begin(), events_.begin() + static_cast<ptrdiff_t>(count));
    addresses_.erase(addresses_.begin(), addresses_.begin() + (address - addresses_.data()));
    rows_.erase(rows_.begin(), rows_.begin() + (row - rows_.data()));
  }
  size_t count() const { return events_.size(); }

 private:
  static constexpr size_t kFenceSize = 8;  // an event without addresses takes as long as so many addresses

  uint64_t played_ = 0;
  std::vector<OrderEvent> events_;
  std::vector<uint64_t> addresses_;
  std::vector<Moments> rows_;
};

}  // namespace lockstep
