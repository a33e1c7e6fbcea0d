// grid: starts blocks in ascending order and gives each resident block its turns. Independent blocks run on several
// threads of the host.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/block.h"
#include "engine/grid.h"
#include "engine/stall.h"
#include "engine/workers.h"

namespace lockstep {
namespace {

// `forward` runs one block at a time, until it spins for another block. The other schedules mingle so many blocks from
// the start, so that blocks need not run in the order of their numbers.
constexpr size_t kMingled = 4;

// One turn. If all threads of the block wait for each other, the launch fails.
Progress run_turn(Block& block) {
  const Progress progress = block.run();
  if (progress != Progress::kBlocked) return progress;
  const Block* const self = &block;
  report_deadlock({&self, 1});
  return Progress::kDone;
}

class Grid {
 public:
  explicit Grid(const Launch& launch)
      : launch_(launch),
        state_(launch),
        wanted_(launch.schedule.kind == Schedule::kForward ? 1 : kMingled),
        stall_(launch, state_) {}

  LaunchState run() {
    const uint64_t total = launch_.shape.grid.count();
    while ((next_ < total || !active_.empty()) && !state_.faulted) {
      while (active_.size() < wanted_ && next_ < total) start_next();
      const size_t before = active_.size();
      if (!turn_for_all()) wanted_ = std::min<size_t>(2 * active_.size(), launch_.resident_blocks);
      const bool more_begin = active_.size() < wanted_ && next_ < total;
      if (active_.size() < before || more_begin)
        stall_.reset();
      else if (!state_.faulted)
        look_for_stall();
    }
    return std::move(state_);
  }

 private:
  void start_next() {
    if (spare_.empty())
      spare_.push_back(std::make_unique<Block>(launch_, state_, static_cast<uint32_t>(active_.size())));
    active_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    active_.back()->start(next_++);
  }

  void look_for_stall() {
    resident_.clear();
    for (const auto& block : active_) resident_.push_back(block.get());
    stall_.look(resident_);
  }

  // False if every block yielded: they may wait for a block that has not begun.
  bool turn_for_all() {
    if (launch_.schedule.kind == Schedule::kRandom) std::shuffle(active_.begin(), active_.end(), state_.random);
    if (launch_.schedule.kind == Schedule::kReverse)
      std::sort(active_.begin(), active_.end(), [](const auto& a, const auto& b) { return a->linear() > b->linear(); });
    bool all_wait = true;
    for (auto& block : active_) {
      const Progress progress = run_turn(*block);
      all_wait &= progress == Progress::kYielded;
      if (progress != Progress::kDone) continue;
      if (state_.faulted) return true;
      spare_.push_back(std::move(block));
    }
    std::erase(active_, nullptr);
    return !all_wait;
  }

  const Launch& launch_;
  LaunchState state_;
  size_t wanted_;
  uint64_t next_ = 0;
  std::vector<std::unique_ptr<Block>> active_, spare_;
  StallWatch stall_;
  std::vector<const Block*> resident_;
};

// Gives each thread of the host its next block, in ascending order. After a fault it gives no later block; all earlier
// blocks have been given. So the fault of the lowest block is always found, and it is the fault that counts.
class BlockSource {
 public:
  explicit BlockSource(uint64_t total) : end_(total) {}
  std::optional<uint64_t> take() {
    const uint64_t block = next_.fetch_add(1, std::memory_order_relaxed);
    return block < end_.load(std::memory_order_relaxed) ? std::optional(block) : std::nullopt;
  }
  bool wants(uint64_t block) const { return block < end_.load(std::memory_order_relaxed); }
  void end_at(uint64_t block) {
    uint64_t end = end_.load(std::memory_order_relaxed);
    while (block < end && !end_.compare_exchange_weak(end, block, std::memory_order_relaxed)) {}
  }

 private:
  std::atomic<uint64_t> next_{0}, end_;
};

// One thread's share of a launch.
struct Share {
  explicit Share(const Launch& launch) : state(launch) {}
  LaunchState state;
  uint64_t faulted_block = 0;  // if state.faulted
};

// Runs one block after the other, each to its end, and calls after_each() after each block.
template <class Function>
void run_blocks(const Launch& launch, Share& share, BlockSource& source, Function after_each) {
  LaunchState& state = share.state;
  Block block(launch, state, 0);
  const Block* const self = &block;
  StallWatch stall(launch, state);
  while (const auto number = source.take()) {
    block.start(*number);
    for (stall.reset(); !state.faulted && run_turn(block) != Progress::kDone && source.wants(*number);)
      stall.look({&self, 1});
    if (state.faulted) {
      share.faulted_block = *number;
      return source.end_at(*number);
    }
    after_each();
  }
}

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
  SharedGrid(const Launch& launch, Workers& workers)
      : launch_(launch),
        workers_(workers),
        source_(launch.shape.grid.count()),
        own_(launch),
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
    run_blocks(launch_, own_, source_, [&] {
      if (!alone || !(large || std::chrono::steady_clock::now() - begin > kWorth)) return;
      alone = false;
      if (!reduces || !reduces_often()) call();
    });
    if (std::exchange(own_.state.concurrent, false)) {
      workers_.dismiss();
      for (const auto& share : shares_)
        if (share) add(*share);
    }
    return std::move(own_.state);
  }

 private:
  void call() {
    own_.state.concurrent = true;
    workers_.call([this](uint32_t i) {
      shares_[i] = std::make_unique<Share>(launch_);
      shares_[i]->state.concurrent = true;
      run_blocks(launch_, *shares_[i], source_, [] {});
    });
  }

  bool reduces_often() const {
    uint64_t reductions = 0, instructions = 0;
    for (const InstructionCounters& count : own_.state.counters.at) instructions += count.threads;
    for (const MemoryAccess& access : launch_.program.accesses)
      if (reduces_globally(access)) reductions += own_.state.counters.at[access.pc].global.threads;
    return reductions * kInstructionsPerReduction > instructions;
  }

  void add(Share& share) {
    LaunchState& state = own_.state;
    state.counters.add(share.state.counters);
    if (!share.state.faulted || (state.faulted && own_.faulted_block < share.faulted_block)) return;
    own_.faulted_block = share.faulted_block;
    state.faulted = true;
    state.fault = std::move(share.state.fault);
    state.findings = std::move(share.state.findings);
  }

  const Launch& launch_;
  Workers& workers_;
  BlockSource source_;
  Share own_;                                   // of the thread that launches
  std::vector<std::unique_ptr<Share>> shares_;  // by helper
};

}  // namespace

LaunchState run_grid(const Launch& launch, Workers& workers) {
  return launch.independent ? SharedGrid(launch, workers).run() : Grid(launch).run();
}

}  // namespace lockstep
