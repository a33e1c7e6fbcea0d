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
  find_pieces();
  const Flow& flow = facts.flow();
  for (uint32_t at = 0; at < flow.end(); ++at)
    if (flow.successors[at].size() > 1) {
      const std::vector<bool> ends = this->ends(at);
      sides_.push_back({at, reached(at, ends, false), reached(at, ends, true)});
    }
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

void Meetings::find_pieces() {
  const Flow& flow = facts_.flow();
  std::vector<bool> begins(flow.end() + 1, false);
  for (const uint32_t root : flow.roots) begins[root] = true;
  for (uint32_t at = 0; at < flow.end(); ++at) {
    const bool closes = flow.closes[at] != Flow::kNoBarrier || flow.gathers[at];  // a piece of its own
    const bool straight = flow.successors[at].size() == 1 && flow.successors[at][0] == at + 1 && !closes;
    if (closes) begins[at] = true;
    if (straight) continue;
    begins[at + 1] = true;
    for (const uint32_t to : flow.successors[at]) begins[to] = true;
  }
  for (uint32_t at = 0; at < flow.end(); ++at) {
    if (at == 0 || begins[at]) pieces_.emplace_back();
    piece_.push_back(static_cast<uint32_t>(pieces_.size() - 1));
    pieces_.back().last = at;
    pieces_.back().closes = flow.closes[at];
    pieces_.back().gathers = flow.gathers[at];
  }
  for (Piece& piece : pieces_)
    for (const uint32_t to : flow.successors[piece.last]) {
      if (to >= flow.end()) continue;
      piece.next.push_back(piece_[to]);
      if (!facts_.goes_back(piece.last, to)) piece.forward.push_back(piece_[to]);
    }
}

// The pieces at which the lanes of the branch are together again. They have the BSYNC of the innermost barrier; or all
// lanes of the warp wait there, and every side of the branch comes there without a step back.
std::vector<bool> Meetings::ends(uint32_t branch) const {
  const uint8_t barrier = open_[branch].empty() ? Flow::kNoBarrier : open_[branch].back();
  std::vector<bool> found(pieces_.size(), false), waited(pieces_.size(), false);
  for (uint32_t at = 0; at < pieces_.size(); ++at) {
    found[at] = barrier != Flow::kNoBarrier && pieces_[at].closes == barrier;
    waited[at] = pieces_[at].gathers;
  }
  if (std::ranges::count(waited, true) == 0) return found;
  for (const uint32_t side : pieces_[piece_[branch]].forward) {
    std::vector<bool> reached(pieces_.size(), false);
    spread(
        side, reached, [&](uint32_t at) -> const auto& { return pieces_[at].forward; });
    for (uint32_t at = 0; at < pieces_.size(); ++at) waited[at] = waited[at] && reached[at];
  }
  for (uint32_t at = 0; at < pieces_.size(); ++at) found[at] = found[at] || waited[at];
  return found;
}

// Follows each side of the branch to where the lanes are together again.
Meetings::Reached Meetings::reached(uint32_t branch, const std::vector<bool>& ends, bool around) const {
  const auto steps = [&](const Piece& piece) -> const auto& { return around ? piece.next : piece.forward; };
  std::vector<uint32_t> last_side(pieces_.size(), 0);  // that came here; from 1
  Reached result(pieces_.size(), kNoSide);
  uint32_t side = 0;
  for (const uint32_t first : steps(pieces_[piece_[branch]])) {
    ++side;
    std::vector<uint32_t> open{first};
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      if (last_side[at] == side) continue;
      if (!ends[at]) result[at] = last_side[at] != 0 ? kSeveral : static_cast<uint8_t>(std::min(side, kSeveral - 1u));
      last_side[at] = side;
      if (!ends[at]) open.insert(open.end(), steps(pieces_[at]).begin(), steps(pieces_[at]).end());
    }
  }
  return result;
}

std::vector<uint32_t> Meetings::parting(const std::vector<uint32_t>& copies, bool around) const {
  std::vector<uint32_t> found;
  for (const Sides& one : sides_) {
    uint8_t side = kNoSide;
    for (const uint32_t copy : copies) {
      const uint8_t here = (around ? one.around : one.forward)[piece_[copy]];
      if (here == kNoSide || here == side) continue;
      side = side == kNoSide ? here : kSeveral;
    }
    if (side == kSeveral) found.push_back(one.branch);
  }
  return found;
}

}  // namespace lockstep
