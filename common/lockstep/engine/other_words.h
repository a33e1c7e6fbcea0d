// other_words: an allocation in which kernels see other words than the program, although both use the same memory.
// Kernels see the other word until a kernel or the program writes there. The program may write at any time. The memory
// itself changes only where kernels store. So the program finds its own words there, also while a kernel runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/address.h"

namespace lockstep {

class OtherWords {
 public:
  // `own`: what lies in the range now; `other`: what kernels see instead. Both have the range's size, in bytes.
  OtherWords(const Range& range, std::vector<std::byte> own, std::vector<std::byte> other);

  const Range& range() const { return range_; }
  // Copies what kernels see at these bytes of the range. Several workers may call read() and stores() at once.
  void read(std::byte* to, uint64_t address, uint64_t bytes);
  // To be called before a kernel stores to these bytes of the range, or makes an atomic there. Afterwards the memory
  // has what kernels see.
  void stores(uint64_t address, uint64_t bytes);

 private:
  uint32_t seen(size_t word);

  Range range_;
  std::span<uint32_t> memory_;         // the whole words of the range
  std::vector<uint32_t> own_, other_;  // likewise
  std::vector<uint8_t> stored_;        // likewise: whether a kernel has stored there
};

}  // namespace lockstep
