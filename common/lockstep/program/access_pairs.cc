#include "program/access_pairs.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "program/register_use.h"

namespace lockstep {
namespace {

// The instructions [begin, end) of the function that holds the pc.
std::pair<uint32_t, uint32_t> function_of(const Program& program, uint32_t pc) {
  uint32_t begin = 0, end = static_cast<uint32_t>(program.code.size());
  for (const FunctionCode& f : program.functions)
    if (f.entry <= pc)
      begin = std::max(begin, f.entry);
    else
      end = std::min(end, f.entry);
  return {begin, end};
}

bool is_barrier(const Program& program, const Instruction& in, bool among_lanes) {
  if (in.kind == Kind::kBarrier) return program.barriers[in.index].op != BarrierUse::kArrive;
  return in.kind == Kind::kClusterWait ||
         (among_lanes && (in.kind == Kind::kWarpBarrier || in.kind == Kind::kCollective || in.kind == Kind::kMatrix));
}

// Whether the compiler's copies of one loop's body lie one behind the other: then the later copy's line comes earlier,
// or it is the same line, and the earlier copy has stored there before the later copy loads. In one copy of a statement
// the load comes first.
bool goes_back(const Program& program, uint32_t from, uint32_t to) {
  const SourceLocation &a = program.locations[from], &b = program.locations[to];
  const auto line = [](const SourceLocation& at) { return at.inlined_line ? at.inlined_line : at.line; };
  const auto file = [](const SourceLocation& at) { return at.inlined_line ? at.inlined_file : at.file; };
  if (file(a) != file(b) || line(a) == 0) return false;
  const auto does = [&](uint32_t pc, MemoryOp op) {
    const Instruction& in = program.code[pc];
    return in.kind == Kind::kMemory && program.accesses[in.index].op == op;
  };
  const bool again = from < to && does(from, MemoryOp::kStore) && does(to, MemoryOp::kLoad);
  return line(a) > line(b) || (line(a) == line(b) && again);
}

// The instructions that may have made the values on which the registers depend, and those registers.
class Makers {
 public:
  Makers(const Program& program, uint32_t pc) : program_(program) {
    const auto [begin, end] = function_of(program, pc);
    for (uint32_t i = begin; i < end; ++i)
      for_each_destination(program, program.code[i], [&](uint32_t reg) { makers_.emplace(reg, i); });
  }

  // Whether the register's value may depend on what the load gives.
  bool depends(uint32_t reg, uint32_t load_pc) {
    if (!seen_.insert(reg).second) return false;
    const auto [first, last] = makers_.equal_range(reg);
    for (auto maker = first; maker != last; ++maker) {
      const Instruction& in = program_.code[maker->second];
      if (maker->second == load_pc) return true;
      if (in.kind == Kind::kMemory) continue;  // what is loaded there depends on memory, not on this load
      bool found = false;
      for_each_source(program_, in, [&](uint32_t source) { found = found || depends(source, load_pc); });
      if (found) return true;
    }
    return false;
  }

  // Adds the registers on which this one's value depends, itself among them, and the instructions that make them.
  void trace(uint32_t reg, std::set<uint32_t>& registers, std::set<const Instruction*>& instructions) const {
    if (!registers.insert(reg).second) return;
    const auto [first, last] = makers_.equal_range(reg);
    for (auto maker = first; maker != last; ++maker) {
      const Instruction& in = program_.code[maker->second];
      instructions.insert(&in);
      for_each_source(program_, in, [&](uint32_t source) { trace(source, registers, instructions); });
    }
  }

  // The name of the only instruction that makes it; empty if there are several.
  std::string maker_name(uint32_t reg) const {
    const auto [first, last] = makers_.equal_range(reg);
    return first != last && std::next(first) == last ? program_.names[first->second] : "";
  }

 private:
  const Program& program_;
  std::multimap<uint32_t, uint32_t> makers_;  // register → pc
  std::set<uint32_t> seen_;
};

}  // namespace

OpenWay open_way(const Program& program, uint32_t from, uint32_t to, bool among_lanes) {
  const auto [begin, end] = function_of(program, from);
  OpenWay way;
  if (to < begin || to >= end) return way;
  std::set<std::pair<uint32_t, bool>> seen;
  std::vector<std::pair<uint32_t, bool>> open;  // a pc, and whether a loop has turned on the way
  const auto go = [&](uint32_t pc, bool turned) {
    if (pc < end && seen.insert({pc, turned}).second) open.emplace_back(pc, turned);
  };
  const auto leave = [&](uint32_t pc, bool turned) {
    const Instruction& in = program.code[pc];
    const auto branch = [&](uint32_t target) { go(target, turned || target <= pc); };
    if (in.kind == Kind::kBranch) branch(in.target);
    if (in.kind == Kind::kBranchIndexed) std::ranges::for_each(program.tables[in.index], branch);
    const bool ends = in.kind == Kind::kExit || in.kind == Kind::kReturn || in.kind == Kind::kBranch;
    if ((!ends || in.guard) && in.kind != Kind::kBranchIndexed) go(pc + 1, turned);
  };
  leave(from, false);
  while (!open.empty()) {
    const auto [pc, turned] = open.back();
    open.pop_back();
    if (pc == to) (turned || goes_back(program, from, to) ? way.to_next_turn : way.in_turn) = true;
    if (pc != to && !is_barrier(program, program.code[pc], among_lanes)) leave(pc, turned);
  }
  return way;
}

std::string update_in_one_step(const Program& program, const MemoryAccess& load, const MemoryAccess& store) {
  if (load.op != MemoryOp::kLoad || store.op != MemoryOp::kStore || load.count != 1 || store.count != 1) return "";
  if (load.base != store.base || load.offset != store.offset || load.bytes != store.bytes) return "";
  if (function_of(program, load.pc) != function_of(program, store.pc)) return "";
  const uint32_t value = store.registers[0];
  Makers makers(program, store.pc);
  if (value == 0 || !makers.depends(value, load.pc)) return "";
  const std::string how = makers.maker_name(value);
  static constexpr std::array<std::pair<const char*, const char*>, 8> kFunctions = {{{"add.", "atomicAdd"},
                                                                                     {"sub.", "atomicSub"},
                                                                                     {"fma.", "atomicAdd"},
                                                                                     {"min.", "atomicMin"},
                                                                                     {"max.", "atomicMax"},
                                                                                     {"and.", "atomicAnd"},
                                                                                     {"or.", "atomicOr"},
                                                                                     {"xor.", "atomicXor"}}};
  for (const auto& [name, function] : kFunctions)
    if (how.starts_with(name)) return function;
  return "atomicCAS";
}

bool moves_with_loop(const Program& program, const MemoryAccess& access) {
  const Makers makers(program, access.pc);
  std::set<uint32_t> registers;
  std::set<const Instruction*> instructions;
  makers.trace(access.base, registers, instructions);
  const auto is_thread = [&](const Preset& preset) {
    return preset.source == Preset::kSpecial && preset.bits <= static_cast<uint64_t>(Special::kTidZ) &&
           registers.contains(preset.offset);
  };
  const bool of_thread = std::ranges::any_of(
      program.functions, [&](const FunctionCode& f) { return std::ranges::any_of(f.presets, is_thread); });
  const bool of_memory = std::ranges::any_of(instructions, [&](const Instruction* in) {
    const MemoryAccess* const load = access_of(program, *in);
    return load && load->space != Space::kConst && load->space != Space::kParam;
  });
  // Its value follows from the value that it had in the turn before.
  const bool turns = std::ranges::any_of(instructions, [&](const Instruction* in) {
    std::set<uint32_t> of_sources;
    std::set<const Instruction*> before;
    for_each_source(program, *in, [&](uint32_t source) { makers.trace(source, of_sources, before); });
    return before.contains(in);
  });
  return of_thread && turns && !of_memory;
}

bool may_lock(const Program& program) {
  return std::ranges::any_of(program.accesses, [](const MemoryAccess& access) {
    return access.op == MemoryOp::kAtomic && (access.atomic == AtomicOp::kCas || access.atomic == AtomicOp::kExch);
  });
}

}  // namespace lockstep
