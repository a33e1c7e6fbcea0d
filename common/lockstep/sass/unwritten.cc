#include "sass/unwritten.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "program/register_use.h"
#include "sass/makers.h"

namespace lockstep {
namespace {

// What is known at an instruction, one bit each.
class Known {
 public:
  explicit Known(size_t bits, bool all) : words_((bits + 63) / 64, all ? ~uint64_t{0} : 0) {}
  bool operator[](uint32_t bit) const { return words_[bit / 64] >> (bit % 64) & 1; }
  void set(uint32_t bit) { words_[bit / 64] |= uint64_t{1} << (bit % 64); }
  void clear(uint32_t bit) { words_[bit / 64] &= ~(uint64_t{1} << (bit % 64)); }
  // Keeps what `other` knows, too. Returns whether that is less than before.
  bool meet(const Known& other) {
    bool less = false;
    for (size_t i = 0; i < words_.size(); ++i)
      less |= std::exchange(words_[i], words_[i] & other.words_[i]) != words_[i];
    return less;
  }

 private:
  std::vector<uint64_t> words_;
};

// "The register is written if the predicate has this value."
struct Conditional {
  Register written;
  uint32_t predicate = 0;  // of the same function
  bool value = false;
};

using Reads = std::set<std::pair<uint32_t, uint32_t>>;  // instruction, register

struct PredicateCopy {
  uint32_t from = 0;
  bool negated = false;
  std::optional<bool> constant{};  // the value
};

// What "mov.pred" and "not.pred" copy; none: another instruction, or a guard decides whether it copies.
std::optional<PredicateCopy> copied_predicate(const Program& program, uint32_t function, uint32_t pc) {
  const Instruction& in = program.code[pc];
  const bool negates = program.names[pc] == "not.pred";
  if (in.guard != 0 || !(negates || program.names[pc] == "mov.pred")) return std::nullopt;
  PredicateCopy copy{in.a, negates};
  for (const Preset& preset : program.functions[function].presets)
    if (preset.source == Preset::kBits && preset.offset == in.a) copy.constant = (preset.bits != 0) != negates;
  return copy;
}

// Follows the registers through the code: first whether each is written on every way; then, for the few that are not,
// also under which predicates.
class Ways {
 public:
  Ways(const Program& program, const FlowFacts& facts, const std::set<Register>& registers,
       std::vector<Conditional> conditionals, bool derives)
      : program_(program),
        facts_(facts),
        function_(functions_of(program)),
        conditionals_(std::move(conditionals)),
        derives_(derives) {
    slots_.resize(program.functions.size());
    for (uint32_t f = 0; f < program.functions.size(); ++f)
      slots_[f].assign(program.functions[f].register_bytes / kUnit + 1, kNoSlot);
    for (const Register& one : registers) slots_[one.first][one.second / kUnit] = registers_++;
    for (uint32_t i = 0; i < conditionals_.size(); ++i) {
      const Conditional& c = conditionals_[i];
      of_register_[c.written].push_back(i);
      of_predicate_[{c.written.first, c.predicate}].push_back(i);
    }
    find_blocks();
    run();
  }

  // Calls found(pc, register) for each read of a register that need not be written.
  template <class Found>
  void for_each_unwritten(const Found& found) const {
    for (uint32_t b = 0; b < begins_.size(); ++b) {
      if (!reached_[b]) continue;
      Known known = before_[b];
      for (uint32_t pc = begins_[b]; pc < end_of(b); ++pc) {
        for_each_source(program_, program_.code[pc], [&](uint32_t offset) {
          const Register one{function_[pc], offset};
          if (slot(one) != kNoSlot && !is_written(known, one, pc)) found(pc, one);
        });
        pass(pc, known);
      }
    }
  }

  Reads unwritten() const {
    Reads found;
    for_each_unwritten([&](uint32_t pc, Register one) { found.emplace(pc, one.second); });
    return found;
  }

 private:
  static constexpr uint32_t kUnit = 8;  // the smallest distance between two registers, in bytes
  static constexpr uint32_t kNoSlot = 0xffffffffu;

  void find_blocks() {
    const auto end = static_cast<uint32_t>(program_.code.size());
    std::set<uint32_t> begins(facts_.flow().roots.begin(), facts_.flow().roots.end());
    for (uint32_t pc = 0; pc < end; ++pc) {
      const std::vector<uint32_t>& next = facts_.flow().successors[pc];
      if (next.size() == 1 && next[0] == pc + 1) continue;
      begins.insert(next.begin(), next.end());
      begins.insert(pc + 1);
    }
    begins.erase(begins.lower_bound(end), begins.end());
    begins_.assign(begins.begin(), begins.end());
    for (uint32_t b = 0; b < begins_.size(); ++b) block_[begins_[b]] = b;
    before_.assign(begins_.size(), Known(registers_ + conditionals_.size(), true));
    reached_.assign(begins_.size(), false);
  }

  uint32_t end_of(uint32_t block) const {
    return block + 1 < begins_.size() ? begins_[block + 1] : static_cast<uint32_t>(program_.code.size());
  }

  void run() {
    std::set<uint32_t> open;
    const auto arrive = [&](uint32_t at, const Known& known) {
      const auto found = block_.find(at);
      if (found == block_.end()) return;  // the end
      const bool first = !reached_[found->second];
      reached_[found->second] = true;
      if (before_[found->second].meet(known) || first) open.insert(found->second);
    };
    for (const uint32_t root : facts_.flow().roots) arrive(root, Known(registers_ + conditionals_.size(), false));
    while (!open.empty()) {
      const uint32_t b = *open.begin();
      open.erase(open.begin());
      Known known = before_[b];
      for (uint32_t pc = begins_[b]; pc < end_of(b); ++pc) pass(pc, known);
      const uint32_t last = end_of(b) - 1;
      for (const uint32_t to : facts_.flow().successors[last]) {
        Known there = known;
        take(last, to, there);
        arrive(to, there);
      }
    }
  }

  uint32_t slot(Register one) const { return slots_[one.first][one.second / kUnit]; }
  uint32_t bit(uint32_t conditional) const { return registers_ + conditional; }

  const std::vector<uint32_t>& with(const std::map<Register, std::vector<uint32_t>>& lists, Register one) const {
    static const std::vector<uint32_t> none;
    if (lists.empty()) return none;
    const auto found = lists.find(one);
    return found == lists.end() ? none : found->second;
  }

  bool is_written(const Known& known, Register one, uint32_t pc) const {
    const Instruction& in = program_.code[pc];
    return known[slot(one)] || std::ranges::any_of(with(of_register_, one), [&](uint32_t i) {
             return conditionals_[i].predicate == in.guard && conditionals_[i].value != in.guard_negated &&
                    known[bit(i)];
           });
  }

  void set_written(Known& known, Register one) const {
    known.set(slot(one));
    for (const uint32_t i : with(of_register_, one)) known.set(bit(i));
  }

  // An instruction.
  void pass(uint32_t pc, Known& known) const {
    const Instruction& in = program_.code[pc];
    std::vector<Register> open;
    if (derives_ && in.kind == Kind::kAlu)
      for_each_source(program_, in, [&](uint32_t offset) {
        const Register one{function_[pc], offset};
        if (slot(one) != kNoSlot && !is_written(known, one, pc)) open.push_back(one);
      });
    for_each_destination(program_, in, [&](uint32_t offset) {
      const Register one{function_[pc], offset};
      for (const uint32_t i : with(of_predicate_, one)) {
        if (known[slot(conditionals_[i].written)]) continue;
        if (is_sure(known, pc, conditionals_[i]))
          known.set(bit(i));
        else
          known.clear(bit(i));
      }
      if (slot(one) == kNoSlot) return;
      if (!open.empty()) return derive(known, one, in.guard == 0 ? open : std::vector<Register>{one});
      if (in.guard == 0) set_written(known, one);
      for (const uint32_t i : with(of_register_, one))
        if (conditionals_[i].predicate == in.guard && conditionals_[i].value != in.guard_negated) known.set(bit(i));
    });
  }

  // `one` is made of the others, of which it is not certain that they are written. The conditionals of each register
  // lie side by side, for all registers of a function with the same predicates in the same order.
  void derive(Known& known, Register one, const std::vector<Register>& others) const {
    known.clear(slot(one));
    const std::vector<uint32_t>& mine = with(of_register_, one);
    std::vector<uint32_t> firsts;
    for (const Register& other : others)
      if (!mine.empty()) firsts.push_back(other == one ? kNoSlot : bit(with(of_register_, other)[0]));
    for (uint32_t i = 0; i < mine.size(); ++i) {
      bool sure = true;
      for (const uint32_t first : firsts) sure = sure && first != kNoSlot && known[first + i];
      if (sure)
        known.set(bit(mine[i]));
      else
        known.clear(bit(mine[i]));
    }
  }

  // Whether the conditional holds behind an instruction that copies a predicate, or a constant, to its predicate.
  bool is_sure(const Known& known, uint32_t pc, const Conditional& of) const {
    const std::optional<PredicateCopy> copy = copied_predicate(program_, function_[pc], pc);
    if (!copy) return false;
    if (copy->constant) return *copy->constant != of.value;
    return std::ranges::any_of(with(of_register_, of.written), [&](uint32_t i) {
      return conditionals_[i].predicate == copy->from && conditionals_[i].value == (of.value != copy->negated) &&
             known[bit(i)];
    });
  }

  // A step: a branch tells the value of its predicate.
  void take(uint32_t from, uint32_t to, Known& known) const {
    const Instruction& in = program_.code[from];
    if (in.kind != Kind::kBranch || in.guard == 0 || in.target == from + 1) return;
    const bool value = (to == in.target) != in.guard_negated;
    for (const uint32_t i : with(of_predicate_, {function_[from], in.guard})) {
      if (conditionals_[i].value != value)
        known.set(bit(i));
      else if (known[bit(i)])
        set_written(known, conditionals_[i].written);
    }
  }

  const Program& program_;
  const FlowFacts& facts_;
  std::vector<uint32_t> function_;
  const std::vector<Conditional> conditionals_;
  const bool derives_;  // whether what is made of a register that is not written counts as not written
  uint32_t registers_ = 0;
  std::vector<std::vector<uint32_t>> slots_;                              // by function, by offset / kUnit
  std::map<Register, std::vector<uint32_t>> of_register_, of_predicate_;  // indices into conditionals_
  std::vector<uint32_t> begins_;                                          // of each block of straight code
  std::map<uint32_t, uint32_t> block_;                                    // by its first instruction
  std::vector<Known> before_;                                             // by block
  std::vector<bool> reached_;
};

// The predicates that are constant on some way: "bool found = false; if (…) { x = …; found = …; }".
std::set<Register> partly_constant(const Program& program, const Places& makers) {
  std::set<Register> found;
  for (const auto& [one, there] : makers)
    for (const uint32_t pc : there)
      if (there.size() > 1 && copied_predicate(program, one.first, pc).value_or(PredicateCopy{}).constant)
        found.insert(one);
  return found;
}

// The predicates that may tell whether one of the registers is written: those under which one is written, those that
// are constant on some way, and copies of both.
std::set<Register> telling(const Program& program, const FlowFacts& facts, const std::set<Register>& registers,
                           const Places& makers) {
  std::set<Register> found = partly_constant(program, makers);
  for (const Register& one : registers)
    for (const uint32_t pc : makers.at(one)) {
      if (program.code[pc].guard) found.emplace(one.first, program.code[pc].guard);
      for (const uint32_t branch : facts.deciders(pc))
        if (branch < program.code.size() && program.code[branch].kind == Kind::kBranch)
          found.emplace(one.first, program.code[branch].guard);
    }
  for (const auto& [one, there] : makers)
    for (const uint32_t pc : there)
      if (const auto copy = copied_predicate(program, one.first, pc))
        if (found.contains({one.first, copy->from})) found.insert(one);
  return found;
}

// For all registers of a function the same predicates, in the same order.
std::vector<Conditional> conditionals_of(const std::set<Register>& registers, const std::set<Register>& predicates) {
  std::vector<Conditional> found;
  for (const Register& one : registers)
    for (const auto& [function, predicate] : predicates)
      if (function == one.first)
        for (const bool value : {false, true}) found.push_back({one, predicate, value});
  return found;
}

// Where the values of registers go.
class Values {
 public:
  // open: the reads of what need not be written or be made of what is.
  Values(const Program& program, const FlowFacts& facts, const Reads& open)
      : program_(program), facts_(facts), function_(functions_of(program)), open_(open) {
    for (uint32_t pc = 0; pc < program.code.size(); ++pc)
      for_each_source(program, program.code[pc], [&](uint32_t offset) {
        readers_[{function_[pc], offset}].push_back(pc);
      });
  }

  UnwrittenRead follow(uint32_t pc, uint32_t offset, const std::vector<uint32_t>& makers) const {
    UnwrittenRead read{offset};
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> index;  // of the step that reads a value at an instruction
    std::vector<std::pair<uint32_t, uint32_t>> open;
    const auto step = [&](uint32_t at, uint32_t value) {
      const auto [found, is_new] = index.try_emplace({at, value}, static_cast<uint32_t>(open.size()));
      if (is_new) open.emplace_back(at, value);
      return found->second;
    };
    step(pc, offset);
    for (uint32_t i = 0; i < open.size(); ++i) {
      const auto [at, value] = open[i];
      UnwrittenRead::Step one{at, is_use(program_.code[at], value), ways_to(at, makers)};
      if (program_.code[at].kind == Kind::kAlu)
        for_each_destination(program_, program_.code[at], [&](uint32_t made) {
          if (const auto readers = readers_.find({function_[at], made}); readers != readers_.end())
            for (const uint32_t reader : readers->second)
              if (open_.contains({reader, made})) one.next.push_back(step(reader, made));
        });
      read.steps.push_back(std::move(one));
    }
    return read;
  }

 private:
  bool is_use(const Instruction& in, uint32_t value) const {
    if (in.guard == value) return true;
    if (in.kind != Kind::kMemory) return in.kind != Kind::kAlu;
    const MemoryAccess& access = program_.accesses[in.index];
    return access.base == value || access.space == Space::kParam;
  }

  // Lanes come to the instruction at most as often as to each of its dominators. If it is in a loop of its own, they
  // come to the loop once.
  std::vector<UnwrittenRead::Way> ways_to(uint32_t pc, const std::vector<uint32_t>& makers) const {
    std::vector<UnwrittenRead::Way> found;
    for (uint32_t at = pc; at < program_.code.size(); at = facts_.dominator(at)) {
      if (program_.code[at].uncounted || (at != pc && goes_on(at))) continue;
      UnwrittenRead::Way way{at};
      for (const uint32_t maker : makers) {
        const bool sure = program_.code[maker].guard == 0;  // how many lanes write under a guard is not counted
        const auto writer = sure && facts_.shares_loops(at, maker) ? counted(maker) : std::nullopt;
        if (writer) way.writers.push_back(*writer);
      }
      if (!way.writers.empty()) found.push_back(std::move(way));
    }
    return found;
  }

  // Whether lanes come here from the instruction before, and only from there.
  bool follows(uint32_t pc) const {
    return pc > 0 && facts_.dominator(pc) == pc - 1 && facts_.flow().successors[pc - 1].size() == 1;
  }
  bool goes_on(uint32_t pc) const { return follows(pc) && !program_.code[pc - 1].uncounted; }

  // An instruction that is counted as often as lanes come to this one. One of PTX may be several of ours, of which the
  // first is counted.
  std::optional<uint32_t> counted(uint32_t pc) const {
    for (; program_.code[pc].uncounted; --pc)
      if (!follows(pc)) return std::nullopt;
    return pc;
  }

  const Program& program_;
  const FlowFacts& facts_;
  std::vector<uint32_t> function_;
  const Reads& open_;
  Places readers_;
};

// Adds the registers that are made of these.
void add_derived(const Program& program, std::set<Register>& registers) {
  const std::vector<uint32_t> function = functions_of(program);
  for (size_t before = 0; before != registers.size();) {
    before = registers.size();
    for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
      bool reads = false;
      if (program.code[pc].kind == Kind::kAlu)
        for_each_source(program, program.code[pc], [&](uint32_t offset) {
          reads |= registers.contains({function[pc], offset});
        });
      if (reads)
        for_each_destination(program, program.code[pc], [&](uint32_t made) { registers.insert({function[pc], made}); });
    }
  }
}

}  // namespace

std::vector<UnwrittenRead> unwritten_reads(const Program& program, const FlowFacts& facts) {
  const Places makers = makers_of(program);
  std::set<Register> all, open;
  for (const auto& [one, there] : makers) all.insert(one);
  Ways(program, facts, all, {}, false).for_each_unwritten([&](uint32_t, Register one) { open.insert(one); });
  std::vector<UnwrittenRead> found;
  if (open.empty()) return found;
  const std::set<Register> predicates = telling(program, facts, open, makers);
  const Reads reads = Ways(program, facts, open, conditionals_of(open, predicates), false).unwritten();
  if (reads.empty()) return found;
  add_derived(program, open);
  const Reads derived = Ways(program, facts, open, conditionals_of(open, predicates), true).unwritten();
  const Values values(program, facts, derived);
  const std::vector<uint32_t> function = functions_of(program);
  for (const auto& [pc, offset] : reads) found.push_back(values.follow(pc, offset, makers.at({function[pc], offset})));
  return found;
}

bool is_used(const UnwrittenRead& read, const Program& program, const std::vector<InstructionCounters>& counters) {
  const auto is_written = [&](const UnwrittenRead::Way& way) {
    uint64_t written = 0;
    for (const uint32_t pc : way.writers) written += counters[pc].threads;
    return counters[way.pc].threads <= written;
  };
  std::vector<bool> seen(read.steps.size());
  std::vector<uint32_t> open{0};
  while (!open.empty()) {
    const UnwrittenRead::Step& step = read.steps[open.back()];
    const bool is_new = !seen[open.back()];
    seen[open.back()] = true;
    open.pop_back();
    const bool happens = program.code[step.pc].uncounted || counters[step.pc].warps > 0;
    if (!is_new || !happens || std::ranges::any_of(step.ways, is_written)) continue;
    if (step.is_use) return true;
    open.insert(open.end(), step.next.begin(), step.next.end());
  }
  return false;
}

}  // namespace lockstep
