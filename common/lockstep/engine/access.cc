#include "engine/access.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/atomic_update.h"
#include "engine/block.h"
#include "engine/lane_addresses.h"
#include "engine/launch_state.h"
#include "engine/row_access.h"
#include "engine/traffic_access.h"
#include "engine/warp.h"

namespace lockstep {

// ---- addresses ----

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
  if (mask == kFullMask) return;
  const uint64_t first = out[first_lane(mask)];
  for (int l = 0; l < kWarpSize; ++l) out[l] = mask >> l & 1 ? out[l] : first;
}

namespace {

bool is_consecutive(const std::array<uint64_t, kWarpSize>& at, uint32_t bytes) {
  uint64_t difference = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) difference |= at[l] ^ (at[0] + l * bytes);
  return difference == 0;
}

// Whether all lanes lie in [range.begin, range.end - bytes] and are multiples of bytes.
bool all_within(const LaneAddresses& addresses, Range range, uint32_t bytes) {
  const auto& at = addresses.at;
  if (addresses.consecutive) return at[0] % bytes == 0 && range.contains(at[0], uint64_t{kWarpSize} * bytes);
  if (range.end - range.begin < bytes) return false;
  const uint64_t room = range.end - range.begin - bytes;
  uint64_t outside = 0;
  for (int l = 0; l < kWarpSize; ++l)
    outside |= static_cast<uint64_t>(at[l] - range.begin > room) | (at[l] & (bytes - 1));
  return outside == 0;
}

// Checks each lane. Bad lanes are reported and left out, and get the address of the first good lane.
template <class Good>
Mask without_bad_lanes(Warp& warp, Mask mask, LaneAddresses& addresses, const Good& good) {
  Mask remaining = mask;
  for (Mask rest = mask; rest && !warp.state().faulted; rest &= rest - 1)
    if (!good(first_lane(rest))) remaining &= ~(1u << first_lane(rest));
  if (warp.state().faulted) return 0;
  if (remaining == mask || remaining == 0) return remaining;
  addresses.consecutive = false;
  const uint64_t first = addresses.at[first_lane(remaining)];
  for (int l = 0; l < kWarpSize; ++l) addresses.at[l] = remaining >> l & 1 ? addresses.at[l] : first;
  return remaining;
}

// ---- global memory ----

// Usually all lanes access one allocation, the same as the last time; else each lane is looked up. Gives the lanes
// whose addresses are good.
Mask good_global_lanes(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses& addresses) {
  const Launch& launch = warp.launch();
  Range& range = warp.state().last_range[access.index];
  const uint32_t bytes = access.bytes * access.count;
  if (all_within(addresses, range, bytes)) return mask;
  range = launch.memory.find(addresses.at[first_lane(mask)]);
  if (all_within(addresses, range, bytes)) return mask;
  const auto good = [&](uint32_t l) {
    const uint64_t address = addresses.at[l];
    if (address % bytes) return fail_misaligned(warp, access, l, address), false;
    if (!launch.memory.find(address).contains(address, bytes)) return fail_global(warp, access, l, address), false;
    return true;
  };
  return without_bad_lanes(warp, mask, addresses, good);
}

void count_global(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  InstructionCounters& count = warp.state().counters.at[access.pc];
  const uint32_t bytes = access.bytes * access.count;
  const bool atomic = access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
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

// ---- shared memory ----

Mask good_shared_lanes(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses& addresses) {
  const Range range{kSharedBase, kSharedBase + warp.launch().shape.shared_bytes};
  const uint32_t bytes = access.bytes * access.count;
  if (all_within(addresses, range, bytes)) return mask;
  return without_bad_lanes(warp, mask, addresses, [&](uint32_t l) {
    if (addresses.at[l] % bytes) return fail_misaligned(warp, access, l, addresses.at[l]), false;
    if (!range.contains(addresses.at[l], bytes)) return fail_shared(warp, access, l, addresses.at[l]), false;
    return true;
  });
}

SharedAtomic shared_atomic(const MemoryAccess& access) {
  if (access.literal_one) return SharedAtomic::kCount;
  return access.atomic == AtomicOp::kCas ? SharedAtomic::kCas : SharedAtomic::kOther;
}

void count_shared(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  InstructionCounters& count = warp.state().counters.at[access.pc];
  const bool atomic = access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
  ++count.shared.requests;
  count.shared.threads += static_cast<uint64_t>(std::popcount(mask));
  if (atomic && is_atomic_loop(access, true)) return;  // count_loop does
  const Wavefronts w =
      atomic ? shared_atomic_wavefronts(addresses.at.data(), mask, access.bytes, shared_atomic(access))
             : shared_wavefronts(addresses.at.data(), mask, access.bytes * access.count, access.op == MemoryOp::kStore);
  count.shared.wavefronts += w.total;
  count.shared.ideal += w.ideal;
  if (access.waited) wait_for_shared(warp, w);
}

// ---- local memory and parameters: each lane has its own ----

Mask good_local_lanes(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses& addresses) {
  const uint32_t bytes = access.bytes * access.count;
  const Range range{0, warp.local_bytes()};
  return without_bad_lanes(warp, mask, addresses, [&](uint32_t l) {
    const uint64_t address = addresses.at[l];
    if (address % bytes) return fail_misaligned(warp, access, l, address), false;
    if (!range.contains(address, bytes)) return fail_local(warp, access, l, address), false;
    return true;
  });
}

// `addresses`: offsets in each lane's local memory.
void count_local(Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  InstructionCounters& count = warp.state().counters.at[access.pc];
  count.local.requests += std::max(1u, access.bytes * access.count / 4u);
  count.local.sectors += local_sectors(addresses.at.data(), mask, access.bytes * access.count);
}

// A parameter of a device function, or an argument of a call. The decoder has set the offset.
void param_addresses(Warp& warp, const MemoryAccess& access, LaneAddresses& addresses) {
  const Frame& frame = warp.frame();
  const auto base = reinterpret_cast<uint64_t>(frame.params.data()) + static_cast<uint64_t>(access.offset);
  const uint32_t stride = warp.launch().program.functions[frame.function].param_bytes;
  for (uint32_t l = 0; l < kWarpSize; ++l) addresses.at[l] = base + l * stride;
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
      for (Mask rest = mask; rest; rest &= rest - 1) {
        const uint32_t l = first_lane(rest);
        d[l] = static_cast<R>(*reinterpret_cast<const T*>(addresses.at[l] + e * sizeof(T)));
      }
    }
  }
}

template <class T, class R>
void store_lanes(const Warp& warp, const MemoryAccess& access, Mask mask, const LaneAddresses& addresses) {
  for (uint32_t e = 0; e < access.count; ++e) {
    const R* a = lanes<R>(warp.registers(), access.registers[e]);
    if (sizeof(T) == sizeof(R) && addresses.consecutive && mask == kFullMask && access.count == 1) {
      std::memcpy(reinterpret_cast<void*>(addresses.at[0]), a, sizeof(R) * kWarpSize);
    } else {
      for (Mask rest = mask; rest; rest &= rest - 1) {
        const uint32_t l = first_lane(rest);
        *reinterpret_cast<T*>(addresses.at[l] + e * sizeof(T)) = static_cast<T>(a[l]);
      }
    }
  }
}

// ---- handlers: addresses → counters → observers → data ----

void show(const ObservedAccess& access) {
  for (Observer* observer : access.warp.launch().observers) observer->access(access);
}

using Mover = void (*)(const Warp&, const MemoryAccess&, Mask, const LaneAddresses&);

template <Mover move>
void access_global(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses& addresses) {
  mask = good_global_lanes(warp, access, mask, addresses);
  if (!mask) return;
  count_global(warp, access, mask, addresses);
  show({warp, access, mask, Space::kGlobal, addresses});
  move(warp, access, mask, addresses);
}

template <Mover move>
void access_shared(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses& addresses) {
  mask = good_shared_lanes(warp, access, mask, addresses);
  if (!mask) return;
  count_shared(warp, access, mask, addresses);
  addresses.shared_begin = reinterpret_cast<uint64_t>(warp.block().shared());
  for (uint64_t& address : addresses.at) address += addresses.shared_begin - kSharedBase;
  show({warp, access, mask, Space::kShared, addresses});
  move(warp, access, mask, addresses);
}

template <Mover move>
void access_local(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses& addresses) {
  mask = good_local_lanes(warp, access, mask, addresses);
  if (!mask) return;
  count_local(warp, access, mask, addresses);
  const uint64_t first = addresses.at[first_lane(mask)];
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    const uint32_t owner = mask >> l & 1 ? l : first_lane(mask);
    addresses.at[l] = reinterpret_cast<uint64_t>(warp.local_memory(owner)) + (mask >> l & 1 ? addresses.at[l] : first);
  }
  addresses.consecutive = false;
  show({warp, access, mask, Space::kLocal, addresses});
  move(warp, access, mask, addresses);
}

// Each lane's address tells its space.
template <Mover move>
void access_generic(Warp& warp, const MemoryAccess& access, Mask mask, LaneAddresses& addresses) {
  Mask shared = 0, local = 0;
  for (int l = 0; l < kWarpSize; ++l) {
    shared |= static_cast<Mask>(addresses.at[l] - kSharedWindow < kWindowBytes) << l;
    local |= static_cast<Mask>(addresses.at[l] - kLocalWindow < kWindowBytes) << l;
  }
  const auto part = [&](Mask some, uint64_t window, auto access_space) {
    if (!some || warp.state().faulted) return;
    LaneAddresses those = addresses;
    const uint64_t first = addresses.at[first_lane(some)];
    for (int l = 0; l < kWarpSize; ++l) those.at[l] = (some >> l & 1 ? addresses.at[l] : first) - window;
    those.consecutive = is_consecutive(those.at, access.bytes * access.count);
    access_space(warp, access, some, those);
  };
  part(mask & ~(shared | local), 0, access_global<move>);
  part(mask & shared, kSharedWindow, access_shared<move>);
  part(mask & local, kLocalWindow, access_local<move>);
}

// Whether there is a RowMover. With sanitizers GCC 12 does not compare a function with nullptr in a constant
// expression.
template <RowMover move_row>
inline constexpr bool kMovesRows = true;
template <>
inline constexpr bool kMovesRows<nullptr> = false;

template <Space space, Mover move, RowMover move_row>
void handle(Warp& warp, const MemoryAccess& access, Mask mask) {
  if constexpr (kMovesRows<move_row>)
    if (access_row<space, move_row>(warp, access, mask)) return;
  LaneAddresses addresses;
  if constexpr (space == Space::kParam) {
    param_addresses(warp, access, addresses);
    move(warp, access, mask, addresses);
    return;
  }
  if constexpr (space == Space::kConst) {
    // A kernel's parameter: one address for all lanes, checked at its first access.
    const auto address = static_cast<uint64_t>(access.offset);
    if (access.base == 0 && warp.state().last_range[access.index].contains(address, access.bytes * access.count)) {
      if constexpr (kMovesRows<move_row>)
        if (mask == kFullMask) return move_row(warp, access, {address, 0});
      addresses.at.fill(address);
      return move(warp, access, mask, addresses);
    }
  }
  read_addresses(warp, access, mask, addresses.at.data());
  addresses.consecutive = is_consecutive(addresses.at, access.bytes * access.count);
  if constexpr (space == Space::kGlobal) access_global<move>(warp, access, mask, addresses);
  if constexpr (space == Space::kShared) access_shared<move>(warp, access, mask, addresses);
  if constexpr (space == Space::kLocal) access_local<move>(warp, access, mask, addresses);
  if constexpr (space == Space::kGeneric) access_generic<move>(warp, access, mask, addresses);
  if constexpr (space == Space::kConst)
    if (const Mask good = good_global_lanes(warp, access, mask, addresses)) move(warp, access, good, addresses);
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

// T: the type in memory. The register may be wider: a signed T is sign-extended.
template <class T>
AccessHandler select_load(const MemoryAccess& a) {
  if constexpr (sizeof(T) <= 2)
    if (a.register_width == Width::k16) return in_space<load_lanes<T, uint16_t>, load_row<T, uint16_t>>(a.space);
  if constexpr (sizeof(T) <= 4)
    if (a.register_width == Width::k32) return in_space<load_lanes<T, uint32_t>, load_row<T, uint32_t>>(a.space);
  return a.register_width == Width::k64 ? in_space<load_lanes<T, uint64_t>, load_row<T, uint64_t>>(a.space) : nullptr;
}

template <class T>
AccessHandler select_store(const MemoryAccess& a) {
  if constexpr (sizeof(T) <= 2)
    if (a.register_width == Width::k16) return in_space<store_lanes<T, uint16_t>, store_row<T, uint16_t>>(a.space);
  if constexpr (sizeof(T) <= 4)
    if (a.register_width == Width::k32) return in_space<store_lanes<T, uint32_t>, store_row<T, uint32_t>>(a.space);
  return a.register_width == Width::k64 ? in_space<store_lanes<T, uint64_t>, store_row<T, uint64_t>>(a.space) : nullptr;
}

AccessHandler select_move(const MemoryAccess& a) {
  const bool load = a.op == MemoryOp::kLoad;
  const bool is_signed = a.type == Type::kS8 || a.type == Type::kS16 || a.type == Type::kS32;
  switch (a.bytes) {
    case 1: return !load ? select_store<uint8_t>(a) : is_signed ? select_load<int8_t>(a) : select_load<uint8_t>(a);
    case 2: return !load ? select_store<uint16_t>(a) : is_signed ? select_load<int16_t>(a) : select_load<uint16_t>(a);
    case 4: return !load ? select_store<uint32_t>(a) : is_signed ? select_load<int32_t>(a) : select_load<uint32_t>(a);
    case 8: return !load ? select_store<uint64_t>(a) : select_load<uint64_t>(a);
    case 16:
      return !load ? in_space<store_lanes<Bits128, Bits128>, store_row<Bits128, Bits128>>(a.space)
                   : in_space<load_lanes<Bits128, Bits128>, load_row<Bits128, Bits128>>(a.space);
    default: return nullptr;
  }
}

template <class T>
AccessHandler number(const MemoryAccess& a) {
  return in_space<update_number<T>>(a.space);
}

AccessHandler select_atomic(const MemoryAccess& a) {
  const bool arithmetic = a.atomic == AtomicOp::kAdd || a.atomic == AtomicOp::kMin || a.atomic == AtomicOp::kMax;
  if (a.atomic == AtomicOp::kExch || a.atomic == AtomicOp::kCas) {
    switch (a.bytes) {
      case 2: return in_space<exchange<uint16_t>>(a.space);
      case 4: return in_space<exchange<uint32_t>>(a.space);
      case 8: return in_space<exchange<uint64_t>>(a.space);
      case 16: return in_space<exchange<Bits128>>(a.space);
      default: return nullptr;
    }
  }
  if (!arithmetic) {
    switch (a.bytes) {
      case 2: return in_space<update_bits<uint16_t>>(a.space);
      case 4: return in_space<update_bits<uint32_t>>(a.space);
      case 8: return in_space<update_bits<uint64_t>>(a.space);
      default: return nullptr;
    }
  }
  switch (a.type) {
    case Type::kU32:
    case Type::kB32: return number<uint32_t>(a);
    case Type::kS32: return number<int32_t>(a);
    case Type::kU64:
    case Type::kB64: return number<uint64_t>(a);
    case Type::kS64: return number<int64_t>(a);
    default: break;
  }
  if (a.atomic != AtomicOp::kAdd) return nullptr;
  switch (a.type) {
    case Type::kF32: return in_space<update_float<float>>(a.space);
    case Type::kF64: return in_space<update_float<double>>(a.space);
    case Type::kF16: return in_space<update_float<baseline::Half>>(a.space);
    case Type::kBf16: return in_space<update_float<baseline::Bfloat>>(a.space);
    case Type::kF16x2: return in_space<update_float<baseline::Half2>>(a.space);
    case Type::kBf16x2: return in_space<update_float<baseline::Bfloat2>>(a.space);
    default: return nullptr;
  }
}

}  // namespace

void show_asynchronous(const Warp& warp, const MemoryAccess& access, Mask mask, const uint64_t* at) {
  if (!mask || !warp.launch().watched()) return;
  const bool global = access.space == Space::kGlobal;
  LaneAddresses addresses;
  addresses.shared_begin = global ? 0 : reinterpret_cast<uint64_t>(warp.block().shared());
  for (int l = 0; l < kWarpSize; ++l) addresses.at[l] = global ? at[l] : at[l] - kSharedBase + addresses.shared_begin;
  for (Observer* observer : warp.launch().observers)
    observer->asynchronous_access({warp, access, mask, global ? Space::kGlobal : Space::kShared, addresses});
}

void show_asynchronous_lane(const Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t at) {
  std::array<uint64_t, kWarpSize> all;
  all.fill(at);
  show_asynchronous(warp, access, 1u << lane, all.data());
}

AccessHandler access_handler(const MemoryAccess& access) {
  if (access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction)
    return access.count == 1 ? select_atomic(access) : nullptr;
  return select_move(access);
}

}  // namespace lockstep
