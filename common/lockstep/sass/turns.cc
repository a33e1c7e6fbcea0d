#include "sass/turns.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sass/makers.h"

namespace lockstep {
namespace {

constexpr uint32_t kMostTurns = 1 << 16;  // bounds the search; a loop with more turns stays unknown

class CountedLoop {
 public:
  CountedLoop(const Program& program, const FlowFacts& facts, uint32_t loop)
      : program_(program),
        facts_(facts),
        loop_(loop),
        function_(functions_of(program)[loop]),
        makers_(makers_of(program)),
        constants_(constants_of(program)) {}

  uint32_t turns() const {
    const auto last = last_of_turn();
    if (!last) return 0;
    const Instruction& branch = program_.code[*last];
    const auto compare = maker(branch.guard);
    if (!compare || !every_turn(*compare, *last)) return 0;
    const std::string_view name = program_.names[*compare];  // such as "setp.lt.u32"
    const size_t type = name.rfind('.');
    const bool is_plain = name.starts_with("setp.") && name.find('.', 5) == type && program_.code[*compare].guard == 0;
    if (!is_plain) return 0;
    const auto end = constant(program_.code[*compare].b);
    const auto counter = counter_of(program_.code[*compare].a, *compare);
    if (!end || !counter) return 0;
    const bool turns_if = (branch.target == loop_) != branch.guard_negated;
    uint64_t value = counter->first;
    for (uint32_t turns = 1; turns <= kMostTurns; ++turns) {
      value += counter->step;
      const auto holds = compared(name.substr(5), value, *end);
      if (!holds) return 0;
      if (*holds != turns_if) return turns;
    }
    return 0;
  }

 private:
  // The branch that alone decides whether another turn comes.
  std::optional<uint32_t> last_of_turn() const {
    std::optional<uint32_t> last;
    for (uint32_t at = 0; at < program_.code.size(); ++at) {
      if (!facts_.leaves_loop(at, loop_)) continue;
      const bool decides = program_.code[at].kind == Kind::kBranch && program_.code[at].guard != 0;
      if (last || !decides || !facts_.goes_back(at, loop_)) return std::nullopt;
      last = at;
    }
    return last;
  }

  // The only instruction that writes the register.
  std::optional<uint32_t> maker(uint32_t offset) const {
    const auto found = makers_.find({function_, offset});
    return found != makers_.end() && found->second.size() == 1 ? std::optional(found->second[0]) : std::nullopt;
  }

  // Whether every turn of the loop executes the instruction once, before `end`.
  bool every_turn(uint32_t instruction, uint32_t end) const {
    if (facts_.loops(instruction) != facts_.loops(loop_)) return false;
    uint32_t at = end;
    while (at != instruction && at < program_.code.size() && at != loop_) at = facts_.dominator(at);
    return at == instruction;
  }

  // A register may be a copy of one that holds a constant.
  std::optional<uint64_t> constant(uint32_t offset) const {
    if (const auto copy = maker(offset); copy && is_move(*copy)) offset = program_.code[*copy].a;
    const auto found = constants_.find({function_, offset});
    if (found == constants_.end() || is_address(found->second)) return std::nullopt;
    return found->second.bits;
  }
  bool is_move(uint32_t at) const { return program_.code[at].guard == 0 && program_.names[at].starts_with("mov."); }

  struct Counter {
    uint64_t first, step;
  };
  // A counter is written by a move before the loop, and in each turn by an addition before the comparison.
  std::optional<Counter> counter_of(uint32_t offset, uint32_t compare) const {
    const auto found = makers_.find({function_, offset});
    if (found == makers_.end() || found->second.size() != 2) return std::nullopt;
    uint32_t move = found->second[0], add = found->second[1];
    if (facts_.is_in_loop(move, loop_)) std::swap(move, add);
    const Instruction& addition = program_.code[add];
    const bool adds = program_.names[add].starts_with("add.") && addition.guard == 0 && addition.a == offset;
    if (!is_move_before(move) || !adds || !every_turn(add, compare)) return std::nullopt;
    const auto first = constant(program_.code[move].a), step = constant(addition.b);
    return first && step ? std::optional(Counter{*first, *step}) : std::nullopt;
  }
  // Whether the instruction is executed each time before the loop begins.
  bool is_move_before(uint32_t move) const {
    std::vector<uint32_t> around = facts_.loops(loop_);
    around.pop_back();
    uint32_t at = facts_.dominator(loop_);
    while (at != move && at < program_.code.size()) at = facts_.dominator(at);
    return at == move && facts_.loops(move) == around && is_move(move);
  }

  // asked: such as "lt.u32". A 32-bit register is the lower half of the value.
  static std::optional<bool> compared(std::string_view asked, uint64_t value, uint64_t end) {
    const auto by = [&](auto a, auto b) -> std::optional<bool> {
      const std::string_view relation = asked.substr(0, 2);
      if (relation == "lt") return a < b;
      if (relation == "le") return a <= b;
      if (relation == "gt") return a > b;
      if (relation == "ge") return a >= b;
      if (relation == "eq") return a == b;
      if (relation == "ne") return a != b;
      return std::nullopt;
    };
    const std::string_view type = asked.substr(std::min(asked.size(), asked.find('.')));
    if (type == ".s32") return by(static_cast<int32_t>(value), static_cast<int32_t>(end));
    if (type == ".u32") return by(static_cast<uint32_t>(value), static_cast<uint32_t>(end));
    if (type == ".s64") return by(static_cast<int64_t>(value), static_cast<int64_t>(end));
    if (type == ".u64") return by(value, end);
    return std::nullopt;
  }

  const Program& program_;
  const FlowFacts& facts_;
  const uint32_t loop_, function_;
  const Places makers_;
  const std::map<Register, Preset> constants_;
};

}  // namespace

uint32_t turns_of(const Program& program, const FlowFacts& facts, uint32_t loop) {
  return CountedLoop(program, facts, loop).turns();
}

}  // namespace lockstep
