// baseline: a contract's work done on the host, which a kernel's time is compared with. serial: a plain loop on one
// core, as the sources have it. parallel: what a CPU programmer would really use, on every core.
// in: the contract's input. Returns something that depends on all of the answer, so that no work can be left out.
#pragma once

#include <cstdint>
#include <string_view>

#include "grader/judge/bytes.h"

namespace warpladder {

struct Baseline {
  uint64_t (*serial)(std::string_view entry, View in);
  uint64_t (*parallel)(std::string_view entry, View in);  // null where this build lacks what it needs
  std::string_view parallel_what;                         // for people
};

extern const Baseline kSaxpyBaseline, kScanBaseline, kReductionBaseline, kHistogramBaseline;

}  // namespace warpladder
