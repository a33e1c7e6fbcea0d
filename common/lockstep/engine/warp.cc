#include "engine/warp.h"

#include <algorithm>
#include <cstring>

#include "engine/block.h"
#include "engine/fault.h"
#include "engine/launch_state.h"
#include "engine/mbarrier.h"

namespace lockstep {
namespace {

// A turn ends after this many instructions. A read that may wait for other threads counts as kSuspicion instructions: a
// path that repeats such a read probably waits, and after about 60 rounds other warps should run.
constexpr int32_t kTurn = 1 << 16;
constexpr int32_t kSuspicion = 1 << 10;
// Cycles, and nanoseconds, between two readings of a clock.
constexpr uint64_t kTick = 1000;
// After so many turns without suspicion, paths that wait at joins and new blocks run, too.
constexpr uint32_t kDullTurns = 256;
// Random turns are short: a loop that waits may need a few turns from one such read to the next.
constexpr uint32_t kFewTurns = 8;

bool changes_with_block(const Preset& preset) {
  if (preset.source != Preset::kSpecial) return false;
  const auto special = static_cast<Special>(preset.bits);
  return special == Special::kCtaidX || special == Special::kCtaidY || special == Special::kCtaidZ ||
         special == Special::kSmId;
}

}  // namespace

AlignedBytes aligned_bytes(size_t bytes) {
  const size_t size = std::max<size_t>(bytes, 1);
  AlignedBytes memory(new (std::align_val_t{64}) std::byte[size]);
  std::memset(memory.get(), 0, size);
  return memory;
}

Warp::Warp(Block& block, uint32_t index)
    : launch_(block.launch()),
      state_(block.state()),
      block_(block),
      index_(index),
      frames_{{}, std::vector<std::vector<Frame*>>(launch_.program.functions.size())},
      local_stride_(launch_.shape.local_bytes),
      turns_{false, kFewTurns} {
  local_ = aligned_bytes(local_stride_ * kWarpSize);
  new_frame(0);
  for (const Preset& preset : launch_.program.functions[0].presets)
    if (changes_with_block(preset)) block_presets_.push_back(preset);
}

Site Warp::site(uint32_t lane, uint32_t pc) const { return launch_.names.site(block_.coordinates(), index_, lane, pc); }

void Warp::start() {
  const uint32_t threads = launch_.shape.threads_per_block() - index_ * kWarpSize;
  live_ = threads >= kWarpSize ? kFullMask : (1u << threads) - 1;
  Frame& entry = frames_.storage.front();
  entry.live = live_;
  for (const Preset& preset : block_presets_)
    std::fill_n(lanes<uint32_t>(entry.registers.get(), preset.offset), kWarpSize,
                static_cast<uint32_t>(special_value(static_cast<Special>(preset.bits), 0)));
  paths_.clear();
  copies_.clear();
  chain_ = {};
  Path path;
  path.mask = live_;
  path.frame = &entry;
  paths_.push_back(path);
}

uint64_t Warp::special_value(Special special, uint32_t lane) const {
  const Dim3& block = block_.coordinates();
  const uint32_t thread = index_ * kWarpSize + lane;
  switch (special) {
    case Special::kTidX: return index_in(launch_.shape.block, thread).x;
    case Special::kTidY: return index_in(launch_.shape.block, thread).y;
    case Special::kTidZ: return index_in(launch_.shape.block, thread).z;
    case Special::kNtidX: return launch_.shape.block.x;
    case Special::kNtidY: return launch_.shape.block.y;
    case Special::kNtidZ: return launch_.shape.block.z;
    case Special::kCtaidX: return block.x;
    case Special::kCtaidY: return block.y;
    case Special::kCtaidZ: return block.z;
    case Special::kNctaidX: return launch_.shape.grid.x;
    case Special::kNctaidY: return launch_.shape.grid.y;
    case Special::kNctaidZ: return launch_.shape.grid.z;
    case Special::kLaneId: return lane;
    case Special::kWarpId: return index_;
    case Special::kNWarpId: return launch_.limits.max_threads_per_sm / kWarpSize;
    case Special::kSmId: return block_.linear() % launch_.limits.sm_count;
    case Special::kNSmId: return launch_.limits.sm_count;
    case Special::kGridId: return launch_.sequence;
    case Special::kLanemaskEq: return 1u << lane;
    case Special::kLanemaskLt: return (1u << lane) - 1;
    case Special::kLanemaskLe: return (2ull << lane) - 1;
    case Special::kLanemaskGt: return ~((2ull << lane) - 1);
    case Special::kLanemaskGe: return ~((1u << lane) - 1);
    case Special::kDynamicSharedBytes: return launch_.shape.dynamic_shared_bytes;
    case Special::kTotalSharedBytes: return launch_.shape.shared_bytes;
    case Special::kOne: return 1;
    case Special::kGridWorkspaceHigh: return launch_.grid_workspace >> 32;
    case Special::kGridWorkspaceLow: return launch_.grid_workspace & 0xffffffffu;
    default: return 0;
  }
}

void Warp::set_preset(Frame& frame, const Preset& preset) {
  std::byte* registers = frame.registers.get();
  if (preset.width == Width::kPred) {
    *lanes<Mask>(registers, preset.offset) = static_cast<Mask>(preset.bits);
    return;
  }
  write_lanes(registers, preset.offset, preset.width, kFullMask, [&](uint32_t lane) -> uint64_t {
    switch (preset.source) {
      case Preset::kBits: return preset.bits;
      case Preset::kSpecial: return special_value(static_cast<Special>(preset.bits), lane);
      case Preset::kLocalAddress: return frame.local_base + preset.bits;
    }
    return 0;
  });
}

void Warp::read_special(const Instruction& in, Mask mask, Mask active) {
  const auto special = in.special;
  // The clock advances only when it is read. So a run can be repeated: a loop that waits by the clock runs as often.
  const uint64_t now = special == Special::kActiveMask ? active : state_.clock += kTick;
  const bool wide = special == Special::kClock64 || special == Special::kGlobalTimer;
  const uint64_t value = special == Special::kGlobalTimerHigh ? now >> 32 : now;
  write_lanes(registers(), in.d, wide ? Width::k64 : Width::k32, mask, [&](uint32_t) { return value; });
}

Progress Warp::run() {
  turns_.suspicious = false;
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
      if (all_wait && (wake_waiting() || release_joins())) continue;
      if (all_wait) return Progress::kBlocked;
      const bool restless = turns_.suspicious || ++turns_.dull > kDullTurns;
      if (!restless && launch_.schedule.kind != Schedule::kRandom) continue;
      if (!restless) return turns_.dull < kFewTurns ? Progress::kYielded : Progress::kTurnOver;
      turns_.dull = 0;
      release_joins();
      return Progress::kYielded;
    }
    const Path path = paths_[next];
    paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(next));
    execute(path);
    if (!state_.fault.ok() && --state_.turns_after_fault < 0) state_.faulted = true;
    if (state_.faulted) return Progress::kDone;
  }
}

// The path that runs next: the path that is furthest behind, so that the others wait less. paths_.size() if every path
// waits or has had its turn.
size_t Warp::pick() {
  size_t best = paths_.size();
  uint64_t seen = 0;
  for (size_t i = 0; i < paths_.size(); ++i) {
    const Path& path = paths_[i];
    if (path.state != Path::kRunnable || path.yielded) continue;
    ++seen;
    if (best == paths_.size()) {
      best = i;
      continue;
    }
    switch (launch_.schedule.kind) {
      case Schedule::kForward:
        if (path.pc < paths_[best].pc) best = i;
        break;
      case Schedule::kReverse:
        if (path.pc > paths_[best].pc) best = i;
        break;
      case Schedule::kRandom:
        if (state_.random_below(seen) == 0) best = i;
        break;
    }
  }
  return best;
}

void Warp::execute(Path path) {
  const Instruction* code = launch_.program.code.data();
  const MemoryAccess* accesses = launch_.program.accesses.data();
  InstructionCounters* counters = state_.counters.at.data();
  int32_t budget =
      launch_.schedule.kind == Schedule::kRandom ? 1 + static_cast<int32_t>(state_.random_below(64)) : kTurn;
  // Parts of the path in local variables. path.pc is set before other code reads it.
  const Instruction* next = code + path.pc;
  InstructionCounters* count = counters + path.pc;
  Mask own = path.mask;
  auto active = static_cast<uint64_t>(std::popcount(own));
  std::byte* file = path.frame->registers.get();
  frame_ = path.frame;
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
        access.handler(*this, access, mask);
        if (state_.faulted) return;
        if (access.may_spin) budget -= kSuspicion, turns_.suspicious = true, path.looked_at = path.pc;
      }
      ++next, ++count;
    } else {
      path.pc = static_cast<uint32_t>(next - code);
      if (!step(path, in, mask) || state_.faulted) return;
      next = code + path.pc;
      count = counters + path.pc;
      own = path.mask;
      active = static_cast<uint64_t>(std::popcount(own));
      file = path.frame->registers.get();
      frame_ = path.frame;
    }
    if (--budget < 0 || path.yielded) {
      path.pc = static_cast<uint32_t>(next - code);
      path.yielded = true;
      paths_.push_back(path);
      return;
    }
  }
}

// Runs one instruction that is neither arithmetic nor memory. False: the path has ended or waits.
bool Warp::step(Path& path, const Instruction& in, Mask mask) {
  switch (in.kind) {
    case Kind::kJoin: return arrive(path);
    case Kind::kBranch: branch(path, in.target, mask, in.meeting); return true;
    case Kind::kBranchIndexed: return branch_indexed(path, in, mask);
    case Kind::kCall: return call(path, in, mask);
    case Kind::kReturn: return return_lanes(path, mask);
    case Kind::kExit: return end_lanes(path, mask);
    case Kind::kBarrier: return wait_at_barrier(path, in, mask);
    case Kind::kWarpBarrier: return wait_at_warp_barrier(path, in, mask);
    case Kind::kCollective: return collective(path, mask);
    case Kind::kAsync:
      if (mask) copies_.run(*this, launch_.program.async[in.index], mask);
      break;
    case Kind::kMbarrier:
      if (mask && !run_mbarrier(*this, launch_.program.mbarriers[in.index], mask)) {
        path.yielded = turns_.suspicious = true;
        path.looked_at = path.pc;
      }
      break;
    case Kind::kClusterArrive: block_.arrive_at_cluster(index_, mask); break;
    case Kind::kClusterWait: return wait_at_cluster(path, mask);
    case Kind::kReadSpecial: read_special(in, mask, path.mask); break;
    case Kind::kAllocate: allocate_local(path, in, mask); break;
    case Kind::kFence:
      for (Observer* observer : launch_.observers)
        if (mask) observer->fence(*this, mask, in.scope);
      break;
    case Kind::kYield: path.yielded = turns_.suspicious = true; break;
    case Kind::kTrap:
      if (mask)
        fail(*this, {Status::kLaunchFailure, "trap", first_lane(mask), path.pc, "the kernel executed a trap",
                     "Next: it stands there as __trap(), or the compiler put it where the code cannot go on; look at "
                     "what leads there."});
      break;
    default: break;
  }
  ++path.pc;
  return true;
}

namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

uint64_t mix(uint64_t hash, const std::byte* bytes, size_t size) {
  for (size_t i = 0; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes + i, sizeof word);
    hash = mix(hash, word);
  }
  return hash;
}

}  // namespace

uint64_t Warp::state_hash() const {
  uint64_t sum = 0;  // paths and joins have no order
  for (const Path& path : paths_) {
    uint64_t hash = mix(uint64_t{path.mask} << 32 | path.pc, uint64_t{path.state} << 32 | path.waits_for);
    hash = mix(hash, path.barrier);
    for (const Frame* frame = path.frame; frame; frame = frame->caller) {
      hash = mix(hash, uint64_t{frame->function} << 32 | frame->return_pc);
      hash = mix(hash, frame->registers.get(), launch_.program.functions[frame->function].register_bytes);
      hash = mix(hash, frame->params.data(), frame->params.size());
    }
    sum += hash;
  }
  for (const Join* join : joins_.in_use())
    sum += mix(uint64_t{join->expected} << 32 | join->arrived, uint64_t{join->pc} << 1 | 1);
  return mix(mix(sum, live_), local_.get(), local_stride_ * kWarpSize);
}

}  // namespace lockstep
