// flow: the instructions of a kernel as a graph → in how many loops each of them lies, and on which conditions it
// depends. PTX and machine code answer these questions in the same terms, so the answers can be compared. A condition
// is named by the line of the PTX that compares.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sass/comparison.h"

namespace lockstep {

// The lines of the PTX that compare; kUnknownLine for what was not found.
using Conditions = std::set<uint32_t>;
inline constexpr uint32_t kUnknownLine = 0, kNoLoop = 0xffffffffu;

// What the guard or the branch of an instruction depends on.
struct Asked {
  Conditions compares;        // the lines of the comparisons
  Conditions near;            // those, and the lines of instructions that ptxas may join with them
  Comparisons comparisons{};  // themselves
  // Only in conditions(): the instruction that asks; and whether it comes before the other in one turn of their loops.
  // If not, it decides about later turns.
  uint32_t at = 0;
  bool in_turn = false;
};

struct Flow {
  std::vector<std::vector<uint32_t>> successors;  // by instruction; the number of instructions: the end
  std::vector<Asked> asks;                        // by instruction
  std::vector<uint32_t> roots;                    // where the kernel and each of its functions begin
  // Machine code says where lanes wait for each other: the number of the barrier that an instruction opens, or at which
  // it waits (BSSY, BSYNC); kNoBarrier: none.
  std::vector<uint8_t> opens, closes;
  static constexpr uint8_t kNoBarrier = 0xff;
  std::vector<bool> gathers;  // likewise: whether all lanes of the warp wait for each other there (WARPSYNC.ALL)
  explicit Flow(uint32_t instructions)
      : successors(instructions),
        asks(instructions),
        opens(instructions, kNoBarrier),
        closes(instructions, kNoBarrier),
        gathers(instructions, false) {}
  uint32_t end() const { return static_cast<uint32_t>(successors.size()); }
};

// Marks `from` and all that is reached from it. next(instruction): the instructions of one step.
template <class Next>
void spread(uint32_t from, std::vector<bool>& reached, const Next& next) {
  std::vector<uint32_t> open{from};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    if (reached[at]) continue;
    reached[at] = true;
    const auto& steps = next(at);
    open.insert(open.end(), steps.begin(), steps.end());
  }
}

struct Place {
  uint32_t loops = 0;        // that contain the instruction
  uint32_t outer = kNoLoop;  // the first instruction of the outermost of them
  bool merges = false;       // lanes that diverged may come here on several ways, before the place where they all meet
  bool turns = false;        // likewise, from the turn before of a loop around it
};

class FlowFacts {
 public:
  explicit FlowFacts(Flow flow);
  const Flow& flow() const { return flow_; }
  const std::vector<Place>& places() const { return places_; }
  // The conditions of the instruction in its function: one for each branch that decides, and one for its own guard.
  std::vector<Asked> conditions(uint32_t instruction) const;
  // The instructions whose branches decide whether this one is reached.
  const std::vector<uint32_t>& deciders(uint32_t instruction) const { return deciders_[instruction]; }
  // The last instruction before this one that every way here passes; none: a number that is no instruction.
  uint32_t dominator(uint32_t instruction) const { return dominators_[instruction]; }
  // The instructions whose steps lead to this one, or to the end.
  const std::vector<uint32_t>& predecessors(uint32_t instruction) const { return predecessors_[instruction]; }
  // The next instruction in the same turn of all loops, if no other way leads from this one or to that one. Else a
  // number that is not an instruction.
  uint32_t only_next(uint32_t instruction) const {
    const std::vector<uint32_t>& next = flow_.successors[instruction];
    const bool only = next.size() == 1 && next[0] < flow_.end() && predecessors_[next[0]].size() == 1;
    return only && !goes_back(instruction, next[0]) ? next[0] : flow_.end();
  }
  // Whether each loop around `inner` is around `instruction`, too.
  bool shares_loops(uint32_t instruction, uint32_t inner) const {
    return std::ranges::all_of(loops_[inner],
                               [&](uint32_t loop) { return std::ranges::count(loops_[instruction], loop) > 0; });
  }
  // Where the loops around the instruction begin, the outermost first.
  const std::vector<uint32_t>& loops(uint32_t instruction) const { return loops_[instruction]; }
  bool is_in_loop(uint32_t instruction, uint32_t loop) const {
    return std::ranges::count(loops_[instruction], loop) > 0;
  }
  // Whether lanes may leave the loop that begins at `loop` at this instruction.
  bool leaves_loop(uint32_t instruction, uint32_t loop) const {
    const auto is_inside = [&](uint32_t at) { return at < flow_.end() && is_in_loop(at, loop); };
    return is_inside(instruction) && !std::ranges::all_of(flow_.successors[instruction], is_inside);
  }
  // The branches whose lanes may begin the next turn of a loop around the instruction apart from each other.
  std::vector<uint32_t> turns_apart(uint32_t instruction) const {
    std::vector<uint32_t> found;
    for (const uint32_t loop : loops_[instruction])
      found.insert(found.end(), turns_apart_.at(loop).begin(), turns_apart_.at(loop).end());
    return found;
  }
  // By instruction: whether it may come before this one in one turn of their loops, or is this one.
  std::vector<bool> before_in_turn(uint32_t instruction) const;
  // Whether the step leads back to the beginning of a loop.
  bool goes_back(uint32_t from, uint32_t to) const {
    if (to >= flow_.end()) return false;
    return std::find(back_[from].begin(), back_[from].end(), to) != back_[from].end();
  }
  // Whether every step but those leads to a later instruction: who is further behind comes first.
  bool in_order() const { return in_order_; }
  // Where all lanes that part at the branch meet.
  uint32_t together(uint32_t branch) const { return together_[branch]; }
  // Whether ways from several sides of a branch meet here before its lanes are all together.
  bool is_early(uint32_t instruction) const { return early_[instruction]; }
  // Whether lanes that part at a branch and come to the early meeting one after the other meet there, if those further
  // behind go first: all that leads from the branch to the meeting stands before it.
  bool meets_in_order(uint32_t meeting) const;

 private:
  std::vector<uint32_t> late_before(uint32_t meeting) const;

  Flow flow_;
  std::vector<Place> places_;
  std::vector<std::vector<uint32_t>> predecessors_, deciders_, back_;
  std::vector<std::vector<uint32_t>> loops_;  // by instruction: where those around it begin, the outermost first
  std::map<uint32_t, std::vector<uint32_t>> turns_apart_;  // by the beginning of the loop
  std::vector<uint32_t> dominators_;
  std::vector<bool> early_;
  std::vector<uint32_t> together_;  // by branch: where all of its lanes meet
  bool in_order_ = true;
};

}  // namespace lockstep
