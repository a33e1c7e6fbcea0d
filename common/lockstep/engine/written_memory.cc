#include "engine/written_memory.h"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

constexpr uint8_t kWritten = 0xff;

bool brings(const MemoryAccess& access) {
  return access.op == MemoryOp::kLoad || (is_atomic(access) && access.registers[0] != 0);
}
bool writes(const MemoryAccess& access) {
  const bool exchanges = access.op == MemoryOp::kAtomic && access.atomic == AtomicOp::kExch;
  return access.op == MemoryOp::kStore || exchanges;
}

// Unit: all bytes of one lane, or one of its words. each_lane: calls a function with the offset of each lane's bytes.
template <class Unit, class EachLane>
bool note_units(const MemoryAccess& access, uint32_t units, uint8_t* bytes, const EachLane& each_lane) {
  constexpr auto kAll = static_cast<Unit>(~Unit{0});
  Unit all = kAll;
  if (brings(access))
    each_lane([&](uint64_t first) {
      for (uint32_t i = 0; i < units; ++i) {
        Unit unit;
        std::memcpy(&unit, bytes + first + i * sizeof unit, sizeof unit);
        all &= unit;
      }
    });
  if (writes(access)) each_lane([&](uint64_t first) { std::memset(bytes + first, kWritten, units * sizeof(Unit)); });
  return all == kAll;
}

template <class EachLane>
bool note_lanes(const MemoryAccess& access, uint8_t* bytes, const EachLane& each_lane) {
  switch (const uint32_t size = access.bytes * access.count) {
    case 1: return note_units<uint8_t>(access, 1, bytes, each_lane);
    case 2: return note_units<uint16_t>(access, 1, bytes, each_lane);
    case 4: return note_units<uint32_t>(access, 1, bytes, each_lane);
    default: return note_units<uint64_t>(access, size / 8, bytes, each_lane);
  }
}

}  // namespace

bool WrittenMemory::note(const MemoryAccess& access, Mask mask, const LaneAddresses& addresses, uint64_t begin) {
  return note_lanes(access, all(), [&](const auto& use) {
    for (const uint32_t l : each_lane(mask)) use(addresses.at[l] - begin);
  });
}

bool WrittenMemory::note(const MemoryAccess& access, const Row& row) {
  const uint32_t lanes = row.stride == 0 ? 1 : row.count;
  return note_lanes(access, all(), [&](const auto& use) {
    for (uint32_t i = 0; i < lanes; ++i) use(row.at(i));
  });
}

void WrittenMemory::wrote(uint64_t first, uint64_t count) { std::fill_n(all() + first, count, kWritten); }

void WrittenMemory::forget(uint64_t first, uint64_t count) {
  if (!written_.empty()) std::fill_n(written_.data() + first, count, 0);
}

}  // namespace lockstep
