#include "check/order.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lockstep {
namespace {

bool reads(const MemoryAccess& access) { return access.op != MemoryOp::kStore; }
bool updates(const MemoryAccess& access) { return access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction; }
bool acquires(const MemoryAccess& access) {
  return access.order == MemoryOrder::kAcquire || access.order == MemoryOrder::kAcquireRelease;
}
bool releases(const MemoryAccess& access) {
  return access.order == MemoryOrder::kRelease || access.order == MemoryOrder::kAcquireRelease;
}

// A thread remembers so many addresses that it has read without a fence. Most poll one flag, or a few.
constexpr size_t kLatest = 16;

}  // namespace

void Told::learn(const Told& other) {
  of_block.learn(other.of_block);
  of_all.learn(other.of_all);
}

const Told& ThreadClock::settle() {
  for (const Told& told : latest) pending.learn(told);
  latest.clear();
  return pending;
}

Order::Order(std::function<bool(Remembered&)> remember) {
  if (!remember) return;
  history_.set_remembered([this, remember = std::move(remember)](SegmentId from) -> std::optional<Remembered> {
    Remembered remembered({segments_, first_, warps_}, from);
    if (!remember(remembered)) return {};
    return remembered;
  });
}

bool Order::begin_launch(bool block_scopes) {
  constexpr SegmentId kMany = SegmentId{1} << 31;  // half of the numbers are left for the launch
  first_ += static_cast<SegmentId>(segments_.size());
  const bool again = first_ > kMany;
  if (again) first_ = 1;
  segments_.clear();
  released_.clear();
  block_scopes_ = block_scopes;
  clocks_ = false;
  return again;
}

void Order::begin_block(BlockOrder& block, uint64_t linear, uint32_t warps) {
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
  if (w.segment) return w.segment;
  segments_.push_back({block.block, block.now, warp});
  history_.set_now(next_segment());
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
    if (block.warps[s.warp].segment == then) return false;  // its warp has passed nothing on since then
  }
  return clocks_ && clock(block, warp, lane).knows(uint64_t{s.block} * warps_ + s.warp, then_lane, s.time, then + 1);
}

bool Order::lacks_fence(SegmentId then, uint32_t then_lane, const BlockOrder& block) const {
  if (then < first_) return false;
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

const Clock& Order::clock(const BlockOrder& block, uint32_t warp, uint32_t lane) const {
  const WarpOrder& w = block.warps[warp];
  return (w.threads.empty() ? block.common : w.threads[lane]).clock;
}

ThreadClock& Order::thread(BlockOrder& block, uint32_t warp, uint32_t lane) {
  WarpOrder& w = block.warps[warp];
  if (w.threads.empty()) {
    bring_up_to_date(block);
    w.threads.assign(kWarpSize, block.common);
  }
  return w.threads[lane];
}

// Each thread passes on what its block did before the last barrier.
void Order::bring_up_to_date(BlockOrder& block) {
  if (block.common_before == block.all_before) return;
  block.common_before = block.all_before;
  block.common.clock.learn(history_, {number(block, 0), warps_, 0, block.all_before, 0});
}

// Now. The lane passes on its own accesses up to this moment.
void Order::note_own(const BlockOrder& block, uint32_t warp, uint32_t lane, OwnWarp& own) const {
  const WarpOrder& w = block.warps[warp];
  own.accesses = {number(block, warp), 1, lane, w.all_before, block.now};
  own.partly = w.partly;
  if (w.partly) own.moments = (*w.lanes)[lane];
}

void Order::tell(Clock& clock, const OwnWarp& own) {
  clock.learn(history_, own.accesses);
  if (own.partly) clock.learn(history_, own.accesses.first_warp, own.moments);
}

// ---- barriers and syncs ----

void Order::join_block(BlockOrder& block) {
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
  for (const uint32_t l : each_lane(lanes.mask)) {
    ThreadClock& t = thread(block, lanes.warp, l);
    t.settle();
    t.clock.learn(std::exchange(t.pending.of_block, {}));
    if (scope == Scope::kDevice) t.clock.learn(std::exchange(t.pending.of_all, {}));
    t.fenced.taken = t.fenced.newest = true;
    t.fenced.scope = scope;
    t.fenced.clock = t.clock;
    note_own(block, lanes.warp, l, t.fenced.own);
  }
}

// What a warp's lanes do at one address is as costly as the operation of one lane, if each of them passes on all that
// it knows. Most programs with many such operations have no others: a counter or a lock that every thread uses.
void Order::strong(BlockOrder& block, Lanes lanes, uint64_t address, const MemoryAccess& access, Mask failed) {
  clocks_ |= acquires(access) || releases(access);
  if (!clocks_) return;
  if ((lanes.mask & (lanes.mask - 1)) && !failed && passes_on_all(block, lanes, access))
    return chain_lanes(block, lanes, address, access);
  for (const uint32_t l : each_lane(lanes.mask))
    strong_of(block, {lanes.warp, l}, address, access, access.op != MemoryOp::kLoad && !(failed >> l & 1));
}

// Whether each lane acquires, and releases all that it knows: by the operation itself, or because the lanes have just
// made a fence, as for memory_order_seq_cst.
bool Order::passes_on_all(BlockOrder& block, Lanes lanes, const MemoryAccess& access) {
  if (!updates(access) || !acquires(access)) return false;
  if (releases(access)) return true;
  if (block_scopes_) return false;  // what they acquire at the scope of the card is not released at the block's
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
void Order::chain_lanes(BlockOrder& block, Lanes chained, uint64_t address, const MemoryAccess& access) {
  WarpOrder& w = block.warps[chained.warp];
  Released& at = (address >= kSharedWindow ? block.released : released_)[address];
  Clock known, before;  // before: what the lanes knew; usually they know the same
  if (at.block == block.block) known = at.to_block;
  if (access.scope == Scope::kDevice) known.learn(at.to_all);
  if (releases(access)) begin_moment(block, chained.warp);  // else the fence began one
  const uint32_t time = block.now;
  auto& rows = w.begin_partly();
  Moments row{};
  for (const uint32_t l : each_lane(chained.mask)) {
    ThreadClock& t = thread(block, chained.warp, l);
    if (!t.clock.same_as(before)) known.learn(before = t.clock);
    t.clock = known;
    t.fenced.newest = false;
    for (int j = 0; j < kWarpSize; ++j) row[j] = rows[l][j] = std::max(row[j], rows[l][j]);
    row[l] = time;
  }
  for (uint32_t& moment : row) moment = std::max(moment, w.all_before);
  known.learn(history_, number(block, chained.warp), row);
  release(at, block, known, {address, access.scope, true});
}

void Order::strong_of(BlockOrder& block, OneLane who, uint64_t address, const MemoryAccess& access, bool writes) {
  const auto [warp, lane] = who;
  ThreadClock& t = thread(block, warp, lane);
  ReleasedAt& released = address >= kSharedWindow ? block.released : released_;
  auto found = released.find(address);
  if (reads(access) && found != released.end()) read(t, block, found->second, access);
  if (!writes) return;
  const bool passes_on = releases(access) || t.fenced.taken;
  if (!passes_on && found == released.end()) return;
  if (!passes_on) return updates(access) ? void() : void(released.erase(found));
  if (found == released.end()) found = released.try_emplace(address).first;
  if (!updates(access)) found->second = {};  // a store ends earlier releases through the address
  if (!releases(access)) {
    const Scope scope = t.fenced.scope == Scope::kDevice ? access.scope : t.fenced.scope;
    return release(found->second, block, t.fenced.clock, {address, scope, false, &t.fenced.own});
  }
  begin_moment(block, warp);
  OwnWarp own;
  note_own(block, warp, lane, own);
  tell(t.clock, own);
  release(found->second, block, t.clock, {address, access.scope, acquires(access) && reads(access)});
}

// The thread reads what was released.
void Order::read(ThreadClock& t, const BlockOrder& block, const Released& released, const MemoryAccess& access) {
  static const Clock kNothing;
  const Clock& of_block = released.block == block.block ? released.to_block : kNothing;
  const Clock& of_all = access.scope == Scope::kDevice ? released.to_all : kNothing;
  const auto is_in = [&](const Told& told) { return told.of_block.same_as(of_block) && told.of_all.same_as(of_all); };
  if (acquires(access)) {
    if (is_in(t.acquired)) return;  // it polls
    t.clock.learn(of_all);
    if (!of_block.same_as(of_all)) t.clock.learn(of_block);
    t.acquired = {of_block, of_all, released.series};
    return;
  }
  const auto known = std::ranges::find(t.latest, released.series, &Told::series);
  if (known != t.latest.end()) {
    known->of_block = of_block;
    if (access.scope == Scope::kDevice) known->of_all = of_all;
    return;
  }
  if (t.latest.size() == kLatest) t.settle();
  t.latest.push_back({of_block, of_all, released.series});
}

void Order::release(Released& to, const BlockOrder& block, const Clock& clock, const Release& how) {
  const bool shared = how.address >= kSharedWindow;  // only threads of the block read it
  const bool to_block = shared || block_scopes_, to_all = !shared && (how.scope == Scope::kDevice || !block_scopes_);
  const auto learn = [&](Clock& released) {
    how.knows ? void(released = clock) : released.learn(clock);
    if (how.own) tell(released, *how.own);
  };
  if (to_block && to.block != block.block) to.to_block = {}, to.block = block.block, to.series = 0;
  if (to.series == 0) to.series = ++series_;
  const bool same = to_block && to_all && to.to_all.same_as(to.to_block);
  if (same) to.to_all = {};  // a clock that nobody shares learns faster
  if (to_block) learn(to.to_block);
  if (same)
    to.to_all = to.to_block;
  else if (to_all)
    learn(to.to_all);
}

}  // namespace lockstep
