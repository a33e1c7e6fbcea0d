// row: lanes side by side whose addresses are equally far apart, as in most accesses. For a row, a few numbers give the
// results that accesses and counters otherwise compute lane by lane. A test compares the two.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <type_traits>

#include "base/address.h"
#include "count/counters.h"

namespace lockstep {

struct Row {
  uint64_t first = 0;                     // the address of lane `begin`
  int64_t stride = 0;                     // from one lane to the next, in bytes
  uint32_t begin = 0, count = kWarpSize;  // the lanes [begin, begin + count)

  uint64_t at(uint32_t i) const { return first + i * static_cast<uint64_t>(stride); }  // of lane begin + i
  uint64_t last() const { return at(count - 1); }
  bool is_full() const { return count == kWarpSize; }
  Mask mask() const { return is_full() ? kFullMask : ((1u << count) - 1) << begin; }
  // Whether all lanes' `bytes` lie in the range, at multiples of bytes (a power of two).
  bool inside(Range range, uint32_t bytes) const {
    const uint64_t low = std::min(first, last()), high = std::max(first, last());
    return ((first | static_cast<uint64_t>(stride)) & (bytes - 1)) == 0 && range.contains(low, high - low + bytes);
  }
};

// Whether the registers hold a row in these lanes; if so, sets `found` to it. A step of more than half of the type's
// range is a step downwards.
template <class Unsigned>
bool find_row(const std::byte* file, Mask mask, int64_t offset, Row* found) {
  const auto* registers = reinterpret_cast<const Unsigned*>(file);
  Row& row = *found;
  if (mask == kFullMask) {  // loops of fixed length become vector code
    row.begin = 0;
    row.count = kWarpSize;
  } else {
    row.begin = first_lane(mask);
    row.count = static_cast<uint32_t>(std::popcount(mask));
    if (mask >> row.begin != (1u << row.count) - 1) return false;  // not side by side
    registers += row.begin;
  }
  const Unsigned first = registers[0];
  const auto stride = static_cast<Unsigned>(row.count > 1 ? registers[1] - first : 0);
  if (static_cast<Unsigned>(first + (row.count - 1) * stride) != registers[row.count - 1]) return false;
  Unsigned difference = 0, expected = first;
  if (mask == kFullMask)
    for (int l = 0; l < kWarpSize; ++l, expected += stride) difference |= registers[l] ^ expected;
  else
    for (uint32_t l = 0; l < row.count; ++l, expected += stride) difference |= registers[l] ^ expected;
  row.first = first + static_cast<uint64_t>(offset);
  row.stride = static_cast<std::make_signed_t<Unsigned>>(stride);
  return difference == 0;
}

// Distinct sectors of 32 bytes. An access lies in one sector, since it is aligned and at most 16 bytes long.
inline uint32_t global_sectors(const Row& row) {
  constexpr int64_t kSector = 32;
  if (row.stride >= kSector || row.stride <= -kSector) return row.count;
  const uint64_t a = row.first / kSector, b = row.last() / kSector;
  return static_cast<uint32_t>((a < b ? b - a : a - b) + 1);
}

// As shared_wavefronts(); no value if the lanes must be looked at one by one.
inline std::optional<Wavefronts> shared_wavefronts(const Row& row, uint32_t bytes, bool merges) {
  const uint32_t words = std::max(1u, bytes / 4);  // = phases
  if (words > 1 && !row.is_full()) return std::nullopt;
  if (row.stride == bytes) return Wavefronts{words, words};
  if (row.stride == 0) {  // one address for all lanes: loads merge phases by pairs of lanes
    const uint32_t phases = merges && words > 1 ? words / 2 : words;
    return Wavefronts{phases, phases};
  }
  if (words > 1 || row.stride % 4 != 0) return std::nullopt;
  // So many of 32 lanes use the same bank, since there are as many banks as lanes.
  const uint32_t lanes_a_bank = std::gcd(static_cast<uint32_t>(row.stride / 4) % kWarpSize, uint32_t{kWarpSize});
  return Wavefronts{(row.count * lanes_a_bank + kWarpSize - 1) / kWarpSize, 1};
}

}  // namespace lockstep
