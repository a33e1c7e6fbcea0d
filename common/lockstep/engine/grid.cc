// grid: starts blocks in ascending order and gives each resident block its turns. Independent blocks run on several
// threads of the host.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/interruption.h"
#include "engine/block.h"
#include "engine/fault.h"
#include "engine/grid.h"
#include "engine/kept_blocks.h"
#include "engine/stall.h"
#include "engine/workers.h"

namespace lockstep {
namespace {

// `forward` runs one block at a time, until it spins for another block. The other schedules mingle so many blocks from
// the start, so that blocks need not run in the order of their numbers.
constexpr size_t kMingled = 4;

// After so many rounds in which no block ends, more blocks start, whatever the blocks do.
constexpr uint32_t kFruitless = 1024;
// After so many, the warps' accesses are recorded, so that warps that wait can sleep. That slows down warps that work.
constexpr uint32_t kRecord = 24;
// Sleepers wake from time to time: a loop may count its looks, or look at what is not recorded. They sleep for
// kShortestSleep rounds, and longer while there are more of them than turns of others: else their looks would take most
// of the time. Nobody sleeps for more than kLongestSleep rounds.
constexpr uint32_t kShortestSleep = 16, kLongestSleep = 1024;

// One turn. If all threads of the block wait for each other, the launch fails.
Progress run_turn(Block& block) {
  const Progress progress = block.run();
  if (progress != Progress::kBlocked) return progress;
  const Block* const self = &block;
  report_deadlock({&self, 1});
  return Progress::kDone;
}

// Gives each thread of the host its next block, in ascending order. After a fault it gives no later block; all earlier
// blocks have been given. So the fault of the lowest block is always found, and it is the fault that counts.
class BlockSource {
 public:
  explicit BlockSource(uint64_t total) : end_(total) {}
  std::optional<uint64_t> take() {
    const uint64_t block = next_.fetch_add(1, std::memory_order_relaxed);
    return block < end_.load(std::memory_order_relaxed) ? std::optional(block) : std::nullopt;
  }
  bool empty() const { return !wants(next_.load(std::memory_order_relaxed)); }
  bool wants(uint64_t block) const { return block < end_.load(std::memory_order_relaxed); }
  void end_at(uint64_t block) {
    uint64_t end = end_.load(std::memory_order_relaxed);
    while (block < end && !end_.compare_exchange_weak(end, block, std::memory_order_relaxed)) {}
  }

 private:
  std::atomic<uint64_t> next_{0}, end_;
};

// What one thread of the host does for a launch: it starts blocks, and gives those that have started their turns, round
// after round.
class Share {
 public:
  Share(const Launch& launch, BlockSource& source, KeptBlocks& kept)
      : state(launch),
        launch_(launch),
        source_(source),
        wanted_(launch.schedule.kind == Schedule::kForward ? 1 : kMingled),
        kept_(kept),
        spare_(kept.take(launch, state)),
        stall_(launch, state) {}

  // Until the source is empty and all blocks have ended. Calls after_each() after each block.
  template <class Function>
  void run(Function after_each) {
    while (!state.faulted) {
      while (active_.size() < wanted_ && start_next()) {}
      if (active_.empty()) break;
      round(after_each);
      if (interruption() && !done()) fail_by_interruption(state);
    }
    if (interruption()) tell_running();
    if (!fault_.outcome.ok()) take_over(fault_);
    if (!state.faulted) kept_.keep(launch_, std::move(spare_));
  }

  // The fault of the lowest block counts.
  void add(Share& other) {
    if (state.stopped_at.empty()) state.stopped_at = other.state.stopped_at;
    state.counters.add(other.state.counters);
    for (size_t access = 0; access < state.reached.size(); ++access) {
      state.reached[access].merge(other.state.reached[access]);
      if (other.state.contested[access]) state.contested[access] = true;
      if (other.state.unwritten[access]) state.unwritten[access] = true;
    }
    if (!other.state.faulted || (state.faulted && fault_.block < other.fault_.block)) return;
    other.fault_.outcome = std::move(other.state.fault);
    other.fault_.findings = std::move(other.state.findings);
    take_over(other.fault_);
  }

  LaunchState state;

 private:
  struct Fault {
    uint64_t block = 0;
    Outcome outcome{};  // ok: there is none
    Findings findings{};
  };

  bool done() const { return active_.empty() && source_.empty(); }

  bool start_next() {
    const auto number = source_.take();
    if (!number) return false;
    if (spare_.empty())
      spare_.push_back(std::make_unique<Block>(launch_, state, static_cast<uint32_t>(active_.size())));
    active_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    active_.back()->start(*number);
    return true;
  }

  template <class Function>
  void round(Function after_each) {
    Turns& turns = state.turns;
    const uint64_t warps = active_.size() * launch_.shape.warps_per_block();
    ++rounds_, ++asleep_;
    turns.wake_all = asleep_ >= kLongestSleep || (asleep_ >= kShortestSleep && turns.taken - woken_at_ >= warps);
    const size_t before = active_.size();
    const uint64_t taken = turns.taken, looks = turns.suspicious, changes = state.changes;
    bool all_wait = turn_for_all(after_each);
    const bool any_ended = state.faulted || active_.size() < before;
    if (!any_ended && turns.taken == taken && !turns.wake_all) {  // all sleep
      turns.wake_all = true;
      all_wait = turn_for_all(after_each);
    }
    if (turns.wake_all) asleep_ = 0, woken_at_ = turns.taken;
    if (active_.size() < before || state.faulted) {
      rounds_ = 0;
      return stall_.reset();
    }
    // Independent blocks share nothing that they could be in step with. But long turns would only delay the end of a
    // loop that never ends.
    turns.shared = !launch_.independent || stall_.is_quiet();
    const bool in_vain = turns.suspicious - looks > state.changes - changes;
    if (rounds_ >= kRecord && in_vain && !turns.changes) turns.changes = std::make_unique<Changes>();
    if ((all_wait || rounds_ % kFruitless == 0) && !source_.empty() && active_.size() < launch_.resident_blocks) {
      wanted_ = std::min<size_t>(2 * active_.size(), launch_.resident_blocks);
      stall_.reset();
    } else if (!turns.changes || turns.wake_all) {  // everybody has had a turn
      look_for_stall();
    }
  }

  // Whether every block that is left yielded: they may wait for a block that has not begun.
  template <class Function>
  bool turn_for_all(Function after_each) {
    if (launch_.schedule.kind == Schedule::kRandom) std::shuffle(active_.begin(), active_.end(), state.random);
    if (launch_.schedule.kind == Schedule::kReverse)
      std::sort(active_.begin(), active_.end(), [](const auto& a, const auto& b) { return a->linear() > b->linear(); });
    bool all_wait = true;
    for (auto& block : active_) {
      if (launch_.independent && !source_.wants(block->linear())) {  // after a fault in an earlier block
        spare_.push_back(std::move(block));
        continue;
      }
      const Progress progress = run_turn(*block);
      all_wait &= progress == Progress::kYielded;
      if (progress != Progress::kDone) continue;
      if (state.faulted && !keep_fault(block->linear())) return false;
      spare_.push_back(std::move(block));
      if (fault_.outcome.ok()) after_each();
    }
    std::erase(active_, nullptr);
    return all_wait;
  }

  // Earlier blocks that do not depend on this one run on, because their faults would count. False: the launch ends.
  bool keep_fault(uint64_t block) {
    fault_.block = block;
    if (!launch_.independent || interruption()) return false;
    source_.end_at(block);
    fault_.outcome = std::exchange(state.fault, {});
    fault_.findings = std::exchange(state.findings, {});
    state.faulted = false;
    return true;
  }

  void take_over(Fault& fault) {
    state.faulted = true;
    fault_.block = fault.block;
    state.fault = std::move(fault.outcome);
    state.findings = std::move(fault.findings);
  }

  void look_for_stall() { stall_.look(active_blocks()); }

  void tell_running() {
    if (state.stopped_at.empty()) state.stopped_at = report_running(active_blocks());
  }

  std::span<const Block* const> active_blocks() {
    resident_.clear();
    for (const auto& block : active_)
      if (block) resident_.push_back(block.get());
    return resident_;
  }

  const Launch& launch_;
  BlockSource& source_;
  size_t wanted_;
  KeptBlocks& kept_;
  Blocks active_, spare_;
  StallWatch stall_;
  uint32_t rounds_ = 0;    // in which no block has ended
  uint32_t asleep_ = 0;    // rounds since all warps were awake
  uint64_t woken_at_ = 0;  // Turns::taken then
  std::vector<const Block*> resident_;
  Fault fault_;  // of an independent block
};

// Waking a helper and waiting for its last block costs about 20 us. A launch calls helpers if it has taken kWorth, or
// will take at least kWorth even if it runs each instruction once.
constexpr auto kWorth = std::chrono::microseconds(100);
constexpr uint64_t kInstructionsInWorth = 100'000;  // thread instructions, a nanosecond each
// Cores that update the same cell wait for each other a hundred times longer than one core needs for the update. If a
// kernel has more reductions than one in so many thread instructions, one core is faster than two.
constexpr uint64_t kInstructionsPerReduction = 128;

bool reduces_globally(const MemoryAccess& access) {
  return access.op == MemoryOp::kReduction && access.space != Space::kShared;
}

// Runs blocks that do not depend on each other. The workers run some of them.
class SharedGrid {
 public:
  SharedGrid(const Launch& launch, Workers& workers, std::span<KeptBlocks> kept)
      : launch_(launch),
        workers_(workers),
        kept_(kept),
        source_(launch.shape.grid.count()),
        own_(launch, source_, kept[0]),
        shares_(workers.helpers()) {}

  // Helpers must have stopped before this object goes away, even if this thread throws.
  ~SharedGrid() {
    if (own_.state.concurrent) workers_.dismiss();
  }

  LaunchState run() {
    const Program& program = launch_.program;
    const bool large =
        launch_.shape.grid.count() * launch_.shape.block.count() * program.code.size() > kInstructionsInWorth;
    const bool reduces = std::ranges::any_of(program.accesses, reduces_globally);
    bool alone = workers_.helpers() > 0 && launch_.shape.grid.count() > 1;  // and may still call the helpers
    if (alone && large && !reduces) alone = false, call();
    const auto begin = std::chrono::steady_clock::now();
    own_.run([&] {
      if (!alone || !(large || std::chrono::steady_clock::now() - begin > kWorth)) return;
      alone = false;
      if (!reduces || !reduces_often()) call();
    });
    if (std::exchange(own_.state.concurrent, false)) {
      workers_.dismiss();
      for (const auto& share : shares_)
        if (share) own_.add(*share);
    }
    return std::move(own_.state);
  }

 private:
  void call() {
    own_.state.concurrent = true;
    workers_.call([this](uint32_t i) {
      shares_[i] = std::make_unique<Share>(launch_, source_, kept_[i + 1]);
      shares_[i]->state.concurrent = true;
      shares_[i]->run([] {});
    });
  }

  bool reduces_often() const {
    uint64_t reductions = 0, instructions = 0;
    for (const InstructionCounters& count : own_.state.counters.at) instructions += count.threads;
    for (const MemoryAccess& access : launch_.program.accesses)
      if (reduces_globally(access)) reductions += own_.state.counters.at[access.pc].global.threads;
    return reductions * kInstructionsPerReduction > instructions;
  }

  const Launch& launch_;
  Workers& workers_;
  std::span<KeptBlocks> kept_;
  BlockSource source_;
  Share own_;                                   // of the thread that launches
  std::vector<std::unique_ptr<Share>> shares_;  // by helper
};

}  // namespace

LaunchState run_grid(const Launch& launch, Workers& workers, std::span<KeptBlocks> kept) {
  if (launch.independent) return SharedGrid(launch, workers, kept).run();
  BlockSource source(launch.shape.grid.count());
  Share all(launch, source, kept[0]);
  all.run([] {});
  return std::move(all.state);
}

}  // namespace lockstep
