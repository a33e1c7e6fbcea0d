// remembered: the accesses that memory still remembers. Nobody can ask about the order of any others. So a clock that
// is put together (clock.h) needs no other moments than theirs, and clocks that differ only in others become equal.
//
// In: remembered accesses, in any order; then the numbers of segments, in their order. Out: each lane's latest
// remembered access before such a number.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/lanes.h"

namespace lockstep {

using SegmentId = uint32_t;                       // 0: none
using Moments = std::array<uint32_t, kWarpSize>;  // of a warp's lanes; 0: nothing is known

struct Segment {
  uint32_t block = 0;
  uint32_t time : 27 = 0;  // if a block has more moments, later races may be missed; none is invented
  uint32_t warp : 5 = 0;
};

class Remembered {
 public:
  // The segments of a launch, the first of which is numbered `first`; warps: of a block.
  struct Launch {
    const std::vector<Segment>& segments;
    SegmentId first;
    uint32_t warps;
  };
  // Forgets all. Later, pass_to() will be given numbers from `from` on.
  Remembered(const Launch& launch, SegmentId from);

  void add(SegmentId segment, uint32_t lane) {
    ++count_;
    earliest_ = std::min(earliest_, segment);
    if (segment >= from_)
      later_[segment - from_] |= Mask{1} << lane;
    else
      note(segment, Mask{1} << lane);
  }
  size_t count() const { return count_; }           // of calls to add()
  SegmentId earliest() const { return earliest_; }  // segment that was added

  void pass_to(SegmentId segment) {
    for (; next_ < segment && next_ - from_ < later_.size(); ++next_)
      if (const Mask lanes = later_[next_ - from_]) note(next_, lanes);
  }
  // Behind each lane's latest remembered access in a segment that was passed. Null: there is none.
  const Moments* of(uint64_t warp) const {
    return warp < rows_.size() && rows_[warp] ? &moments_[rows_[warp] - 1] : nullptr;
  }

 private:
  void note(SegmentId segment, Mask lanes);

  Launch launch_;
  SegmentId from_, next_;
  SegmentId earliest_ = ~SegmentId{0};
  size_t count_ = 0;
  std::vector<Mask> later_;
  std::vector<uint32_t> rows_;  // by warp: 0, or the number of its moments, from 1
  std::vector<Moments> moments_;
};

}  // namespace lockstep
