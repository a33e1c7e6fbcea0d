#include "program/dependence.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "program/opcodes.h"
#include "program/register_use.h"

namespace lockstep {
namespace {

// Cycles until a loaded value is there. They decide which instruction waits for which value. The cost model has the
// latencies of each card.
constexpr uint32_t kGlobalLatency = 200, kSharedLatency = 24;
// ptxas turns a branch over at most so many instructions into predicates.
constexpr uint32_t kPredicated = 8;

// Nothing moves across such an instruction. Our helpers have its name, too; the kind tells them apart.
bool waits_at(const Program& program, uint32_t pc) {
  const Opcode* opcode = find_opcode(program.names[pc]);
  return opcode && opcode->waits && opcode->kind == program.code[pc].kind;
}

// The smallest distance between two registers, in bytes.
constexpr uint32_t kUnit = 8;

uint32_t register_units(const Program& program) {
  uint32_t bytes = 0;
  for (const FunctionCode& f : program.functions) bytes = std::max(bytes, f.register_bytes);
  return bytes / kUnit + 1;
}

// One instruction of the card does the work of two of PTX: a shift and a sum (LEA), two sums (IADD3), two of logic
// (LOP3). The second is free if no other instruction reads the result of the first.
class Pairs {
 public:
  explicit Pairs(Program& program)
      : program_(program), uses_(register_units(program)), maker_(register_units(program)) {}

  // The code of the functions lies in their order.
  void run() {
    auto end = static_cast<uint32_t>(program_.code.size());
    for (auto f = program_.functions.rbegin(); f != program_.functions.rend(); ++f)
      join(f->entry, std::exchange(end, f->entry));
  }

 private:
  Cost role(uint32_t pc) const {
    const bool joins = program_.code[pc].kind == Kind::kAlu && program_.costs[pc].pipe == Pipe::kInteger;
    return joins ? find_opcode(program_.names[pc])->cost : Cost::kSimple;
  }

  void join(uint32_t begin, uint32_t end) {
    std::ranges::fill(uses_, 0);
    std::ranges::fill(maker_, kNowhere);
    begin_ = begin;
    for (uint32_t pc = begin; pc < end; ++pc)
      for_each_source(program_, program_.code[pc], [&](uint32_t offset) { ++uses_[offset / kUnit]; });
    for (uint32_t pc = begin; pc < end; ++pc) {
      const Instruction& in = program_.code[pc];
      if (in.kind != Kind::kAlu) {
        if (in.kind != Kind::kMemory) begin_ = pc;  // pairs lie within straight code
        continue;
      }
      const Cost second = role(pc);
      bool joined = false;
      for (const uint32_t source : {in.a, in.b}) {
        const uint32_t first = source ? maker_[source / kUnit] : kNowhere;
        if (joined || first == kNowhere || first < begin_ || uses_[source / kUnit] != 1) continue;
        joined = second == Cost::kLogic
                     ? role(first) == Cost::kLogic
                     : second == Cost::kSum && (role(first) == Cost::kShift || role(first) == Cost::kSum);
      }
      if (joined) program_.costs[pc] = {Pipe::kNone, 0, 0};
      if (in.d) maker_[in.d / kUnit] = joined ? kNowhere : pc;
    }
  }

  Program& program_;
  std::vector<uint32_t> uses_, maker_;  // by offset / kUnit: number of readers; the instruction that made it
  uint32_t begin_ = 0;                  // makers before it do not count
};

// One pass over the code in its order.
class Pass {
 public:
  explicit Pass(Program& program) : program_(program), ready_(register_units(program)) {
    for (const FunctionCode& f : program.functions) entries_.insert(f.entry);
    for (uint32_t pc = 0; pc < program.code.size(); ++pc)
      if (const Instruction& in = program.code[pc]; in.kind == Kind::kBranch && in.target <= pc)
        headers_.insert(in.target);
  }

  void run() {
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      if (entries_.contains(pc)) begin_function();
      if (headers_.contains(pc)) drain(pc);
      issue(pc);
    }
  }

 private:
  static constexpr int32_t kNoLoad = -1;

  struct Value {
    uint64_t at = 0;
    int32_t access = kNoLoad;  // the load that makes the value
  };

  Value& value(uint32_t offset) { return ready_[offset / kUnit]; }

  void begin_function() {
    std::ranges::fill(ready_, Value{});
    front_ = start_ = stored_[0] = stored_[1] = 0;
    free_ = 0;
  }

  uint32_t latency(const MemoryAccess& access) const {
    return access.space == Space::kShared ? kSharedLatency : kGlobalLatency;
  }

  void end_region() { start_ = front_, free_ = 0; }

  // The first turn of a loop waits for everything loaded before it; later turns have nothing to wait for.
  void drain(uint32_t pc) {
    Value last;
    for (const Value& v : ready_)
      if (v.at > last.at) last = v;
    if (pc > 0 && last.at > front_) program_.code[pc - 1].stall += wait_for(last, pc - 1);
    end_region();
  }

  // A turn of a loop ends here. What it has asked global memory for and not used yet, the next turn waits for. Loads
  // that are under way together are one wait.
  void carry(uint32_t pc) {
    const auto is_carried = [&](const Value& v) {
      if (v.access == kNoLoad || v.at <= front_) return false;
      const MemoryAccess& access = program_.accesses[static_cast<uint32_t>(v.access)];
      return access.space != Space::kShared && access.pc >= program_.code[pc].target;
    };
    if (std::ranges::any_of(ready_, is_carried)) program_.costs[pc].awaits_memory = true;
  }

  // Moves the front to the time at which the value is there. Returns the cycles of the wait. If they are at least half
  // of a load's latency, marks the load as waited for and returns 0. pc: where the warp waits.
  uint16_t wait_for(const Value& v, uint32_t pc) {
    const uint64_t wait = v.at - front_;
    front_ = v.at;
    free_ += wait;
    if (v.access != kNoLoad) {
      MemoryAccess& access = program_.accesses[static_cast<uint32_t>(v.access)];
      if (2 * wait >= latency(access)) {
        access.waited = true;
        if (access.space != Space::kShared) program_.costs[pc].awaits_memory = true;
        return 0;
      }
    }
    return static_cast<uint16_t>(wait);
  }

  // The value that is ready last among those that the instruction reads.
  Value sources(const Instruction& in) {
    Value last{start_, kNoLoad};
    for_each_source(program_, in, [&](uint32_t offset) {
      if (value(offset).at > last.at) last = value(offset);
    });
    return last;
  }

  // A load stays behind stores to the same memory, unless its memory is never written (.nc).
  uint64_t order(const Instruction& in) const {
    if (in.kind != Kind::kMemory) return 0;
    const MemoryAccess& access = program_.accesses[in.index];
    if (access.op != MemoryOp::kLoad || program_.is_read_only(access)) return 0;
    return stored_[access.space == Space::kShared];
  }

  void write(const Instruction& in, uint64_t at, uint32_t latency_of_result) {
    const auto set = [&](uint32_t offset, Value v) {
      if (offset) value(offset) = v;
    };
    const Value result{at + latency_of_result, kNoLoad};
    if (const MemoryAccess* const access = access_of(program_, in)) {
      const Value loaded{at + latency(*access), static_cast<int32_t>(access->index)};
      const bool constant = access->space == Space::kConst || access->space == Space::kParam;
      if (access->op == MemoryOp::kLoad)
        for (uint32_t e = 0; e < access->count; ++e) set(access->registers[e], constant ? Value{at, kNoLoad} : loaded);
      else
        stored_[access->space == Space::kShared] = at;
      if (access->op == MemoryOp::kAtomic) set(access->registers[0], loaded);
    } else if (in.kind == Kind::kCollective) {
      const Collective& c = program_.collectives[in.index];
      set(c.d, result), set(c.p, result);
    } else {
      set(in.d, result), set(in.d2, result);
    }
  }

  bool becomes_predicates(const Instruction& in, uint32_t pc) const {
    if (in.kind != Kind::kBranch || in.target <= pc || in.target > pc + kPredicated) return false;
    for (uint32_t skipped = pc + 1; skipped < in.target; ++skipped)
      if (waits_at(program_, skipped) || program_.code[skipped].kind == Kind::kExit) return false;
    return true;
  }

  void issue(uint32_t pc) {
    Instruction& in = program_.code[pc];
    if (in.kind == Kind::kJoin) return;
    const InstructionCost cost = in.uncounted ? InstructionCost{} : program_.costs[pc];
    const bool waits = waits_at(program_, pc);
    Value last = sources(in);
    if (waits) last.at = std::max(last.at, front_);
    const uint64_t earliest = std::max(last.at, order(in));
    uint64_t at = earliest;
    if (earliest > front_) {
      in.stall +=
          static_cast<uint16_t>(wait_for({earliest, last.at == earliest ? last.access : kNoLoad}, pc) + cost.slots);
      front_ += cost.slots;
    } else if (free_ >= cost.slots && !waits) {
      free_ -= cost.slots;  // while the warp waits for something else
    } else {
      at = front_;
      front_ += cost.slots;
      in.stall += cost.slots;
    }
    write(in, at, std::max<uint32_t>(cost.slots, cost.latency));
    if (in.kind == Kind::kBranch && in.target <= pc) carry(pc);
    if (waits || (in.kind == Kind::kBranch && !becomes_predicates(in, pc))) {
      front_ += cost.latency;
      in.stall += cost.latency;
      end_region();
    }
  }

  Program& program_;
  std::set<uint32_t> entries_, headers_;  // pcs where functions and loops begin
  std::vector<Value> ready_;              // by offset / kUnit
  uint64_t front_ = 0;                // the cycle at which the next instruction issues if it finds no free slot earlier
  uint64_t start_ = 0;                // nothing moves before this
  uint64_t free_ = 0;                 // free slots between start_ and front_, in which nothing issues yet
  std::array<uint64_t, 2> stored_{};  // the latest store to global, to shared memory
};

}  // namespace

void note_waits(Program& program) {
  program.costs.reserve(program.code.size());
  for (const std::string& name : program.names) program.costs.push_back(cost_of(name));
  Pairs(program).run();
  Pass(program).run();
}

}  // namespace lockstep
