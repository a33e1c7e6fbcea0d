#include "engine/mbarrier.h"

#include <cstdlib>
#include <string>

#include "engine/access.h"
#include "engine/block.h"
#include "engine/fault.h"
#include "engine/warp.h"

namespace lockstep {
namespace {

// Bits of the word, lowest first: 20 pending, 20 expected, 21 bytes (two's complement), parity, and a mark. Memory that
// was never initialised is unlikely to have the mark.
constexpr uint64_t kMark = uint64_t{2} << 62, kMarkBits = uint64_t{3} << 62;

}  // namespace

bool Mbarrier::is_one(uint64_t word) { return (word & kMarkBits) == kMark; }

Mbarrier Mbarrier::read(uint64_t word) {
  Mbarrier m;
  m.pending = word & kMost;
  m.expected = word >> 20 & kMost;
  m.bytes = static_cast<int32_t>(static_cast<uint32_t>(word >> 40) << 11) >> 11;
  m.odd = word >> 61 & 1;
  return m;
}

uint64_t Mbarrier::word() const {
  return kMark | uint64_t{odd} << 61 | (static_cast<uint64_t>(bytes) & 0x1fffff) << 40 | uint64_t{expected} << 20 |
         pending;
}

void Mbarrier::end_phase_if_complete() {
  if (pending != 0 || bytes != 0) return;
  pending = expected;
  odd = !odd;
}

const char* Mbarrier::arrive(uint32_t count) {
  if (count == 0 || count > pending) return "more arrivals than this phase of the mbarrier awaits";
  pending -= count;
  end_phase_if_complete();
  return nullptr;
}

const char* Mbarrier::drop(uint32_t count) {
  if (count > expected) return "more threads drop out of the mbarrier than take part in it";
  expected -= count;
  return arrive(count);
}

const char* Mbarrier::expect(int64_t more_bytes) {
  const int64_t sum = bytes + more_bytes;
  if (std::abs(sum) > kMost) return "more than 1048575 bytes under way at one mbarrier";
  bytes = static_cast<int32_t>(sum);
  end_phase_if_complete();
  return nullptr;
}

namespace {

void fail_mbarrier(Warp& warp, const MemoryAccess& access, uint32_t lane, const char* what, const char* next) {
  fail(warp, {Status::kIllegalInstruction, "bad_barrier", lane, access.pc, what, next});
}

uint64_t& word_at(Warp& warp, uint64_t address) {
  return *reinterpret_cast<uint64_t*>(warp.block().shared() + (address - kSharedBase));
}

constexpr const char* kCountNext =
    "Next: compare the count given to init with the threads that arrive, and let nobody arrive again before the phase "
    "is over.";

// Applies `change` to the lane's barrier. `change` gives an error text, or null.
template <class Change>
bool update(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address, const Change& change) {
  uint64_t& word = word_at(warp, address);
  if (!Mbarrier::is_one(word)) {
    fail_mbarrier(
        warp, access, lane, "an mbarrier that is not initialised",
        "Next: one thread calls init, and __syncthreads() lets the others see it; nobody uses it after inval.");
    return false;
  }
  Mbarrier barrier = Mbarrier::read(word);
  const char* wrong = change(barrier);
  if (wrong) return fail_mbarrier(warp, access, lane, wrong, kCountNext), false;
  word = barrier.word();
  return true;
}

void initialise(Warp& warp, const MbarrierUse& use, uint32_t lane, uint64_t address) {
  const uint32_t count = lanes<uint32_t>(warp.registers(), use.count)[lane];
  if (count == 0 || count > Mbarrier::kMost)
    return fail_mbarrier(warp, use.access, lane, "an mbarrier's count must lie between 1 and 1048575",
                         "Next: count the threads that will arrive in each phase.");
  Mbarrier barrier;
  barrier.pending = barrier.expected = count;
  word_at(warp, address) = barrier.word();
}

// The token holds the state before the arrival: the phase to wait for, and the pending arrivals.
void arrive(Warp& warp, const MbarrierUse& use, uint32_t lane, uint64_t address) {
  std::byte* file = warp.registers();
  const uint32_t count = use.count ? lanes<uint32_t>(file, use.count)[lane] : 1;
  const uint32_t bytes = use.bytes ? lanes<uint32_t>(file, use.bytes)[lane] : 0;
  uint64_t token = 0;
  update(warp, use.access, lane, address, [&](Mbarrier& barrier) {
    token = barrier.word();
    const bool odd = barrier.odd;
    const char* wrong = barrier.expect(bytes);
    if (!wrong) wrong = use.op == MbarrierOp::kArriveDrop ? barrier.drop(count) : barrier.arrive(count);
    if (!wrong && use.no_complete && barrier.odd != odd) wrong = "an arrival with .noComplete ends the phase";
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
  while (update(warp, use.access, lane, address, look) && !over)
    if (!warp.block().advance_copies(address)) break;
  return over;
}

}  // namespace

bool arrive_at(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address) {
  show_asynchronous_lane(warp, access, lane, address);
  return update(warp, access, lane, address, [](Mbarrier& barrier) { return barrier.arrive(1); });
}

bool bytes_came(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address, uint32_t bytes) {
  show_asynchronous_lane(warp, access, lane, address);
  return update(warp, access, lane, address, [&](Mbarrier& barrier) { return barrier.expect(-int64_t{bytes}); });
}

bool await_one_more(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address) {
  return update(warp, access, lane, address, [](Mbarrier& barrier) -> const char* {
    if (barrier.pending == Mbarrier::kMost) return "more than 1048575 arrivals awaited by an mbarrier";
    ++barrier.pending;
    return nullptr;
  });
}

bool find_mbarriers(Warp& warp, const MemoryAccess& access, Mask mask, uint64_t* out) {
  read_addresses(warp, access, mask, out);
  const Range shared{kSharedBase, kSharedBase + warp.launch().shape.shared_bytes};
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const uint32_t l = first_lane(rest);
    if (access.space == Space::kGeneric) {
      if (out[l] - kSharedWindow >= kWindowBytes) {
        fail_mbarrier(warp, access, l, "an mbarrier that is not in shared memory", "Next: declare it __shared__.");
        return false;
      }
      out[l] -= kSharedWindow;
    }
    if (out[l] % sizeof(uint64_t)) return fail_misaligned(warp, access, l, out[l]), false;
    if (!shared.contains(out[l], sizeof(uint64_t))) return fail_shared(warp, access, l, out[l]), false;
  }
  return true;
}

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
  for (Mask rest = mask; rest && !warp.state().faulted; rest &= rest - 1) {
    const uint32_t l = first_lane(rest);
    const auto bytes = [&] { return lanes<uint32_t>(file, use.bytes)[l]; };
    switch (use.op) {
      case MbarrierOp::kInit:
      case MbarrierOp::kInvalidate:
        // Copies that track the old object must not change the new one.
        while (warp.block().advance_copies(at[l])) {}
        if (use.op == MbarrierOp::kInit)
          initialise(warp, use, l, at[l]);
        else
          update(warp, use.access, l, at[l], [](Mbarrier&) -> const char* { return nullptr; }),
              word_at(warp, at[l]) = 0;
        break;
      case MbarrierOp::kArrive:
      case MbarrierOp::kArriveDrop: arrive(warp, use, l, at[l]); break;
      case MbarrierOp::kExpect:
        update(warp, use.access, l, at[l], [&](Mbarrier& barrier) { return barrier.expect(bytes()); });
        break;
      case MbarrierOp::kComplete: bytes_came(warp, use.access, l, at[l], bytes()); break;
      case MbarrierOp::kTest: over |= static_cast<Mask>(is_over(warp, use, l, at[l])) << l; break;
      case MbarrierOp::kPendingCount: break;
    }
  }
  if (use.op != MbarrierOp::kTest) return true;
  if (over) show_asynchronous(warp, use.access, over, at);
  Mask& d = *lanes<Mask>(file, use.d);
  d = (d & ~mask) | over;
  return over == mask;
}

}  // namespace lockstep
