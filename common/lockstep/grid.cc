// grid: starts blocks in ascending order and gives resident ones their turns.
#include <algorithm>
#include <memory>
#include <vector>

#include "block.h"

namespace lockstep {
namespace {

// Under `forward` a block runs alone until it spins for another one; the other schedules keep a few under way, so
// that their order can differ from their numbers.
constexpr size_t kMingled = 4;

class Grid {
 public:
  explicit Grid(Launch& launch) : launch_(launch), wanted_(launch.schedule.kind == Schedule::kForward ? 1 : kMingled) {}

  void run() {
    const uint64_t total = launch_.grid.count();
    while ((next_ < total || !active_.empty()) && !launch_.faulted) {
      while (active_.size() < wanted_ && next_ < total) start_next();
      if (!turn_for_all()) wanted_ = std::min<size_t>(2 * active_.size(), launch_.resident_blocks);
    }
  }

 private:
  void start_next() {
    std::unique_ptr<Block> block;
    if (spare_.empty())
      block = std::make_unique<Block>(launch_);
    else
      block = std::move(spare_.back()), spare_.pop_back();
    block->start(block_index(launch_.grid, next_), next_);
    ++next_;
    active_.push_back(std::move(block));
  }

  // False if every block has used its turn and none has ended: they may wait for one that has not begun.
  bool turn_for_all() {
    if (launch_.schedule.kind == Schedule::kRandom) std::shuffle(active_.begin(), active_.end(), launch_.random);
    if (launch_.schedule.kind == Schedule::kReverse)
      std::sort(active_.begin(), active_.end(), [](const auto& a, const auto& b) { return a->linear() > b->linear(); });
    bool ended = false;
    for (auto& block : active_) {
      if (block->run() != Progress::kDone) continue;
      if (launch_.faulted) return true;
      spare_.push_back(std::move(block));
      ended = true;
    }
    std::erase(active_, nullptr);
    return ended;
  }

  Launch& launch_;
  size_t wanted_;
  uint64_t next_ = 0;
  std::vector<std::unique_ptr<Block>> active_, spare_;
};

}  // namespace

void run_grid(Launch& launch) { Grid(launch).run(); }

}  // namespace lockstep
