#include "check/order.h"

#include <algorithm>

namespace lockstep {

bool Order::begin_launch() {
  constexpr SegmentId kMany = SegmentId{1} << 31;  // half of the numbers are left for the launch
  first_ += static_cast<SegmentId>(segments_.size());
  const bool again = first_ > kMany;
  if (again) first_ = 1;
  segments_.clear();
  released_.clear();
  clocks_ = false;
  return again;
}

void Order::begin_block(BlockOrder& block, uint64_t linear, uint32_t warps) {
  block.block = static_cast<uint32_t>(linear);
  block.now = 1;
  block.all_before = 0;
  block.floor = first_ + static_cast<SegmentId>(segments_.size());
  block.warps.resize(warps);
  for (WarpOrder& w : block.warps) w.segment = w.all_before = 0, w.partly = false;
  block.known = {};
  block.threads.clear();
  block.barriers = {};
  block.released.clear();
}

SegmentId Order::stamp(BlockOrder& block, uint32_t warp) {
  WarpOrder& w = block.warps[warp];
  if (w.segment) return w.segment;
  segments_.push_back({block.block, block.now, warp});
  return w.segment = first_ + static_cast<SegmentId>(segments_.size()) - 1;
}

bool Order::before(SegmentId then, uint32_t then_lane, const BlockOrder& block, uint32_t warp, uint32_t lane) const {
  if (then < first_) return true;  // an earlier launch
  const Segment& s = segment(then);
  if (s.block == block.block) {
    if (s.time < block.all_before) return true;
    if (s.warp == warp) {
      const WarpOrder& w = block.warps[warp];
      if (then_lane == lane || s.time < w.all_before) return true;
      if (w.partly && s.time < (*w.lanes)[lane][then_lane]) return true;
    }
  }
  if (!clocks_) return false;
  if (block.known.knows(s.block, s.warp, then_lane, s.time)) return true;
  return !block.threads.empty() &&
         block.threads[warp * kWarpSize + lane].acquired.knows(s.block, s.warp, then_lane, s.time);
}

bool Order::lacks_fence(SegmentId then, uint32_t then_lane, const BlockOrder& block) const {
  if (then < first_) return false;
  const Segment& s = segment(then);
  return std::ranges::any_of(block.threads, [&](const ThreadClock& t) {
    return t.pending.of_all.knows(s.block, s.warp, then_lane, s.time) ||
           t.pending.of_block.knows(s.block, s.warp, then_lane, s.time);
  });
}

ThreadClock& Order::thread(BlockOrder& block, uint32_t warp, uint32_t lane) {
  if (block.threads.empty()) block.threads.resize(block.warps.size() * kWarpSize);
  return block.threads[warp * kWarpSize + lane];
}

// ---- barriers and syncs ----

void Order::join_block(BlockOrder& block) {
  block.all_before = ++block.now;
  block.floor = first_ + static_cast<SegmentId>(segments_.size());
  for (WarpOrder& w : block.warps) w.segment = 0, w.partly = false;
  if (block.threads.empty()) return;
  Pending pending, last;  // last: neighbours usually know the same
  for (ThreadClock& t : block.threads) {
    block.known.learn(t.acquired);
    if (!t.pending.same_as(last)) pending.learn(last = t.pending);
    t.acquired = {};
  }
  for (ThreadClock& t : block.threads) t.pending = pending;
}

void Order::join_lanes(BlockOrder& block, Lanes joined, Mask live) {
  const Mask mask = joined.mask;
  if (!(mask & (mask - 1))) return;  // one lane alone
  WarpOrder& w = block.warps[joined.warp];
  const uint32_t time = ++block.now;
  w.segment = 0;
  if (!(live & ~mask)) {
    w.all_before = time;
    w.partly = false;
  } else {
    w.begin_partly();
    std::array<uint32_t, kWarpSize> row{};
    for (const uint32_t l : each_lane(mask))
      for (int j = 0; j < kWarpSize; ++j) row[j] = std::max(row[j], (*w.lanes)[l][j]);
    for (const uint32_t l : each_lane(mask)) row[l] = time;
    for (const uint32_t l : each_lane(mask)) (*w.lanes)[l] = row;
  }
  if (block.threads.empty()) return;
  Clock acquired, last_acquired;
  Pending pending, last;  // neighbours usually know the same
  for (const uint32_t l : each_lane(mask)) {
    const ThreadClock& t = thread(block, joined.warp, l);
    if (!t.acquired.same_as(last_acquired)) acquired.learn(last_acquired = t.acquired);
    if (!t.pending.same_as(last)) pending.learn(last = t.pending);
  }
  for (const uint32_t l : each_lane(mask)) {
    thread(block, joined.warp, l).acquired = acquired;
    thread(block, joined.warp, l).pending = pending;
  }
}

void Order::arrive(BlockOrder& block, uint32_t barrier, Lanes lanes) {
  clocks_ = true;
  begin_moment(block, lanes.warp);
  for (const uint32_t l : each_lane(lanes.mask))
    block.barriers[barrier].learn(clock_of(block, snapshot(block, lanes.warp, l, Scope::kBlock)));
  block.warps[lanes.warp].segment = 0;
}

void Order::join_some(BlockOrder& block, uint32_t barrier, const std::vector<Lanes>& participants) {
  for (const Lanes& lanes : participants) arrive(block, barrier, lanes);
  const Clock together = std::exchange(block.barriers[barrier], {});
  Clock last_in, last_out;  // neighbours usually know the same
  for (const Lanes& lanes : participants)
    for (const uint32_t l : each_lane(lanes.mask)) {
      Clock& acquired = thread(block, lanes.warp, l).acquired;
      if (last_out.empty() || !acquired.same_as(last_in)) {
        last_in = last_out = acquired;
        last_out.learn(together);
      }
      acquired = last_out;
    }
}

// ---- fences, release and acquire ----

// The thread's knowledge about its own block now, with its own accesses.
Known Order::own(const BlockOrder& block, uint32_t warp, uint32_t lane) const {
  const WarpOrder& w = block.warps[warp];
  Known known;
  known.all = block.all_before;
  known.learn(Known::warp_key(warp), w.all_before);
  if (w.partly)
    for (uint32_t j = 0; j < kWarpSize; ++j) known.learn(Known::thread_key(warp, j), (*w.lanes)[lane][j]);
  known.learn(Known::thread_key(warp, lane), block.now);
  return known;
}

// Snapshots that are taken now do not include later accesses of the warp.
void Order::begin_moment(BlockOrder& block, uint32_t warp) {
  ++block.now;
  block.warps[warp].segment = 0;
}

Snapshot Order::snapshot(BlockOrder& block, uint32_t warp, uint32_t lane, Scope scope) {
  return {true, scope, thread(block, warp, lane).acquired, block.known, own(block, warp, lane), block.now};
}

Clock Order::clock_of(const BlockOrder& block, const Snapshot& snapshot) {
  Clock clock = snapshot.acquired;
  clock.learn(snapshot.known);
  clock.learn(block.block, snapshot.own);
  return clock;
}

void Order::fence(BlockOrder& block, Lanes lanes, Scope scope) {
  clocks_ = true;
  begin_moment(block, lanes.warp);
  for (const uint32_t l : each_lane(lanes.mask)) {
    ThreadClock& t = thread(block, lanes.warp, l);
    t.told = {};
    t.acquired.learn(std::exchange(t.pending.of_block, {}));
    if (scope == Scope::kDevice) t.acquired.learn(std::exchange(t.pending.of_all, {}));
    t.fenced = snapshot(block, lanes.warp, l, scope);
  }
}

void Order::release(Released& r, const BlockOrder& block, const Snapshot& snapshot, Scope scope) {
  const Clock clock = clock_of(block, snapshot);
  if (r.block != block.block) r.to_block = {}, r.block = block.block;
  const bool same = r.to_all.same_as(r.to_block);
  const bool to_all = scope == Scope::kDevice && snapshot.scope == Scope::kDevice;
  r.to_block.learn(clock);
  if (to_all && same)
    r.to_all = r.to_block;
  else if (to_all)
    r.to_all.learn(clock);
}

// The operations of a block's threads that a warp's lanes make at once are as costly as one operation. Most programs
// with many of them have no others: a counter or a lock that every thread uses.
void Order::strong_together(BlockOrder& block, Lanes lanes, uint64_t address, const MemoryAccess& access) {
  if ((lanes.mask & (lanes.mask - 1)) && passes_on_all(block, lanes, access))
    return chain_lanes(block, lanes, address, access);
  for (const uint32_t l : each_lane(lanes.mask)) strong(block, lanes.warp, l, address, access);
}

// Whether each lane acquires, and releases all that it knows: by the operation itself, or because the lanes have just
// made a fence, as for memory_order_seq_cst.
bool Order::passes_on_all(BlockOrder& block, Lanes lanes, const MemoryAccess& access) {
  if (access.op != MemoryOp::kAtomic && access.op != MemoryOp::kReduction) return false;
  if (access.order == MemoryOrder::kAcquireRelease) return true;
  if (access.order != MemoryOrder::kAcquire) return false;
  for (const uint32_t l : each_lane(lanes.mask)) {
    const ThreadClock& t = thread(block, lanes.warp, l);
    const bool just_now = t.fenced.taken && t.fenced.moment == block.now && t.fenced.scope == access.scope;
    if (!just_now || !t.fenced.acquired.same_as(t.acquired)) return false;
  }
  return true;
}

// Each lane acquires what the lane before it has released. What they learn about each other is in WarpOrder::lanes, so
// that all of them have one clock about the others.
void Order::chain_lanes(BlockOrder& block, Lanes chained, uint64_t address, const MemoryAccess& access) {
  clocks_ = true;
  WarpOrder& w = block.warps[chained.warp];
  ReleasedAt& released = address >= kSharedWindow ? block.released : released_;
  Released& at = released[address];
  Clock known, before;  // before: what the lanes knew; usually they know the same
  if (at.block == block.block) known = at.to_block;
  if (access.scope == Scope::kDevice) known.learn(at.to_all);
  if (access.order == MemoryOrder::kAcquireRelease) begin_moment(block, chained.warp);  // else the fence began one
  const uint32_t time = block.now;
  auto& rows = w.begin_partly();
  std::array<uint32_t, kWarpSize> row{};
  for (const uint32_t l : each_lane(chained.mask)) {
    Clock& acquired = thread(block, chained.warp, l).acquired;
    if (!acquired.same_as(before)) known.learn(before = acquired);
    acquired = known;
    for (int j = 0; j < kWarpSize; ++j) row[j] = rows[l][j] = std::max(row[j], rows[l][j]);
    row[l] = time;
  }
  Known own;
  own.all = block.all_before;
  if (chained.mask == kFullMask) {
    own.learn(Known::warp_key(chained.warp), time);
  } else {
    for (uint32_t j = 0; j < kWarpSize; ++j) own.learn(Known::thread_key(chained.warp, j), row[j]);
    own.learn(Known::warp_key(chained.warp), w.all_before);
  }
  known.learn(block.known);
  known.learn(block.block, own);
  at.block = block.block;
  at.to_block = known;
  if (access.scope == Scope::kDevice) at.to_all = known;
}

void Order::strong(BlockOrder& block, uint32_t warp, uint32_t lane, uint64_t address, const MemoryAccess& access) {
  const bool atomic = access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
  const bool acquires = access.order == MemoryOrder::kAcquire || access.order == MemoryOrder::kAcquireRelease;
  const bool releases = access.order == MemoryOrder::kRelease || access.order == MemoryOrder::kAcquireRelease;
  clocks_ |= acquires || releases;
  if (!clocks_) return;
  ThreadClock& t = thread(block, warp, lane);
  ReleasedAt& released = address >= kSharedWindow ? block.released : released_;
  const auto found = released.find(address);
  if (access.op != MemoryOp::kStore && found != released.end()) {
    const Released& r = found->second;
    Pending told;
    if (r.block == block.block) told.of_block = r.to_block;
    if (access.scope == Scope::kDevice) told.of_all = r.to_all;
    if (acquires) {
      t.acquired.learn(told.of_all);
      if (!told.of_block.same_as(told.of_all)) t.acquired.learn(told.of_block);
    } else if (!told.same_as(t.told)) {  // a thread that polls learns nothing new
      t.pending.learn(t.told = told);
    }
  }
  if (access.op == MemoryOp::kLoad) return;
  if (!atomic && found != released.end()) released.erase(found);  // a store ends earlier releases through the address
  if (releases) begin_moment(block, warp);
  if (releases)
    release(released[address], block, snapshot(block, warp, lane, access.scope), access.scope);
  else if (t.fenced.taken)
    release(released[address], block, t.fenced, access.scope);
}

}  // namespace lockstep
