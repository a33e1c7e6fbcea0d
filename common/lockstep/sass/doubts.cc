// doubts: a program without its machine code → the accesses that ptxas might change.
#include "count/atomic_loop.h"
#include "sass/forms.h"

namespace lockstep {
namespace {

bool is_atomic(const MemoryAccess& access) {
  return access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
}

// Why a card may count another number for this access; empty: ptxas has no reason to change it.
std::string doubt_of(const MemoryAccess& access, const Place& place) {
  if (access.neighbour) return "ptxas may join it with the access beside it";
  if (access.space == Space::kLocal) return "ptxas may keep the array in registers";
  if (place.loops > 0) return "ptxas may unroll the loop";
  if (place.conditional && access.op == MemoryOp::kLoad && access.space == Space::kShared)
    return "ptxas may move it out of its condition";
  if (is_atomic(access)) return "ptxas may let one lane make the atomic for its warp";
  return {};
}

}  // namespace

Forms judge_alone(const Program& program) {
  Forms forms;
  forms.of.resize(program.accesses.size());
  forms.places = places(program);
  for (const MemoryAccess& access : program.accesses) {
    AccessForm& form = forms.of[access.index];
    form.op = access.op;
    form.retries = is_atomic(access) && is_atomic_loop(access, access.space == Space::kShared);
    form.doubt = doubt_of(access, forms.places[access.pc]);
  }
  return forms;
}

}  // namespace lockstep
