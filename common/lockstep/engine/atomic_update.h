// atomic_update: how atom and red change memory: lane after lane; each lane sees what the lane before it wrote. In: a
// decoded access and the addresses of its lanes. Out: memory, and the old values where the kernel uses them. access.cc
// chooses one of these functions by operation and type.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "alu/arith.h"
#include "count/atomic_loop.h"
#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {

struct alignas(16) Bits128 {
  uint64_t low = 0, high = 0;
  bool operator==(const Bits128&) const = default;
};

// What to add to an address in this process to get its address on the card. For the allocation of the last access.
inline uint64_t card_shift(const Warp& warp, const MemoryAccess& access) {
  const Range& range = warp.state().last_range[access.index];
  return range.on_card - range.begin;
}

// As update_lanes, if other threads of the host may update the same cells. The kernel does not use the old values.
template <class T, class Function>
void update_shared_lanes(const T* b, Mask mask, const LaneAddresses& addresses, Function next) {
  for (const uint32_t l : each_lane(mask)) {
    const std::atomic_ref<T> cell(*reinterpret_cast<T*>(addresses.at[l]));
    T old = cell.load(std::memory_order_relaxed);
    while (!cell.compare_exchange_weak(old, next(old, b[l], l), std::memory_order_relaxed)) {}
  }
}

template <class T>
uint64_t bits_of(const T& value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// Counts an atomic that is a loop on the card, before update_lanes carries it out; `next` is the same as there.
template <class T, class Function>
void count_loop(const Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses,
                Function next) {
  const T* b = lanes<T>(warp.registers(), access.registers[1]);
  AtomicLoop loop;
  loop.mask = mask;
  const uint64_t shift = addresses.shared_begin ? -addresses.shared_begin : card_shift(warp, access);
  for (uint32_t l = 0; l < kWarpSize; ++l) loop.addresses[l] = addresses.at[l] + shift;
  loop.leaves_if_same = access.atomic == AtomicOp::kMin || access.atomic == AtomicOp::kMax;
  loop.next = [&](uint64_t old, uint32_t l) {
    T value;
    std::memcpy(&value, &old, sizeof value);
    return bits_of(next(value, b[l], l));
  };
  constexpr uint64_t kWhole = sizeof(T) == 2 ? 4 : sizeof(T);  // bytes that the loop reads and tries
  for (uint32_t l = 0; l < kWarpSize; ++l)
    std::memcpy(&loop.cells[l], reinterpret_cast<const void*>(addresses.at[l] & ~(kWhole - 1)), kWhole);
  if constexpr (std::is_same_v<T, uint16_t>) loop.compare = access.atomic == AtomicOp::kCas ? b : nullptr;
  const LoopTraffic traffic =
      sizeof(T) == 2 ? run_half_loop(loop, addresses.shared_begin != 0) : run_cast_loop(loop, kWhole);
  InstructionCounters& count = warp.state().counters.at[access.pc];
  count.loop.wavefronts += traffic.loads.total;
  count.loop.ideal += traffic.loads.ideal;
  count.shared.wavefronts += traffic.tries.total;
  count.shared.ideal += traffic.tries.ideal;
  count.shared.fewest += traffic.fewest;
  if (addresses.shared_begin) return;
  ++count.loop.requests;
  count.loop.sectors += traffic.load_sectors;
  count.global.requests += traffic.rounds;
  count.global.sectors += traffic.try_sectors;
}

// Updates lane after lane, the lowest first: one of the orders that a card may choose.
template <class T, class Function>
void update_lanes(const Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses,
                  Function next) {
  std::byte* registers = warp.registers();
  const T* b = lanes<T>(registers, access.registers[1]);
  if constexpr (sizeof(T) <= 8)
    if (is_atomic_loop(access, addresses.shared_begin != 0)) count_loop<T>(warp, access, mask, addresses, next);
  if constexpr (std::is_integral_v<T>)
    if (warp.state().concurrent && access.space != Space::kShared) return update_shared_lanes(b, mask, addresses, next);
  if (access.op == MemoryOp::kReduction) {  // the kernel does not use the old values
    for (const uint32_t l : each_lane(mask)) {
      T& cell = *reinterpret_cast<T*>(addresses.at[l]);
      cell = next(cell, b[l], l);
    }
    return;
  }
  std::array<T, kWarpSize> old;
  uint64_t changes = 0;
  for (const uint32_t l : each_lane(mask)) {
    T& cell = *reinterpret_cast<T*>(addresses.at[l]);
    old[l] = cell;
    cell = next(cell, b[l], l);
    changes += std::memcmp(&old[l], &cell, sizeof(T)) != 0;
  }
  warp.state().changes += changes;
  if (access.registers[0] == 0) return;
  T* d = lanes<T>(registers, access.registers[0]);
  for (const uint32_t l : each_lane(mask)) d[l] = old[l];
}

// T: the type in which values are added and compared.
template <class T>
void update_number(const Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  const auto update = [&](auto next) { update_lanes<T>(warp, access, mask, addresses, next); };
  switch (access.atomic) {
    case AtomicOp::kAdd: return update([](T a, T b, uint32_t) { return baseline::add(a, b); });
    case AtomicOp::kMin: return update([](T a, T b, uint32_t) { return std::min(a, b); });
    case AtomicOp::kMax: return update([](T a, T b, uint32_t) { return std::max(a, b); });
    default: break;
  }
}

template <class T>
T float_sum(T a, T b) {
  using namespace baseline;
  constexpr FloatMode kMode{};
  if constexpr (std::is_floating_point_v<T>)
    return add(a, b, kMode);
  else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>)
    return finish_half<T>(to_double(a) + to_double(b), kMode);
  else if constexpr (std::is_same_v<T, Half2>)
    return pair<Half>(float_sum(high<Half>(a), high<Half>(b)), float_sum(low<Half>(a), low<Half>(b)));
  else
    return pair<Bfloat>(float_sum(high<Bfloat>(a), high<Bfloat>(b)), float_sum(low<Bfloat>(a), low<Bfloat>(b)));
}

template <class T>
void update_float(const Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  update_lanes<T>(warp, access, mask, addresses, [](T a, T b, uint32_t) { return float_sum(a, b); });
}

// T: an unsigned integer of the access's width.
template <class T>
void update_bits(const Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  const auto update = [&](auto next) { update_lanes<T>(warp, access, mask, addresses, next); };
  switch (access.atomic) {
    case AtomicOp::kAnd: return update([](T a, T b, uint32_t) { return static_cast<T>(a & b); });
    case AtomicOp::kOr: return update([](T a, T b, uint32_t) { return static_cast<T>(a | b); });
    case AtomicOp::kXor: return update([](T a, T b, uint32_t) { return static_cast<T>(a ^ b); });
    case AtomicOp::kInc: return update([](T a, T b, uint32_t) { return static_cast<T>(a >= b ? 0 : a + 1); });
    case AtomicOp::kDec: return update([](T a, T b, uint32_t) { return static_cast<T>(a == 0 || a > b ? b : a - 1); });
    default: break;
  }
}

// exch and cas. T: any type that can be compared.
template <class T>
void exchange(const Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  const T* c = access.operand2 ? lanes<T>(warp.registers(), access.operand2) : nullptr;
  update_lanes<T>(warp, access, mask, addresses, [c](const T& a, const T& b, uint32_t l) {
    return !c ? b : a == b ? c[l] : a;
  });
}

}  // namespace lockstep
