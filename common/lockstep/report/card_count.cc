#include "report/card_count.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/words.h"
#include "program/register_use.h"
#include "sass/program_flow.h"

namespace lockstep {
namespace {

// Whether lanes of a warp went different ways in the outermost loop around the access; without a loop: in the function.
bool lanes_part(const Program& program, const LaunchCounters& counters, const Forms& forms, uint32_t pc) {
  for (uint32_t other = 0; other < program.code.size(); ++other)
    if (counters.at[other].divergent && forms.places[other].outer == forms.places[pc].outer) return true;
  return false;
}

void take_width(InstructionCounters& counts, const InstructionCounters& wider) {
  counts.global.requests = wider.global.requests;
  counts.global.sectors = wider.global.sectors;
  counts.shared.requests = wider.shared.requests;
  counts.shared.wavefronts = wider.shared.wavefronts;
  counts.shared.ideal = wider.shared.ideal;
  counts.local = wider.local;
}

// Whether a branch that asks about last bits decides about this instruction. If all lanes of the launch went one way,
// as past the slow path of sinf(), none is taken to be so near the bound that last bits decide. There is no such bound
// if the question is whether two values are equal.
bool is_decided(const Ended& ended, uint32_t pc, const Approximated& bits) {
  const std::vector<InstructionCounters>& at = ended.counters.at;
  return std::ranges::any_of(bits.deciders[pc], [&](uint32_t branch) {
    if (bits.equalities[branch]) return at[branch].threads > 0;
    return at[pc].threads > 0 && at[branch].threads != at[pc].threads;
  });
}

// Why another run of a card may count this instruction otherwise. Empty: it has no reason.
std::string influence(const Ended& ended, uint32_t pc, const AccessForm& form) {
  const auto& [launch, counters, forms, depends, parted, grouped, went_alone] = ended;
  const InstructionCounters& c = counters.at[pc];
  const auto is_ordered = [&](const Dependent& order) {
    return order.accesses[pc] ||
           std::ranges::any_of(form.parted_by, [&](uint32_t branch) { return order.branches[branch]; });
  };
  const auto is_approximated = [&](const Approximated& bits) {
    return (c.threads > 0 && bits.addresses[pc]) || is_decided(ended, pc, bits);
  };
  const bool ordered = is_ordered(depends.all.order), approximated = is_approximated(depends.all.bits);
  if (!ordered && !approximated) return {};
  if (!depends.own.order.by_address.empty() && depends.own.order.by_address[pc])
    return words("it depends on an address that the kernel uses as a number");
  if (!depends.own.order.by_leftover.empty() && depends.own.order.by_leftover[pc])
    return words("it depends on shared or local memory that is read before it is written");
  if (ordered && is_ordered(depends.own.order)) return by_order();
  if (approximated && is_approximated(depends.own.bits))
    return words("it depends on a function that the hardware approximates");
  return words(
      "it depends on a value that an earlier launch left in memory, and that differs with the order of threads or in "
      "its last bits; or on memory that nobody wrote");
}

std::string unwritten_doubt(const Ended& ended, const AccessForm& form) {
  if (form.unwritten && std::ranges::any_of(ended.forms.unwritten_reads, [&](const UnwrittenRead& read) {
        return is_used(read, ended.launch.program, ended.counters.at);
      }))
    return words("it depends on a register that the thread reads and has not written");
  return {};
}

std::string parting_doubt(const Ended& ended, uint32_t pc, const AccessForm& form) {
  const auto& [launch, counters, forms, depends, parted, grouped, went_alone] = ended;
  const InstructionCounters& c = counters.at[pc];
  const auto is_parted = [&](uint32_t branch) { return counters.at[branch].divergent > 0; };
  // Only the usual schedule lets lanes wait for each other wherever machine code may bring them together.
  const Place& place = forms.places[pc];
  const bool waits = launch.schedule.kind == Schedule::kForward || !(place.merges || place.turns);
  const bool early = form.parts || !waits;
  // A lane that comes alone cannot part. Others would have come with it here.
  const bool alone = c.threads == c.warps && !place.merges;
  if ((early && lanes_part(launch.program, counters, forms, pc)) || (form.apart.yields && parted) ||
      (form.apart.grouped && grouped) || (!went_alone.empty() && went_alone[pc]) ||
      (!alone && std::ranges::any_of(form.parted_by, is_parted)))
    return words("lanes of a warp that took different ways come here, and ptxas may bring them together elsewhere");
  return {};
}

// Whether another run of a card may make this access more or less often. Lanes of one warp that are apart wait for each
// other as warps do: they repeat a load, or the exchange that takes a lock.
bool varies(const Ended& ended, const MemoryAccess& access, const AccessForm& form) {
  const Program& program = ended.launch.program;
  const bool locks = access.atomic == AtomicOp::kCas || access.atomic == AtomicOp::kExch;
  const bool spins = access.may_spin && (access.op == MemoryOp::kLoad || (access.op == MemoryOp::kAtomic && locks)) &&
                     ended.forms.places[access.pc].outer != kNoLoop &&
                     lanes_part(program, ended.counters, ended.forms, access.pc);
  return spins || ended.depends.all.order.executed[access.pc] || is_decided(ended, access.pc, ended.depends.all.bits) ||
         !unwritten_doubt(ended, form).empty();
}

}  // namespace

Ended::Ended(const Launch& of, const LaunchCounters& counts, const Forms& made, const Dependences& on)
    : launch(of), counters(counts), forms(made), depends(on) {
  std::optional<Flow> flow;
  for (uint32_t pc = 0; pc < counters.at.size(); ++pc) {
    if (counters.at[pc].divergent == 0) continue;
    parted = true;
    // Lanes that passed a join alone, that called several functions, or that named several groups of lanes, as tiles
    // do: the card may not bring them together behind. For groups, the machine code tells where they may be apart.
    const Kind kind = launch.program.code[pc].kind;
    const bool names_groups = kind == Kind::kCollective || kind == Kind::kWarpBarrier;
    if (kind != Kind::kJoin && kind != Kind::kCall && !names_groups) continue;
    grouped |= names_groups;
    if (names_groups && forms.static_shared) continue;
    if (!flow) flow = flow_of(launch.program);
    went_alone.resize(counters.at.size() + 1);
    spread_alone(launch.program, *flow, names_groups ? pc + 1 : pc, names_groups, went_alone);
  }
}

CardCount card_count(const Ended& ended, const MemoryAccess& access) {
  const auto& [launch, counters, forms, depends, parted, grouped, went_alone] = ended;
  const AccessForm& form = forms.of[access.index];
  const InstructionCounters& c = counters.at[access.pc];
  CardCount card{access, access, c, form.doubt, form.note};
  card.access.op = form.op;
  card.changed = form.kind != AccessForm::kAsWritten || form.op != access.op || form.generic;
  const uint64_t threads = launch.shape.block.count() * (c.shared.requests ? 1 : launch.shape.grid.count());
  const auto take = [&](std::string reason) {
    if (!reason.empty()) card.doubt = std::move(reason);
  };
  if (is_counted(access)) take(influence(ended, access.pc, form));
  card.varies = varies(ended, access, form);
  take(unwritten_doubt(ended, form));
  if (form.retries && threads > kWarpSize)
    take(words("ptxas makes a loop of it, which tries again if another warp was faster"));
  take(parting_doubt(ended, access.pc, form));
  if (is_atomic(access) && access.space == Space::kGeneric && c.shared.requests)
    take(words("it is an atomic of shared memory by a generic address"));
  if (access.space == Space::kGeneric && c.local.requests)
    take(words("it is an access of local memory by a generic address"));
  if (counters.partial_copies.contains(access.pc)) take(words("some lanes copy only a part, or nothing but zeros"));
  const auto as_often = [&](uint32_t pc) {
    return counters.at[pc].warps == c.warps && counters.at[pc].threads == c.threads;
  };
  // ptxas moves a load to where its value is used. If nobody comes there, nobody makes it. If all warps come there, but
  // fewer lanes, an access of one sector or wavefront is still one.
  const bool loads = access.op == MemoryOp::kLoad;
  const auto never = [&](uint32_t pc) { return loads && counters.at[pc].warps == 0; };
  const auto in_one_piece = [&](uint32_t pc) {
    return loads && counters.at[pc].warps == c.warps && counters.at[pc].threads < c.threads &&
           c.global.requests == c.global.sectors && c.shared.requests == c.shared.wavefronts && c.local.requests == 0;
  };
  const bool is_unused = !form.moved_to.empty() && std::ranges::all_of(form.moved_to, never);
  if (!form.moved_to.empty() && !is_unused && std::ranges::none_of(form.moved_to, as_often) &&
      !std::ranges::all_of(form.moved_to, in_one_piece))
    card.doubt = words("ptxas makes it under other conditions, or in another loop");
  const auto is_one_way = [&](const OneWay& way) {
    const InstructionCounters &at = counters.at[way.branch], &probe = counters.at[way.probe];
    return way.all ? probe.warps == at.warps && probe.threads == at.threads : probe.warps == 0;
  };
  if (!std::ranges::all_of(form.one_way, is_one_way)) card.doubt = words("ptxas makes it under other conditions");
  switch (form.kind) {
    case AccessForm::kAsWritten: break;
    case AccessForm::kWider: {
      const WiderCounts& wider = counters.wider[access.neighbour - 1];
      take_width(card.counts, wider.widths.at(WiderCounts::index(form.bytes)));
      break;
    }
    case AccessForm::kGone: take_width(card.counts, {}); break;
    case AccessForm::kElected:
      card.counts.global.sectors = c.global.requests;
      card.counts.shared.wavefronts = card.counts.shared.ideal = card.counts.shared.fewest = c.shared.requests;
      break;
  }
  if (is_unused) {
    take_width(card.counts, {});
    card.changed = true;
    card.note = words("ptxas makes this access only where its value is used, and no thread came there");
  }
  // A generic atomic needs one wavefront of shared memory to find out that its address is not there. The card takes a
  // few more: 1,057 and 1,058 for 1,056 atomics of 1,056 blocks.
  card.looks_in_shared = form.generic && card.counts.global.requests;
  if (card.looks_in_shared) {
    InstructionCounters::Shared& shared = card.counts.shared;
    for (uint64_t* const count : {&shared.requests, &shared.wavefronts, &shared.ideal, &shared.fewest})
      *count += c.global.requests;
  }
  return card;
}

// No warp came to this access in the PTX. It is doubtful if ptxas may make it elsewhere, where warps come, or if
// threads may come in another order.
CardCount card_count_of_nobody(const Ended& ended, const MemoryAccess& access) {
  CardCount card{access, access, {}, {}, {}};
  const AccessForm& form = ended.forms.of[access.index];
  const bool moved = !form.moved_to.empty() || !form.one_way.empty() || form.early;
  if (moved)
    card.doubt = card_count(ended, access).doubt;
  else if (is_counted(access))
    card.doubt = influence(ended, access.pc, form);
  card.varies = varies(ended, access, form);
  return card;
}

std::string by_order() {
  return words("it depends on the order in which threads come to an atomic, or change memory that others read");
}

std::string order_doubt(const Ended& ended, uint32_t pc) { return influence(ended, pc, {}); }

std::string print_doubt(const Ended& ended, uint32_t pc, const PrintCounters& calls) {
  const AccessForm& form = ended.forms.prints.at(pc);
  if (!form.doubt.empty()) return form.doubt;
  if (!calls.known) return words("lockstep does not know what the card's printf() accesses for these arguments");
  for (const std::string& reason :
       {influence(ended, pc, form), unwritten_doubt(ended, form), parting_doubt(ended, pc, form)})
    if (!reason.empty()) return reason;
  return {};
}

}  // namespace lockstep
