#include "engine/block.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "base/align.h"

namespace lockstep {
namespace {

// After so many barriers other blocks get a turn: the block may look each time for what they write.
constexpr uint32_t kManyBarriers = 4096;

}  // namespace

// Shared memory has whole words: an atomic of 2 bytes reads the whole word (count_loop).
Block::Block(const Launch& launch, LaunchState& state, uint32_t slot)
    : launch_(&launch), state_(&state), slot_(slot), shared_(aligned_bytes(align_up(launch.shape.shared_bytes, 4))) {
  for (uint32_t w = 0; w < launch.shape.warps_per_block(); ++w)
    warps_.push_back(std::make_unique<Warp>(*this, launch, state, w));
  order_warps();
}

void Block::order_warps() {
  order_.resize(warps_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  if (launch_->schedule.kind == Schedule::kReverse) std::reverse(order_.begin(), order_.end());
}

void Block::begin_launch(const Launch& launch, LaunchState& state) {
  launch_ = &launch;
  state_ = &state;
  sleepers_.clear();
  order_warps();
  for (auto& warp : warps_) warp->begin_launch(launch, state);
}

void Block::start(uint64_t linear) {
  linear_ = linear;
  ++interval_;
  barriers_ = {};
  chain_ = {};
  hand_overs_.clear();
  written_.begin(launch_->shape.shared_bytes);
  if (launch_->counts_traffic) cache_.clear();
  cluster_arrived_.assign(warps_.size(), 0);
  if (launch_->watched()) spoil_shared();
  for (auto& warp : warps_) warp->start(linear);
  for (Observer* observer : launch_->observers) observer->begin_block(*this);
}

// Unwritten shared memory holds NaNs, which are far from any count as integers, and differ from block to block. So a
// program that uses them gets a wrong result, whatever is known of the read.
void Block::spoil_shared() {
  const uint32_t word = 0xFFFF'0000u | static_cast<uint16_t>((linear_ * 40503 + launch_->sequence * 9973) | 1);
  std::fill_n(reinterpret_cast<uint32_t*>(shared_.get()), align_up(launch_->shape.shared_bytes, 4) / sizeof word, word);
}

Progress Block::run() {
  const bool some_sleep = state_->turns.changes != nullptr;
  if (some_sleep && rests()) return Progress::kYielded;
  for (uint32_t barriers = 0;;) {
    if (launch_->schedule.kind == Schedule::kRandom) std::shuffle(order_.begin(), order_.end(), state_->random);
    bool yielded = false, turn_over = false, all_done = true;
    if (some_sleep) sleepers_.clear();
    for (const uint32_t w : order_) {
      Warp& warp = *warps_[w];
      if (warp.done()) continue;
      const Progress progress = some_sleep && warp.sleeps() ? Progress::kYielded : warp.run();
      yielded |= progress == Progress::kYielded;
      turn_over |= progress == Progress::kTurnOver;
      if (state_->faulted) return Progress::kDone;
      all_done &= warp.done();
      if (some_sleep && progress == Progress::kYielded) sleepers_.push_back(&warp);
    }
    if (all_done) {
      join_chains();
      state_->counters.end_block(chain_, counted());
      return Progress::kDone;
    }
    const bool on = complete_barriers();
    if (some_sleep && (turn_over || on)) sleepers_.clear();
    if (on) {
      if (++barriers == kManyBarriers) return Progress::kYielded;
      continue;
    }
    return turn_over ? Progress::kTurnOver : yielded ? Progress::kYielded : Progress::kBlocked;
  }
}

void Block::note_race(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  const bool copied = access.op == MemoryOp::kLoad && may_be_copied_to(access, mask, addresses);
  shared_races_.note(warp, access, mask, addresses, interval_, copied);
}

// Whether an asynchronous copy of some warp, for which nobody has waited, may still write there.
bool Block::may_be_copied_to(const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) const {
  const uint32_t bytes = access.bytes * access.count;
  for (const auto& warp : warps_)
    if (!warp->copies().idle())
      for (const uint32_t l : each_lane(mask))
        if (warp->copies().still_writes(addresses.at[l] - addresses.shared_begin + kSharedBase, bytes)) return true;
  return false;
}

// Whether every warp sleeps, or waits for one that sleeps.
bool Block::rests() const {
  return !sleepers_.empty() && std::ranges::all_of(sleepers_, [](const Warp* warp) { return warp->sleeps(); });
}

BlockCounters Block::counted() const {
  BlockCounters counted{.threads = launch_->shape.threads_per_block(), .order_decides = hand_overs_.order_decides()};
  for (const auto& warp : warps_) {
    counted.waits = std::max(counted.waits, warp->waits());
    counted.branches += warp->branches();
  }
  return counted;
}

// From one barrier to the next, and to the end, the block is as slow as its slowest warp.
void Block::join_chains() {
  Chain slowest = std::exchange(warps_.front()->chain(), {});
  uint64_t most = slowest.weight();
  for (const auto& warp : std::span(warps_).subspan(1)) {
    const Chain chain = std::exchange(warp->chain(), {});
    const uint64_t weight = chain.weight();
    if (weight > most) slowest = chain, most = weight;
  }
  chain_.add(slowest);
}

bool Block::complete_barriers() {
  uint32_t ids = 0;
  for (const auto& warp : warps_)
    for (const Path& path : warp->paths())
      if (path.state == Path::kAtBarrier) ids |= 1u << path.barrier;
  bool any = complete_cluster();
  for (; ids; ids &= ids - 1) any |= complete(static_cast<uint32_t>(std::countr_zero(ids)));
  return any;
}

// A barrier without a thread count waits for every thread that has not exited. A barrier with a count counts whole
// warps, as the hardware does: a warp whose live lanes have all arrived counts as 32.
bool Block::complete(uint32_t id) {
  Barrier& barrier = barriers_[id];
  uint32_t arrived = barrier.early, expected = barrier.expected;
  uint64_t waits = barrier.waits;
  const BarrierUse* use = nullptr;
  bool everybody = true;
  for (const auto& warp : warps_) {
    Mask here = 0;
    for (const Path& path : warp->paths()) {
      if (path.state != Path::kAtBarrier || path.barrier != id) continue;
      here |= path.mask;
      use = path.use;
      expected = std::max(expected, path.waits_for);
    }
    if (here) waits = std::max(waits, warp->waits());
    everybody &= here == warp->live();
    arrived += here && here == warp->live() ? kWarpSize : static_cast<uint32_t>(std::popcount(here));
  }
  if (expected ? arrived < expected : !everybody) return false;
  if (launch_->watched())
    show({expected == 0 ? OpenedBarrier::kWholeBlock : OpenedBarrier::kCounted, id, arrivals(id)});
  uint32_t reduced = barrier.trues;
  if (use->op == BarrierUse::kRedAnd) reduced = barrier.trues == barrier.votes;
  if (use->op == BarrierUse::kRedOr) reduced = barrier.trues != 0;
  barrier = {};
  ++state_->counters.barriers;
  join_chains();
  ++chain_.barriers;
  if (everybody) ++interval_;
  for (auto& warp : warps_) warp->pass_barrier(id, reduced, waits + 1);
  return true;
}

void Block::show(const OpenedBarrier& opened) const {
  for (Observer* observer : launch_->observers) observer->open_barrier(*this, opened);
}

std::vector<Arrival> Block::arrivals(uint32_t id) const {
  std::vector<Arrival> all;
  for (const auto& warp : warps_)
    for (const Path& path : warp->paths())
      if (path.state == Path::kAtBarrier && path.barrier == id) all.push_back({{warp->index(), path.mask}, path.pc});
  return all;
}

// The cluster has one block: its barrier waits for every thread that has not exited.
bool Block::complete_cluster() {
  bool any = false;
  for (size_t w = 0; w < warps_.size(); ++w) {
    if (warps_[w]->live() & ~cluster_arrived_[w]) return false;
    any |= cluster_arrived_[w] != 0;
  }
  if (!any) return false;
  if (launch_->watched()) {
    OpenedBarrier opened{OpenedBarrier::kCluster, 0, {}};
    for (const auto& warp : warps_) opened.arrivals.push_back({{warp->index(), warp->live()}, 0});
    show(opened);
  }
  std::fill(cluster_arrived_.begin(), cluster_arrived_.end(), 0);
  ++interval_;
  const uint64_t waits = counted().waits + 1;
  for (auto& warp : warps_) warp->pass_cluster(waits);
  return true;
}

void Block::arrive_only(uint32_t id, uint32_t threads, uint32_t expected, uint64_t waits) {
  barriers_[id].waits = std::max(barriers_[id].waits, waits);
  barriers_[id].early += threads;
  barriers_[id].expected = std::max(barriers_[id].expected, expected);
}

void Block::contribute(uint32_t id, Mask predicate, Mask mask) {
  barriers_[id].trues += static_cast<uint32_t>(std::popcount(predicate & mask));
  barriers_[id].votes += static_cast<uint32_t>(std::popcount(mask));
}

}  // namespace lockstep
