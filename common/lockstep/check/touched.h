// touched: which parts of global memory a launch has used, so that the records of the others need not be read.
#pragma once

#include <cstdint>
#include <vector>

#include "base/lanes.h"

namespace lockstep {

class Touched {
 public:
  static constexpr uint64_t kPart = 64 << 10;  // bytes

  // Of memory of so many bytes. Nothing is allocated before the first note().
  explicit Touched(uint64_t bytes) : all_(bytes / kPart + 1) {}

  // An access of lanes: `first` has the offsets of their data, of so many bytes each.
  void note(Mask mask, const uint64_t* first, uint64_t bytes) {
    if (is_touched_.empty()) is_touched_.resize(all_);
    const uint64_t one = first[first_lane(mask)];
    uint64_t differ = 0;
    for (uint32_t l = 0; l < kWarpSize; ++l)
      differ |= mask >> l & 1 ? (first[l] ^ one) | ((first[l] + bytes - 1) ^ one) : 0;
    if (differ < kPart && is_touched_[one / kPart]) return;  // usually all lie in one part
    for (const uint32_t l : each_lane(mask))
      for (uint64_t part = first[l] / kPart; part <= (first[l] + bytes - 1) / kPart; ++part)
        if (!is_touched_[part]) is_touched_[part] = 1, parts_.push_back(part);
  }
  const std::vector<uint64_t>& parts() const { return parts_; }
  void forget() {
    for (const uint64_t part : parts_) is_touched_[part] = 0;
    parts_.clear();
  }

 private:
  uint64_t all_;
  std::vector<uint8_t> is_touched_;
  std::vector<uint64_t> parts_;
};

}  // namespace lockstep
