// written: which bytes of memory have been written: one bit a byte. Bytes are numbered from the start of the memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "program/instruction.h"

namespace lockstep {

class Written {
 public:
  Written() = default;
  explicit Written(uint64_t* bits) : bits_(bits) {}

  void set(uint64_t first, uint64_t count) {
    const uint64_t end = first + count;
    while (first < end) {
      if (first % 64 == 0 && end - first >= 64) {
        const uint64_t words = (end - first) / 64;
        std::memset(bits_ + first / 64, 0xff, words * sizeof *bits_);
        first += 64 * words;
      } else {
        const uint64_t here = std::min<uint64_t>(64 - first % 64, end - first);
        bits_[first / 64] |= ones(here) << first % 64;
        first += here;
      }
    }
  }
  bool any(uint64_t first, uint64_t count) const {
    for (uint64_t byte = first; byte < first + count; ++byte)
      if (all(byte, 1)) return true;
    return false;
  }
  bool all(uint64_t first, uint64_t count) const {
    const uint64_t end = first + count;
    while (first < end) {
      const uint64_t here = std::min<uint64_t>(64 - first % 64, end - first);
      const uint64_t wanted = ones(here) << first % 64;
      if ((bits_[first / 64] & wanted) != wanted) return false;
      first += here;
    }
    return true;
  }

 private:
  static uint64_t ones(uint64_t n) { return n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }
  uint64_t* bits_ = nullptr;
};

}  // namespace lockstep
