// A turn of a warp: which path runs, and its instructions. Arithmetic and memory have handlers of their own.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/interruption.h"
#include "base/words.h"
#include "engine/async_copy.h"
#include "engine/block.h"
#include "engine/fault.h"
#include "engine/mbarrier_run.h"
#include "engine/texture_run.h"

namespace lockstep {
namespace {

// Cycles, and nanoseconds, between two readings of a clock.
constexpr uint64_t kTick = 1000;
// After so many instructions without suspicion, paths that wait at joins and new blocks run, too.
constexpr uint64_t kDull = 256 * uint64_t{kTurn};
// Random turns are short: a loop that waits may need a few turns from one suspicious read to the next.
constexpr uint64_t kFew = 8 * uint64_t{kTurn};

}  // namespace

Progress Warp::run() {
  turns_.suspicious = false;
  if (state_->turns.changes) sleep_.begin_turn();
  for (;;) {
    if (live_ == 0) return Progress::kDone;
    // The usual end of a turn: the whole warp waits at a barrier of the block.
    if (paths_.size() == 1 && paths_[0].state == Path::kAtBarrier && joins_.in_use().empty()) return Progress::kBlocked;
    merge_paths();
    const size_t next = pick();
    if (next == paths_.size()) {  // no path may run now
      bool all_wait = true;
      for (Path& path : paths_) {
        all_wait &= !path.yielded;
        path.yielded = false;
      }
      const bool woke = wake_waiting() || wake_apart();  // lanes that they waited for may have exited
      if (woke) sleep_.act();
      if (all_wait && (woke || release_joins())) continue;
      if (all_wait) return Progress::kBlocked;
      if (const auto progress = end_turn()) return *progress;
      continue;
    }
    const Path path = paths_[next];
    paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(next));
    state_->turns.changes ? execute<true>(path) : execute<false>(path);
    if (!state_->fault.ok() && --state_->turns_after_fault < 0) state_->faulted = true;
    if (state_->faulted) return Progress::kDone;
  }
}

// Every path waits or has had its turn. Empty: the warp takes its next turn at once.
std::optional<Progress> Warp::end_turn() {
  Turns& all = state_->turns;
  ++all.taken;
  const bool random = launch_->schedule.kind == Schedule::kRandom;
  if (interruption()) {
    fail_by_interruption(*state_);
    return Progress::kDone;
  }
  if (all.changes) sleep_.end_turn(*all.changes);
  if (random) turns_.dull += kTurn;  // random turns are short
  const bool dull = turns_.dull > kDull;
  if (!turns_.suspicious && !dull) {
    // Most warps that compute go on at once. That they sometimes do not is enough (docs/lockstep.md, "Fairness").
    if (!random && (!all.shared || state_->random_below(8) != 0)) return std::nullopt;
    const bool looked_lately = random ? turns_.dull < kFew : turns_.busy < uint64_t{kTurn};
    return looked_lately ? Progress::kYielded : Progress::kTurnOver;
  }
  all.suspicious += turns_.suspicious;
  turns_.busy = 0;
  // A turn may be short. Lanes at a join wait for the others as long as a whole turn lasts.
  if (random || turns_.dull >= kTurn) {
    turns_.dull = 0;
    release_joins();
    for (Path& path : paths_)
      if (path.patience == Path::kWaits) path.patience = Path::kImpatient;
  }
  return Progress::kYielded;
}

// The path that runs next: the path that is furthest behind, so that the others wait less. paths_.size() if every path
// waits or has had its turn.
size_t Warp::pick() {
  size_t best = paths_.size();
  uint64_t seen = 0;
  for (size_t i = 0; i < paths_.size(); ++i) {
    const Path& path = paths_[i];
    if (path.state != Path::kRunnable || path.yielded) continue;
    bool better = ++seen == 1;
    if (!better) {
      switch (launch_->schedule.kind) {
        case Schedule::kForward: better = path.pc < paths_[best].pc; break;
        case Schedule::kReverse: better = path.pc > paths_[best].pc; break;
        case Schedule::kRandom: better = state_->random_below(seen) == 0; break;
      }
    }
    if (better) best = i;
  }
  return best;
}

// Each length has a probability, and short ones a large one: so there is no place in a program where no turn ends.
void Warp::begin_next_turn() {
  turns_.dull += static_cast<uint64_t>(turns_.length);
  turns_.busy += static_cast<uint64_t>(turns_.length);
  if (turns_.even > 0)
    --turns_.even, turns_.length = kTurn;
  else
    turns_.length =
        state_->turns.quiet ? kTurn / 16 : 1 + state_->random_below(uint64_t{1} << state_->random_below(17));
  turns_.left = turns_.length;
}

// kWatched: the warp's accesses are recorded (Turns::changes).
template <bool kWatched>
void Warp::execute(Path path) {
  const Instruction* code = launch_->program.code.data();
  const MemoryAccess* accesses = launch_->program.accesses.data();
  InstructionCounters* counters = state_->counters.at.data();
  const bool random = launch_->schedule.kind == Schedule::kRandom;
  int32_t budget = random ? 1 + static_cast<int32_t>(state_->random_below(64)) : turns_.left;
  // Parts of the path in local variables. path.pc is set before other code reads it.
  const Instruction* next = code + path.pc;
  InstructionCounters* count = counters + path.pc;
  Mask own = path.mask;
  auto active = static_cast<uint64_t>(std::popcount(own));
  std::byte* file = path.frame->registers.get();
  frame_ = path.frame;
  bool looks = false;
  if (following_.any) [[unlikely]]
    following_.set_aside = 0, budget = set_aside(*frame_, budget);
  for (;;) {
    const Instruction& in = *next;
    Mask mask = own;
    if (in.guard) {
      const Mask guard = *lanes<Mask>(file, in.guard);
      mask &= in.guard_negated ? ~guard : guard;
    }
    if (!in.uncounted) {
      ++count->warps;
      count->threads += active;
    }
    chain_.cycles += in.stall;
    if (in.kind == Kind::kAlu) {
      if (mask) in.alu(file, in, mask);
      ++next, ++count;
    } else if (in.kind == Kind::kMemory) {
      if (mask) {
        const MemoryAccess& access = accesses[in.index];
        if constexpr (kWatched)
          access_watched(path, access, mask);
        else if (access.hands_over)
          access_strongly(path, access, mask);
        else
          access.handler(*this, access, mask);
        if (state_->faulted) return;
        if (access.may_spin) budget -= kSuspicion, turns_.suspicious = looks = true, path.looked_at = path.pc;
      }
      ++next, ++count;
    } else {
      path.pc = static_cast<uint32_t>(next - code);
      following_.came = own, following_.mask = mask;  // in memory, so that the loop has the registers
      if (!step(path, in, mask) || state_->faulted) {
        if (following_.any) [[unlikely]]
          budget += std::exchange(following_.set_aside, 0);
        turns_.left = budget;
        return;
      }
      if (following_.any) [[unlikely]]
        budget = show_step(path, in, budget);
      next = code + path.pc;
      count = counters + path.pc;
      own = path.mask;
      active = static_cast<uint64_t>(std::popcount(own));
      file = path.frame->registers.get();
      frame_ = path.frame;
    }
    if (--budget < 0 || path.yielded) {
      if (following_.any && (budget = show_last(path, next, budget)) >= 0 && !path.yielded) continue;
      path.pc = static_cast<uint32_t>(next - code);
      path.yielded = true;
      if (kWatched && !looks) sleep_.act();  // it computes
      paths_.push_back(path);
      if (!random) begin_next_turn();
      return;
    }
  }
}

// A followed frame gets its budget for one instruction at a time. So execute() comes by after each, and other frames
// pay nothing.
int32_t Warp::set_aside(const Frame& frame, int32_t budget) {
  if (!frame.followed) return budget;
  following_.set_aside += budget;
  return 0;
}

// After an instruction that is neither arithmetic nor memory. `in` belongs to frame_; the path may be in another now.
int32_t Warp::show_step(const Path& path, const Instruction& in, int32_t budget) {
  following_.shown = true;
  if (frame_->followed && in.kind != Kind::kCollective && in.kind != Kind::kMatrix)  // which have shown themselves
    show(*frame_, static_cast<uint32_t>(&in - launch_->program.code.data()), following_.came, following_.mask);
  return set_aside(*path.frame, budget);
}

// The instruction before `next` has used its budget. Gives the rest of the turn's budget.
int32_t Warp::show_last(const Path& path, const Instruction* next, int32_t budget) {
  if (!std::exchange(following_.shown, false) && path.frame->followed) {
    const Instruction& in = next[-1];
    Mask mask = path.mask;
    if (in.guard && in.guard != in.d) {
      const Mask guard = *lanes<Mask>(registers(), in.guard);
      mask &= in.guard_negated ? ~guard : guard;
    }
    show(*path.frame, static_cast<uint32_t>(&in - launch_->program.code.data()), path.mask, mask);
  }
  budget += std::exchange(following_.set_aside, 0);
  return budget < 0 ? budget : set_aside(*path.frame, budget);
}

// Runs one instruction that is neither arithmetic nor memory. False: the path has ended or waits. The kinds that come
// most often stand apart: the others save many registers.
bool Warp::step(Path& path, const Instruction& in, Mask mask) {
  if (in.kind == Kind::kJoin) return arrive(path, in);
  if (in.kind == Kind::kCollective && mask) return collective(path, mask);
  if (in.kind != Kind::kBranch) return step_apart(path, in, mask);
  ++branches_;
  branch(path, in.target, mask, in.meeting);
  return true;
}

bool Warp::step_apart(Path& path, const Instruction& in, Mask mask) {
  switch (in.kind) {
    case Kind::kBranchIndexed:
      ++branches_;
      branch_indexed(path, in, mask);
      return true;
    case Kind::kCall: return call(path, in, mask);
    case Kind::kReturn:
      if (!mask) break;
      return_lanes(path, mask);
      return true;
    case Kind::kExit:
      if (!copies_.idle()) finish_copies(*this, mask);
      return end_lanes(path, mask);
    case Kind::kBarrier:
      if (!mask) break;
      return wait_at_barrier(path, in, mask);
    case Kind::kWarpBarrier:
      if (!mask) break;
      return wait_at_warp_barrier(path, in, mask);
    case Kind::kMatrix:
      sleep_.act();
      if (!mask) break;
      return matrix(path, mask);
    case Kind::kAsync:
      sleep_.act();
      if (mask) run_async(*this, launch_->program.async[in.index], mask);
      break;
    case Kind::kMbarrier:
      sleep_.act();
      if (mask && !run_mbarrier(*this, launch_->program.mbarriers[in.index], mask)) {
        path.yielded = turns_.suspicious = true;
        path.looked_at = path.pc;
      }
      break;
    case Kind::kTexture:
      sleep_.act();
      if (mask) run_texture(*this, launch_->program.textures[in.index], mask);
      break;
    case Kind::kClusterArrive: block_.arrive_at_cluster(index_, mask); break;
    case Kind::kClusterWait:
      if (!wait_at_cluster(path, mask)) return false;
      break;
    case Kind::kReadSpecial: read_special(in, mask, path.mask); break;
    case Kind::kAllocate: allocate_local(path, in, mask); break;
    case Kind::kFence:
      for (Observer* observer : launch_->observers)
        if (mask) observer->fence(*this, mask, in.scope);
      break;
    case Kind::kYield: path.yielded = turns_.suspicious = true; break;
    case Kind::kTrap:
      if (mask)
        fail(*this, {Status::kLaunchFailure, "trap", first_lane(mask), path.pc, words("the kernel executed a trap"),
                     words("A trap is __trap(), or the compiler's mark for code that cannot go on.") +
                         "\nNext: " + words("look at what leads to this line.")});
      break;
    default: break;
  }
  ++path.pc;
  return true;
}

void Warp::read_special(const Instruction& in, Mask mask, Mask active) {
  const auto special = in.special;
  // A clock advances only when it is read. So a run can be repeated: a loop that waits by the clock runs as often. A
  // warp has a clock of its own, so that many warps that read it do not hurry each other. The timer is one for all.
  if (special != Special::kActiveMask) sleep_.act();  // it may wait until it is late
  uint64_t now = active;
  if (special == Special::kGlobalTimer || special == Special::kGlobalTimerHigh)
    now = state_->clock += kTick;
  else if (special != Special::kActiveMask)
    now = clock_ += kTick;
  state_->clock = std::max(state_->clock, clock_);
  const bool wide = special == Special::kClock64 || special == Special::kGlobalTimer;
  const uint64_t value = special == Special::kGlobalTimerHigh ? now >> 32 : now;
  write_lanes(registers(), in.d, wide ? Width::k64 : Width::k32, mask, [&](uint32_t) { return value; });
}

}  // namespace lockstep
