// memory: the device's global memory: a reserved range of this process's addresses, and the allocations in it, whose
// bounds are exact to the byte. If the program runs in another process, the memory that it reaches lies in an arena of
// its own, whose bytes are a file's. Bounds are not checked here: accesses ask for the range of an address.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/options.h"
#include "engine/card_heap.h"
#include "engine/host.h"
#include "engine/other_words.h"

namespace lockstep {

std::string hex(uint64_t value);  // "0x2a"

constexpr uint64_t kAlignment = 512;  // bytes, of allocations without an offset

// How much of the file DeviceOptions::shared a device with so much memory uses.
uint64_t shared_bytes(uint64_t memory_bytes);

// Whose call allocates, and whether the host's program reads and writes the memory directly.
struct MemoryUse {
  bool by_host = true;  // cudaMalloc; else a module's variable, or malloc() in a kernel
  bool host_reaches = false;
  uint64_t reserved = 0;  // the addresses that reserve() gave; 0: any
  uint64_t offset = 0;    // bytes from an aligned address to the start of the allocation; below kAlignment
};

class Memory {
 public:
  // Uses options' memory_bytes, shared_* and host. Throws std::runtime_error if the system does not allow it.
  explicit Memory(const DeviceOptions& options);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // 0 if the device's memory is used up. Starts are multiples of 512, and of 2 MiB if there are more than 1 MiB; with
  // use.offset they lie so many bytes behind one. At least 512 unused bytes lie between two allocations, so that an
  // access just beyond one end does not hit a neighbour.
  uint64_t allocate(uint64_t bytes, MemoryUse use = {});
  bool free(uint64_t address);  // false: no allocation starts there
  // Addresses for an allocation that comes later, and may be freed and come again. Until then, and in between, they
  // count as freed memory. 0: no addresses are left.
  uint64_t reserve(uint64_t bytes);
  uint64_t reserved_at(uint64_t address) const;  // the bytes reserved there; 0: none
  // The addresses are not reserved any more. An allocation that lies there stays.
  void unreserve(uint64_t address);
  // For the device's own use, and not counted. It lies at the far end of the addresses, where no index beside an array
  // leads. Only find() knows it.
  uint64_t allocate_apart(uint64_t bytes);

  // Whether the address is far from all addresses that the device could have allocated.
  bool is_foreign(uint64_t address) const;
  // Whether the host has memory of its own there.
  bool is_host(uint64_t address) const;
  const Host& host() const { return host_; }
  // The live allocation that holds this address; {0, 0} if there is none.
  Range find(uint64_t address) const;
  AddressInfo describe(uint64_t address) const;
  std::vector<Range> reached_by_host() const;             // live allocations that are pinned or managed
  bool any_host_reaches() const { return reached_ > 0; }  // false: no live allocation is pinned or managed
  // From now on kernels see these other words, until show_own_words(). No kernel may run during either call.
  void show(OtherWords words) { other_words_.push_back(std::move(words)); }
  void show_own_words() { other_words_.clear(); }
  bool shows_other_words() const { return !other_words_.empty(); }
  // What kernels see at these bytes of one allocation. Several workers may call these two at once.
  void read(std::byte* to, uint64_t address, uint64_t bytes) {
    if (shows_other_words()) return read_other(to, address, bytes);
    std::memcpy(to, reinterpret_cast<const void*>(address), bytes);
  }
  void before_store(uint64_t address, uint64_t bytes);  // to be called before a kernel writes there
  // The live allocation that holds the address or lies nearest to it; {0, 0} if there is none.
  Range nearest(uint64_t address) const;
  // "0x… is 4 bytes past the end of an allocation of 1024 bytes at 0x…", for an access of `bytes` there.
  std::string nearest(uint64_t address, uint64_t bytes) const;

  // The reserved addresses, in which all allocations lie.
  uint64_t base() const { return base_; }
  uint64_t reserved() const { return reserved_; }
  AddressSpace addresses() const { return {base_, base_ + reserved_, shared_.begin, around_}; }
  uint64_t capacity() const { return capacity_; }
  uint64_t used() const { return used_; }

 private:
  struct Arena {
    uint64_t begin = 0;
    uint64_t fresh = 0, fresh_end = 0;  // addresses not used yet
    Holes holes{};
  };
  // Takes `span` bytes of its addresses; 0 if it has no more.
  uint64_t take(Arena& arena, uint64_t span, uint64_t alignment);
  void read_other(std::byte* to, uint64_t address, uint64_t bytes);
  uint64_t take_reserved(uint64_t address, uint64_t bytes);

  const Host& host_;
  uint64_t capacity_ = 0, used_ = 0;
  uint64_t reached_ = 0;  // live allocations that the host reaches
  uint64_t base_ = 0, reserved_ = 0, around_ = 0;
  Arena own_, shared_;  // shared_ without addresses: the host reaches all of it
  CardHeap card_;
  std::map<uint64_t, Range> live_, apart_;    // by start
  std::map<uint64_t, Range> freed_;           // likewise, until the addresses are used again
  std::map<uint64_t, uint64_t> reserved_at_;  // start → bytes
  std::vector<OtherWords> other_words_;       // in no order; rarely more than a few
};

}  // namespace lockstep
