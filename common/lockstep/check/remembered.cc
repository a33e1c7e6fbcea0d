#include "check/remembered.h"

namespace lockstep {

Remembered::Remembered(const Launch& launch, SegmentId from)
    : launch_(launch), from_(from), next_(from), later_(launch.first + launch.segments.size() - from) {}

void Remembered::note(SegmentId segment, Mask lanes) {
  const Segment& s = launch_.segments[segment - launch_.first];
  const uint64_t warp = uint64_t{s.block} * launch_.warps + s.warp;
  if (warp >= rows_.size()) rows_.resize(warp + 1);
  if (!rows_[warp]) {
    moments_.emplace_back();
    rows_[warp] = static_cast<uint32_t>(moments_.size());
  }
  Moments& moments = moments_[rows_[warp] - 1];
  for (const uint32_t l : each_lane(lanes)) moments[l] = std::max(moments[l], s.time + 1u);
}

}  // namespace lockstep
