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

  // An access of lanes: `bytes` are the offsets of their data. The data are aligned, so each lane's lie in one part.
  void note(Mask mask, const uint64_t* bytes) {
    if (is_touched_.empty()) is_touched_.resize(all_);
    const uint64_t one = bytes[first_lane(mask)];
    if (is_touched_[one / kPart]) {  // usually, and so are the others: all lie in one part
      if (!(mask & (mask - 1))) return;
      uint64_t differ = 0;
      for (uint32_t l = 0; l < kWarpSize; ++l) differ |= bytes[l] ^ one;  // other lanes repeat the first of the mask
      if (differ < kPart) return;
    }
    for (const uint32_t l : each_lane(mask))
      if (uint8_t& is_touched = is_touched_[bytes[l] / kPart]; !is_touched)
        is_touched = 1, parts_.push_back(bytes[l] / kPart);
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
