#include "sass/meetings.h"

#include <algorithm>
#include <optional>

namespace lockstep {
namespace {

using Barriers = std::vector<uint8_t>;

// The barriers that are open behind an instruction.
Barriers behind(const Flow& flow, uint32_t at, Barriers open) {
  for (const uint8_t barrier : {flow.closes[at], flow.opens[at]})
    if (barrier != Flow::kNoBarrier) open.erase(std::ranges::find(open, barrier), open.end());
  if (flow.opens[at] != Flow::kNoBarrier) open.push_back(flow.opens[at]);
  return open;
}

}  // namespace

Meetings::Meetings(const FlowFacts& facts) : facts_(facts), open_(facts.flow().end()) {
  find_barriers();
  const Flow& flow = facts.flow();
  for (uint32_t at = 0; at < flow.end(); ++at)
    if (flow.successors[at].size() > 1)
      sides_.push_back({at, reached_by_several(at, false), reached_by_several(at, true)});
}

// On several ways to an instruction, those barriers are open that all of them opened.
void Meetings::find_barriers() {
  const Flow& flow = facts_.flow();
  std::vector<bool> seen(flow.end(), false);
  std::vector<uint32_t> open = flow.roots;
  for (const uint32_t root : flow.roots) seen[root] = true;
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    const Barriers out = behind(flow, at, open_[at]);
    for (const uint32_t to : flow.successors[at]) {
      if (to >= flow.end()) continue;
      Barriers in = out;
      if (seen[to]) {
        const auto same = std::ranges::mismatch(open_[to], out);
        in.assign(open_[to].begin(), same.in1);
        if (in == open_[to]) continue;
      }
      seen[to] = true;
      open_[to] = std::move(in);
      open.push_back(to);
    }
  }
}

// Follows each side of the branch to the BSYNC of the innermost barrier.
std::vector<bool> Meetings::reached_by_several(uint32_t branch, bool around) const {
  const Flow& flow = facts_.flow();
  const uint8_t barrier = open_[branch].empty() ? Flow::kNoBarrier : open_[branch].back();
  std::vector<bool> once(flow.end(), false), several(flow.end(), false);
  for (const uint32_t side : flow.successors[branch]) {
    if (!around && facts_.goes_back(branch, side)) continue;
    std::vector<bool> seen(flow.end(), false);
    std::vector<uint32_t> open{side};
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      if (at >= flow.end() || seen[at]) continue;
      seen[at] = true;
      if (barrier != Flow::kNoBarrier && flow.closes[at] == barrier) continue;
      if (once[at]) several[at] = true;
      for (const uint32_t to : flow.successors[at])
        if (around || !facts_.goes_back(at, to)) open.push_back(to);
    }
    for (uint32_t at = 0; at < flow.end(); ++at) once[at] = once[at] || seen[at];
  }
  return several;
}

std::vector<uint32_t> Meetings::parting(uint32_t instruction, bool around) const {
  std::vector<uint32_t> found;
  for (const Sides& one : sides_)
    if ((around ? one.around : one.forward)[instruction]) found.push_back(one.branch);
  return found;
}

}  // namespace lockstep
