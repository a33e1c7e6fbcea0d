#include "sass/conditions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "program/register_use.h"

namespace lockstep {
namespace {

// Which comparison of the machine code is which of the PTX, by its line or by what it asks. A comparison that
// may belong to one branch does not show that the machine code has another branch, too.
class Pairing {
 public:
  Pairing(const std::vector<Asked>& written, const Comparisons& machine) : machine_(machine.begin(), machine.end()) {
    Fits by_line, near, by_question;
    for (const Asked& branch : written)
      for (const Comparison& one : branch.comparisons)
        for (uint32_t index = 0; index < machine_.size(); ++index) {
          const Comparison& other = machine_[index];
          if (one.relation.kind != Relation::kOther && one.relation == other.relation) by_question[one].insert(index);
          if (!branch.near.contains(other.line)) continue;
          near[one].insert(index);
          if (one.line == other.line) by_line[one].insert(index);
        }
    // The line tells more than the question.
    add(by_line, written);
    for (const auto& [one, those] : by_line)  // copies; one that is joined may be another, with the line of this one
      for (const uint32_t index : those)
        if (machine_[index].relation == one.relation && !machine_[index].joined) partner_.try_emplace(index, one);
    add(near, written);
    add(by_question, written);
    for (const auto& [one, those] : by_line)
      for (const uint32_t index : those) partner_.try_emplace(index, one);
    all_ = partner_.size() == machine_.size() &&
           std::ranges::none_of(written, [&](const Asked& branch) { return is_missing(branch); });
  }
  bool all() const { return all_; }
  // The comparisons of the machine code that are none of the PTX.
  std::vector<Comparison> left() const {
    std::vector<Comparison> found;
    for (uint32_t index = 0; index < machine_.size(); ++index)
      if (!partner_.contains(index)) found.push_back(machine_[index]);
    return found;
  }
  // Whether the machine code may have none of the branch's comparisons.
  bool is_missing(const Asked& branch) const { return !shown_.contains(branch.at); }

 private:
  using Fits = std::map<Comparison, std::set<uint32_t>>;  // of the PTX; indices of those of the machine code
  using Partners = std::map<uint32_t, Comparison>;        // by those indices

  // Pairs those that have no partner yet. A branch is shown if without it fewer of the machine code find a partner.
  void add(const Fits& fits, const std::vector<Asked>& written) {
    const Partners found = paired(fits, {});
    for (const Asked& branch : written)
      if (is_missing(branch) && paired(fits, branch.comparisons).size() < found.size()) shown_.insert(branch.at);
    partner_ = found;
  }

  // As many partners as possible, one for each comparison of the PTX.
  Partners paired(const Fits& fits, const Comparisons& without) const {
    Partners found = partner_;
    std::set<uint32_t> taken;
    for (const auto& [index, one] : partner_) taken.insert(index);
    for (const auto& [one, those] : fits) {
      const bool has_one = std::ranges::any_of(partner_, [&](const auto& pair) { return pair.second == one; });
      std::set<uint32_t> seen = taken;
      if (!has_one && !without.contains(one)) pairs(one, fits, seen, found);
    }
    return found;
  }

  // Gives the comparison of the PTX a partner. One that is taken is free if its present partner finds another.
  static bool pairs(const Comparison& one, const Fits& fits, std::set<uint32_t>& seen, Partners& found) {
    for (const uint32_t machine : fits.at(one)) {
      if (!seen.insert(machine).second) continue;
      const auto taken = found.find(machine);
      if (taken != found.end() && !pairs(taken->second, fits, seen, found)) continue;
      found.insert_or_assign(machine, one);
      return true;
    }
    return false;
  }

  std::vector<Comparison> machine_;
  Partners partner_;
  std::set<uint32_t> shown_;  // the branches of the PTX that are in the machine code, too, by their instruction
  bool all_ = false;
};

// Why an access is executed as often as that of the machine code, though their conditions differ.
class Explanation {
 public:
  Explanation(const Program& program, const FlowFacts& facts, uint32_t access)
      : program_(program), facts_(facts), flow_(facts.flow()), before_(facts.before_in_turn(access)) {}

  // How to tell that all lanes go from the branch to the access.
  std::optional<OneWay> one_way(uint32_t branch) const {
    if (program_.code[branch].kind != Kind::kBranch || flow_.successors[branch].size() != 2) return std::nullopt;
    uint32_t there = flow_.successors[branch][0], elsewhere = flow_.successors[branch][1];
    if (!before_[there]) std::swap(there, elsewhere);
    if (!before_[there] || before_[elsewhere]) return std::nullopt;
    for (const uint32_t probe : {there, elsewhere})
      if (probe < flow_.end() && is_reached_only_from(branch, probe)) return OneWay{branch, probe, probe == there};
    return std::nullopt;
  }

  // Whether one branch of the PTX asks this comparison, and a later one asks it again. Lanes that the first one sends
  // past the access come to the later one, and it sends them past the access, too.
  bool is_asked_again(const Comparison& machine, const std::vector<Asked>& written) const {
    std::vector<uint32_t> branches;
    for (uint32_t at = 0; at < flow_.end(); ++at)
      if (program_.code[at].kind == Kind::kBranch && flow_.asks[at].compares.contains(machine.line))
        branches.push_back(at);
    return branches.size() == 1 && std::ranges::any_of(written, [&](const Asked& later) {
             return std::ranges::any_of(flow_.successors[branches[0]],
                                        [&](uint32_t side) { return passes_by(branches[0], side, later.at); });
           });
  }

  // Whether ptxas makes one indexed branch of several branches of the PTX, this one among them, which ask one after the
  // other whether a register equals a constant. The indexed branch has the line of the first. It asks about all of
  // them that have no comparison of their own, if each of them has a side of its own.
  bool is_indexed(const Asked& missing, const std::vector<Asked>& written, const Pairing& pairing,
                  const Comparisons& machine) const {
    return std::ranges::any_of(machine, [&](const Comparison& indexed) {
      if (indexed.relation.kind != Relation::kIndexed) return false;
      const auto is_first = [&](const Asked& branch) { return branch.compares == Conditions{indexed.line}; };
      const auto first = std::ranges::find_if(written, is_first);
      if (first == written.end()) return false;
      const std::vector<uint32_t> chain = equalities_from(first->at);
      const auto has_its_own = [&](uint32_t at) {
        return at != first->at && std::ranges::any_of(written, [&](const Asked& branch) {
                 return branch.at == at && !pairing.is_missing(branch);
               });
      };
      const auto sides = static_cast<int64_t>(chain.size()) - std::ranges::count_if(chain, has_its_own) + 1;
      return std::ranges::count(chain, missing.at) > 0 && sides == indexed.relation.bound;
    });
  }

 private:
  // The branches, from this one, that compare one register with a constant each, until one is equal.
  std::vector<uint32_t> equalities_from(uint32_t branch) const {
    std::vector<uint32_t> chain;
    for (uint32_t at = branch; at < flow_.end() && std::ranges::count(chain, at) == 0; at = next_equality(at))
      if (equality(at) < flow_.end()) chain.push_back(at);
    return chain;
  }

  // The branch to which a lane comes that the first one found unequal, if it asks about the same value.
  uint32_t next_equality(uint32_t branch) const {
    const uint32_t first = equality(branch);
    if (first == flow_.end()) return first;
    const bool jumps_if_equal = program_.names[first].starts_with("setp.eq") != program_.code[branch].guard_negated;
    const uint32_t unequal = jumps_if_equal ? branch + 1 : program_.code[branch].target;
    uint32_t next = unequal;
    for (uint32_t last = branch; next > last && next < flow_.end() && flow_.successors[next].size() == 1;)
      last = std::exchange(next, flow_.successors[next][0]);
    if (next >= flow_.end() || equality(next) == flow_.end()) return flow_.end();
    const Instruction &one = program_.code[first], &other = program_.code[equality(next)];
    return other.a == one.a && keeps(unequal, next, one) ? next : flow_.end();
  }

  // The comparison of the branch, if it is one of an integer register for equality with a constant.
  uint32_t equality(uint32_t branch) const {
    const uint32_t asks = comparison(branch);
    if (asks == flow_.end()) return asks;
    const Relation& relation = flow_.asks[branch].comparisons.begin()->relation;
    return relation.kind == Relation::kEqual && relation.bound && !relation.of_floats ? asks : flow_.end();
  }

  // The comparison that alone makes the predicate of the branch; the number of instructions: there is none.
  uint32_t comparison(uint32_t branch) const {
    const Comparisons& asked = flow_.asks[branch].comparisons;
    if (program_.code[branch].kind != Kind::kBranch || asked.size() != 1) return flow_.end();
    const Instruction& in = program_.code[asked.begin()->at];
    const bool alone = program_.names[asked.begin()->at].starts_with("setp.") && in.guard == 0 && in.c == 0;
    return alone && in.d == program_.code[branch].guard ? asked.begin()->at : flow_.end();
  }

  // The number of its executions is then that of the lanes that the branch sends there. A join is not counted.
  bool is_reached_only_from(uint32_t branch, uint32_t probe) const {
    return facts_.predecessors(probe) == std::vector{branch} && std::ranges::count(flow_.roots, probe) == 0 &&
           program_.code[probe].kind != Kind::kJoin;
  }

  // Whether lanes that go from the branch to `side` come to the branch `later`, which asks the same about the same
  // values, and never from there to the access.
  bool passes_by(uint32_t branch, uint32_t side, uint32_t later) const {
    const uint32_t first = comparison(branch), second = comparison(later);
    if (branch == later || first == flow_.end() || second == flow_.end()) return false;
    const Instruction &one = program_.code[first], &other = program_.code[second];
    if (program_.names[first] != program_.names[second] || one.a != other.a || one.b != other.b) return false;
    if (!keeps(first, branch, one) || !keeps(side, second, one) || !keeps(second, later, one)) return false;
    const auto goes_to_target = [&](uint32_t by, bool answer) { return answer != program_.code[by].guard_negated; };
    const bool answer = (side == program_.code[branch].target) != program_.code[branch].guard_negated;
    return !before_[goes_to_target(later, answer) ? program_.code[later].target : later + 1];
  }

  // Whether all lanes go from the one instruction to the other, and what is compared stays the same on the way.
  bool keeps(uint32_t from, uint32_t to, const Instruction& compares) const {
    std::set<uint32_t> seen;
    for (uint32_t at = from; at != to; at = flow_.successors[at][0]) {
      if (at >= flow_.end() || flow_.successors[at].size() != 1 || !seen.insert(at).second) return false;
      bool changes = program_.code[at].kind == Kind::kCall;
      for_each_destination(program_, program_.code[at],
                           [&](uint32_t written) { changes |= written == compares.a || written == compares.b; });
      if (changes) return false;
    }
    return true;
  }

  const Program& program_;
  const FlowFacts& facts_;
  const Flow& flow_;
  std::vector<bool> before_;  // whether the instruction may come before the access, in one turn of its loops
};

}  // namespace

bool same_conditions(const std::vector<Asked>& written, const Conditions& machine) {
  Conditions compares;
  for (const Asked& branch : written) {
    compares.insert(branch.compares.begin(), branch.compares.end());
    if (std::ranges::none_of(branch.near, [&](uint32_t line) { return machine.contains(line); })) return false;
  }
  return machine.size() <= compares.size() && !machine.contains(kUnknownLine);
}

bool asks_the_same(const std::vector<Asked>& written, const MachineAccess& machine) {
  return !machine.comparisons.empty() && !machine.conditions.contains(kUnknownLine) &&
         Pairing(written, machine.comparisons).all();
}

bool asks_in_same_turn(const std::vector<Asked>& written, const MachineAccess& machine) {
  Conditions all, in_turn;
  for (const Asked& branch : written) {
    all.insert(branch.near.begin(), branch.near.end());
    if (branch.in_turn) in_turn.insert(branch.near.begin(), branch.near.end());
  }
  const bool only_earlier_there = std::ranges::any_of(written, [&](const Asked& branch) {
    return branch.in_turn &&
           std::ranges::any_of(branch.compares, [&](uint32_t line) { return machine.earlier.contains(line); });
  });
  return !only_earlier_there && std::ranges::all_of(machine.conditions, [&](uint32_t line) {
    return machine.earlier.contains(line) || in_turn.contains(line) || !all.contains(line);
  });
}

std::optional<std::vector<OneWay>> same_if(const Program& program, const FlowFacts& facts, const MemoryAccess& access,
                                           const std::vector<Asked>& written, const MachineAccess& machine) {
  if (machine.conditions.contains(kUnknownLine)) return std::nullopt;
  if (machine.comparisons.empty() && !machine.conditions.empty()) return std::nullopt;
  const Pairing pairing(written, machine.comparisons);
  const Explanation explanation(program, facts, access.pc);
  for (const Comparison& one : pairing.left())
    if (!explanation.is_asked_again(one, written)) return std::nullopt;
  std::vector<OneWay> found;
  for (const Asked& branch : written) {
    if (!pairing.is_missing(branch) || explanation.is_indexed(branch, written, pairing, machine.comparisons)) continue;
    const std::optional<OneWay> way = explanation.one_way(branch.at);
    if (!way) return std::nullopt;
    found.push_back(*way);
  }
  return found;
}

}  // namespace lockstep
