#include "sass/forms.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>

#include "base/words.h"
#include "count/atomic_loop.h"
#include "program/neighbours.h"
#include "program/register_use.h"
#include "sass/influence.h"
#include "sass/left_out.h"
#include "sass/moves.h"
#include "sass/pairs.h"
#include "sass/program_flow.h"
#include "sass/recursion.h"
#include "sass/turns.h"
#include "sass/uniform.h"

namespace lockstep {
namespace {

// From where an instruction is reached, and what is reached from there.
class Reached {
 public:
  Reached(const FlowFacts& facts, uint32_t instruction)
      : flow_(facts.flow()), before_(flow_.end() + 1, false), behind_(flow_.end() + 1, false) {
    using Steps = std::vector<uint32_t>;
    static const Steps kNoSteps;
    spread(instruction, before_, [&](uint32_t at) -> const Steps& { return facts.predecessors(at); });
    const auto next = [&](uint32_t at) -> const Steps& { return at < flow_.end() ? flow_.successors[at] : kNoSteps; };
    spread(instruction, behind_, next);
  }

  // Whether lanes that part at the branch may come to the instruction apart: from both sides, or in other turns.
  bool apart_from(uint32_t branch) const {
    const auto sides = std::ranges::count_if(flow_.successors[branch], [&](uint32_t to) { return before_[to]; });
    return sides > 1 || (sides == 1 && behind_[branch]);
  }
  bool is_before(uint32_t instruction) const { return before_[instruction]; }

 private:
  const Flow& flow_;
  std::vector<bool> before_, behind_;  // by instruction, itself among them
};

class KernelComparison {
 public:
  KernelComparison(const Program& program, const MachineKernel& machine)
      : program_(program),
        machine_(machine),
        facts_(flow_of(program)),
        function_(functions_of(program)),
        pairs_(program, machine),
        left_out_(program, facts_, pairs_),
        recursion_(program, facts_),
        uniform_(uniform_comparisons(program)) {
    forms_.own = dependence(program, facts_);
    forms_.unwritten_reads = unwritten_reads(program, facts_);
    unwritten_ = depend_on_unwritten(program, facts_, forms_.unwritten_reads);
    for (uint32_t pc = 0; pc < program.code.size() && !program.matrices.empty(); ++pc)
      for_each_source(program, program.code[pc], [&](uint32_t offset) { used_.insert({function_[pc], offset}); });
    forms_.static_shared = machine.static_shared;
    const uint32_t least = machine.calls.empty() ? 16 : 32;  // that the card was seen to give (docs/counters.md)
    forms_.registers = std::max(machine.registers, least);
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
      compared_.insert(facts_.flow().asks[pc].compares.begin(), facts_.flow().asks[pc].compares.end());
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
    note_spills();
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      const Instruction& in = program_.code[pc];
      if (prints(program_, in)) forms_.prints[pc] = call_form(pc);
      const MemoryAccess* const plain = plain_access(program_, in);
      if (!plain || !is_counted(*plain)) continue;
      const MemoryAccess& access = *plain;
      AccessForm& form = forms_.of[access.index];
      if (in.kind == Kind::kMatrix) {
        form = matrix_form(access, program_.matrices[in.index]);
        form.unwritten = unwritten_[pc];
        continue;  // all lanes of the warp are together
      }
      form = is_atomic(access) ? atomic_form(access) : move_form(access);
      if (in.kind == Kind::kAsync && pairs_.of(access).empty())
        form = doubt(access, words("lockstep does not know what ptxas makes of this copy"));
      if (form.doubt.empty() && form.moved_to.empty() && has_fewer_copies(access))
        form.doubt = words("ptxas makes fewer copies of it than of the accesses beside it");
      follow_lanes(pc, pairs_.of(access), form);
    }
    follow_calls();
    return std::move(forms_);
  }

 private:
  // ptxas does not move calls; but it may copy them, and join two that stand in different branches.
  AccessForm call_form(uint32_t pc) const {
    AccessForm form;
    const Machine machine = calls_at(machine_.calls, pc);
    if (machine.empty()) form.doubt = words("ptxas joins this call of printf() with another one");
    follow_lanes(pc, machine, form);
    return form;
  }

  // Where lanes may come to the instruction apart from each other, or to one of its copies in the machine code.
  void follow_lanes(uint32_t pc, const Machine& machine, AccessForm& form) const {
    const Reached reached(facts_, pc);
    const bool in_order = facts_.in_order() || meets_in_order(reached);
    std::set<uint32_t> parted_by = in_order ? parting(pc, machine, reached) : std::set<uint32_t>();
    if (machine.size() > 1) add_copies(pc, machine, reached, parted_by);
    for (const std::vector<uint32_t>& apart : {facts_.turns_apart(pc), recursion_.parted_by(pc)})
      parted_by.insert(apart.begin(), apart.end());
    form.parted_by.assign(parted_by.begin(), parted_by.end());
    form.parts = !in_order && (facts_.places()[pc].merges || facts_.places()[pc].turns);
    form.unwritten = unwritten_[pc];
    for (const MachineAccess* one : machine) form.apart |= one->apart;
  }

  // Lanes that come to a call apart make the accesses of the function apart, and its calls.
  void follow_calls() {
    struct Arrival {
      std::set<uint32_t> parted_by{};
      Apart apart{};
    };
    std::vector<Arrival> arrivals(program_.functions.size());  // how lanes come to each function
    std::vector<uint32_t> sites;
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      const std::vector<uint32_t> callees = callees_of(program_, pc);
      if (callees.empty()) continue;
      sites.push_back(pc);
      AccessForm form;
      follow_lanes(pc, calls_at(machine_.inner_calls, pc), form);
      for (const uint32_t f : callees) {
        arrivals[f].parted_by.insert(form.parted_by.begin(), form.parted_by.end());
        if (form.parts) add_all(pc, Reached(facts_, pc), arrivals[f].parted_by);
        arrivals[f].apart |= form.apart;
      }
    }
    for (size_t depth = 1; depth < arrivals.size(); ++depth)  // through other functions
      for (const uint32_t pc : sites)
        for (const uint32_t f : callees_of(program_, pc)) {
          const Arrival& caller = arrivals[function_[pc]];
          arrivals[f].parted_by.insert(caller.parted_by.begin(), caller.parted_by.end());
          arrivals[f].apart |= caller.apart;
        }
    const auto add = [&](uint32_t pc, AccessForm& form) {
      const Arrival& arrival = arrivals[function_[pc]];
      std::set<uint32_t> parted_by(form.parted_by.begin(), form.parted_by.end());
      parted_by.insert(arrival.parted_by.begin(), arrival.parted_by.end());
      form.parted_by.assign(parted_by.begin(), parted_by.end());
      form.apart |= arrival.apart;
    };
    for (const MemoryAccess& access : program_.accesses) add(access.pc, forms_.of[access.index]);
    for (auto& [pc, form] : forms_.prints) add(pc, form);
  }

  Machine calls_at(const std::vector<MachineAccess>& calls, uint32_t pc) const {
    Machine found;
    for (const MachineAccess& one : calls)
      if (one.line == program_.locations[pc].ptx_line) found.push_back(&one);
    return found;
  }

  AccessForm move_form(const MemoryAccess& access) const {
    AccessForm result;
    result.op = access.op;
    const Machine machine = pairs_.of(access);
    if (shares_line(access)) return doubt(access, words("several accesses stand on its line of the PTX"));
    if (machine.empty()) return gone(access);
    if (writes_all_turns(access, machine)) {
      place(access, machine, true, result);
      return result;
    }
    const uint32_t bytes = access.bytes * access.count;
    for (const MachineAccess* one : machine) {
      if (one->bytes != machine[0]->bytes)
        return doubt(access, words("ptxas makes accesses of different widths of it"));
      if (one->bytes < bytes && !is_part(access, machine))
        return doubt(access, words("ptxas splits it into narrower accesses"));
    }
    place(access, machine, machine.size() > 1, result);
    // In a loop, the copies are those of several turns; in a function, those of several calls.
    const bool is_once = function_[access.pc] == 0 && facts_.loops(access.pc).empty();
    if (result.doubt.empty() && is_once && std::ranges::any_of(machine, &MachineAccess::again))
      result.doubt = words("ptxas makes it again, instead of keeping the value in a register");
    if (!result.doubt.empty() || machine[0]->bytes <= bytes) return result;
    return joined(access, machine[0]->bytes, result);
  }

  // Whether ptxas joins stores of several turns of a loop into wide ones, and these write as many bytes as all turns.
  // In local memory a card counts the words that are written, in whatever width.
  bool writes_all_turns(const MemoryAccess& access, const Machine& machine) const {
    const uint32_t own = access.bytes * access.count;
    const std::vector<uint32_t>& loops = facts_.loops(access.pc);
    if (access.op != MemoryOp::kStore || access.space != Space::kLocal || access.bytes % 4 != 0 || loops.empty())
      return false;
    uint32_t bytes = 0;
    for (const MachineAccess* one : machine) {
      if (one->loops != machine[0]->loops) return false;
      bytes += one->bytes;
    }
    if (bytes == own * machine.size()) return false;  // as written
    const uint32_t turns = turns_of(program_, facts_, loops.back());
    if (machine[0]->loops + 1 == loops.size()) return bytes == turns * own;  // it is no loop any more
    return machine[0]->loops == loops.size() && bytes % own == 0 && turns % (bytes / own) == 0 && turns != 0;
  }

  // Whether inline assembly writes several accesses on one line. Nothing tells which is which in the machine code.
  bool shares_line(const MemoryAccess& access) const {
    const auto is_another = [&](const MemoryAccess& other) {
      return other.pc != access.pc && program_.code[other.pc].kind == Kind::kMemory && other.op == access.op &&
             pairs_.line_of(other) == pairs_.line_of(access);
    };
    return program_.code[access.pc].kind == Kind::kMemory && std::ranges::any_of(program_.accesses, is_another);
  }

  // ptxas makes several accesses of one of a matrix (matrix_pieces), and copies all of them if it unrolls a loop.
  AccessForm matrix_form(const MemoryAccess& access, const MatrixUse& use) const {
    AccessForm result;
    result.op = access.op;
    const bool of_wmma = use.op == MatrixOp::kLoad || use.op == MatrixOp::kStore;
    const bool by_rows = !of_wmma || use.pieces.by_rows;
    const uint32_t pieces = of_wmma ? use.pieces.count() : 1;
    const uint32_t matrices = !by_rows ? 0 : of_wmma ? use.pieces.lanes / 8 : use.d.count;
    const Machine machine = pairs_.of(access);
    if (machine.empty()) return gone(access);
    const bool alike = std::ranges::all_of(machine, [&](const MachineAccess* one) {
      return one->space == access.space && one->bytes == access.bytes * access.count && one->matrices == matrices;
    });
    if (machine.size() % pieces != 0 || !alike || !uses_all(use))
      return doubt(access, words("ptxas makes other accesses of this matrix than lockstep knows"));
    place(access, machine, machine.size() > pieces, result);
    return result;
  }

  // Whether the program uses all that it loads. What it does not use, ptxas does not load.
  bool uses_all(const MatrixUse& use) const {
    if (use.access.op != MemoryOp::kLoad) return true;
    const uint32_t function = function_[use.access.pc];
    return std::all_of(use.d.registers.begin(), use.d.registers.begin() + use.d.count, [&](uint32_t offset) {
      return used_.contains({function, offset});
    });
  }

  // Whether ptxas loads only the part that the program uses, as the lower half of a wide integer. The whole lies within
  // one sector, so in global memory the part counts the same.
  bool is_part(const MemoryAccess& access, const Machine& machine) const {
    return access.op == MemoryOp::kLoad && access.space == Space::kGlobal && machine.size() == 1;
  }

  AccessForm gone(const MemoryAccess& access) const {
    if (std::string why = left_out_.doubt(access); !why.empty()) return doubt(access, std::move(why));
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

  // `machine` makes one access of `bytes` of this one and of neighbours that have no instruction of their own. In a
  // loop, these must fill the wide access. Else the rest may be accesses of the next turn, which then makes none.
  AccessForm joined(const MemoryAccess& access, uint32_t bytes, AccessForm result) const {
    const bool in_global = access.space == Space::kGlobal;
    std::set<int64_t> covered;  // offsets of bytes
    const auto cover = [&](const MemoryAccess& one) {
      for (uint32_t byte = 0; byte < one.bytes * one.count; ++byte) covered.insert(one.offset + byte);
    };
    cover(access);
    const size_t own = covered.size();
    if (access.neighbour != 0 || in_global)
      for (const uint32_t index : neighbours_of(program_, access)) {
        const MemoryAccess& other = program_.accesses[index];
        if (std::abs(other.offset - access.offset) < bytes && pairs_.of(other).empty()) cover(other);
      }
    if (covered.size() == own) return doubt(access, words("ptxas joins it with accesses that lockstep cannot name"));
    if (covered.size() < bytes && !facts_.loops(access.pc).empty())
      return doubt(access, words("ptxas may join it with accesses of the next turn of its loop"));
    if (!in_global) result.kind = AccessForm::kWider;  // in global memory it lies in the same sector
    result.bytes = static_cast<uint8_t>(bytes);
    result.note = words("ptxas makes one access of {count} bytes of this one and its neighbours",
                        {{"count", std::to_string(bytes)}});
    return result;
  }

  AccessForm atomic_form(const MemoryAccess& access) const {
    AccessForm result;
    result.op = access.op;
    const Machine machine = pairs_.of(access);
    const bool in_shared = access.space == Space::kShared;
    if (written_more_than_once(access)) return doubt(access, words("it is an atomic of a vector"));
    if (machine.empty()) return doubt(access, words("ptxas makes no atomic of it"));
    if (is_atomic_loop(access, in_shared)) {
      result.retries = true;
      return result;
    }
    for (const MachineAccess* one : machine) {
      if (one->kind != machine[0]->kind) return doubt(access, words("ptxas makes atomics of different kinds of it"));
      if (one->conditions.contains(one->line))  // ptxas asks how many lanes there are
        return doubt(access, words("ptxas lets one lane make it, in some copies"));
      if (in_shared && one->counts != access.literal_one)
        return doubt(access, words("lockstep and ptxas disagree whether it adds the number of lanes"));
    }
    if (!in_shared) result.op = machine[0]->kind == MachineAccess::kAtomic ? MemoryOp::kAtomic : MemoryOp::kReduction;
    const Machine& there = pairs_.at(pairs_.line_of(access));
    if (std::ranges::any_of(there, [](const MachineAccess* one) { return one->kind == MachineAccess::kLoad; }))
      return doubt(access, words("ptxas makes a loop of it, which tries again if another warp was faster"));
    place(access, machine, machine.size() > 1, result);
    result.generic = machine[0]->space == Space::kGeneric;
    if (result.doubt.empty() && machine[0]->elected) {
      result.kind = AccessForm::kElected;
      result.note = words("all lanes use one address, so ptxas lets one lane make the atomic for its warp");
    }
    return result;
  }

  bool written_more_than_once(const MemoryAccess& access) const {
    const uint32_t pc = access.pc, line = pairs_.line_of(access);
    const auto other = [&](uint32_t at) {
      return at < program_.code.size() && at != pc && program_.code[at].kind == Kind::kMemory &&
             program_.locations[at].ptx_line == line;
    };
    return other(pc - 1) || other(pc + 1);
  }

  // Compares the places of the machine's instructions with that of the access. copies: ptxas makes it more than once.
  void place(const MemoryAccess& access, const Machine& machine, bool copies, AccessForm& form) const {
    const uint32_t loops = facts_.places()[access.pc].loops;
    const std::vector<Asked>& conditions = conditions_of(access.pc);
    for (const MachineAccess* one : machine) {
      if (one->elected != machine[0]->elected) form.doubt = words("ptxas lets one lane make it, in some copies");
      if (one->loops > loops) form.doubt = words("ptxas puts it into a loop");
      if (copies && one->conditions.empty() && !conditions.empty() && !is_in_first_turn(access, machine))
        form.early = true, form.doubt = words("ptxas moves it out of a condition");
    }
    if (copies || !form.doubt.empty()) return;
    const auto is_there = [&](uint32_t pc) {
      return std::ranges::all_of(machine, [&](const MachineAccess* one) {
        return facts_.places()[pc].loops == one->loops && same_conditions(conditions_of(pc), one->conditions) &&
               asks_in_same_turn(conditions_of(pc), *one) && !asks_of_another(pc, one->conditions);
      });
    };
    const auto is_in_place = [&](const MachineAccess* one) {
      return one->loops == loops && asks_the_same(conditions, *one) && asks_in_same_turn(conditions, *one);
    };
    if (is_there(access.pc) || std::ranges::all_of(machine, is_in_place)) return;
    const auto ways = machine.size() == 1 && machine[0]->loops == loops && asks_in_same_turn(conditions, *machine[0])
                          ? same_if(program_, facts_, access, conditions, *machine[0])
                          : std::nullopt;
    if (ways && ways->empty()) return;
    for (const uint32_t pc : block_begins_)
      if (is_there(pc) && may_move(program_, facts_, function_, access, pc)) form.moved_to.push_back(pc);
    if (!form.moved_to.empty()) return;
    if (ways)
      form.one_way = *ways;
    else
      form.doubt = words("ptxas makes it under other conditions");
  }

  // Whether one of the machine's conditions is what the PTX asks at a branch that does not decide about the
  // instruction.
  bool asks_of_another(uint32_t pc, const Conditions& machine) const {
    return std::ranges::any_of(machine, [&](uint32_t line) {
      return compared_.contains(line) &&
             std::ranges::none_of(conditions_of(pc), [&](const Asked& branch) { return branch.near.contains(line); });
    });
  }

  // Whether the first turn of its loops always makes it, so that ptxas may write that turn before the loop: all
  // branches that decide about it come later. ptxas may also load shared and local memory for a turn that never comes;
  // elsewhere an address may be wrong. It has not, if an access that nobody makes early has the same copies.
  bool is_in_first_turn(const MemoryAccess& access, const Machine& copies) const {
    const auto comes_later = [&](uint32_t branch) {
      uint32_t at = branch;
      while (at < program_.code.size() && at != access.pc) at = facts_.dominator(at);
      return at == access.pc;
    };
    return program_.code[access.pc].guard == 0 && std::ranges::all_of(facts_.deciders(access.pc), comes_later) &&
           (!is_early(access) || std::ranges::any_of(program_.accesses, [&](const MemoryAccess& other) {
             return left_out_.is_beside(other, access) && !is_early(other) &&
                    places_of(pairs_.of(other)) == places_of(copies);
           }));
  }

  // Whether ptxas unrolls the loop, and some copies of its turn do not have the access: the value is still in a
  // register, from the turn before. An access that every turn makes with this one has more copies then. A way out of
  // the loop must not lie between: ptxas may turn the loop round, and write what stands before the way out twice.
  bool has_fewer_copies(const MemoryAccess& access) const {
    const size_t copies = pairs_.of(access).size();
    if (facts_.loops(access.pc).empty() || copies == 0 || is_atomic(access)) return false;
    const uint32_t loop = facts_.loops(access.pc).back();
    const auto is_inside = [&](uint32_t at) { return at < program_.code.size() && facts_.is_in_loop(at, loop); };
    const auto has_more = [&](uint32_t at) {
      const Instruction& in = program_.code[at];
      const MemoryAccess* const other = in.kind == Kind::kMemory ? plain_access(program_, in) : nullptr;
      return other && is_counted(*other) && !is_atomic(*other) && facts_.loops(at) == facts_.loops(access.pc) &&
             pairs_.of(*other).size() > copies;
    };
    for (uint32_t at = facts_.dominator(access.pc); is_inside(at) && !facts_.leaves_loop(at, loop);
         at = facts_.dominator(at))
      if (has_more(at)) return true;
    for (uint32_t at = facts_.only_next(access.pc); is_inside(at); at = facts_.only_next(at))
      if (has_more(at)) return true;
    return false;
  }

  static bool is_early(const MemoryAccess& access) {
    return access.op == MemoryOp::kLoad && access.space != Space::kGlobal;
  }

  // The branches of the program at which lanes part that the machine code does not bring together before the
  // instruction. Where lanes meet early, those of all turns of a loop count: lockstep waits for all of them.
  std::set<uint32_t> parting(uint32_t pc, const Machine& machine, const Reached& reached) const {
    std::set<uint32_t> result;
    const bool merges = facts_.places()[pc].merges;
    const auto add = [&](uint32_t line) {
      bool any = false;
      if (const auto there = branches_.find(line); there != branches_.end())
        for (const uint32_t branch : there->second) {
          if (!reached.apart_from(branch)) continue;
          result.insert(branch);
          any = true;
        }
      return any;
    };
    for (const MachineAccess* one : machine)
      for (const PartingBranch& branch : merges ? one->parting_around : one->parting) {
        // ptxas opens no barrier for it, and we know why.
        if (!branch.in_barrier && !branch.compares.empty() && std::ranges::includes(uniform_, branch.compares))
          continue;
        bool known = !branch.compares.empty();
        for (const uint32_t line : branch.compares) known &= line != kUnknownLine && add(line);
        // Outside of barriers stand the branches that ptxas writes before a loop that it unrolls.
        if (!known && branch.in_barrier) add(kUnknownLine);
      }
    return result;
  }

  // Whether lanes wait for each other at each early meeting before the access.
  bool meets_in_order(const Reached& reached) const {
    for (uint32_t at = 0; at < program_.code.size(); ++at)
      if (facts_.is_early(at) && reached.is_before(at) && !is_waited_at(at)) return false;
    return true;
  }

  bool is_waited_at(uint32_t meeting) const {
    const auto [known, is_new] = waited_at_.try_emplace(meeting, false);
    if (is_new) {
      const Instruction& in = program_.code[meeting];
      known->second = in.kind == Kind::kJoin && in.index != 0 && facts_.meets_in_order(meeting);
    }
    return known->second;
  }

  // Copies of an unrolled loop make the accesses of one turn each. They are exact only while lanes leave that loop
  // together. If the program may end in the loop: only while no lanes part there. The sides of other branches that come
  // to copies are in parting(). A loop of the machine code that has all copies is not the one that is unrolled; or it
  // is, and its turns are those of the program, whoever leaves.
  void add_copies(uint32_t pc, const Machine& machine, const Reached& reached, std::set<uint32_t>& parted_by) const {
    const std::vector<uint32_t>& loops = facts_.loops(pc);
    const bool none_is_gone =
        std::ranges::any_of(machine, [&](const MachineAccess* one) { return one->loops == loops.size(); });
    const auto& code = program_.code;
    for (size_t i = none_is_gone ? machine[0]->shared_loops : 0; i < loops.size(); ++i)
      for (uint32_t at = 0; at < code.size(); ++at) {
        if (!facts_.leaves_loop(at, loops[i])) continue;
        if (code[at].kind == Kind::kBranch || code[at].kind == Kind::kBranchIndexed)
          parted_by.insert(at);
        else
          add_all(pc, reached, parted_by);
      }
  }

  // All branches of the outermost loop around the access; without a loop: of the function.
  void add_all(uint32_t pc, const Reached& reached, std::set<uint32_t>& parted_by) const {
    for (const uint32_t branch : branches_.at(kUnknownLine))
      if (facts_.places()[branch].outer == facts_.places()[pc].outer && reached.apart_from(branch))
        parted_by.insert(branch);
  }

  const std::vector<Asked>& conditions_of(uint32_t pc) const {
    const auto [known, is_new] = conditions_.try_emplace(pc);
    if (is_new) known->second = facts_.conditions(pc);
    return known->second;
  }

  // Accesses to local memory of which the PTX has none on their line: they are registers.
  void note_spills() {
    std::set<uint32_t> local;  // lines
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      const Instruction& in = program_.code[pc];
      if (in.kind != Kind::kMemory) continue;
      const Space space = program_.accesses[in.index].space;
      if (space == Space::kLocal || space == Space::kGeneric) local.insert(program_.locations[pc].ptx_line);
    }
    for (const MachineAccess& one : machine_.accesses)
      forms_.spills |= one.space == Space::kLocal && !local.contains(one.line);
  }

  const Program& program_;
  const MachineKernel& machine_;
  const FlowFacts facts_;
  const std::vector<uint32_t> function_;  // by instruction
  const Pairs pairs_;
  const LeftOut left_out_;
  const Recursion recursion_;
  std::set<Register> used_;   // that an instruction reads; for matrices
  const Conditions uniform_;  // the lines of comparisons that all lanes of a warp answer alike
  ByInstruction unwritten_;
  std::set<uint32_t> block_begins_;
  // By the line that its condition depends on: the program's branches; under kUnknownLine all of them.
  std::map<uint32_t, std::vector<uint32_t>> branches_{{kUnknownLine, {}}};
  Conditions compared_;                         // the lines of the comparisons that the program's branches ask
  mutable std::map<uint32_t, bool> waited_at_;  // that are known so far, by instruction
  mutable std::map<uint32_t, std::vector<Asked>> conditions_;  // that are known so far, by instruction
  Forms forms_;
};

}  // namespace

Forms compare(const Program& program, const MachineKernel& machine) { return KernelComparison(program, machine).run(); }

}  // namespace lockstep
