// in_place: shows the other input (other_input.h) to kernels in memory that the host writes in place.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "device/emulated_device.h"
#include "device/other_input.h"

namespace lockstep {

// While a kernel runs, it sees the other input in memory that the host writes in place. Afterwards the host finds its
// own words there again, except where the kernel has stored. Also a store of the same word is one.
class InPlace {
 public:
  InPlace(EmulatedDevice& device, const Range& range, OtherInput& other)
      : device_(device),
        range_(range),
        memory_(reinterpret_cast<std::byte*>(range.begin), range.end - range.begin),
        before_(memory_.begin(), memory_.end()) {
    std::vector<std::byte> shown = before_;
    other.replace(shown);
    std::ranges::copy(shown, memory_.begin());
    device_.note_stores(range);
  }
  ~InPlace() {
    const std::vector<uint8_t> stored = device_.take_stores(range_);
    for (size_t word = 0; word < stored.size(); ++word) {
      const size_t at = 4 * word, bytes = std::min<size_t>(4, memory_.size() - at);
      if (!stored[word]) std::memcpy(&memory_[at], &before_[at], bytes);
    }
  }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

 private:
  EmulatedDevice& device_;
  const Range range_;
  std::span<std::byte> memory_;
  std::vector<std::byte> before_;
};

}  // namespace lockstep
