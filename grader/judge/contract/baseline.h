// baseline: the contract's work done on the host. A kernel's time is compared with the time that it takes.
// serial: a plain loop on one core. parallel: the library call that a CPU programmer would use, on every core.
// in: the contract's input. The result depends on the whole answer, so that the optimiser cannot leave work out.
#pragma once

#include <cstdint>
#include <string_view>

#include "grader/judge/base/bytes.h"

namespace warpladder {

struct Baseline {
  uint64_t (*serial)(std::string_view entry, View in);
  uint64_t (*parallel)(std::string_view entry, View in);  // null where this build lacks the library
  std::string_view parallel_what;                         // for people
};

extern const Baseline kSaxpyBaseline, kScanBaseline, kReductionBaseline, kHistogramBaseline;

}  // namespace warpladder
