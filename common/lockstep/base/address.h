// address: addresses of device memory: how memory was asked for, the bytes of one allocation, what is known about an
// address.
#pragma once

#include <cstdint>

namespace lockstep {

// How memory was asked for. The host itself reads and writes pinned and managed memory in place, unseen by the device.
enum class MemoryKind : uint8_t { kDevice, kPinned, kManaged };

// Bytes [begin, end) of one allocation.
struct Range {
  uint64_t begin = 0, end = 0;
  uint64_t on_card = 0;  // where `begin` would lie on a card (card_heap)
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin && address <= end && bytes <= end - address;
  }
};

enum class AddressKind { kUnknown, kDevice, kFreed };
struct AddressInfo {
  AddressKind kind = AddressKind::kUnknown;
  uint64_t base = 0, bytes = 0;  // the allocation that holds (or held) the address
};

// All addresses of device memory; those from `shared` on the host's process has too.
struct AddressSpace {
  uint64_t begin = 0, end = 0, shared = 0;
  uint64_t around = 0;  // nothing of the host's lies so near
};

}  // namespace lockstep
