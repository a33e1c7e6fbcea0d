#include "sass/parting.h"

#include <algorithm>

#include "program/register_use.h"
#include "sass/makers.h"
#include "sass/program_flow.h"
#include "sass/uniform.h"

namespace lockstep {
namespace {

// What lanes that are together make of an instruction. kSame: the same. kOfOperands: the same of the same operands.
enum class Makes : uint8_t { kSame, kOfOperands, kOfLane };

Makes makes(const Program& program, const Instruction& in) {
  if (in.kind == Kind::kAlu) return Makes::kOfOperands;
  if (in.kind == Kind::kBarrier) return Makes::kSame;
  if (in.kind == Kind::kMemory) {
    const MemoryAccess& access = program.accesses[in.index];
    const bool of_lane = is_atomic(access) || access.space == Space::kLocal || access.space == Space::kParam;
    return of_lane ? Makes::kOfLane : Makes::kOfOperands;
  }
  if (in.kind != Kind::kCollective) return Makes::kOfLane;
  const Collective& one = program.collectives[in.index];
  const bool of_lane = is_shuffle(one) || one.op == CollectiveOp::kMatchAny || one.op == CollectiveOp::kElect;
  return of_lane ? Makes::kOfLane : Makes::kSame;
}

// The registers whose values need not be the same for all lanes of a warp. Grows until nothing is added.
class LaneValues {
 public:
  LaneValues(const Program& program, const FlowFacts& facts)
      : program_(program),
        facts_(facts),
        function_(functions_of(program)),
        makers_(makers_of(program)),
        parts_(program.code.size()),
        apart_(parts_) {
    for (uint32_t f = 0; f < program.functions.size(); ++f)
      for (const Preset& preset : program.functions[f].presets)
        if (!is_uniform(preset, Among::kWarp)) values_.insert({f, preset.offset});
    for (bool grows = true; grows;) {
      grows = false;
      for (uint32_t pc = 0; pc < program.code.size(); ++pc) grows |= follow(pc);
    }
  }
  const std::vector<bool>& parts() const { return parts_; }

 private:
  // Whether anything was added.
  bool follow(uint32_t pc) {
    const Instruction& in = program_.code[pc];
    bool asks = false, apart = false;
    for_each_source(program_, in, [&](uint32_t offset) { asks |= values_.contains({function_[pc], offset}); });
    for (const uint32_t branch : facts_.deciders(pc))
      apart |= branch < parts_.size() && (parts_[branch] || apart_[branch]);
    const bool parts = asks && facts_.flow().successors[pc].size() > 1;
    bool grows = parts > parts_[pc] || apart > apart_[pc];
    parts_[pc] = parts;
    apart_[pc] = apart;
    const Makes made = makes(program_, in);
    const bool differs = made == Makes::kOfLane || (made == Makes::kOfOperands && asks);
    for_each_destination(program_, in, [&](uint32_t d) {
      const Register one{function_[pc], d};
      if (differs || (apart && !(in.kind == Kind::kAlu && has_one_maker(one)))) grows |= values_.insert(one).second;
    });
    return grows;
  }

  // Lanes that parted hold other values than each other if several instructions make them.
  bool has_one_maker(Register one) const {
    const auto makers = makers_.find(one);
    return makers != makers_.end() && makers->second.size() == 1;
  }

  const Program& program_;
  const FlowFacts& facts_;
  std::vector<uint32_t> function_;
  Places makers_;
  std::set<Register> values_;
  std::vector<bool> parts_;  // by instruction: whether lanes may part there
  std::vector<bool> apart_;  // whether they may have parted before, and not all of them come
};

}  // namespace

std::vector<bool> parting_branches(const Program& program, const FlowFacts& facts) {
  return LaneValues(program, facts).parts();
}

Parting::Parting(const Program& program, const FlowFacts& facts)
    : program_(program), facts_(facts), sides_(program.code.size()) {
  const std::vector<bool> parting = parting_branches(program, facts);
  for (uint32_t branch = 0; branch < parting.size(); ++branch) {
    if (!parting[branch]) continue;
    for (const uint32_t loop : facts.loops(branch))
      if (facts.leaves_loop(branch, loop)) left_apart_.insert(loop);
    const std::vector<uint32_t>& firsts = facts.flow().successors[branch];
    for (uint32_t side = 0; side < firsts.size(); ++side) {
      const Reached there = reached(firsts[side], facts.together(branch));
      for (const MemoryAccess& access : program.accesses)
        if (there[access.pc]) sides_[access.pc].push_back({branch, side});
    }
  }
}

// What lanes come to from here before all of them are at `until`, or are brought together.
Parting::Reached Parting::reached(uint32_t first, uint32_t until) const {
  Reached found(facts_.flow().end() + 1, false);
  const uint32_t last = std::min(until, facts_.flow().end());
  found[last] = true;  // nothing is followed from there
  spread_apart(program_, facts_.flow(), first, found);
  found[last] = false;
  return found;
}

const Parting::Reached& Parting::reached_from(uint32_t first) {
  const auto [known, is_new] = reached_from_.try_emplace(first);
  if (is_new) known->second = reached(first, facts_.flow().end());
  return known->second;
}

bool Parting::are_on_two_sides(uint32_t one, uint32_t other) const {
  return std::ranges::any_of(sides_[one], [&](const Side& mine) {
    const auto same_branch = std::ranges::equal_range(sides_[other], mine.branch, {}, &Side::branch);
    return std::ranges::any_of(same_branch, [&](const Side& theirs) { return theirs.side != mine.side; });
  });
}

bool Parting::are_in_two_turns(uint32_t one, uint32_t other) {
  return std::ranges::any_of(facts_.loops(one), [&](uint32_t loop) {
    if (!left_apart_.contains(loop) || !facts_.is_in_loop(other, loop)) return false;
    const auto steps_back = [&](uint32_t first) {
      const Reached& there = reached_from(first);
      return std::ranges::any_of(facts_.predecessors(loop),
                                 [&](uint32_t from) { return there[from] && facts_.goes_back(from, loop); });
    };
    const auto comes_first = [&](uint32_t first, uint32_t second) {
      return steps_back(first) && reached_from(loop)[second];
    };
    return comes_first(one, other) || comes_first(other, one);
  });
}

}  // namespace lockstep
