#include "sass/forms.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/words.h"
#include "count/atomic_loop.h"
#include "program/neighbours.h"
#include "sass/influence.h"
#include "sass/program_flow.h"

namespace lockstep {
namespace {

using Machine = std::vector<const MachineAccess*>;

bool is_atomic(MemoryOp op) { return op == MemoryOp::kAtomic || op == MemoryOp::kReduction; }

bool same_class(MemoryOp op, MachineAccess::Class kind) {
  if (op == MemoryOp::kLoad) return kind == MachineAccess::kLoad;
  if (op == MemoryOp::kStore) return kind == MachineAccess::kStore;
  return kind == MachineAccess::kAtomic || kind == MachineAccess::kReduction;
}

// Constants and parameters are not counted.
bool is_counted(const MemoryAccess& access) { return access.space != Space::kConst && access.space != Space::kParam; }

// Whether each branch of the PTX decides in the machine code, too, and not more comparisons than in the PTX. A
// comparison may have got the line of another instruction there.
bool same_conditions(const std::vector<Asked>& written, const Conditions& machine) {
  Conditions compares;
  for (const Asked& branch : written) {
    compares.insert(branch.compares.begin(), branch.compares.end());
    if (std::ranges::none_of(branch.near, [&](uint32_t line) { return machine.contains(line); })) return false;
  }
  return machine.size() <= compares.size() && !machine.contains(kUnknownLine);
}

// Whether each comparison of the machine code is another one of the PTX, by its line or by what it asks, and each
// branch of the PTX has one of them.
class Pairing {
 public:
  Pairing(const std::vector<Asked>& written, const Comparisons& machine) {
    for (const Asked& branch : written)
      for (const Comparison& one : branch.comparisons) {
        std::set<uint32_t>& fits = fits_[one];
        uint32_t index = 0;
        for (const Comparison& other : machine) {
          const bool asks_the_same = one.relation.kind != Relation::kOther && one.relation == other.relation;
          if (branch.near.contains(other.line) || asks_the_same) fits.insert(index);
          ++index;
        }
      }
    for (const auto& [one, fits] : fits_) {
      std::set<uint32_t> seen;
      paired_ += pairs(one, seen);
    }
    all_ =
        paired_ == machine.size() && std::ranges::all_of(written, [&](const Asked& branch) {
          return std::ranges::any_of(branch.comparisons, [&](const Comparison& one) { return !fits_.at(one).empty(); });
        });
  }
  bool all() const { return all_; }

 private:
  // Gives the comparison of the PTX a partner. One that is taken is free if its present partner finds another.
  bool pairs(const Comparison& one, std::set<uint32_t>& seen) {
    for (const uint32_t machine : fits_.at(one)) {
      if (!seen.insert(machine).second) continue;
      const auto taken = partner_.find(machine);
      if (taken != partner_.end() && !pairs(taken->second, seen)) continue;
      partner_.insert_or_assign(machine, one);
      return true;
    }
    return false;
  }

  std::map<Comparison, std::set<uint32_t>> fits_;  // of the PTX; indices of those of the machine code
  std::map<uint32_t, Comparison> partner_;
  size_t paired_ = 0;
  bool all_ = false;
};

bool asks_the_same(const std::vector<Asked>& written, const MachineAccess& machine) {
  return !machine.comparisons.empty() && !machine.conditions.contains(kUnknownLine) &&
         Pairing(written, machine.comparisons).all();
}

class KernelComparison {
 public:
  KernelComparison(const Program& program, const MachineKernel& machine)
      : program_(program), machine_(machine), facts_(flow_of(program)), ordered_(depend_on_order(program, facts_)) {
    forms_.unwritten_reads = unwritten_reads(program, facts_);
    unwritten_ = depend_on_unwritten(program, facts_, forms_.unwritten_reads);
    for (const MachineAccess& access : machine.accesses) at_[access.line].push_back(&access);
    forms_.static_shared = machine.static_shared;
    forms_.of.resize(program.accesses.size());
    forms_.places = facts_.places();
    for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
      const Kind kind = program.code[pc].kind;
      if (kind == Kind::kBranch) block_begins_.insert(program.code[pc].target);
      if (kind == Kind::kBranch || kind == Kind::kExit || kind == Kind::kReturn) block_begins_.insert(pc + 1);
    }
    for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
      const Kind kind = program.code[pc].kind;
      if (kind != Kind::kBranchIndexed && (kind != Kind::kBranch || program.code[pc].guard == 0)) continue;
      branches_[kUnknownLine].push_back(pc);
      for (const uint32_t line : facts_.flow().asks[pc].near)
        if (line != kUnknownLine) branches_[line].push_back(pc);
    }
    for (const FunctionCode& function : program.functions) block_begins_.insert(function.entry);
    block_begins_.erase(static_cast<uint32_t>(program.code.size()));
    std::set<uint32_t> counted;  // a place where lanes wait for each other is not
    for (uint32_t pc : block_begins_) {
      while (pc + 1 < program.code.size() && program.code[pc].kind == Kind::kJoin) ++pc;
      counted.insert(pc);
    }
    block_begins_ = std::move(counted);
  }

  Forms run() {
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      if (program_.code[pc].kind != Kind::kMemory) continue;
      const MemoryAccess& access = program_.accesses[program_.code[pc].index];
      if (!is_counted(access)) continue;
      AccessForm& form = forms_.of[access.index];
      form = is_atomic(access.op) ? atomic_form(access) : move_form(access);
      if (facts_.in_order())
        form.parted_by = parting(access);
      else
        form.parts |= facts_.places()[pc].merges;
      form.ordered = ordered_[access.index];
      form.unwritten = unwritten_[access.index];
      if (access.space == Space::kLocal || access.space == Space::kGeneric) local_.insert(line_of(access));
    }
    note_extra();
    return std::move(forms_);
  }

 private:
  uint32_t line_of(const MemoryAccess& access) const { return program_.locations[access.pc].ptx_line; }

  // The machine's accesses of this access.
  Machine found(const MemoryAccess& access) const {
    Machine result;
    if (const auto there = at_.find(line_of(access)); there != at_.end())
      for (const MachineAccess* one : there->second)
        if (same_class(access.op, one->kind)) result.push_back(one);
    return result;
  }

  AccessForm move_form(const MemoryAccess& access) const {
    AccessForm result;
    result.op = access.op;
    const Machine machine = found(access);
    if (machine.empty()) return gone(access);
    const uint32_t bytes = access.bytes * access.count;
    for (const MachineAccess* one : machine) {
      if (one->bytes != machine[0]->bytes)
        return doubt(access, words("ptxas makes accesses of different widths of it"));
      if (one->bytes < bytes) return doubt(access, words("ptxas splits it into narrower accesses"));
    }
    place(access, machine, result);
    if (!result.doubt.empty() || machine[0]->bytes == bytes) return result;
    return joined(access, machine[0]->bytes, result);
  }

  AccessForm gone(const MemoryAccess& access) const {
    AccessForm result;
    result.kind = AccessForm::kGone;
    result.op = access.op;
    result.note = access.op == MemoryOp::kLoad
                      ? words("ptxas leaves this load out: a wider load brings the value, or it is there already")
                      : words("ptxas leaves this store out: a wider store writes the value, or a later one does");
    return result;
  }

  AccessForm doubt(const MemoryAccess& access, std::string reason) const {
    AccessForm result;
    result.op = access.op;
    result.doubt = std::move(reason);
    return result;
  }

  // `machine` makes one access of `bytes` of this one and of neighbours that have no instruction of their own.
  AccessForm joined(const MemoryAccess& access, uint32_t bytes, AccessForm result) const {
    const auto is_gone_beside = [&](uint32_t index) {
      const MemoryAccess& other = program_.accesses[index];
      return index != access.index && std::abs(other.offset - access.offset) < bytes && found(other).empty();
    };
    if (access.neighbour == 0 || std::ranges::none_of(neighbours_of(program_, access), is_gone_beside))
      return doubt(access, words("ptxas joins it with accesses that lockstep cannot name"));
    result.kind = AccessForm::kWider;
    result.bytes = static_cast<uint8_t>(bytes);
    result.note = words("ptxas makes one access of {count} bytes of this one and its neighbours",
                        {{"count", std::to_string(bytes)}});
    return result;
  }

  AccessForm atomic_form(const MemoryAccess& access) const {
    AccessForm result;
    result.op = access.op;
    const Machine machine = found(access);
    const bool in_shared = access.space == Space::kShared;
    if (written_more_than_once(access)) return doubt(access, words("it is an atomic of a vector"));
    if (machine.empty()) return doubt(access, words("ptxas makes no atomic of it"));
    if (is_atomic_loop(access, in_shared)) {
      result.retries = true;
      return result;
    }
    for (const MachineAccess* one : machine) {
      if (one->kind != machine[0]->kind) return doubt(access, words("ptxas makes atomics of different kinds of it"));
      if (in_shared && one->counts != access.literal_one)
        return doubt(access, words("lockstep and ptxas disagree whether it adds the number of lanes"));
    }
    if (!in_shared) result.op = machine[0]->kind == MachineAccess::kAtomic ? MemoryOp::kAtomic : MemoryOp::kReduction;
    const auto loads = at_.find(line_of(access));
    if (std::ranges::any_of(loads->second, [](const MachineAccess* one) { return one->kind == MachineAccess::kLoad; }))
      return doubt(access, words("ptxas makes a loop of it, which tries again if another warp was faster"));
    place(access, machine, result);
    result.generic = machine[0]->space == Space::kGeneric;
    if (result.doubt.empty() && machine[0]->elected) {
      result.kind = AccessForm::kElected;
      result.note = words("all lanes use one address, so ptxas lets one lane make the atomic for its warp");
    }
    return result;
  }

  bool written_more_than_once(const MemoryAccess& access) const {
    const uint32_t pc = access.pc, line = line_of(access);
    const auto other = [&](uint32_t at) {
      return at < program_.code.size() && at != pc && program_.code[at].kind == Kind::kMemory &&
             program_.locations[at].ptx_line == line;
    };
    return other(pc - 1) || other(pc + 1);
  }

  // Compares the places of the machine's instructions with that of the access.
  void place(const MemoryAccess& access, const Machine& machine, AccessForm& form) const {
    form.parts = machine.size() > 1;
    const uint32_t loops = facts_.places()[access.pc].loops;
    const std::vector<Asked>& conditions = conditions_of(access.pc);
    for (const MachineAccess* one : machine) {
      if (one->elected != machine[0]->elected) form.doubt = words("ptxas lets one lane make it, in some copies");
      if (one->loops > loops) form.doubt = words("ptxas puts it into a loop");
      if (form.parts && one->conditions.empty() && !conditions.empty())
        form.doubt = words("ptxas moves it out of a condition");
    }
    if (form.parts || !form.doubt.empty()) return;
    const auto is_there = [&](uint32_t pc) {
      return facts_.places()[pc].loops == machine[0]->loops &&
             same_conditions(conditions_of(pc), machine[0]->conditions);
    };
    if (is_there(access.pc) || (machine[0]->loops == loops && asks_the_same(conditions, *machine[0]))) return;
    for (const uint32_t pc : block_begins_)
      if (is_there(pc)) form.moved_to.push_back(pc);
    if (form.moved_to.empty()) form.doubt = words("ptxas makes it under other conditions");
  }

  // The branches of the program at which lanes part that the machine code does not bring together before the access.
  // Where lanes meet early, those of all turns of a loop count: lockstep waits for all of them.
  std::vector<uint32_t> parting(const MemoryAccess& access) const {
    std::set<uint32_t> result;
    const bool merges = facts_.places()[access.pc].merges;
    for (const MachineAccess* one : found(access))
      for (const PartingBranch& branch : merges ? one->parting_around : one->parting) {
        bool known = !branch.compares.empty();
        for (const uint32_t line : branch.compares) {
          const auto there = branches_.find(line);
          known &= line != kUnknownLine && there != branches_.end();
          if (line != kUnknownLine && there != branches_.end())
            result.insert(there->second.begin(), there->second.end());
        }
        // Outside of barriers stand the branches that ptxas writes before a loop that it unrolls.
        if (!known && branch.in_barrier)
          result.insert(branches_.at(kUnknownLine).begin(), branches_.at(kUnknownLine).end());
      }
    if (merges)  // where lockstep lost its patience
      for (uint32_t pc = 0; pc < program_.code.size(); ++pc)
        if (program_.code[pc].kind == Kind::kJoin && program_.code[pc].index) result.insert(pc);
    return {result.begin(), result.end()};
  }

  const std::vector<Asked>& conditions_of(uint32_t pc) const {
    const auto [known, is_new] = conditions_.try_emplace(pc);
    if (is_new) known->second = facts_.conditions(pc);
    return known->second;
  }

  void note_extra() {
    for (const MachineAccess& one : machine_.accesses) {
      if (one.space != Space::kLocal || local_.contains(one.line)) continue;
      (one.kind == MachineAccess::kLoad ? forms_.extra_loads : forms_.extra_stores) = true;
    }
  }

  const Program& program_;
  const MachineKernel& machine_;
  const FlowFacts facts_;
  const std::vector<bool> ordered_;  // by Program::accesses
  std::vector<bool> unwritten_;      // by Program::accesses
  std::map<uint32_t, Machine> at_;   // by the line of the PTX
  std::set<uint32_t> local_;         // lines of the PTX that access local memory
  std::set<uint32_t> block_begins_;
  // By the line that its condition depends on: the program's branches; under kUnknownLine all of them.
  std::map<uint32_t, std::vector<uint32_t>> branches_{{kUnknownLine, {}}};
  mutable std::map<uint32_t, std::vector<Asked>> conditions_;  // that are known so far, by instruction
  Forms forms_;
};

}  // namespace

Forms compare(const Program& program, const MachineKernel& machine) { return KernelComparison(program, machine).run(); }

}  // namespace lockstep
