#include "warp.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

#include "block.h"
#include "builtin.h"
#include "collective.h"
#include "launch.h"

namespace lockstep {
namespace {

// A turn ends after this many instructions, or sooner if the path reads what other threads write (each such read
// counts as kSuspicion): then it is probably waiting, and after some 60 rounds others had better run.
constexpr int32_t kTurn = 1 << 16;
constexpr int32_t kSuspicion = 1 << 10;
// Turns without suspicion after which even an innocent loop makes way for what waits at joins and for new blocks.
constexpr uint32_t kDullTurns = 256;

uint32_t first_lane(Mask mask) { return static_cast<uint32_t>(std::countr_zero(mask)); }

uint64_t nanoseconds() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

template <class Value>
void write_lanes(std::byte* registers, uint32_t offset, Width width, Mask mask, const Value& value) {
  for (; mask; mask &= mask - 1) {
    const uint32_t l = first_lane(mask);
    if (width == Width::k64)
      lanes<uint64_t>(registers, offset)[l] = value(l);
    else if (width == Width::k16)
      lanes<uint16_t>(registers, offset)[l] = static_cast<uint16_t>(value(l));
    else
      lanes<uint32_t>(registers, offset)[l] = static_cast<uint32_t>(value(l));
  }
}

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
      local_stride_(launch.program.local_bytes_per_thread) {
  local_ = aligned_bytes(local_stride_ * kWarpSize);
  new_frame(0);
  for (const Preset& preset : launch.program.functions[0].presets)
    if (changes_with_block(preset)) block_presets_.push_back(preset);
}

void Warp::start() {
  const uint32_t threads = launch_.threads_per_block() - index_ * kWarpSize;
  live_ = threads >= kWarpSize ? kFullMask : (1u << threads) - 1;
  Frame& entry = frame_storage_.front();
  entry.live = live_;
  for (const Preset& preset : block_presets_)
    std::fill_n(lanes<uint32_t>(entry.registers.get(), preset.offset), kWarpSize,
                static_cast<uint32_t>(special_value(static_cast<Special>(preset.bits), 0)));
  paths_.clear();
  Path path;
  path.mask = live_;
  path.frame = &entry;
  paths_.push_back(path);
}

// ---- registers that hold something from the start ----

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
  const auto special = static_cast<Special>(in.immediate);
  const uint64_t now = special == Special::kActiveMask ? active : nanoseconds();
  const bool wide = special == Special::kClock64 || special == Special::kGlobalTimer;
  const uint64_t value = special == Special::kGlobalTimerHigh ? now >> 32 : now;
  write_lanes(registers(), in.d, wide ? Width::k64 : Width::k32, mask, [&](uint32_t) { return value; });
}

// ---- turns ----

Progress Warp::run() {
  suspicious_ = false;
  for (;;) {
    if (live_ == 0) return Progress::kDone;
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
      if (restless) dull_turns_ = 0, release_joins();
      return Progress::kYielded;
    }
    const Path path = paths_[next];
    paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(next));
    execute(path);
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
  InstructionCounters* counters = launch_.counters.at.data();
  int32_t budget =
      launch_.schedule.kind == Schedule::kRandom ? 1 + static_cast<int32_t>(launch_.random_below(64)) : kTurn;
  for (;;) {
    const Instruction& in = code[path.pc];
    Mask mask = path.mask;
    std::byte* const file = path.frame->registers.get();
    if (in.guard) {
      const Mask guard = *lanes<Mask>(file, in.guard);
      mask &= in.guard_negated ? ~guard : guard;
    }
    if (!in.uncounted) {
      InstructionCounters& count = counters[path.pc];
      ++count.warps;
      count.threads += static_cast<uint64_t>(std::popcount(path.mask));
    }
    if (in.kind == Kind::kAlu) {
      if (mask) in.alu(file, in, mask);
      ++path.pc;
    } else if (in.kind == Kind::kMemory) {
      if (mask) {
        frame_ = path.frame;
        const MemoryAccess& access = launch_.program.accesses[in.extra];
        access.handler(*this, access, mask);
        if (launch_.faulted) return;
        if (access.may_spin) budget -= kSuspicion, suspicious_ = true;
      }
      ++path.pc;
    } else {
      frame_ = path.frame;
      if (!step(path, in, mask) || launch_.faulted) return;
    }
    if (--budget < 0 || path.yielded) {
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
    case Kind::kBranch: branch(path, in.immediate, mask, in.extra); return true;
    case Kind::kBranchIndexed: return branch_indexed(path, in, mask);
    case Kind::kCall: return call(path, in, mask);
    case Kind::kReturn: return return_lanes(path, mask);
    case Kind::kExit: return end_lanes(path, mask);
    case Kind::kBarrier: return wait_at_barrier(path, in, mask);
    case Kind::kWarpBarrier: return wait_at_warp_barrier(path, in, mask);
    case Kind::kCollective: return collective(path, in, mask);
    case Kind::kReadSpecial: read_special(in, mask, path.mask); break;
    case Kind::kYield: path.yielded = suspicious_ = true; break;
    case Kind::kTrap:
      if (mask)
        launch_.fail(Status::kLaunchFailure, *this, first_lane(mask), path.pc, "the kernel executed a trap", "");
      break;
    default: break;
  }
  ++path.pc;
  return true;
}

// ---- parting and meeting ----

void Warp::put_aside(const Path& path, Mask mask, uint32_t pc) {
  Path other = path;
  other.mask = mask;
  other.pc = pc;
  paths_.push_back(other);
}

Join* Warp::new_join(uint32_t pc, Frame* frame, Mask expected, Join* parent) {
  if (spare_joins_.empty()) {
    join_storage_.emplace_back();
    spare_joins_.push_back(&join_storage_.back());
  }
  Join* join = spare_joins_.back();
  spare_joins_.pop_back();
  *join = {pc, frame, expected, 0, parent};
  joins_.push_back(join);
  return join;
}

void Warp::free_join(Join* join) {
  std::erase(joins_, join);
  spare_joins_.push_back(join);
}

// `taken` goes to target, the rest goes on; both know where they meet.
void Warp::branch(Path& path, uint32_t target, Mask taken, uint32_t meeting) {
  if (taken == path.mask) {
    path.pc = target;
    return;
  }
  const uint32_t next = path.pc + 1;
  if (taken == 0) {
    path.pc = next;
    return;
  }
  ++launch_.counters.at[path.pc].divergent;
  const Mask rest = path.mask & ~taken;
  if (meeting != kNowhere && !(path.join && path.join->pc == meeting && path.join->frame == path.frame))
    path.join = new_join(meeting, path.frame, path.mask, path.join);
  if (target == meeting) {
    path.join->arrived |= taken;
    path.mask = rest;
    path.pc = next;
  } else if (next == meeting) {
    path.join->arrived |= rest;
    path.mask = taken;
    path.pc = target;
  } else {
    const bool take_first = launch_.schedule.kind == Schedule::kReverse ? target > next : target < next;
    put_aside(path, take_first ? rest : taken, take_first ? next : target);
    path.mask = take_first ? taken : rest;
    path.pc = take_first ? target : next;
  }
}

// brx.idx: one path for each target that some lane takes.
bool Warp::branch_indexed(Path& path, const Instruction& in, Mask mask) {
  const auto& table = launch_.program.tables[in.immediate];
  const auto* index = lanes<uint32_t>(registers(), in.a);
  std::vector<std::pair<uint32_t, Mask>> groups;
  if (mask != path.mask) groups.emplace_back(path.pc + 1, path.mask & ~mask);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const uint32_t l = first_lane(rest);
    const uint32_t target = table[std::min<size_t>(index[l], table.size() - 1)];
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == target; });
    if (group == groups.end())
      groups.emplace_back(target, 1u << l);
    else
      group->second |= 1u << l;
  }
  if (groups.size() > 1) {
    ++launch_.counters.at[path.pc].divergent;
    if (in.extra != kNowhere && !(path.join && path.join->pc == in.extra && path.join->frame == path.frame))
      path.join = new_join(in.extra, path.frame, path.mask, path.join);
  }
  for (size_t i = 1; i < groups.size(); ++i) put_aside(path, groups[i].second, groups[i].first);
  path.mask = groups[0].second;
  path.pc = groups[0].first;
  return true;
}

bool Warp::arrive(Path& path) {
  while (path.join && path.join->pc == path.pc && path.join->frame == path.frame) {
    Join* join = path.join;
    join->arrived |= path.mask;
    if (join->arrived != join->expected) return false;
    path.mask = join->expected;
    path.join = join->parent;
    free_join(join);
  }
  ++path.pc;
  return true;
}

// Lanes that waited at joins go on without the others. False if none waited.
bool Warp::release_joins() {
  bool any = false;
  const std::vector<Join*> joins = joins_;
  for (Join* join : joins) {
    if (!join->arrived) continue;
    Path path;
    path.mask = std::exchange(join->arrived, 0);
    path.pc = join->pc;
    path.frame = join->frame;
    path.join = join->parent;
    join->expected &= ~path.mask;
    if (!join->expected) free_join(join);
    paths_.push_back(path);
    any = true;
  }
  return any;
}

// Paths that stand at the same place with the same way ahead are one.
void Warp::merge_paths() {
  if (paths_.size() < 2) return;
  for (size_t i = 0; i < paths_.size(); ++i)
    for (size_t j = i + 1; j < paths_.size();) {
      const bool same = paths_[i].state == Path::kRunnable && paths_[j].state == Path::kRunnable &&
                        paths_[i].pc == paths_[j].pc && paths_[i].frame == paths_[j].frame &&
                        paths_[i].join == paths_[j].join && paths_[i].yielded == paths_[j].yielded;
      if (!same) {
        ++j;
        continue;
      }
      paths_[i].mask |= paths_[j].mask;
      paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(j));
    }
}

// ---- ending ----

// No join may wait for these lanes any longer; one that waited for nobody else lets its lanes go on.
void Warp::remove_from_joins(Join* join, Mask leaving) {
  while (join) {
    Join* parent = join->parent;
    join->expected &= ~leaving;
    if (!join->expected) {
      free_join(join);
    } else if (join->arrived == join->expected) {
      Path path;
      path.mask = join->expected;
      path.pc = join->pc;
      path.frame = join->frame;
      path.join = parent;
      free_join(join);
      paths_.push_back(path);
    }
    join = parent;
  }
}

bool Warp::end_lanes(Path& path, Mask leaving) {
  live_ &= ~leaving;
  path.mask &= ~leaving;
  for (Frame* frame = path.frame; frame;) {
    Frame* caller = frame->caller;
    leave_frame(frame, leaving);
    frame = caller;
  }
  if (leaving) remove_from_joins(path.join, leaving);
  ++path.pc;
  return path.mask != 0;
}

// ---- calls ----

Frame* Warp::new_frame(uint32_t function) {
  auto& spare = spare_frames_[function];
  if (!spare.empty()) {
    Frame* frame = spare.back();
    spare.pop_back();
    return frame;
  }
  const FunctionCode& code = launch_.program.functions[function];
  Frame& frame = frame_storage_.emplace_back();
  frame.function = function;
  frame.registers = aligned_bytes(code.register_bytes);
  frame.params.resize(size_t{code.param_bytes} * kWarpSize);
  for (const Preset& preset : code.presets) set_preset(frame, preset);
  return &frame;
}

void Warp::leave_frame(Frame* frame, Mask leaving) {
  frame->live &= ~leaving;
  if (frame->live == 0 && frame != &frame_storage_.front()) spare_frames_[frame->function].push_back(frame);
}

// The lanes of `mask` call; all meet again right behind the call.
bool Warp::call(Path& path, const Instruction& in, Mask mask) {
  const CallSite& site = launch_.program.calls[in.immediate];
  const uint32_t after = path.pc + 1;
  if (mask && site.builtin != Builtin::kNone) call_builtin(*this, site, mask, path.pc);
  if (!mask || site.builtin != Builtin::kNone) {
    path.pc = after;
    return true;
  }
  path.join = new_join(after, path.frame, path.mask, path.join);
  path.join->arrived = path.mask & ~mask;
  path.mask = mask;
  if (site.function != kNowhere) {
    enter(path, site, site.function, after);
    return !launch_.faulted;
  }
  const auto* targets = lanes<uint64_t>(registers(), site.target);
  const auto& ids = launch_.program.function_ids;
  for (Mask rest = mask; rest;) {
    const uint64_t target = targets[first_lane(rest)];
    Mask group = 0;
    for (uint32_t l = 0; l < kWarpSize; ++l)
      if ((rest >> l & 1) && targets[l] == target) group |= 1u << l;
    const auto found = std::find(ids.begin(), ids.end(), (target - kFunctionWindow) / 16);
    if (target < kFunctionWindow || found == ids.end()) {
      launch_.fail(
          Status::kIllegalInstruction, *this, first_lane(group), path.pc,
          "a call through a pointer that is no device function",
          "Next: check that the pointer was set on the device; a host function's address means nothing there.");
      return false;
    }
    Path callee = path;
    callee.mask = group;
    enter(callee, site, static_cast<uint32_t>(found - ids.begin()), after);
    if (launch_.faulted) return false;
    paths_.push_back(callee);
    rest &= ~group;
  }
  return false;
}

void Warp::enter(Path& path, const CallSite& site, uint32_t function, uint32_t return_pc) {
  const FunctionCode& code = launch_.program.functions[function];
  const uint64_t base = path.frame->local_base + launch_.program.functions[path.frame->function].local_bytes;
  if (base + code.local_bytes > local_stride_ && code.local_bytes > 0) {
    launch_.fail(Status::kLaunchFailure, *this, first_lane(path.mask), path.pc, "stack overflow in device code",
                 "Next: bound the recursion, or keep large arrays out of recursive functions.");
    return;
  }
  Frame* frame = new_frame(function);
  Frame* caller = path.frame;
  frame->caller = caller;
  frame->call = &site;
  frame->return_pc = return_pc;
  frame->live = path.mask;
  if (frame->local_base != base) {
    frame->local_base = base;
    for (const Preset& preset : code.presets)
      if (preset.source == Preset::kLocalAddress) set_preset(*frame, preset);
  }
  const size_t from_stride = launch_.program.functions[caller->function].param_bytes;
  for (size_t i = 0; i < std::min(site.arguments.size(), code.params.size()); ++i)
    for (Mask rest = path.mask; rest; rest &= rest - 1) {
      const uint32_t l = first_lane(rest);
      std::memcpy(frame->params.data() + l * code.param_bytes + code.params[i].offset,
                  caller->params.data() + l * from_stride + site.arguments[i].offset,
                  std::min(site.arguments[i].bytes, code.params[i].bytes));
    }
  path.frame = frame;
  path.pc = code.entry;
}

bool Warp::return_lanes(Path& path, Mask mask) {
  if (!mask) {
    ++path.pc;
    return true;
  }
  Frame* frame = path.frame;
  Frame* caller = frame->caller;
  const FunctionCode& code = launch_.program.functions[frame->function];
  const size_t to_stride = launch_.program.functions[caller->function].param_bytes;
  for (size_t i = 0; i < std::min(frame->call->results.size(), code.results.size()); ++i)
    for (Mask rest = mask; rest; rest &= rest - 1) {
      const uint32_t l = first_lane(rest);
      std::memcpy(caller->params.data() + l * to_stride + frame->call->results[i].offset,
                  frame->params.data() + l * code.param_bytes + code.results[i].offset,
                  std::min(frame->call->results[i].bytes, code.results[i].bytes));
    }
  if (mask != path.mask) put_aside(path, path.mask & ~mask, path.pc + 1);
  path.mask = mask;
  path.pc = frame->return_pc;
  path.frame = caller;
  leave_frame(frame, mask);
  return true;
}

// ---- waiting ----

bool Warp::wait_at_barrier(Path& path, const Instruction& in, Mask mask) {
  const BarrierUse& use = launch_.program.barriers[in.immediate];
  if (!mask) {
    ++path.pc;
    return true;
  }
  const uint32_t l = first_lane(mask);
  const uint32_t id = lanes<uint32_t>(registers(), use.id)[l] % Block::kBarriers;
  const uint32_t threads = use.threads ? lanes<uint32_t>(registers(), use.threads)[l] : 0;
  if (use.op == BarrierUse::kArrive) {
    block_.arrive_only(id, kWarpSize, threads);
    ++path.pc;
    return true;
  }
  if (use.op != BarrierUse::kSync) block_.contribute(id, *lanes<Mask>(registers(), use.predicate), mask);
  if (mask != path.mask) put_aside(path, path.mask & ~mask, path.pc + 1);
  path.mask = mask;
  path.state = Path::kAtBarrier;
  path.barrier = id;
  path.use = &use;
  path.waits_for = threads;
  paths_.push_back(path);
  return false;
}

void Warp::pass_barrier(uint32_t id, uint32_t reduced) {
  for (Path& path : paths_) {
    if (path.state != Path::kAtBarrier || path.barrier != id) continue;
    path.state = Path::kRunnable;
    ++path.pc;
    std::byte* file = path.frame->registers.get();
    if (path.use->op == BarrierUse::kRedPopc) {
      write_lanes(file, path.use->d, Width::k32, path.mask, [&](uint32_t) { return reduced; });
    } else if (path.use->op != BarrierUse::kSync) {
      Mask& d = *lanes<Mask>(file, path.use->d);
      d = (d & ~path.mask) | (reduced ? path.mask : 0);
    }
  }
}

bool Warp::wait_at_warp_barrier(Path& path, const Instruction& in, Mask mask) {
  const Mask members = mask ? lanes<uint32_t>(registers(), in.a)[first_lane(mask)] & live_ : 0;
  if (!(members & ~mask)) {
    ++path.pc;
    return true;
  }
  if (mask != path.mask) put_aside(path, path.mask & ~mask, path.pc + 1);
  path.mask = mask;
  path.state = Path::kAtWarpBarrier;
  path.waits_for = members;
  paths_.push_back(path);
  wake_waiting();
  return false;
}

bool Warp::collective(Path& path, const Instruction& in, Mask mask) {
  const Collective& c = launch_.program.collectives[in.immediate];
  if (!mask) {
    ++path.pc;
    return true;
  }
  const Mask members = c.member_mask ? lanes<uint32_t>(registers(), c.member_mask)[first_lane(mask)] & live_ : mask;
  if (!(members & ~mask)) {
    run_collective(c, registers(), mask);
    ++path.pc;
    return true;
  }
  if (mask != path.mask) put_aside(path, path.mask & ~mask, path.pc + 1);
  path.mask = mask;
  path.state = Path::kAtCollective;
  path.waits_for = members;
  paths_.push_back(path);
  wake_waiting();
  return false;
}

// Groups whose awaited lanes are all there (or have exited) go on. __syncwarp lets lanes meet from different
// places; a collective needs them at the same one.
bool Warp::wake_waiting() {
  bool any = false;
  for (size_t i = 0; i < paths_.size(); ++i) {
    const Path path = paths_[i];
    if (path.state != Path::kAtWarpBarrier && path.state != Path::kAtCollective) continue;
    const auto together = [&](const Path& other) {
      return other.state == path.state &&
             (path.state == Path::kAtWarpBarrier || (other.pc == path.pc && other.frame == path.frame));
    };
    Mask here = 0;
    for (const Path& other : paths_)
      if (together(other)) here |= other.mask;
    const Mask members = path.waits_for & live_;
    if (members & ~here) continue;
    if (path.state == Path::kAtCollective) {
      const Collective& c = launch_.program.collectives[launch_.program.code[path.pc].immediate];
      run_collective(c, path.frame->registers.get(), here & (members | path.mask));
    }
    for (Path& other : paths_)
      if (together(other) && (other.mask & (members | path.mask))) other.state = Path::kRunnable, ++other.pc;
    any = true;
  }
  return any;
}

}  // namespace lockstep
