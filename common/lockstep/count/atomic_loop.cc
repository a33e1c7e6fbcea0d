#include "count/atomic_loop.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr uint32_t kCasWavefronts = 2;

// Memory as the loop would leave it: one value for each address.
class Cells {
 public:
  Cells(const std::array<uint64_t, kWarpSize>& addresses, const std::array<uint64_t, kWarpSize>& values, Mask mask) {
    for (; mask; mask &= mask - 1) {
      const uint32_t l = first_lane(mask);
      const auto found = std::find(known_.begin(), known_.begin() + count_, addresses[l]);
      slot_[l] = static_cast<uint32_t>(found - known_.begin());
      if (slot_[l] < count_) continue;
      known_[count_] = addresses[l];
      value_[count_++] = values[l];
    }
  }
  uint64_t& at(uint32_t lane) { return value_[slot_[lane]]; }

 private:
  std::array<uint64_t, kWarpSize> known_{}, value_{};
  std::array<uint32_t, kWarpSize> slot_{};
  uint32_t count_ = 0;
};

void add(Wavefronts& sum, const Wavefronts& w) {
  sum.total += w.total;
  sum.ideal += w.ideal;
}

}  // namespace

bool is_atomic_loop(const MemoryAccess& access, bool in_shared) {
  if (access.bytes == 2) return true;
  if (!in_shared || access.atomic == AtomicOp::kExch || access.atomic == AtomicOp::kCas) return false;
  return access.bytes == 8 || access.type == Type::kF32 || access.type == Type::kF16x2 || access.type == Type::kBf16x2;
}

LoopTraffic run_cast_loop(const AtomicLoop& loop, uint32_t bytes) {
  LoopTraffic traffic;
  Cells cells(loop.addresses, loop.cells, loop.mask);
  std::array<uint64_t, kWarpSize> seen{}, wanted{};
  const uint32_t width = kWarpSize / (bytes / 4);
  for (Mask waiting = loop.mask; waiting;) {
    add(traffic.loads, shared_wavefronts(loop.addresses.data(), waiting, bytes, true));
    for (Mask rest = waiting; rest; rest &= rest - 1) {
      const uint32_t l = first_lane(rest);
      seen[l] = cells.at(l);
      wanted[l] = loop.next(seen[l], l);
      if (loop.leaves_if_same && wanted[l] == seen[l]) waiting &= ~(1u << l);
    }
    const Mask tried = waiting;
    for (uint32_t first = 0; first < kWarpSize; first += width) {
      Mask phase = tried >> first & (width == 32 ? kFullMask : (1u << width) - 1);
      if (phase) add(traffic.tries, {2, 2});
      uint32_t busy = 0;  // banks
      for (; phase; phase &= phase - 1) {
        const uint32_t l = first + first_lane(phase), bank = 1u << loop.addresses[l] / 4 % 32;
        if (busy & bank) continue;
        busy |= bank;
        if (cells.at(l) != seen[l]) continue;  // the phase before changed it
        cells.at(l) = wanted[l];
        waiting &= ~(1u << l);
      }
    }
    if (!traffic.fewest) traffic.fewest = traffic.loads.ideal + traffic.tries.total;  // of the first round
  }
  return traffic;
}

LoopTraffic run_half_loop(const AtomicLoop& loop, bool in_shared) {
  LoopTraffic traffic;
  std::array<uint64_t, kWarpSize> words{}, seen = loop.cells;
  for (uint32_t l = 0; l < kWarpSize; ++l) words[l] = loop.addresses[l] & ~uint64_t{3};
  const auto half_shift = [&](uint32_t l) { return loop.addresses[l] % 4 * 8; };
  const auto with_half = [&](uint64_t word, uint64_t half, uint32_t l) {
    return (word & ~(uint64_t{0xffff} << half_shift(l))) | half << half_shift(l);
  };
  if (in_shared)
    traffic.loads = shared_wavefronts(words.data(), loop.mask, 4, true), traffic.fewest = 1 + kCasWavefronts;
  else
    traffic.load_sectors = global_sectors(words.data(), loop.mask, 4);
  Cells cells(words, loop.cells, loop.mask);
  for (Mask waiting = loop.mask; waiting; ++traffic.rounds) {
    if (in_shared)
      add(traffic.tries, shared_atomic_wavefronts(words.data(), waiting, 4, SharedAtomic::kCas));
    else
      traffic.try_sectors += global_atomic_sectors(words.data(), waiting, 4, true);
    for (Mask rest = waiting; rest; rest &= rest - 1) {
      const uint32_t l = first_lane(rest);
      const uint64_t expected = loop.compare ? with_half(seen[l], loop.compare[l], l) : seen[l];
      const uint64_t found = cells.at(l);
      if (found == expected) cells.at(l) = with_half(found, loop.next(found >> half_shift(l) & 0xffff, l), l);
      seen[l] = found;
      const bool done = loop.compare ? with_half(found, 0, l) == with_half(expected, 0, l) : found == expected;
      if (done) waiting &= ~(1u << l);
    }
  }
  return traffic;
}

}  // namespace lockstep
