#include "engine/stall.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <time.h>

#include "base/words.h"
#include "engine/block.h"
#include "engine/fault.h"
#include "program/cuda_names.h"

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
    case Kind::kMatrix: return program.matrices[in.index].access.op == MemoryOp::kStore;
    case Kind::kAsync: return true;
    case Kind::kTexture: return program.textures[in.index].op == TextureOp::kStore;
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
  Mask waits_for = 0;  // kWaitsForLanes: those that have not come
};

Stuck stuck(const Warp& warp, const Path& path) {
  Stuck s{Stuck::kLoops, &warp, path.mask, path.pc, path.waits_for & ~path.mask};
  if (path.state == Path::kAtBarrier || path.state == Path::kAtCluster)
    s.how = Stuck::kWaitsForWarps;
  else if (path.state != Path::kRunnable)
    s.how = Stuck::kWaitsForLanes;
  else if (path.looked_at != kNowhere)
    s.how = Stuck::kRepeats, s.pc = path.looked_at;
  else if (const Loop loop = loop_around(warp.launch().program, path.pc); loop.exists())
    s.pc = loop.end;  // mostly the loop's condition, wherever the path is now
  return s;
}

// "lanes 0–15, 20"; of many runs the first three: "lanes 0, 4, 8, … (8 lanes)".
std::string lanes_text(Mask mask) {
  constexpr int kMostRuns = 4;
  std::vector<std::string> runs;
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    if (!(mask >> l & 1)) continue;
    uint32_t last = l;
    while (last + 1 < kWarpSize && mask >> (last + 1) & 1) ++last;
    runs.push_back(std::to_string(l) + (last == l ? "" : (last > l + 1 ? "–" : ", ") + std::to_string(last)));
    l = last;
  }
  const int lanes = std::popcount(mask);
  std::string list;
  const bool all = runs.size() <= kMostRuns;
  for (size_t i = 0; i < (all ? runs.size() : kMostRuns - 1); ++i) list += (i ? ", " : "") + runs[i];
  const Facts facts = {{"list", list}, {"count", std::to_string(lanes)}};
  if (!all) return words("lanes {list}, … ({count} lanes)", facts);
  return lanes == 1 ? words("lane {list}", facts) : words("lanes {list}", facts);
}

// "the loop of lines 331–333"; empty: it is in no loop, or its lines are not known.
std::string loop_text(const SourceNames& names, uint32_t pc) {
  const Loop loop = loop_around(names.program, pc);
  const auto [file, line] = names.source_line(pc);
  if (!loop.exists() || line == 0) return "";
  uint32_t first = line, last = line;
  for (uint32_t i = loop.begin; i <= loop.end; ++i) {
    const auto [other, at] = names.source_line(i);
    if (at != 0 && other == file) first = std::min(first, at), last = std::max(last, at);
  }
  const Facts facts = {{"first", std::to_string(first)}, {"last", std::to_string(last)}};
  return first == last ? words("the loop of line {first}", facts) : words("the loop of lines {first}–{last}", facts);
}

// Paths of several warps that are stuck in the same way.
struct Group {
  Stuck first;
  std::vector<uint32_t> warps;
};

std::string warps_text(const std::vector<uint32_t>& warps) {
  if (warps.size() == 1) return words("warp {warp}", {{"warp", std::to_string(warps[0])}});
  const bool row = warps.back() - warps.front() + 1 == warps.size();
  std::string list = row ? std::to_string(warps.front()) + "–" + std::to_string(warps.back()) : "";
  for (const uint32_t warp : warps)
    if (!row) list += (list.empty() ? "" : ", ") + std::to_string(warp);
  return words("warps {list}", {{"list", list}});
}

bool reads_only(const Program& program, uint32_t pc) {
  const Instruction& in = program.code[pc];
  return in.kind == Kind::kMemory && program.accesses[in.index].op == MemoryOp::kLoad;
}

// "wait in __syncwarp() at scan.cu:12 for lanes 16–31"; of one lane, "waits …".
std::string what_they_do(const SourceNames& names, const Stuck& s, bool one) {
  Facts facts = {{"place", names.location(s.pc)}};
  switch (s.how) {
    case Stuck::kRepeats:
      if (reads_only(names.program, s.pc))
        return one ? words("reads again and again at {place}", facts) : words("read again and again at {place}", facts);
      return one ? words("tries again and again at {place}", facts) : words("try again and again at {place}", facts);
    case Stuck::kWaitsForLanes:
      facts.insert(facts.end(), {{"call", cuda_name(names.program, s.pc)}, {"lanes", lanes_text(s.waits_for)}});
      return one ? words("waits in {call} at {place} for {lanes}", facts)
                 : words("wait in {call} at {place} for {lanes}", facts);
    case Stuck::kWaitsForWarps:
      facts.emplace_back("call", cuda_name(names.program, s.pc));
      return one ? words("waits in {call} at {place} for other threads of the block", facts)
                 : words("wait in {call} at {place} for other threads of the block", facts);
    case Stuck::kLoops: {
      const std::string loop = loop_text(names, s.pc);
      facts.emplace_back("loop", loop);
      if (loop.empty()) return one ? words("runs for ever at {place}", facts) : words("run for ever at {place}", facts);
      return one ? words("runs for ever in {loop}", facts) : words("run for ever in {loop}", facts);
    }
  }
  return "";
}

std::string line(const Group& group) {
  const Warp& warp = *group.first.warp;
  const uint32_t threads = warp.launch().shape.threads_per_block() - warp.index() * kWarpSize;
  const Mask all = threads >= kWarpSize ? kFullMask : (Mask{1} << threads) - 1;
  const Mask mask = group.first.mask;
  const bool one = std::popcount(mask) == 1 && group.warps.size() == 1;
  return words("block {block}: {lanes} of {warps} {do}",
               {{"block", text(warp.block().coordinates())},
                {"lanes", mask == all && !one ? words("all lanes") : lanes_text(mask)},
                {"warps", warps_text(group.warps)},
                {"do", what_they_do(warp.launch().names, group.first, one)}}) +
         "\n";
}

// Other blocks are stuck in the same way, and often other warps.
std::vector<Group> groups_of(std::span<const Block* const> blocks) {
  std::vector<Group> groups;
  std::set<std::pair<uint32_t, uint32_t>> told;  // warp and pc
  for (const Block* block : blocks)
    for (const auto& warp : block->warps())
      for (const Path& path : warp->paths()) {
        const Stuck s = stuck(*warp, path);
        if (!told.insert({warp->index(), s.pc}).second) continue;
        const auto same = std::ranges::find_if(groups, [&](const Group& g) {
          return g.first.pc == s.pc && g.first.mask == s.mask && g.first.waits_for == s.waits_for &&
                 &g.first.warp->block() == block;
        });
        if (same == groups.end())
          groups.push_back({s, {warp->index()}});
        else
          same->warps.push_back(warp->index());
      }
  std::ranges::stable_sort(groups, {}, [](const Group& g) { return g.first.how; });
  return groups;
}

std::string headline(Stuck::How how) {
  switch (how) {
    case Stuck::kRepeats: return words("deadlock: what these threads wait for never changes");
    case Stuck::kLoops: return words("deadlock: an endless loop: its threads come back to the same state");
    default: return words("deadlock: every thread that is left waits for another one");
  }
}

// Whether the threads read memory again and again that the program on the host can write, too.
bool host_may_write(const Stuck& s, const Launch& launch) {
  const Instruction& in = launch.program.code[s.pc];
  if (in.kind != Kind::kMemory) return false;
  return std::ranges::any_of(s.warp->state().reached[in.index],
                             [&](uint64_t address) { return launch.memory.find(address).host_reaches; });
}

std::string next_step(const Stuck& first, const Launch& launch, size_t blocks) {
  switch (first.how) {
    case Stuck::kRepeats:
      if (blocks == launch.resident_blocks && blocks < launch.shape.grid.count())
        return words(
            "do not wait for a block that may not have begun. {some} of {all} blocks are on the card, and they "
            "leave no room.",
            {{"some", std::to_string(blocks)}, {"all", std::to_string(launch.shape.grid.count())}});
      if (host_may_write(first, launch))
        return words(
            "find the write that these threads wait for. The program on the host could write this memory, but lockstep "
            "runs a kernel to its end before the program goes on: no kernel may wait for the host.");
      return words(
          "find the write that these threads wait for, and why no thread comes to it: a lock that is never "
          "released, or a thread that waits at a barrier.");
    case Stuck::kWaitsForLanes:
      return words("let {lanes} come to the same call, or take them out of its mask.",
                   {{"lanes", lanes_text(first.waits_for & ~first.mask)}});
    case Stuck::kWaitsForWarps:
      if (cuda_name(launch.program, first.pc) == launch.program.names[first.pc])  // written in PTX
        return words("compare the barrier's number, and its number of threads, with the threads that come to it.");
      return words("let every thread of the block come to the same barrier: move it out of the branch or the loop.");
    case Stuck::kLoops: return words("look at the loop's condition. Nothing that it reads changes any more.");
  }
  return "";
}

}  // namespace

void report_deadlock(std::span<const Block* const> blocks) {
  constexpr size_t kMostLines = 4;
  const Launch& launch = blocks.front()->launch();
  const std::vector<Group> groups = groups_of(blocks);
  const Stuck& first = groups.front().first;
  const auto site = [&](const Stuck& s) { return s.warp->site(first_lane(s.mask), s.pc); };
  const auto elsewhere = std::ranges::find_if(groups, [&](const Group& g) {
    return launch.names.source_line(g.first.pc) != launch.names.source_line(first.pc);
  });
  std::string detail;
  for (size_t i = 0; i < std::min(groups.size(), kMostLines); ++i) detail += line(groups[i]);
  if (groups.size() > kMostLines)
    detail += words("… and {count} more", {{"count", std::to_string(groups.size() - kMostLines)}}) + "\n";
  detail += "Next: " + next_step(first, launch, blocks.size());
  fail(*first.warp, {Status::kLaunchTimeout, "deadlock", first_lane(first.mask), first.pc, headline(first.how), detail,
                     "", elsewhere == groups.end() ? std::nullopt : std::optional(site(elsewhere->first))});
}

std::string report_running(std::span<const Block* const> blocks) {
  std::vector<Stuck> all;
  for (const Block* block : blocks)
    for (const auto& warp : block->warps())
      for (const Path& path : warp->paths()) all.push_back(stuck(*warp, path));
  if (all.empty()) return "";
  const auto in_loop = [](const Stuck& s) { return loop_around(s.warp->launch().program, s.pc).exists(); };
  // A waiting thread waits for a running one. The running one is most likely in a loop.
  const auto rank = [&](const Stuck& s) { return s.how != Stuck::kLoops ? 0 : in_loop(s) ? 2 : 1; };
  const auto found = std::ranges::max_element(all, {}, rank);
  const SourceNames& names = found->warp->launch().names;
  const Site site = found->warp->site(first_lane(found->mask), found->pc);
  const std::string loop = loop_text(names, found->pc);
  const Facts facts = {{"kernel", names.kernel},
                       {"block", text(site.block)},
                       {"thread", text(site.thread)},
                       {"place", names.location(found->pc)},
                       {"loop", loop}};
  return with_next(words("kernel {kernel} was stopped: it had not come to its end", facts) + "\n  " +
                       (loop.empty() ? words("block {block}, thread {thread} was at {place}", facts)
                                     : words("block {block}, thread {thread} was at {place}, in {loop}", facts)),
                   in_loop(*found) ? words("check that this loop ends, for every thread and every n.")
                                   : words("it was in no loop. Let it run longer, or give it less work."));
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
