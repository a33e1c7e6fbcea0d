#include "engine/mbarrier.h"

#include <cmath>
#include <cstdlib>

#include "base/words.h"
#include "engine/access.h"
#include "engine/block.h"
#include "engine/fault.h"

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
  if (count == 0 || count > pending) return later("more arrivals than this phase of the mbarrier awaits");
  pending -= count;
  end_phase_if_complete();
  return nullptr;
}

const char* Mbarrier::drop(uint32_t count) {
  if (count > expected) return later("more threads drop out of the mbarrier than take part in it");
  expected -= count;
  return arrive(count);
}

const char* Mbarrier::expect(int64_t more_bytes) {
  const int64_t sum = bytes + more_bytes;
  if (std::abs(sum) > kMost) return later("more than 1048575 bytes under way at one mbarrier");
  bytes = static_cast<int32_t>(sum);
  end_phase_if_complete();
  return nullptr;
}

const char* Mbarrier::await_one_more() {
  if (pending == kMost) return later("more than 1048575 arrivals awaited by an mbarrier");
  ++pending;
  return nullptr;
}

uint64_t& mbarrier_word(Warp& warp, uint64_t address) {
  return *reinterpret_cast<uint64_t*>(warp.block().shared() + (address - kSharedBase));
}

void fail_mbarrier(Warp& warp, const MemoryAccess& access, uint32_t lane, const char* what, const char* next) {
  fail(warp, {Status::kIllegalInstruction, "bad_barrier", lane, access.pc, words(what), "Next: " + words(next)});
}

uint64_t* initialised_word(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address) {
  uint64_t& word = mbarrier_word(warp, address);
  if (Mbarrier::is_one(word)) return &word;
  fail_mbarrier(warp, access, lane, later("an mbarrier that is not initialised"),
                later("let one thread call init(), and put __syncthreads() between init() and the first use."));
  return nullptr;
}

bool arrive_at(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address) {
  show_asynchronous_lane(warp, access, lane, address);
  return update_mbarrier(warp, access, lane, address, [](Mbarrier& barrier) { return barrier.arrive(1); });
}

bool bytes_came(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address, uint32_t bytes) {
  show_asynchronous_lane(warp, access, lane, address);
  return update_mbarrier(warp, access, lane, address,
                         [&](Mbarrier& barrier) { return barrier.expect(-int64_t{bytes}); });
}

bool find_mbarriers(Warp& warp, const MemoryAccess& access, Mask mask, uint64_t* out) {
  read_addresses(warp, access, mask, out);
  for (const uint32_t l : each_lane(mask)) {
    if (access.space == Space::kGeneric) {
      if (out[l] - kSharedWindow >= kWindowBytes) {
        fail_mbarrier(warp, access, l, later("an mbarrier that is not in shared memory"),
                      later("declare it __shared__."));
        return false;
      }
      out[l] -= kSharedWindow;
    }
    if (!may_access(warp, access, Space::kShared, l, out[l])) return false;
  }
  return true;
}

}  // namespace lockstep
