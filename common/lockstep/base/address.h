// address: addresses of device memory: the kinds of memory, the bytes of one allocation, and the facts about an
// address.
#pragma once

#include <cstdint>

namespace lockstep {

// How memory was allocated. The host reads and writes pinned and managed memory in place; the device does not see it.
enum class MemoryKind : uint8_t { kDevice, kPinned, kManaged };

// Bytes [begin, end) of one allocation.
struct Range {
  uint64_t begin = 0, end = 0;
  uint64_t on_card = 0;       // the address that `begin` would have on a card (card_heap)
  bool host_reaches = false;  // the host's program reads and writes it in place
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin && address <= end && bytes <= end - address;
  }
};

enum class AddressKind { kUnknown, kDevice, kFreed };
struct AddressInfo {
  AddressKind kind = AddressKind::kUnknown;
  uint64_t base = 0, bytes = 0;  // the allocation that holds (or held) the address
};

// All addresses of device memory. The host's process can reach those from `shared` on.
struct AddressSpace {
  uint64_t begin = 0, end = 0, shared = 0;
  uint64_t around = 0;  // the host has nothing within so many bytes before and after these addresses
};

}  // namespace lockstep
