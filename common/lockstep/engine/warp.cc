#include "engine/warp.h"

#include <algorithm>
#include <cstring>

#include "check/checker.h"
#include "engine/block.h"
#include "engine/launch.h"
#include "engine/mbarrier.h"

namespace lockstep {
namespace {

// A turn ends after this many instructions, or sooner if the path reads what other threads write (each such read
// counts as kSuspicion): then it is probably waiting, and after some 60 rounds others had better run.
constexpr int32_t kTurn = 1 << 16;
constexpr int32_t kSuspicion = 1 << 10;
// Cycles, and nanoseconds, between two readings of a clock.
constexpr uint64_t kTick = 1000;
// Turns without suspicion after which even an innocent loop makes way for what waits at joins and for new blocks.
constexpr uint32_t kDullTurns = 256;
// Random turns are so short that a loop that waits may take a few from one such read to the next.
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

Warp::Warp(Launch& launch, Block& block, uint32_t index)
    : launch_(launch),
      block_(block),
      index_(index),
      spare_frames_(launch.program.functions.size()),
      local_stride_(launch.local_bytes),
      dull_turns_(kFewTurns) {
  local_ = aligned_bytes(local_stride_ * kWarpSize);
  new_frame(0);
  for (const Preset& preset : launch.program.functions[0].presets)
    if (changes_with_block(preset)) block_presets_.push_back(preset);
}

BlockChecks* Warp::checks() const { return block_.checks(); }

void Warp::start() {
  const uint32_t threads = launch_.threads_per_block() - index_ * kWarpSize;
  live_ = threads >= kWarpSize ? kFullMask : (1u << threads) - 1;
  Frame& entry = frame_storage_.front();
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
    case Special::kTidX: return thread_index(launch_, thread).x;
    case Special::kTidY: return thread_index(launch_, thread).y;
    case Special::kTidZ: return thread_index(launch_, thread).z;
    case Special::kNtidX: return launch_.block.x;
    case Special::kNtidY: return launch_.block.y;
    case Special::kNtidZ: return launch_.block.z;
    case Special::kCtaidX: return block.x;
    case Special::kCtaidY: return block.y;
    case Special::kCtaidZ: return block.z;
    case Special::kNctaidX: return launch_.grid.x;
    case Special::kNctaidY: return launch_.grid.y;
    case Special::kNctaidZ: return launch_.grid.z;
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
    case Special::kDynamicSharedBytes: return launch_.dynamic_shared_bytes;
    case Special::kTotalSharedBytes: return launch_.shared_bytes;
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
  // Time passes only as it is asked for, so that a run can be had again: what waits by the clock waits as often.
  const uint64_t now = special == Special::kActiveMask ? active : launch_.clock += kTick;
  const bool wide = special == Special::kClock64 || special == Special::kGlobalTimer;
  const uint64_t value = special == Special::kGlobalTimerHigh ? now >> 32 : now;
  write_lanes(registers(), in.d, wide ? Width::k64 : Width::k32, mask, [&](uint32_t) { return value; });
}

Progress Warp::run() {
  suspicious_ = false;
  for (;;) {
    if (live_ == 0) return Progress::kDone;
    // The usual end of a turn: the whole warp waits at a barrier of the block.
    if (paths_.size() == 1 && paths_[0].state == Path::kAtBarrier && joins_.empty()) return Progress::kBlocked;
    merge_paths();
    const size_t next = pick();
    if (next == paths_.size()) {  // none may run now
      bool all_wait = true;
      for (Path& path : paths_) {
        all_wait &= !path.yielded;
        path.yielded = false;
      }
      if (all_wait && (wake_waiting() || release_joins())) continue;
      if (all_wait) return Progress::kBlocked;
      const bool restless = suspicious_ || ++dull_turns_ > kDullTurns;
      if (!restless && launch_.schedule.kind != Schedule::kRandom) continue;
      if (!restless) return dull_turns_ < kFewTurns ? Progress::kYielded : Progress::kTurnOver;
      dull_turns_ = 0;
      release_joins();
      return Progress::kYielded;
    }
    const Path path = paths_[next];
    paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(next));
    execute(path);
    if (!launch_.fault.ok() && --launch_.turns_after_fault < 0) launch_.faulted = true;
    if (launch_.faulted) return Progress::kDone;
  }
}

// The path that runs next: the one that is furthest behind, so that the others need not wait long for it.
// paths_.size() if all wait or have had their turn.
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
        if (launch_.random_below(seen) == 0) best = i;
        break;
    }
  }
  return best;
}

void Warp::execute(Path path) {
  const Instruction* code = launch_.program.code.data();
  const MemoryAccess* accesses = launch_.program.accesses.data();
  InstructionCounters* counters = launch_.counters.at.data();
  int32_t budget =
      launch_.schedule.kind == Schedule::kRandom ? 1 + static_cast<int32_t>(launch_.random_below(64)) : kTurn;
  // Parts of the path at hand; its own pc follows where somebody looks at it.
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
        if (launch_.faulted) return;
        if (access.may_spin) budget -= kSuspicion, suspicious_ = true, path.looked_at = path.pc;
      }
      ++next, ++count;
    } else {
      path.pc = static_cast<uint32_t>(next - code);
      if (!step(path, in, mask) || launch_.faulted) return;
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

// One instruction that is neither arithmetic nor memory. False: nothing of the path is left to run now.
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
        path.yielded = suspicious_ = true;
        path.looked_at = path.pc;
      }
      break;
    case Kind::kClusterArrive: block_.arrive_at_cluster(index_, mask); break;
    case Kind::kClusterWait: return wait_at_cluster(path, mask);
    case Kind::kReadSpecial: read_special(in, mask, path.mask); break;
    case Kind::kAllocate: allocate_local(path, in, mask); break;
    case Kind::kFence:
      if (launch_.checker && mask) launch_.checker->fence(*this, mask, in.scope);
      break;
    case Kind::kYield: path.yielded = suspicious_ = true; break;
    case Kind::kTrap:
      if (mask)
        launch_.fail(Status::kLaunchFailure, "trap", *this, first_lane(mask), path.pc, "the kernel executed a trap",
                     "Next: it stands there as __trap(), or the compiler put it where the code cannot go on; look at "
                     "what leads there.");
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
  for (const Join* join : joins_)
    sum += mix(uint64_t{join->expected} << 32 | join->arrived, uint64_t{join->pc} << 1 | 1);
  return mix(mix(sum, live_), local_.get(), local_stride_ * kWarpSize);
}

}  // namespace lockstep
