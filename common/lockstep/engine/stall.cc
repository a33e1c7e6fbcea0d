#include "engine/stall.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <optional>
#include <set>
#include <string>

#include <time.h>

#include "engine/block.h"
#include "engine/fault.h"

namespace lockstep {
namespace {

// A look at every register costs about as much as a turn. So it is done every kEvery rounds, after kQuiet rounds
// without a change: a barrier of the grid takes fewer.
constexpr uint32_t kQuiet = 64, kEvery = 8;
constexpr double kPatience = 10;  // seconds of this thread's processor time

// The host's other threads may be waiting for a processor as long as this one has none: their time does not count.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Whether the instruction may change what other threads read: memory, or a barrier's count. Atomics with a result are
// left out: threads that wait for a lock try them all the time. LaunchState::changes counts those that change a value.
bool changes_something(const Program& program, const Instruction& in) {
  switch (in.kind) {
    case Kind::kMemory: {
      const MemoryAccess& access = program.accesses[in.index];
      const bool writes = access.op == MemoryOp::kStore || access.op == MemoryOp::kReduction;
      return writes && access.space != Space::kLocal && access.space != Space::kParam;
    }
    case Kind::kBarrier: return program.barriers[in.index].op == BarrierUse::kArrive;
    case Kind::kMbarrier: return program.mbarriers[in.index].op != MbarrierOp::kTest;
    case Kind::kAsync: return true;
    default: return false;
  }
}

// Whether warps learn something from each other at a barrier. Then they come to earlier states together, or not at all.
bool tells_at_barriers(const Program& program) {
  return std::ranges::any_of(program.barriers, [](const BarrierUse& use) {
    return use.op != BarrierUse::kSync && use.op != BarrierUse::kArrive;
  });
}

bool waits(const Path& path) { return path.state != Path::kRunnable; }

// The warp does nothing but wait, or repeat a read that may wait for other threads.
bool looks_idle(const Warp& warp) {
  return warp.spins() || std::all_of(warp.paths().begin(), warp.paths().end(), waits);
}

// Lanes of one warp that are stuck at one instruction. The kinds are sorted: the first says most about the cause.
struct Stuck {
  enum How : uint8_t { kRepeats, kWaitsForLanes, kWaitsForWarps, kLoops } how = kLoops;
  const Warp* warp = nullptr;
  Mask mask = 0;
  uint32_t pc = 0;
};

Stuck stuck(const Warp& warp, const Path& path) {
  Stuck s{Stuck::kLoops, &warp, path.mask, path.pc};
  if (path.state == Path::kAtBarrier || path.state == Path::kAtCluster)
    s.how = Stuck::kWaitsForWarps;
  else if (path.state != Path::kRunnable)
    s.how = Stuck::kWaitsForLanes;
  else if (path.looked_at != kNowhere)
    s.how = Stuck::kRepeats, s.pc = path.looked_at;
  return s;
}

std::string line(const Launch& launch, const Stuck& s) {
  static const char* const kVerbs[] = {"repeat", "wait for lanes that never come at", "wait at", "loop at"};
  const Dim3& block = s.warp->block().coordinates();
  char text[320];
  std::snprintf(text, sizeof text, "block (%u,%u,%u), warp %u, lanes 0x%08x %s %s in %s\n", block.x, block.y, block.z,
                s.warp->index(), s.mask, kVerbs[s.how], launch.program.names[s.pc].c_str(),
                launch.names.location(s.pc).c_str());
  return text;
}

}  // namespace

void report_deadlock(std::span<const Block* const> blocks) {
  const Launch& launch = blocks.front()->launch();
  constexpr size_t kMostLines = 12;
  std::vector<Stuck> all;
  std::set<std::pair<uint32_t, uint32_t>> told;  // warp and pc: other blocks are stuck in the same way
  for (const Block* block : blocks)
    for (const auto& warp : block->warps())
      for (const Path& path : warp->paths())
        if (const Stuck s = stuck(*warp, path); told.insert({warp->index(), s.pc}).second) all.push_back(s);
  std::stable_sort(all.begin(), all.end(), [](const Stuck& a, const Stuck& b) { return a.how < b.how; });
  const Stuck& first = all.front();
  const auto site = [&](const Stuck& s) { return s.warp->site(first_lane(s.mask), s.pc); };
  const auto elsewhere = std::find_if(all.begin(), all.end(), [&](const Stuck& s) {
    return launch.names.source_line(s.pc) != launch.names.source_line(first.pc);
  });
  std::string detail;
  for (size_t i = 0; i < std::min(all.size(), kMostLines); ++i) detail += line(launch, all[i]);
  if (all.size() > kMostLines) detail += "… and " + std::to_string(all.size() - kMostLines) + " more\n";
  const bool repeats = first.how == Stuck::kRepeats;
  if (repeats && blocks.size() < launch.shape.grid.count())
    detail += std::to_string(blocks.size()) + " of " + std::to_string(launch.shape.grid.count()) +
              " blocks are on the card; others may not find room beside them\n";
  detail += repeats
                ? "Next: look for who should change what they read: a thread that sleeps at a barrier, a lock that is "
                  "never released, an arrival that nobody makes, a block that has not begun, or the host, which "
                  "goes on when the kernel has ended."
                : "Next: let every thread of the block reach the same __syncthreads(), and every lane of the mask "
                  "the same *_sync call; no such call inside an if that only some of them take.";
  fail(*first.warp, {Status::kLaunchTimeout, "deadlock", first_lane(first.mask), first.pc,
                     repeats ? "deadlock: what these threads wait for will never change"
                             : "deadlock: every thread that is left waits, and nobody can wake it",
                     detail, "", elsewhere == all.end() ? std::nullopt : std::optional(site(*elsewhere))});
}

void StallWatch::reset() {
  quiet_ = 0;
  state_.turns.quiet = false;
}

// While the accesses of warps are recorded, state_.changes counts every word that changed. Before, each store counts.
uint64_t StallWatch::changes() {
  const Program& program = launch_.program;
  if (changing_.empty()) {
    changing_.push_back(0);  // the kernel's first instruction: never run again
    for (uint32_t pc = 1; pc < program.code.size(); ++pc)
      if (changes_something(program, program.code[pc])) changing_.push_back(pc);
  }
  uint64_t sum = state_.changes;
  for (const uint32_t pc : changing_)
    if (!state_.turns.changes || program.code[pc].kind != Kind::kMemory) sum += state_.counters.at[pc].warps;
  return sum;
}

void StallWatch::look(std::span<const Block* const> blocks) {
  const uint64_t now = changes();
  if (now != changes_) reset();
  changes_ = now;
  if (quiet_++ == 0) {
    since_ = processor_seconds();
    warps_.clear();
  }
  state_.turns.quiet = quiet_ >= kQuiet;
  if (quiet_ >= kQuiet && quiet_ % kEvery == 0 && all_stuck(blocks)) report_deadlock(blocks);
}

// A state is remembered at rounds whose distance doubles each time (Brent's cycle detection). A warp that has been in
// the remembered state again since then is in a cycle.
bool StallWatch::all_stuck(std::span<const Block* const> blocks) {
  const bool remember = std::has_single_bit(quiet_ / kEvery);
  bool all_again = true, all_idle = true;
  const auto compare = [&](const Warp* warp, uint64_t state) {
    Seen& seen = warps_[warp];
    seen.again |= state == seen.state;
    all_again &= seen.again;
    if (remember) seen = {state, false};
  };
  const bool together = tells_at_barriers(launch_.program);
  for (const Block* block : blocks) {
    uint64_t of_block = 0;
    for (const auto& warp : block->warps()) {
      if (warp->done()) continue;
      all_idle &= looks_idle(*warp);
      const uint64_t state = warp->state_hash();
      of_block = of_block * 31 + state;
      if (!together) compare(warp.get(), state);
    }
    if (together) compare(block->warps().front().get(), of_block);
  }
  // Another thread of the program may write what a kernel reads.
  if (all_again && !launch_.memory.host().has_other_threads()) return true;
  return (all_again || all_idle) && processor_seconds() - since_ > kPatience;
}

}  // namespace lockstep
