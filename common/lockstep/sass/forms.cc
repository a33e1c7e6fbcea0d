#include "sass/forms.h"

#include <algorithm>
#include <map>
#include <set>

#include "count/atomic_loop.h"
#include "program/neighbours.h"

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

class Comparison {
 public:
  Comparison(const Program& program, const MachineKernel& machine) : program_(program), machine_(machine) {
    for (const MachineAccess& access : machine.accesses) at_[access.line].push_back(&access);
    forms_.of.resize(program.accesses.size());
    forms_.places = places(program);
  }

  Forms run() {
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      if (program_.code[pc].kind != Kind::kMemory) continue;
      const MemoryAccess& access = program_.accesses[program_.code[pc].index];
      ++written_[program_.locations[pc].ptx_line];
      if (is_counted(access)) forms_.of[access.index] = is_atomic(access.op) ? atomic_form(access) : form(access);
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

  AccessForm form(const MemoryAccess& access) const {
    AccessForm result{.op = access.op};
    const Machine machine = found(access);
    if (machine.empty()) return gone(access);
    const uint32_t bytes = access.bytes * access.count;
    for (const MachineAccess* one : machine) {
      if (one->bytes != machine[0]->bytes) return doubt(access, "ptxas makes accesses of different widths of it");
      if (one->bytes < bytes) return doubt(access, "ptxas splits it into narrower accesses");
    }
    result.copied = machine.size() > 1;
    result.doubt = other_place(access, machine, false);
    if (!result.doubt.empty() || machine[0]->bytes == bytes) return result;
    return joined(access, machine[0]->bytes, result);
  }

  AccessForm gone(const MemoryAccess& access) const {
    return {.kind = AccessForm::kGone,
            .op = access.op,
            .note = access.op == MemoryOp::kLoad
                        ? "ptxas leaves this load out: a wider load brings the value, or it is there already"
                        : "ptxas leaves this store out: a wider store writes the value, or a later one does"};
  }

  AccessForm doubt(const MemoryAccess& access, std::string reason) const {
    return {.op = access.op, .doubt = std::move(reason)};
  }

  // `machine` makes one access of `bytes` of this one and of neighbours that have no instruction of their own.
  AccessForm joined(const MemoryAccess& access, uint32_t bytes, AccessForm result) const {
    const std::vector<uint32_t> near = neighbours_of(program_, access);
    uint32_t most = 0;
    for (const uint32_t first : near) {
      const int64_t begin = program_.accesses[first].offset, end = begin + bytes;
      if (access.offset < begin || access.offset + access.bytes * access.count > end) continue;
      uint32_t members = 0;
      for (const uint32_t index : near) {
        const MemoryAccess& other = program_.accesses[index];
        if (index != access.index && other.offset >= begin && other.offset < end) members += found(other).empty();
      }
      if (members > most || (members == most && first == access.index)) most = members, result.first = first;
    }
    if (most == 0) return doubt(access, "ptxas makes a wider access of it, and of others that PTX does not show");
    result.kind = AccessForm::kWider;
    result.bytes = static_cast<uint8_t>(bytes);
    result.note = "ptxas makes one access of " + std::to_string(bytes) + " bytes of this one and its neighbours";
    return result;
  }

  AccessForm atomic_form(const MemoryAccess& access) const {
    AccessForm result{.op = access.op};
    const Machine machine = found(access);
    const bool in_shared = access.space == Space::kShared;
    if (written_more_than_once(access)) return doubt(access, "it is an atomic of a vector");
    if (machine.empty()) return doubt(access, "ptxas makes no atomic of it");
    if (is_atomic_loop(access, in_shared)) {
      result.retries = true;
      return result;
    }
    for (const MachineAccess* one : machine) {
      if (one->kind != machine[0]->kind) return doubt(access, "ptxas makes atomics of different kinds of it");
      if (in_shared && one->counts != access.literal_one)
        return doubt(access, "ptxas adds the number of lanes, or does not, where lockstep expects the other");
    }
    if (!in_shared) result.op = machine[0]->kind == MachineAccess::kAtomic ? MemoryOp::kAtomic : MemoryOp::kReduction;
    const auto loads = at_.find(line_of(access));
    if (std::ranges::any_of(loads->second, [](const MachineAccess* one) { return one->kind == MachineAccess::kLoad; }))
      return doubt(access, "ptxas makes a loop of it, which tries again if another warp was faster");
    result.copied = machine.size() > 1;
    const bool elected = machine_.electing.contains(line_of(access));
    result.doubt = other_place(access, machine, elected);
    if (result.doubt.empty() && elected) {
      result.kind = AccessForm::kElected;
      result.note = "all lanes use one address, so ptxas lets one lane make the atomic for its warp";
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

  // Why the machine's instructions may be executed more or less often than the access; empty: they are not.
  std::string other_place(const MemoryAccess& access, const Machine& machine, bool elected) const {
    const Place& place = forms_.places[access.pc];
    const bool conditional = place.conditional || program_.code[access.pc].guard != 0;
    for (const MachineAccess* one : machine) {
      if (one->place.loops > place.loops) return "ptxas puts it into a loop";
      if (one->place.loops < place.loops && machine.size() == 1) return "ptxas moves it out of a loop";
      if (conditional && !one->place.conditional) return "ptxas moves it out of a condition";
      if (!conditional && one->place.conditional && machine.size() == 1 && !elected)
        return "ptxas moves it into a condition";
    }
    return {};
  }

  void note_extra() {
    for (const MachineAccess& one : machine_.accesses) {
      if (one.space != Space::kLocal || written_.contains(one.line)) continue;
      (one.kind == MachineAccess::kLoad ? forms_.extra_loads : forms_.extra_stores) = true;
    }
  }

  const Program& program_;
  const MachineKernel& machine_;
  std::map<uint32_t, Machine> at_;       // by the line of the PTX
  std::map<uint32_t, uint32_t> written_;  // accesses of the PTX, by their line
  Forms forms_;
};

}  // namespace

Forms compare(const Program& program, const MachineKernel& machine) { return Comparison(program, machine).run(); }

std::vector<Place> places(const Program& program) {
  Flow flow;
  const auto end = static_cast<uint32_t>(program.code.size());
  flow.successors.resize(end);
  for (const FunctionCode& function : program.functions) flow.roots.push_back(function.entry);
  for (uint32_t pc = 0; pc < end; ++pc) {
    const Instruction& in = program.code[pc];
    std::vector<uint32_t>& next = flow.successors[pc];
    if (in.kind == Kind::kBranch) next.push_back(in.target);
    if (in.kind == Kind::kBranchIndexed) next = program.tables[in.index];
    const bool leaves = in.kind == Kind::kExit || in.kind == Kind::kReturn || in.kind == Kind::kTrap;
    if (leaves) next.push_back(end);
    const bool jumps = in.kind == Kind::kBranch || in.kind == Kind::kBranchIndexed;
    if (!(jumps || leaves) || in.guard != 0) next.push_back(pc + 1);
  }
  return places(flow);
}

}  // namespace lockstep
