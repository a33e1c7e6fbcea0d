#include "check/order.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lockstep {

void Told::learn(const Told& other) {
  of_block.learn(other.of_block);
  of_all.learn(other.of_all);
}

const Told& ThreadClock::settle() {
  for (const Told& told : latest) pending.learn(told);
  latest.clear();
  return pending;
}

Order::Order(std::function<bool(Remembered&)> remember, size_t few_events)
    : remember_(std::move(remember)), few_events_(few_events), most_events_(few_events) {
  history_.set_remembered([this](SegmentId from) { return remembered(from); });
}

std::optional<Remembered> Order::remembered(SegmentId from) {
  if (!remember_) return {};
  std::optional<Remembered> remembered({{segments_, first_, warps_}, from});
  if (!remember_(*remembered)) return {};
  for (uint32_t l = 0; l < kWarpSize; ++l) remembered->add(stamped_, l);  // memory will remember the present access
  return remembered;
}

bool Order::begin_launch(bool block_scopes) {
  constexpr SegmentId kMany = SegmentId{1} << 31;  // half of the numbers are left for the launch
  first_ += static_cast<SegmentId>(segments_.size());
  const bool again = first_ > kMany;
  if (again) first_ = 1;
  segments_.clear();
  events_.clear();
  ended_.clear();
  ended_warps_ = 0;
  most_events_ = few_events_;
  released_.clear();
  block_scopes_ = block_scopes;
  clocks_ = false;
  return again;
}

void Order::begin_block(BlockOrder& block, uint64_t linear, uint32_t warps) {
  keep_ended(block);
  block.first_event = events_.end();
  block.block = static_cast<uint32_t>(linear);
  block.now = 1;
  block.all_before = 0;
  block.floor = first_ + static_cast<SegmentId>(segments_.size());
  block.warps.resize(warps_ = warps);
  for (WarpOrder& w : block.warps) w.segment = w.all_before = 0, w.partly = false, w.threads.clear();
  block.common = {};
  block.common_before = 0;
  block.barriers = {};
  block.released.clear();
}

SegmentId Order::stamp(BlockOrder& block, uint32_t warp) {
  WarpOrder& w = block.warps[warp];
  if (w.segment) return stamped_ = w.segment;
  segments_.push_back({block.block, block.now, warp});
  history_.set_now(next_segment());
  return stamped_ = w.segment = first_ + static_cast<SegmentId>(segments_.size()) - 1;
}

bool Order::before(SegmentId then, uint32_t then_lane, const BlockOrder& block, uint32_t warp, uint32_t lane) {
  if (then < first_) return true;  // an earlier launch
  const Segment& s = segment(then);
  if (s.block == block.block) {
    if (s.time < block.all_before) return true;
    if (s.warp == warp) {
      const WarpOrder& w = block.warps[warp];
      if (then_lane == lane || s.time < w.all_before) return true;
      if (w.partly && s.time < (*w.lanes)[lane][then_lane]) return true;
    }
    if (is_present(then, block)) return false;
  }
  if (!clocks_) return false;
  const uint64_t of_warp = uint64_t{s.block} * warps_ + s.warp;
  if (!events_.empty()) {
    if (clock(block, warp, lane).surely_knows(of_warp, then_lane, s.time)) return true;
    play();
  }
  return clock(block, warp, lane).knows(of_warp, then_lane, s.time, then + 1);
}

bool Order::lacks_fence(SegmentId then, uint32_t then_lane, const BlockOrder& block) {
  if (then < first_) return false;
  play();
  const Segment& s = segment(then);
  const uint64_t warp = uint64_t{s.block} * warps_ + s.warp;
  const auto knows = [&](const Told& told) {
    return told.of_all.knows(warp, then_lane, s.time, then + 1) ||
           told.of_block.knows(warp, then_lane, s.time, then + 1);
  };
  return std::ranges::any_of(block.warps, [&](const WarpOrder& w) {
    return std::ranges::any_of(
        w.threads, [&](const ThreadClock& t) { return knows(t.pending) || std::ranges::any_of(t.latest, knows); });
  });
}

// The warp's threads get clocks of their own.
void Order::begin_threads(BlockOrder& block, WarpOrder& warp) {
  bring_up_to_date(block);
  warp.threads.assign(kWarpSize, block.common);
}

// Each thread passes on what its block did before the last barrier.
void Order::bring_up_to_date(BlockOrder& block) {
  if (block.common_before == block.all_before) return;
  block.common_before = block.all_before;
  block.common.clock.learn(history_, {number(block, 0), warps_, 0, block.all_before, 0});
}

void Order::tell(Clock& clock, const OwnWarp& own) {
  clock.learn(history_, own.accesses);
  if (own.partly) clock.learn(history_, own.accesses.first_warp, own.moments);
}

// ---- barriers and syncs ----

void Order::join_block(BlockOrder& block) {
  play();
  block.all_before = ++block.now;
  block.floor = next_segment();
  ThreadClock& common = block.common;
  Clock last_clock;  // neighbours usually know the same
  Told last;
  bool any = false;
  for (WarpOrder& w : block.warps) {
    w.segment = 0, w.partly = false;
    any |= !w.threads.empty();
    for (ThreadClock& t : w.threads) {
      if (!t.clock.same_as(last_clock)) common.clock.learn(last_clock = t.clock);
      if (!t.settle().same_as(last)) common.pending.learn(last = t.pending);
    }
  }
  if (!any) return;
  bring_up_to_date(block);
  for (WarpOrder& w : block.warps)
    for (ThreadClock& t : w.threads) t.clock = common.clock, t.pending = common.pending;
}

void Order::join_lanes(BlockOrder& block, Lanes joined, Mask live) {
  const Mask mask = joined.mask;
  if (!(mask & (mask - 1))) return;  // one lane alone
  WarpOrder& w = block.warps[joined.warp];
  if (!w.threads.empty()) play();
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
  if (w.threads.empty()) return;
  Clock clock, last_clock;
  Told pending, last;
  for (const uint32_t l : each_lane(mask)) {
    ThreadClock& t = w.threads[l];
    if (!t.clock.same_as(last_clock)) clock.learn(last_clock = t.clock);
    if (!t.settle().same_as(last)) pending.learn(last = t.pending);
  }
  for (const uint32_t l : each_lane(mask)) w.threads[l].clock = clock, w.threads[l].pending = pending;
}

void Order::arrive(BlockOrder& block, uint32_t barrier, Lanes lanes) {
  play();
  clocks_ = true;
  begin_moment(block, lanes.warp);
  WarpOrder& w = block.warps[lanes.warp];
  Clock& arrived = block.barriers[barrier];
  Clock last;
  Moments together{};
  for (const uint32_t l : each_lane(lanes.mask)) {
    const Clock& clock = thread(block, lanes.warp, l).clock;
    if (!clock.same_as(last)) arrived.learn(last = clock);
    if (w.partly)
      for (uint32_t j = 0; j < kWarpSize; ++j) together[j] = std::max(together[j], (*w.lanes)[l][j]);
    together[l] = block.now;
  }
  for (uint32_t& moment : together) moment = std::max(moment, w.all_before);
  arrived.learn(history_, number(block, lanes.warp), together);
  w.segment = 0;
}

void Order::join_some(BlockOrder& block, uint32_t barrier, const std::vector<Lanes>& participants) {
  for (const Lanes& lanes : participants) arrive(block, barrier, lanes);
  const Clock together = std::exchange(block.barriers[barrier], {});
  Clock last_in, last_out;
  for (const Lanes& lanes : participants)
    for (const uint32_t l : each_lane(lanes.mask)) {
      Clock& clock = thread(block, lanes.warp, l).clock;
      if (last_out.empty() || !clock.same_as(last_in)) {
        last_in = last_out = clock;
        last_out.learn(together);
      }
      clock = last_out;
    }
}

// ---- fences, release and acquire ----

// What is released now does not include later accesses of the warp.
void Order::begin_moment(BlockOrder& block, uint32_t warp) {
  if (!std::exchange(block.warps[warp].segment, 0)) return;  // there is no access that the last moment does not include
  ++block.now;
}

void Order::fence(BlockOrder& block, Lanes lanes, Scope scope) {
  clocks_ = true;
  begin_moment(block, lanes.warp);
  StrongAccess access;
  access.scope = scope;
  events_.add(event(OrderEvent::kFence, block, lanes, access));
  added(block, lanes.warp);
}

// What a warp's lanes do at one address is as costly as the operation of one lane, if each of them passes on all that
// it knows. Most programs with many such operations have no others: a counter or a lock that every thread uses.
void Order::strong(BlockOrder& block, Lanes lanes, uint64_t address, const MemoryAccess& access, Mask failed) {
  const StrongAccess strong(access);
  clocks_ |= strong.acquires() || strong.releases();
  if (!clocks_) return;
  if ((lanes.mask & (lanes.mask - 1)) && !failed && passes_on_all(block, lanes, strong))
    return chain(block, lanes, address, strong);
  std::array<uint64_t, kWarpSize> addresses;
  addresses.fill(address);
  strong_apart(block, lanes, addresses.data(), access, failed);
}

void Order::strong_apart(BlockOrder& block, Lanes lanes, const uint64_t* addresses, const MemoryAccess& access,
                         Mask failed) {
  const StrongAccess strong(access);
  clocks_ |= strong.acquires() || strong.releases();
  if (!clocks_) return;
  if (strong.releases() && (lanes.mask & ~failed)) begin_moment(block, lanes.warp);
  OrderEvent now = event(OrderEvent::kStrong, block, lanes, strong);
  now.failed = failed;
  events_.add(now);
  for (const uint32_t l : each_lane(lanes.mask)) events_.add_address(addresses[l]);
  added(block, lanes.warp);
}

// Whether each lane acquires, and releases all that it knows: by the operation itself, or because the lanes have just
// made a fence, as for memory_order_seq_cst.
bool Order::passes_on_all(BlockOrder& block, Lanes lanes, const StrongAccess& access) {
  if (!access.updates() || !access.acquires()) return false;
  if (access.releases()) return true;
  if (block_scopes_) return false;  // what they acquire at the scope of the card is not released at the block's
  play();
  for (const uint32_t l : each_lane(lanes.mask)) {
    const ThreadClock& t = thread(block, lanes.warp, l);
    const Snapshot& fenced = t.fenced;
    const bool just_now = fenced.newest && fenced.own.accesses.moment == block.now && fenced.scope == access.scope;
    if (!just_now || !fenced.clock.same_as(t.clock)) return false;
  }
  return true;
}

// Each lane acquires what the lane before it has released. What they learn about each other is in WarpOrder::lanes, so
// that all of them have one clock about the others.
void Order::chain(BlockOrder& block, Lanes lanes, uint64_t address, const StrongAccess& access) {
  WarpOrder& w = block.warps[lanes.warp];
  if (access.releases()) begin_moment(block, lanes.warp);  // else the fence began one
  auto& rows = w.begin_partly();
  Moments row{};
  for (const uint32_t l : each_lane(lanes.mask)) {
    for (int j = 0; j < kWarpSize; ++j) row[j] = rows[l][j] = std::max(row[j], rows[l][j]);
    row[l] = block.now;
  }
  for (uint32_t& moment : row) moment = std::max(moment, w.all_before);
  events_.add(event(OrderEvent::kChain, block, lanes, access));
  events_.add_address(address);
  events_.add_row(row);
  if (events_.size() >= most_events_) make_room();
}

}  // namespace lockstep
