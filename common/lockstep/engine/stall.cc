#include "engine/stall.h"

#include <algorithm>
#include <bit>

#include "engine/block.h"
#include "engine/deadlock.h"
#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {
namespace {

// A look at every register costs about as much as a turn. So it is done every kEvery rounds, after kQuiet rounds
// without a change: a barrier of the grid takes fewer.
constexpr uint32_t kQuiet = 64, kEvery = 8;
constexpr std::chrono::seconds kPatience{10};

// Whether the instruction may change what other threads read: memory, or a barrier's count. Atomics with a result are
// left out: threads that wait for a lock try them all the time. LaunchState::changes counts those that change a value.
bool changes_something(const Program& program, const Instruction& in) {
  switch (in.kind) {
    case Kind::kMemory: {
      const MemoryAccess& access = program.accesses[in.index];
      const bool writes = access.op == MemoryOp::kStore || access.op == MemoryOp::kReduction;
      return writes && access.space != Space::kLocal && access.space != Space::kParam;
    }
    case Kind::kBarrier: return program.barriers[in.index].op != BarrierUse::kSync;
    case Kind::kMbarrier: return program.mbarriers[in.index].op != MbarrierOp::kTest;
    case Kind::kAsync: return true;
    default: return false;
  }
}

bool waits(const Path& path) { return path.state != Path::kRunnable; }

// The warp does nothing but wait, or repeat a read that may wait for other threads.
bool looks_idle(const Warp& warp) {
  return warp.spins() || std::all_of(warp.paths().begin(), warp.paths().end(), waits);
}

}  // namespace

uint64_t StallWatch::changes() {
  const Program& program = launch_.program;
  if (changing_.empty()) {
    changing_.push_back(0);  // the kernel's first instruction: never run again
    for (uint32_t pc = 1; pc < program.code.size(); ++pc)
      if (changes_something(program, program.code[pc])) changing_.push_back(pc);
  }
  uint64_t sum = state_.changes;
  for (const uint32_t pc : changing_) sum += state_.counters.at[pc].warps;
  return sum;
}

void StallWatch::look(std::span<const Block* const> blocks) {
  const uint64_t now = changes();
  if (now != changes_) reset();
  changes_ = now;
  if (quiet_++ == 0) {
    since_ = std::chrono::steady_clock::now();
    warps_.clear();
  }
  if (quiet_ >= kQuiet && quiet_ % kEvery == 0 && all_stuck(blocks)) report_deadlock(blocks);
}

// A state is remembered at rounds whose distance doubles each time (Brent's cycle detection). A warp that has been in
// the remembered state again since then is in a cycle.
bool StallWatch::all_stuck(std::span<const Block* const> blocks) {
  const bool remember = std::has_single_bit(quiet_ / kEvery);
  bool all_again = true, all_idle = true;
  for (const Block* block : blocks)
    for (const auto& warp : block->warps()) {
      if (warp->done()) continue;
      Seen& seen = warps_[warp.get()];
      const uint64_t state = warp->state_hash();
      seen.again |= state == seen.state;
      all_again &= seen.again;
      all_idle &= looks_idle(*warp);
      if (remember) seen = {state, false};
    }
  // Another thread of the program may write what a kernel reads.
  if (all_again && !launch_.memory.host().has_other_threads()) return true;
  return (all_again || all_idle) && std::chrono::steady_clock::now() - since_ > kPatience;
}

}  // namespace lockstep
