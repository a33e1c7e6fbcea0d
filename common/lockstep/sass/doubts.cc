// doubts: a program without its machine code → the accesses that ptxas might change.
#include "base/words.h"
#include "count/atomic_loop.h"
#include "program/register_use.h"
#include "sass/forms.h"
#include "sass/influence.h"
#include "sass/program_flow.h"

namespace lockstep {
namespace {

// Why a card may count another number for this access; empty: ptxas has no reason to change it.
std::string doubt_of(const MemoryAccess& access, const Place& place, bool conditional) {
  if (access.neighbour) return words("ptxas may join it with the access beside it");
  if (access.space == Space::kLocal) return words("ptxas may keep the array in registers");
  if (place.loops > 0) return words("ptxas may unroll the loop");
  if (conditional && access.op == MemoryOp::kLoad && access.space == Space::kShared)
    return words("ptxas may move it out of its condition");
  if (is_atomic(access)) return words("ptxas may let one lane make the atomic for its warp");
  return {};
}

}  // namespace

Forms judge_alone(const Program& program) {
  Forms forms;
  const FlowFacts facts(flow_of(program));
  forms.own = dependence(program, facts);
  forms.unwritten_reads = unwritten_reads(program, facts);
  const ByInstruction unwritten = depend_on_unwritten(program, facts, forms.unwritten_reads);
  forms.of.resize(program.accesses.size());
  forms.places = facts.places();
  forms.spills = true;
  for (const MemoryAccess& access : program.accesses) {
    AccessForm& form = forms.of[access.index];
    form.op = access.op;
    const Instruction& in = program.code[access.pc];
    if (!plain_access(program, in)) continue;
    const Place& place = forms.places[access.pc];
    form.parts = place.merges;
    form.retries = is_atomic(access) && is_atomic_loop(access, access.space == Space::kShared);
    form.doubt = in.kind == Kind::kMatrix ? words("ptxas makes several accesses of one of a matrix")
                                          : doubt_of(access, place, !facts.conditions(access.pc).empty());
    form.unwritten = unwritten[access.pc];
  }
  for (uint32_t pc = 0; pc < program.code.size(); ++pc)
    if (prints(program, program.code[pc])) forms.prints[pc].doubt = words("on the card, printf() accesses memory, too");
  return forms;
}

}  // namespace lockstep
