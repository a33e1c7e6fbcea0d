// What threads learn from fences and from strong accesses. In: events, as they happened. Out: clocks.
#include <algorithm>
#include <utility>

#include "check/order.h"

namespace lockstep {
namespace {

// A thread remembers so many addresses that it has read without a fence. Most poll one flag, or a few.
constexpr size_t kLatest = 16;

}  // namespace

// ---- events that wait ----

OrderEvent Order::event(OrderEvent::Kind kind, BlockOrder& block, Lanes lanes, const StrongAccess& access) {
  const WarpOrder& w = block.warps[lanes.warp];
  if (w.threads.empty()) begin_threads(block, block.warps[lanes.warp]);
  return {kind, access, &block, lanes, 0, w.all_before, block.now, next_segment(), w.partly};
}

// An event is played at once if its lanes know each other in part: an event has no room for that.
void Order::added(const BlockOrder& block, uint32_t warp) {
  if (block.warps[warp].partly) return play();
  if (events_.size() >= most_events_) make_room();
}

// The next block takes its place.
void Order::keep_ended(BlockOrder& block) {
  if (std::max(block.first_event, events_.begin()) >= events_.end()) return;
  ended_warps_ += block.warps.size();
  BlockOrder& kept = ended_.emplace_back(std::move(block), events_.end()).first;
  events_.move(kept.first_event, &block, &kept);
  block = {};
  if (ended_warps_ > kMostEnded) play();
}

void Order::play() {
  if (events_.empty()) return;
  if (events_.size() >= few_events_ / 8 && play_together(events_.count())) return;
  play_first(events_.count());
}

// Their clocks learn only what memory remembers. False: nothing was played.
//
// Memory usually remembers only late accesses, because each thread uses the same words again. An event before the
// earliest remembered access is idle. It passes on older accesses, and nobody can ask about these. So clocks learn
// nothing from idle events.
bool Order::play_together(size_t count) {
  std::optional<Remembered> remembered = this->remembered(events_.first_next());
  if (!remembered) return false;
  const size_t idle = events_.count_before(remembered->earliest());
  size_t nodes = 0;
  if (idle < count) {
    nodes = history_.begin_together(*remembered);
    play_first(count, idle);
    history_.end_together();
  } else {
    play_first(count, count);
  }
  most_events_ = std::clamp(kEventsForEach * remembered->count() + kEventsForNode * nodes, few_events_, kMostEvents);
  return true;
}

// The first `idle` of them are passed over.
void Order::play_first(size_t count, size_t idle) {
  events_.play(count, [&](const OrderEvent& event, const uint64_t* addresses, const Moments* row) {
    if (idle > 0) return --idle, pass_over(event);
    history_.pass_to(event.next);
    if (event.kind == OrderEvent::kFence) return play_fence(event);
    if (event.kind == OrderEvent::kChain) return play_chain(event, *addresses, *row);
    play_strong(event, addresses);
  });
  for (; !ended_.empty() && ended_.front().second <= events_.begin(); ended_.pop_front())
    ended_warps_ -= ended_.front().first.warps.size();
}

// The latest events wait on: memory remembers more of the latest accesses than of others, and forgets them soon.
void Order::make_room() {
  if (!play_together(events_.count() / 4 * 3)) play();
}

// ---- events, played ----

// The lane passes on its own accesses up to the event.
void Order::note_own(const OrderEvent& event, uint32_t lane, OwnWarp& own) const {
  const uint32_t warp = event.lanes.warp;
  const WarpOrder& w = event.block->warps[warp];
  own.accesses = {number(*event.block, warp), 1, lane, event.all_before, event.now};
  own.partly = event.partly;
  if (event.partly) own.moments = (*w.lanes)[lane];
}

// What an idle event leaves behind: its threads have made a fence, or they have acquired from each other.
void Order::pass_over(const OrderEvent& event) {
  if (event.kind == OrderEvent::kStrong) return;
  for (const uint32_t l : each_lane(event.lanes.mask)) {
    ThreadClock& t = thread(*event.block, event.lanes.warp, l);
    if (event.kind == OrderEvent::kFence)
      note_fence(event, l, t);
    else
      t.fenced.newest = false;
  }
}

void Order::note_fence(const OrderEvent& event, uint32_t lane, ThreadClock& t) const {
  t.fenced.taken = t.fenced.newest = true;
  t.fenced.scope = event.access.scope;
  t.fenced.clock = t.clock;
  note_own(event, lane, t.fenced.own);
}

void Order::play_fence(const OrderEvent& event) {
  for (const uint32_t l : each_lane(event.lanes.mask)) {
    ThreadClock& t = thread(*event.block, event.lanes.warp, l);
    t.settle();
    t.clock.learn(std::exchange(t.pending.of_block, {}));
    if (event.access.scope == Scope::kDevice) t.clock.learn(std::exchange(t.pending.of_all, {}));
    note_fence(event, l, t);
  }
}

void Order::play_chain(const OrderEvent& event, uint64_t address, const Moments& row) {
  BlockOrder& block = *event.block;
  const uint32_t warp = event.lanes.warp;
  Released& at = (address >= kSharedWindow ? block.released : released_)[address];
  Clock known, before;  // before: what the lanes knew; usually they know the same
  if (at.block == block.block) known = at.to_block;
  if (event.access.scope == Scope::kDevice) known.learn(at.to_all);
  for (const uint32_t l : each_lane(event.lanes.mask)) {
    ThreadClock& t = thread(block, warp, l);
    if (!t.clock.same_as(before)) known.learn(before = t.clock);
    t.clock = known;
    t.fenced.newest = false;
  }
  known.learn(history_, number(block, warp), row);
  release(at, block, known, {address, event.access.scope, true});
}

void Order::play_strong(const OrderEvent& event, const uint64_t* addresses) {
  for (const uint32_t l : each_lane(event.lanes.mask)) play_strong_of(event, l, *addresses++);
}

void Order::play_strong_of(const OrderEvent& event, uint32_t lane, uint64_t address) {
  BlockOrder& block = *event.block;
  const StrongAccess& access = event.access;
  ThreadClock& t = thread(block, event.lanes.warp, lane);
  ReleasedAt& released = address >= kSharedWindow ? block.released : released_;
  auto found = released.find(address);
  const bool only_reads = access.op == MemoryOp::kLoad || (event.failed >> lane & 1);
  // A thread that polls reads the same again. Together, many addresses tell the same.
  if (access.reads() && found != released.end())
    read(t, block, found->second, access, only_reads || !access.releases() || history_.is_together());
  if (only_reads) return;
  const bool passes_on = access.releases() || t.fenced.taken;
  if (!passes_on && found == released.end()) return;
  if (!passes_on) return access.updates() ? void() : void(released.erase(found));
  if (access.releases()) {
    OwnWarp own;
    note_own(event, lane, own);
    tell(t.clock, own);
    if (t.clock.empty() && found == released.end()) return;  // it would pass nothing on
  }
  if (found == released.end()) found = released.try_emplace(address).first;
  if (!access.updates()) found->second = {};  // a store ends earlier releases through the address
  if (!access.releases()) {
    const Scope scope = t.fenced.scope == Scope::kDevice ? access.scope : t.fenced.scope;
    return release(found->second, block, t.fenced.clock, {address, scope, false, &t.fenced.own});
  }
  release(found->second, block, t.clock, {address, access.scope, access.acquires() && access.reads()});
}

// The thread reads what was released.
void Order::read(ThreadClock& t, const BlockOrder& block, const Released& released, const StrongAccess& access,
                 bool may_repeat) {
  static const Clock kNothing;
  const Clock& of_block = released.block == block.block ? released.to_block : kNothing;
  const Clock& of_all = access.scope == Scope::kDevice ? released.to_all : kNothing;
  const auto is_in = [&](const Told& told) { return told.of_block.same_as(of_block) && told.of_all.same_as(of_all); };
  if (access.acquires()) {
    if (is_in(t.acquired)) return;  // it polls
    t.clock.learn(of_all);
    if (!of_block.same_as(of_all)) t.clock.learn(of_block);
    // Else the thread does not keep these clocks: the sole owner of a clock changes its tree in place.
    if (may_repeat) t.acquired = {of_block, of_all, released.series};
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
