#include "engine/access.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/atomic_update.h"
#include "engine/global_races.h"
#include "engine/last_stores.h"
#include "engine/row_access.h"

namespace lockstep {

// ---- addresses ----

// Lanes that are not in the mask repeat its first lane.
static void repeat_first(uint64_t* at, Mask mask) {
  const uint64_t first = at[first_lane(mask)];
  for (int l = 0; l < kWarpSize; ++l) at[l] = mask >> l & 1 ? at[l] : first;
}

void read_addresses(const Warp& warp, const MemoryAccess& access, Mask mask, uint64_t* out) {
  const auto offset = static_cast<uint64_t>(access.offset);
  if (access.base == 0) {
    std::fill_n(out, kWarpSize, offset);
    return;
  }
  if (access.wide_base) {
    const auto* base = lanes<uint64_t>(warp.registers(), access.base);
    for (int l = 0; l < kWarpSize; ++l) out[l] = base[l] + offset;
  } else {
    const auto* base = lanes<uint32_t>(warp.registers(), access.base);
    for (int l = 0; l < kWarpSize; ++l) out[l] = base[l] + offset;
  }
  if (mask != kFullMask) repeat_first(out, mask);
}

bool may_access(Warp& warp, const MemoryAccess& access, Space space, uint32_t lane, uint64_t address) {
  const uint32_t bytes = access.bytes * access.count;
  if (address % bytes) return fail_misaligned(warp, access, lane, address), false;
  const Range range = range_at(warp, space, address);
  if (space == Space::kGlobal) warp.state().reaches(access, range);
  if (range.contains(address, bytes)) return true;
  fail_outside(warp, access, space, lane, address);
  return false;
}

namespace {

bool is_consecutive(const std::array<uint64_t, kWarpSize>& at, uint32_t bytes) {
  uint64_t difference = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) difference |= at[l] ^ (at[0] + l * bytes);
  return difference == 0;
}

// Whether all lanes lie in [range.begin, range.end - bytes] and are multiples of bytes.
bool all_within(const std::array<uint64_t, kWarpSize>& at, Range range, uint32_t bytes) {
  if (range.end - range.begin < bytes) return false;
  const uint64_t room = range.end - range.begin - bytes;
  uint64_t outside = 0;
  for (int l = 0; l < kWarpSize; ++l)
    outside |= static_cast<uint64_t>(at[l] - range.begin > room) | (at[l] & (bytes - 1));
  return outside == 0;
}

// Gives the lanes whose addresses are good. The others are reported, and get the address of the first good lane.
// Usually all lanes access one allocation, in global memory the same as the last time.
template <Space space>
Mask good_lanes(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses& addresses) {
  const Range& last = warp.state().last_range[access.index];
  const uint32_t bytes = access.bytes * access.count;
  if (space == Space::kGlobal && all_within(addresses.at, last, bytes)) return mask;
  const Range range = range_at(warp, space, addresses.at[first_lane(mask)]);
  if (space == Space::kGlobal) warp.state().reaches(access, range);
  if (all_within(addresses.at, range, bytes)) return mask;
  Mask good = mask;
  for (const uint32_t l : each_lane(mask)) {
    if (!may_access(warp, access, space, l, addresses.at[l])) good &= ~(1u << l);
    if (warp.state().faulted) return 0;
  }
  if (good == mask || good == 0) return good;
  addresses.consecutive = false;
  repeat_first(addresses.at.data(), good);
  return good;
}

// ---- counters ----

void count_global(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  InstructionCounters& count = warp.state().counters.at[access.pc];
  const uint32_t bytes = access.bytes * access.count;
  const bool atomic = is_atomic(access);
  count.global.threads += static_cast<uint64_t>(std::popcount(mask));
  if (warp.launch().counts_traffic) count_traffic(warp, access, mask, addresses);
  if (atomic && is_atomic_loop(access, false)) return;  // count_loop does
  ++count.global.requests;
  if (addresses.consecutive && mask == kFullMask) {  // no address occurs twice, so an atomic counts as a load
    count.global.sectors += (addresses.at[0] + kWarpSize * bytes - 1) / 32 - addresses.at[0] / 32 + 1;
  } else if (atomic) {
    std::array<uint64_t, kWarpSize> on_card = addresses.at;
    const uint64_t shift = card_shift(warp, access);
    for (uint64_t& address : on_card) address += shift;
    count.global.sectors += global_atomic_sectors(on_card.data(), mask, bytes, access.atomic == AtomicOp::kCas);
  } else {
    count.global.sectors += global_sectors(addresses.at.data(), mask, bytes);
  }
}

SharedAtomic shared_atomic(const MemoryAccess& access) {
  if (access.literal_one) return SharedAtomic::kCount;
  return access.atomic == AtomicOp::kCas ? SharedAtomic::kCas : SharedAtomic::kOther;
}

void count_shared(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses,
                  bool by_rows = false) {
  InstructionCounters& count = warp.state().counters.at[access.pc];
  const bool atomic = is_atomic(access);
  ++count.shared.requests;
  count.shared.threads += static_cast<uint64_t>(std::popcount(mask));
  if (atomic && is_atomic_loop(access, true)) return;  // count_loop does
  const bool merges = merges_phases(access) && !by_rows;
  const Wavefronts w = atomic ? shared_atomic_wavefronts(addresses.at.data(), mask, access.bytes, shared_atomic(access))
                              : shared_wavefronts(addresses.at.data(), mask, access.bytes * access.count, merges);
  count.shared.wavefronts += w.total;
  count.shared.ideal += w.ideal;
  count.shared.fewest += w.fewest;
  if (access.neighbour) [[unlikely]]
    count_wider_shared(warp, access, mask, addresses.at.data());
  if (access.waited) wait_for_shared(warp, w);
}

// `addresses`: offsets in each lane's local memory.
void count_local(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  InstructionCounters& count = warp.state().counters.at[access.pc];
  count.local.requests += std::max(1u, access.bytes * access.count / 4u);
  count.local.sectors += local_sectors(addresses.at.data(), mask, access.bytes * access.count);
  if (access.neighbour) [[unlikely]]
    count_wider_local(warp, access, mask, addresses.at.data());
}

// ---- moving data ----

template <class T, class R>
void load_lanes(const Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  for (uint32_t e = 0; e < access.count; ++e) {
    if (access.registers[e] == 0) continue;
    R* d = lanes<R>(warp.registers(), access.registers[e]);
    if (sizeof(T) == sizeof(R) && addresses.consecutive && mask == kFullMask && access.count == 1) {
      std::memcpy(d, reinterpret_cast<const void*>(addresses.at[0]), sizeof(R) * kWarpSize);
    } else if (mask == kFullMask) {
      for (int l = 0; l < kWarpSize; ++l)
        d[l] = static_cast<R>(*reinterpret_cast<const T*>(addresses.at[l] + e * sizeof(T)));
    } else {
      for (const uint32_t l : each_lane(mask)) {
        d[l] = static_cast<R>(*reinterpret_cast<const T*>(addresses.at[l] + e * sizeof(T)));
      }
    }
  }
}

template <class T, class R>
void store_lanes(const Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  const uint32_t order = store_order(access);
  for (uint32_t e = 0; e < access.count; ++e) {
    const R* a = lanes<R>(warp.registers(), access.registers[e]);
    if (sizeof(T) == sizeof(R) && addresses.consecutive && mask == kFullMask && access.count == 1) {
      std::memcpy(reinterpret_cast<void*>(addresses.at[0]), a, sizeof(R) * kWarpSize);
    } else {
      for (uint32_t i = 0; i < kWarpSize; ++i) {
        const uint32_t l = i ^ order;
        if (mask >> l & 1) *reinterpret_cast<T*>(addresses.at[l] + e * sizeof(T)) = static_cast<T>(a[l]);
      }
    }
  }
}

// ---- handlers: addresses → counters → observers → data ----

void show(const ObservedAccess& access) {
  for (Observer* observer : access.warp.launch().observers) observer->access(access);
}

// To be called before the data moves. addresses: in this process.
template <Space space>
void note_written(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  if (!warp.launch().may_be_left(access, space)) return;
  const std::byte* const begin = space == Space::kShared ? warp.block().shared() : warp.local_memory(0);
  WrittenMemory& written = space == Space::kShared ? warp.block().written() : warp.written_local();
  if (!written.note(access, mask, addresses, reinterpret_cast<uint64_t>(begin)))
    warp.state().unwritten[access.index] = true;
}

using Mover = void (*)(const Warp&, const MemoryAccess&, Mask, const LaneAddresses&);

// Loads what the kernel sees there. That may be other words than lie there (OtherWords).
[[gnu::noinline]] void move_seen(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses addresses,
                                 Mover move) {
  constexpr uint32_t kWidest = 16;  // bytes that a lane loads at most
  alignas(kWidest) std::array<std::byte, kWidest * kWarpSize> seen;
  for (const uint32_t l : each_lane(mask)) {
    std::byte* const lane = &seen[l * kWidest];
    warp.launch().memory.read(lane, addresses.at[l], access.bytes * access.count);
    addresses.at[l] = reinterpret_cast<uint64_t>(lane);
  }
  repeat_first(addresses.at.data(), mask);
  addresses.consecutive = false;
  move(warp, access, mask, addresses);
}

template <Space space>
void access_in(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses& addresses, Mover move) {
  mask = good_lanes<space>(warp, access, mask, addresses);
  if (!mask) return;
  if constexpr (space == Space::kGlobal) {
    count_global(warp, access, mask, addresses);
    count_host_lanes(warp, access, mask, addresses);
  }
  if constexpr (space == Space::kShared) {
    count_shared(warp, access, mask, addresses);
    addresses.shared_begin = reinterpret_cast<uint64_t>(warp.block().shared());
    for (uint64_t& address : addresses.at) address += addresses.shared_begin - kSharedBase;
    note_written<space>(warp, access, mask, addresses);
  }
  if constexpr (space == Space::kLocal) {  // each lane has its own
    count_local(warp, access, mask, addresses);
    for (uint32_t l = 0; l < kWarpSize; ++l) addresses.at[l] += reinterpret_cast<uint64_t>(warp.local_memory(l));
    repeat_first(addresses.at.data(), mask);
    addresses.consecutive = false;
    note_written<space>(warp, access, mask, addresses);
  }
  if constexpr (space != Space::kLocal)
    if (warp.launch().may_meet(access, space)) warp.launch().last_stores->note(warp, access, space, mask, addresses.at);
  if constexpr (space == Space::kGlobal)
    if (warp.launch().may_race(access, space)) warp.launch().global_races->note(warp, access, mask, addresses.at);
  if constexpr (space == Space::kShared)
    if (warp.launch().may_race(access, space)) warp.block().note_race(warp, access, mask, addresses);
  if constexpr (space != Space::kLocal)
    if (const Launch& launch = warp.launch(); launch.may_race_in_warp(access))
      warp.lane_races().note(access, mask, addresses, launch.unit(access), launch.lane_pairs, warp.state().contested);
  show({warp, access, mask, space, addresses});
  if constexpr (space == Space::kGlobal)
    if (access.op == MemoryOp::kLoad && warp.state().sees_other_words)
      return move_seen(warp, access, mask, addresses, move);
  move(warp, access, mask, addresses);
}

// Each lane's address tells its space.
void access_generic(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses& addresses, Mover move) {
  Mask shared = 0, local = 0;
  for (int l = 0; l < kWarpSize; ++l) {
    shared |= static_cast<Mask>(addresses.at[l] - kSharedWindow < kWindowBytes) << l;
    local |= static_cast<Mask>(addresses.at[l] - kLocalWindow < kWindowBytes) << l;
  }
  const auto part = [&](Mask some, uint64_t window, auto access_space) {
    if (!some || warp.state().faulted) return;
    LaneAddresses those = addresses;
    repeat_first(those.at.data(), some);
    for (uint64_t& address : those.at) address -= window;
    those.consecutive = is_consecutive(those.at, access.bytes * access.count);
    access_space(warp, access, some, those, move);
  };
  part(mask & ~(shared | local), 0, access_in<Space::kGlobal>);
  part(mask & shared, kSharedWindow, access_in<Space::kShared>);
  part(mask & local, kLocalWindow, access_in<Space::kLocal>);
}

// A parameter of a device function, or an argument of a call. The decoder has set the offset.
void param_addresses(Warp& warp, const MemoryAccess& access, LaneAddresses& addresses) {
  const Frame& frame = warp.frame();
  const auto base = reinterpret_cast<uint64_t>(frame.params.data()) + static_cast<uint64_t>(access.offset);
  const uint32_t stride = frame.param_bytes();
  for (uint32_t l = 0; l < kWarpSize; ++l) addresses.at[l] = base + l * stride;
}

// Whether there is a RowMover. With sanitizers GCC 12 does not compare a function with nullptr in a constant
// expression.
template <RowMover move_row>
inline constexpr bool kMovesRows = true;
template <>
inline constexpr bool kMovesRows<nullptr> = false;

// Whether all lanes read one fixed address of a parameter or constant, which an earlier access has checked.
bool is_known_constant(Warp& warp, const MemoryAccess& access) {
  return access.base == 0 && warp.state().last_range[access.index].contains(static_cast<uint64_t>(access.offset),
                                                                            access.bytes * access.count);
}

template <Space space>
void access_lanes(Warp& warp, const MemoryAccess& access, Mask mask, Mover move) {
  LaneAddresses addresses;
  if constexpr (space == Space::kParam) {
    param_addresses(warp, access, addresses);
    return move(warp, access, mask, addresses);
  }
  read_addresses(warp, access, mask, addresses.at.data());
  if constexpr (space == Space::kConst)
    if (is_known_constant(warp, access)) return move(warp, access, mask, addresses);
  addresses.consecutive = is_consecutive(addresses.at, access.bytes * access.count);
  if constexpr (space == Space::kConst) {
    if (const Mask good = good_lanes<Space::kGlobal>(warp, access, mask, addresses))
      move(warp, access, good, addresses);
  } else if constexpr (space == Space::kGeneric) {
    access_generic(warp, access, mask, addresses, move);
  } else {
    access_in<space>(warp, access, mask, addresses, move);
  }
}

// Each type has its own code for rows, which is inlined here. All types share the code for other accesses.
template <Space space, Mover move, RowMover move_row>
void handle(Warp& warp, const MemoryAccess& access, Mask mask) {
  if constexpr (kMovesRows<move_row>) {
    if constexpr (space == Space::kConst) {
      if (mask == kFullMask && is_known_constant(warp, access))
        return move_row(warp, access, {static_cast<uint64_t>(access.offset), 0});
    } else if constexpr (space != Space::kParam && space != Space::kLocal) {
      if (access_row<space, move_row>(warp, access, mask)) return;
    }
  }
  access_lanes<space>(warp, access, mask, move);
}

template <Mover move, RowMover move_row = nullptr>
AccessHandler in_space(Space space) {
  switch (space) {
    case Space::kGlobal: return handle<Space::kGlobal, move, move_row>;
    case Space::kShared: return handle<Space::kShared, move, move_row>;
    case Space::kLocal: return handle<Space::kLocal, move, move_row>;
    case Space::kConst: return handle<Space::kConst, move, move_row>;
    case Space::kParam: return handle<Space::kParam, move, move_row>;
    case Space::kGeneric: return handle<Space::kGeneric, move, move_row>;
    default: return nullptr;
  }
}

// T: the type in memory; R: the type of the register.
template <bool load, class T, class R>
AccessHandler mover(Space space) {
  if constexpr (load)
    return in_space<load_lanes<T, R>, load_row<T, R>>(space);
  else
    return in_space<store_lanes<T, R>, store_row<T, R>>(space);
}

// The register may be wider than T: a signed T is sign-extended.
template <bool load, class T>
AccessHandler select(const MemoryAccess& a) {
  if constexpr (sizeof(T) <= 2)
    if (a.register_width == Width::k16) return mover<load, T, uint16_t>(a.space);
  if constexpr (sizeof(T) <= 4)
    if (a.register_width == Width::k32) return mover<load, T, uint32_t>(a.space);
  return a.register_width == Width::k64 ? mover<load, T, uint64_t>(a.space) : nullptr;
}

AccessHandler select_move(const MemoryAccess& a) {
  const bool load = a.op == MemoryOp::kLoad;
  const bool is_signed = a.type == Type::kS8 || a.type == Type::kS16 || a.type == Type::kS32;
  switch (a.bytes) {
    case 1: return !load ? select<false, uint8_t>(a) : is_signed ? select<true, int8_t>(a) : select<true, uint8_t>(a);
    case 2:
      return !load ? select<false, uint16_t>(a) : is_signed ? select<true, int16_t>(a) : select<true, uint16_t>(a);
    case 4:
      return !load ? select<false, uint32_t>(a) : is_signed ? select<true, int32_t>(a) : select<true, uint32_t>(a);
    case 8: return !load ? select<false, uint64_t>(a) : select<true, uint64_t>(a);
    case 16: return !load ? mover<false, Bits128, Bits128>(a.space) : mover<true, Bits128, Bits128>(a.space);
    default: return nullptr;
  }
}

// add, min and max.
AccessHandler select_arithmetic(const MemoryAccess& a) {
  const bool adds = a.atomic == AtomicOp::kAdd;
  switch (a.type) {
    case Type::kU32:
    case Type::kB32: return in_space<update_number<uint32_t>>(a.space);
    case Type::kS32: return in_space<update_number<int32_t>>(a.space);
    case Type::kU64:
    case Type::kB64: return in_space<update_number<uint64_t>>(a.space);
    case Type::kS64: return in_space<update_number<int64_t>>(a.space);
    case Type::kF32: return adds ? in_space<update_float<float>>(a.space) : nullptr;
    case Type::kF64: return adds ? in_space<update_float<double>>(a.space) : nullptr;
    case Type::kF16: return adds ? in_space<update_float<baseline::Half>>(a.space) : nullptr;
    case Type::kBf16: return adds ? in_space<update_float<baseline::Bfloat>>(a.space) : nullptr;
    case Type::kF16x2: return adds ? in_space<update_float<baseline::Half2>>(a.space) : nullptr;
    case Type::kBf16x2: return adds ? in_space<update_float<baseline::Bfloat2>>(a.space) : nullptr;
    default: return nullptr;
  }
}

AccessHandler select_atomic(const MemoryAccess& a) {
  if (a.atomic == AtomicOp::kAdd || a.atomic == AtomicOp::kMin || a.atomic == AtomicOp::kMax)
    return select_arithmetic(a);
  const bool exchanges = a.atomic == AtomicOp::kExch || a.atomic == AtomicOp::kCas;
  switch (a.bytes) {
    case 2: return exchanges ? in_space<exchange<uint16_t>>(a.space) : in_space<update_bits<uint16_t>>(a.space);
    case 4: return exchanges ? in_space<exchange<uint32_t>>(a.space) : in_space<update_bits<uint32_t>>(a.space);
    case 8: return exchanges ? in_space<exchange<uint64_t>>(a.space) : in_space<update_bits<uint64_t>>(a.space);
    case 16: return exchanges ? in_space<exchange<Bits128>>(a.space) : nullptr;
    default: return nullptr;
  }
}

}  // namespace

void count_access(Warp& warp, const MemoryAccess& access, Mask mask, const std::array<uint64_t, kWarpSize>& at,
                  bool by_rows) {
  LaneAddresses addresses{at, false};
  repeat_first(addresses.at.data(), mask);
  if (access.space == Space::kShared) return count_shared(warp, access, mask, addresses, by_rows);
  count_global(warp, access, mask, addresses);
  count_host_lanes(warp, access, mask, addresses);
}

void show_asynchronous(Warp& warp, const MemoryAccess& access, Mask mask, const uint64_t* at) {
  const bool global = access.space == Space::kGlobal;
  const Launch& launch = warp.launch();
  if (!mask || (!launch.watched() && (global || !launch.may_be_left(access, Space::kShared)))) return;
  LaneAddresses addresses;
  addresses.shared_begin = global ? 0 : reinterpret_cast<uint64_t>(warp.block().shared());
  for (int l = 0; l < kWarpSize; ++l) addresses.at[l] = global ? at[l] : at[l] - kSharedBase + addresses.shared_begin;
  addresses.consecutive = is_consecutive(addresses.at, access.bytes * access.count);
  if (!global) note_written<Space::kShared>(warp, access, mask, addresses);
  for (Observer* observer : launch.observers)
    observer->other_access({warp, access, mask, global ? Space::kGlobal : Space::kShared, addresses});
}

void show_asynchronous_lane(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t at) {
  std::array<uint64_t, kWarpSize> all;
  all.fill(at);
  show_asynchronous(warp, access, 1u << lane, all.data());
}

Mask reach_global(Warp& warp, const MemoryAccess& access, Mask mask, std::array<uint64_t, kWarpSize>& at) {
  LaneAddresses addresses{at, false};
  repeat_first(addresses.at.data(), mask);
  mask = good_lanes<Space::kGlobal>(warp, access, mask, addresses);
  if (!mask) return 0;
  if (warp.launch().counts_traffic) count_traffic(warp, access, mask, addresses);
  count_host_lanes(warp, access, mask, addresses);
  for (Observer* observer : warp.launch().observers)
    observer->other_access({warp, access, mask, Space::kGlobal, addresses});
  return mask;
}

AccessHandler access_handler(const MemoryAccess& access) {
  if (is_atomic(access)) return access.count == 1 ? select_atomic(access) : nullptr;
  return select_move(access);
}

}  // namespace lockstep
