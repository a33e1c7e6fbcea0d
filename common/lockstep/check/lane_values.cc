#include "check/lane_values.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/words.h"
#include "engine/collective.h"

namespace lockstep {
namespace {

constexpr uint32_t kUndefined = 0x5bd1e995;  // no number that a program is likely to have, nor a NaN
constexpr uint32_t kSteps = 64;              // between two comparisons of all registers

// A lane's part of a register.
const std::byte* part(const std::byte* registers, uint32_t offset, uint32_t bytes, uint32_t lane) {
  return registers + offset + lane * bytes;
}

bool differs(const std::byte* real, const std::byte* other, uint32_t offset, uint32_t bytes, uint32_t lane) {
  return offset && std::memcmp(part(real, offset, bytes, lane), part(other, offset, bytes, lane), bytes) != 0;
}

void copy(const std::byte* from, std::byte* to, uint32_t offset, uint32_t bytes, Mask mask) {
  if (offset == 0) return;
  for (const uint32_t l : each_lane(mask)) std::memcpy(to + offset + l * bytes, part(from, offset, bytes, l), bytes);
}

Mask guarded(const Instruction& in, std::byte* registers, Mask came) {
  if (!in.guard) return came;
  const Mask guard = *lanes<Mask>(registers, in.guard);
  return came & (in.guard_negated ? ~guard : guard);
}

// Lanes that take part, but take their value from one that does not.
Mask astray(const std::array<int32_t, kWarpSize>& from, Mask active) {
  Mask result = 0;
  for (const uint32_t l : each_lane(active)) result |= active >> from[l] & 1 ? 0 : Mask{1} << l;
  return result;
}

// Memory that only this thread sees. What it holds is not followed.
bool is_own(const MemoryAccess& access, uint64_t address) {
  const bool generic = access.space == Space::kGeneric;
  return (!generic && access.space != Space::kGlobal && access.space != Space::kShared) ||
         (generic && address - kLocalWindow < kWindowBytes);
}

uint64_t address_at(const MemoryAccess& access, std::byte* registers, uint32_t lane) {
  if (!access.base) return static_cast<uint64_t>(access.offset);
  const uint64_t base =
      access.wide_base ? lanes<uint64_t>(registers, access.base)[lane] : lanes<uint32_t>(registers, access.base)[lane];
  return base + static_cast<uint64_t>(access.offset);
}

}  // namespace

bool LaneValues::follows(const Warp& warp, const Frame& frame, uint32_t pc, Mask active) {
  if (frame.followed) return true;
  const Program& program = warp.launch().program;
  const Collective& shuffle = program.collectives[program.code[pc].index];
  if (active == kFullMask || !shuffle.d || !astray(shuffle_sources(shuffle, frame.registers.get()), active))
    return false;
  const size_t bytes = program.functions[frame.function].register_bytes;
  Copy made{aligned_bytes(bytes)};
  std::memcpy(made.registers.get(), frame.registers.get(), bytes);
  copies_.insert_or_assign(&frame, std::move(made));
  return true;
}

std::vector<UndefinedUse> LaneValues::step(const Warp& warp, const RanInstruction& ran) {
  const auto found = copies_.find(&ran.frame);
  if (found == copies_.end()) return {};
  const Program& program = warp.launch().program;
  const Instruction& in = program.code[ran.pc];
  Copy& copy = found->second;
  std::byte *const real = ran.frame.registers.get(), *const other = copy.registers.get();
  Step step{program, ran.pc, in, real, other, ran.mask, guarded(in, other, ran.came), copy};
  run(step);
  const size_t bytes = program.functions[ran.frame.function].register_bytes;
  // These write registers of many kinds.
  const bool opaque =
      in.kind == Kind::kAsync || in.kind == Kind::kMbarrier || in.kind == Kind::kMatrix || in.kind == Kind::kTexture;
  if (opaque || (++copy.steps % kSteps == 0 && std::memcmp(real, other, bytes) == 0)) copies_.erase(found);
  return std::move(step.uses);
}

void LaneValues::use(Step& step, uint32_t lane, const char* what) {
  const Origin& origin = step.copy.origins[lane];
  if (origin.pc != kNowhere) step.uses.push_back({lane, step.pc, what, origin.pc, origin.reader, origin.source});
}

void LaneValues::run(Step& step) {
  const Instruction& in = step.in;
  switch (in.kind) {
    case Kind::kAlu:
      if (step.other_mask) in.alu(step.other, in, step.other_mask);
      if (step.mask) compare(step);
      break;
    case Kind::kMemory: access(step); break;
    case Kind::kCollective: collective(step); break;
    case Kind::kBranch:
    case Kind::kReturn:
    case Kind::kExit:
      if (const Mask different = step.mask ^ step.other_mask)
        use(step, first_lane(different), later("decides a branch"));
      break;
    case Kind::kBranchIndexed:
      for (const uint32_t l : each_lane(step.mask))
        if (differs(step.real, step.other, in.a, 4, l)) return use(step, l, later("decides a branch"));
      break;
    case Kind::kReadSpecial: {
      const bool wide = in.special == Special::kClock64 || in.special == Special::kGlobalTimer;
      copy(step.real, step.other, in.d, wide ? 8 : 4, step.mask);
      break;
    }
    case Kind::kAllocate: copy(step.real, step.other, in.d, 8, step.mask); break;
    case Kind::kBarrier: {
      const BarrierUse& use = step.program.barriers[in.index];
      if (use.op == BarrierUse::kRedPopc)
        copy(step.real, step.other, use.d, 4, step.mask);
      else if (use.d)
        set_predicate(step.other, use.d, *lanes<Mask>(step.real, use.d), step.mask);
      break;
    }
    default: break;
  }
}

// A comparison with an undefined value may come out either way, though it came out the same with both numbers.
void LaneValues::compare(Step& step) {
  const std::string& name = step.program.names[step.pc];
  const Type type = type_from_name(name.substr(name.rfind('.') + 1));
  if (!name.starts_with("setp.") || type == Type::kNone || step.in.c) return;
  for (const uint32_t l : each_lane(step.mask)) {
    const bool unknown = differs(step.real, step.other, step.in.a, type_bytes(type), l) ||
                         differs(step.real, step.other, step.in.b, type_bytes(type), l);
    for (const uint32_t d : {step.in.d, step.in.d2})
      if (unknown && d) set_predicate(step.other, d, ~*lanes<Mask>(step.real, d), Mask{1} << l);
  }
}

// Runs after the real access. A load that has written its own address register no longer shows the address.
void LaneValues::access(Step& step) {
  const MemoryAccess& a = step.program.accesses[step.in.index];
  const bool loads = a.op == MemoryOp::kLoad || a.op == MemoryOp::kAtomic, stores = a.op != MemoryOp::kLoad;
  const bool atomic = stores && a.op != MemoryOp::kStore;
  const uint32_t bytes = bytes_of(a.register_width);
  const auto written = [&](uint32_t offset) {
    return loads && offset &&
           std::find(a.registers, a.registers + (atomic ? 1 : a.count), offset) != a.registers + (atomic ? 1 : a.count);
  };
  for (const uint32_t l : each_lane(step.mask)) {
    const uint64_t address = address_at(a, step.real, l);
    if (!written(a.base) && address != address_at(a, step.other, l)) {
      use(step, l, later("is part of an address"));
    } else if (stores && !is_own(a, address)) {
      bool same = true;
      for (uint32_t e = atomic ? 1 : 0; e < (atomic ? 2u : a.count); ++e)
        same &= written(a.registers[e]) || !differs(step.real, step.other, a.registers[e], bytes, l);
      if (atomic) same &= written(a.operand2) || !differs(step.real, step.other, a.operand2, bytes, l);
      if (!same) use(step, l, later("is stored"));
    }
  }
  if (!loads) return;
  for (uint32_t e = 0; e < (atomic ? 1u : a.count); ++e) copy(step.real, step.other, a.registers[e], bytes, step.mask);
}

void LaneValues::shuffle(Step& step, const Collective& c) {
  const auto from = shuffle_sources(c, step.other);
  const Mask undefined = astray(from, step.mask);
  run_collective(c, step.other, step.mask);
  const std::array<Origin, kWarpSize> before = step.copy.origins;
  for (const uint32_t l : each_lane(c.d ? step.mask : 0)) {
    const auto source = static_cast<uint32_t>(from[l]);
    if (undefined >> l & 1) {
      lanes<uint32_t>(step.other, c.d)[l] = kUndefined + l;
      step.copy.origins[l] = {step.pc, l, source};
    } else if (differs(step.real, step.other, c.d, 4, l)) {
      step.copy.origins[l] = before[source];
    }
  }
}

// Of other collectives, each lane's result may depend on every lane.
void LaneValues::collective(Step& step) {
  const Collective& c = step.program.collectives[step.in.index];
  if (is_shuffle(c)) return shuffle(step, c);
  run_collective(c, step.other, step.mask);
  const auto& origins = step.copy.origins;
  const auto known = std::ranges::find_if(origins, [](const Origin& origin) { return origin.pc != kNowhere; });
  if (known == origins.end()) return;
  for (const uint32_t l : each_lane(step.mask))
    if (step.copy.origins[l].pc == kNowhere) step.copy.origins[l] = *known;
}

}  // namespace lockstep
