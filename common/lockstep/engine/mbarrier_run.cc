#include "engine/mbarrier_run.h"

#include "base/words.h"
#include "engine/access.h"
#include "engine/async_copy.h"
#include "engine/launch_state.h"
#include "engine/mbarrier.h"
#include "engine/warp.h"

namespace lockstep {
namespace {

void initialise(Warp& warp, const MbarrierUse& use, uint32_t lane, uint64_t address) {
  const uint32_t count = lanes<uint32_t>(warp.registers(), use.count)[lane];
  if (count == 0 || count > Mbarrier::kMost)
    return fail_mbarrier(warp, use.access, lane, later("an mbarrier's count must lie between 1 and 1048575"),
                         later("give init() the number of threads that arrive in each phase."));
  Mbarrier barrier;
  barrier.pending = barrier.expected = count;
  mbarrier_word(warp, address) = barrier.word();
}

// The token holds the state before the arrival: the phase to wait for, and the pending arrivals.
void arrive(Warp& warp, const MbarrierUse& use, uint32_t lane, uint64_t address) {
  std::byte* file = warp.registers();
  const uint32_t count = use.count ? lanes<uint32_t>(file, use.count)[lane] : 1;
  const uint32_t bytes = use.bytes ? lanes<uint32_t>(file, use.bytes)[lane] : 0;
  uint64_t token = 0;
  update_mbarrier(warp, use.access, lane, address, [&](Mbarrier& barrier) {
    token = barrier.word();
    const bool odd = barrier.odd;
    const char* wrong = barrier.expect(bytes);
    if (!wrong) wrong = use.op == MbarrierOp::kArriveDrop ? barrier.drop(count) : barrier.arrive(count);
    if (!wrong && use.no_complete && barrier.odd != odd) wrong = later("an arrival with .noComplete ends the phase");
    return wrong;
  });
  if (use.d) lanes<uint64_t>(file, use.d)[lane] = token;
}

// Whether the phase that the lane waits for is over. If not, the copies that it waits for happen now.
bool is_over(Warp& warp, const MbarrierUse& use, uint32_t lane, uint64_t address) {
  std::byte* file = warp.registers();
  const bool odd = use.parity ? lanes<uint32_t>(file, use.phase)[lane] & 1
                              : Mbarrier::read(lanes<uint64_t>(file, use.phase)[lane]).odd;
  bool over = false;
  const auto look = [&](Mbarrier& barrier) -> const char* {
    over = barrier.odd != odd;
    return nullptr;
  };
  while (update_mbarrier(warp, use.access, lane, address, look) && !over)
    if (!advance_copies(warp.block(), address)) break;
  return over;
}

}  // namespace

bool run_mbarrier(Warp& warp, const MbarrierUse& use, Mask mask) {
  std::byte* file = warp.registers();
  if (use.op == MbarrierOp::kPendingCount) {
    write_lanes(file, use.d, Width::k32, mask,
                [&](uint32_t l) { return Mbarrier::read(lanes<uint64_t>(file, use.phase)[l]).pending; });
    return true;
  }
  uint64_t at[kWarpSize];
  if (!find_mbarriers(warp, use.access, mask, at)) return true;
  if (use.op != MbarrierOp::kTest) show_asynchronous(warp, use.access, mask, at);
  Mask over = 0;
  const bool arrives = use.op == MbarrierOp::kArrive || use.op == MbarrierOp::kArriveDrop;
  for (const uint32_t l : each_lane(mask)) {
    if (warp.state().faulted) break;
    if (arrives) warp.hand_over_at(at[l]);
    const auto bytes = [&] { return lanes<uint32_t>(file, use.bytes)[l]; };
    switch (use.op) {
      case MbarrierOp::kInit:
      case MbarrierOp::kInvalidate:
        // Copies that track the old object must not change the new one.
        while (advance_copies(warp.block(), at[l])) {}
        if (use.op == MbarrierOp::kInit)
          initialise(warp, use, l, at[l]);
        else if (uint64_t* word = initialised_word(warp, use.access, l, at[l]))
          *word = 0;
        break;
      case MbarrierOp::kArrive:
      case MbarrierOp::kArriveDrop: arrive(warp, use, l, at[l]); break;
      case MbarrierOp::kExpect:
        update_mbarrier(warp, use.access, l, at[l], [&](Mbarrier& barrier) { return barrier.expect(bytes()); });
        break;
      case MbarrierOp::kComplete: bytes_came(warp, use.access, l, at[l], bytes()); break;
      case MbarrierOp::kTest: over |= static_cast<Mask>(is_over(warp, use, l, at[l])) << l; break;
      case MbarrierOp::kPendingCount: break;
    }
  }
  if (use.op != MbarrierOp::kTest) return true;
  if (over) show_asynchronous(warp, use.access, over, at);
  for (const uint32_t l : each_lane(over)) warp.take_over_at(at[l]);
  set_predicate(file, use.d, over, mask);
  return over == mask;
}

}  // namespace lockstep
