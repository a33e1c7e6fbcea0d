// row_access: loads and stores of a row of lanes (row.h): addresses, counters and data in one pass. Accesses that are
// not rows, that are out of bounds, or that somebody looks at are left to access.
#pragma once

#include "base/widest.h"
#include "count/row.h"
#include "engine/host_access.h"
#include "engine/traffic_access.h"

namespace lockstep {

// Device memory and registers never overlap, so these loops become vector code. Row::stride equals the whole access:
// lane after lane, element after element.
template <class T, class R, uint32_t count>
void load_packed(R* __restrict const* d, const T* __restrict from) {
  R* __restrict d0 = d[0], * __restrict d1 = d[1], * __restrict d2 = d[2], * __restrict d3 = d[3];
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    d0[l] = static_cast<R>(from[count * l]);
    if constexpr (count > 1) d1[l] = static_cast<R>(from[count * l + 1]);
    if constexpr (count > 2) d2[l] = static_cast<R>(from[count * l + 2]), d3[l] = static_cast<R>(from[count * l + 3]);
  }
}

template <class T, class R, uint32_t count>
void store_packed(T* __restrict to, const R* __restrict const* a) {
  const R* __restrict a0 = a[0], * __restrict a1 = a[1], * __restrict a2 = a[2], * __restrict a3 = a[3];
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    to[count * l] = static_cast<T>(a0[l]);
    if constexpr (count > 1) to[count * l + 1] = static_cast<T>(a1[l]);
    if constexpr (count > 2) to[count * l + 2] = static_cast<T>(a2[l]), to[count * l + 3] = static_cast<T>(a3[l]);
  }
}

// 16 bytes a lane, the widest access: eight lanes at a time, as two squares of four words side by side. The compiler's
// own code needs a third more shuffles.
using Words = uint32_t __attribute__((vector_size(32), aligned(4), may_alias));

// Four rows of eight words → four columns, each half for itself.
[[gnu::always_inline]] inline void transpose_halves(Words& p, Words& q, Words& r, Words& s) {
  const Words a = __builtin_shufflevector(p, q, 0, 8, 1, 9, 4, 12, 5, 13);
  const Words b = __builtin_shufflevector(p, q, 2, 10, 3, 11, 6, 14, 7, 15);
  const Words c = __builtin_shufflevector(r, s, 0, 8, 1, 9, 4, 12, 5, 13);
  const Words d = __builtin_shufflevector(r, s, 2, 10, 3, 11, 6, 14, 7, 15);
  p = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
  q = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
  r = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
  s = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}
// first: the first halves of p and q; second: their second halves.
[[gnu::always_inline]] inline void exchange_halves(const Words& p, const Words& q, Words& first, Words& second) {
  first = __builtin_shufflevector(p, q, 0, 1, 2, 3, 8, 9, 10, 11);
  second = __builtin_shufflevector(p, q, 4, 5, 6, 7, 12, 13, 14, 15);
}
inline Words& words(uint32_t* at) { return *reinterpret_cast<Words*>(at); }
inline const Words& words(const uint32_t* at) { return *reinterpret_cast<const Words*>(at); }

template <>
inline void load_packed<uint32_t, uint32_t, 4>(uint32_t* __restrict const* d, const uint32_t* __restrict from) {
  uint32_t* __restrict d0 = d[0], * __restrict d1 = d[1], * __restrict d2 = d[2], * __restrict d3 = d[3];
  for (uint32_t l = 0; l < kWarpSize; l += 8, from += 32) {
    Words p, q, r, s;
    exchange_halves(words(from), words(from + 16), p, q);
    exchange_halves(words(from + 8), words(from + 24), r, s);
    transpose_halves(p, q, r, s);
    words(d0 + l) = p, words(d1 + l) = q, words(d2 + l) = r, words(d3 + l) = s;
  }
}

template <>
inline void store_packed<uint32_t, uint32_t, 4>(uint32_t* __restrict to, const uint32_t* __restrict const* a) {
  const uint32_t* __restrict a0 = a[0], * __restrict a1 = a[1], * __restrict a2 = a[2], * __restrict a3 = a[3];
  for (uint32_t l = 0; l < kWarpSize; l += 8, to += 32) {
    Words p = words(a0 + l), q = words(a1 + l), r = words(a2 + l), s = words(a3 + l);
    transpose_halves(p, q, r, s);
    exchange_halves(p, q, words(to), words(to + 16));
    exchange_halves(r, s, words(to + 8), words(to + 24));
  }
}

template <class T, class R>
void load_row(const Warp& warp, const MemoryAccess& access, const Row& row) {
  if (row.is_full() && row.stride == sizeof(T) && access.count == 1 && access.registers[0]) {  // the usual case
    R* __restrict d = lanes<R>(warp.registers(), access.registers[0]);
    const T* __restrict from = reinterpret_cast<const T*>(row.first);
    for (uint32_t l = 0; l < kWarpSize; ++l) d[l] = static_cast<R>(from[l]);
    return;
  }
  alignas(64) R unwanted[kWarpSize];
  R* __restrict d[4];
  for (uint32_t e = 0; e < 4; ++e)
    d[e] = (e < access.count && access.registers[e] ? lanes<R>(warp.registers(), access.registers[e]) : unwanted) +
           row.begin;
  const auto* from = reinterpret_cast<const T*>(row.first);
  if (row.is_full() && access.count > 1 && row.stride == static_cast<int64_t>(sizeof(T) * access.count)) {
    return access.count == 2 ? widest<load_packed<T, R, 2>>(d, from) : widest<load_packed<T, R, 4>>(d, from);
  }
  for (uint32_t e = 0; e < access.count; ++e) {
    if (row.stride == 0 && row.is_full())
      std::fill_n(d[e], kWarpSize, static_cast<R>(from[e]));
    else
      for (uint32_t i = 0; i < row.count; ++i) d[e][i] = static_cast<R>(reinterpret_cast<const T*>(row.at(i))[e]);
  }
}

// The i-th lane to store is lane i ^ store_order(access). If several lanes store to one place, a card keeps the value
// of the lowest lane (docs/counters.md has the measurement). A card stores at most 128 bytes at a time. So with 8 or 16
// bytes a lane, the last half or quarter of the warp decides.
inline uint32_t store_order(const MemoryAccess& access) {
  return std::min(32u, 128u / (access.bytes * access.count)) - 1;
}

template <class T, class R>
void store_row(const Warp& warp, const MemoryAccess& access, const Row& row) {
  if (row.is_full() && row.stride == sizeof(T) && access.count == 1) {  // the usual case
    const R* __restrict a = lanes<R>(warp.registers(), access.registers[0]);
    T* __restrict to = reinterpret_cast<T*>(row.first);
    for (uint32_t l = 0; l < kWarpSize; ++l) to[l] = static_cast<T>(a[l]);
    return;
  }
  const R* __restrict a[4];
  for (uint32_t e = 0; e < 4; ++e)
    a[e] = lanes<R>(warp.registers(), access.registers[e < access.count ? e : 0]) + row.begin;
  auto* to = reinterpret_cast<T*>(row.first);
  if (row.stride == 0) {
    const uint32_t last_part = (row.begin + row.count - 1) & ~store_order(access);
    const uint32_t stays = std::max(row.begin, last_part) - row.begin;
    for (uint32_t e = 0; e < access.count; ++e) to[e] = static_cast<T>(a[e][stays]);
    return;
  }
  if (row.is_full() && access.count > 1 && row.stride == static_cast<int64_t>(sizeof(T) * access.count)) {
    return access.count == 2 ? widest<store_packed<T, R, 2>>(to, a) : widest<store_packed<T, R, 4>>(to, a);
  }
  for (uint32_t e = 0; e < access.count; ++e)
    for (uint32_t i = 0; i < row.count; ++i) reinterpret_cast<T*>(row.at(i))[e] = static_cast<T>(a[e][i]);
}

using RowMover = void (*)(const Warp&, const MemoryAccess&, const Row&);

// Most accesses go this way: a row, within bounds. False: nothing was done.
template <RowMover move>
bool access_global_row(Warp& warp, const MemoryAccess& access, const Row& row) {
  const Launch& launch = warp.launch();
  LaunchState& state = warp.state();
  const Range& range = state.last_range[access.index];
  const uint32_t bytes = access.bytes * access.count;
  if (!row.inside(range, bytes)) {
    const Range found = launch.memory.find(row.first);
    if (!row.inside(found, bytes) || state.sees_other(access, found)) return false;
    state.reaches(access, found);
  }
  InstructionCounters& count = state.counters.at[access.pc];
  ++count.global.requests;
  count.global.threads += row.count;
  count.global.sectors += global_sectors(row);
  if (launch.counts_traffic) count_traffic(warp, access, row);
  count_host_row(warp, access, range, row);
  move(warp, access, row);
  return true;
}

template <RowMover move>
bool access_shared_row(Warp& warp, const MemoryAccess& access, const Row& row) {
  const Launch& launch = warp.launch();
  const uint32_t bytes = access.bytes * access.count;
  if (!row.inside({kSharedBase, kSharedBase + launch.shape.shared_bytes}, bytes)) return false;
  const auto wavefronts = shared_wavefronts(row, bytes, access.op == MemoryOp::kLoad);
  if (!wavefronts) return false;
  InstructionCounters& count = warp.state().counters.at[access.pc];
  ++count.shared.requests;
  count.shared.threads += row.count;
  count.shared.wavefronts += wavefronts->total;
  count.shared.ideal += wavefronts->ideal;
  if (access.neighbour) [[unlikely]]
    count_wider_shared(warp, access, row);
  if (access.waited) wait_for_shared(warp, *wavefronts);
  Row in_process = row;
  in_process.first += reinterpret_cast<uint64_t>(warp.block().shared()) - kSharedBase;
  move(warp, access, in_process);
  return true;
}

inline bool find_row(const Warp& warp, const MemoryAccess& access, Mask mask, Row* found) {
  const std::byte* registers = warp.registers() + access.base;
  return access.base != 0 && (access.wide_base ? widest<find_row<uint64_t>>(registers, mask, access.offset, found)
                                               : widest<find_row<uint32_t>>(registers, mask, access.offset, found));
}

// Also notes what is written of shared memory. It stands apart, because the test for it in access_shared_row() cost all
// accesses to shared memory up to 4.5 % of their instructions.
template <RowMover move>
[[gnu::noinline]] bool access_noted_row(Warp& warp, const MemoryAccess& access, Mask mask) {
  Row row;
  if (!warp.launch().only_notes_written(access) || !find_row(warp, access, mask, &row) ||
      !access_shared_row<move>(warp, access, row))
    return false;
  row.first -= kSharedBase;
  if (!warp.block().written().note(access, row)) warp.state().unwritten[access.index] = true;
  return true;
}

template <Space space, RowMover move>
bool access_row(Warp& warp, const MemoryAccess& access, Mask mask) {
  if (warp.launch().looks_at(access, space)) {
    if constexpr (space == Space::kShared) return access_noted_row<move>(warp, access, mask);
    return false;
  }
  Row row;
  if (!find_row(warp, access, mask, &row)) return false;
  if constexpr (space == Space::kGlobal || space == Space::kGeneric) return access_global_row<move>(warp, access, row);
  if constexpr (space == Space::kShared) return access_shared_row<move>(warp, access, row);
  return false;
}

}  // namespace lockstep
