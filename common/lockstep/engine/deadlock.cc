#include "engine/deadlock.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/block.h"
#include "engine/fault.h"
#include "engine/warp.h"

namespace lockstep {
namespace {

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

}  // namespace lockstep
