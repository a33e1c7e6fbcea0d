// contest: two codes in turn on the same inputs, this one and what its speedup is over → Speed. It goes on until an
// interval of the speedup decides every threshold or a limit is reached, and then asks whether the clocks can be right.
// Who runs the codes is a function, so that tests bring times of their own.
#pragma once

#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "grader/judge/speed.h"
#include "grader/judge/verdict.h"

namespace warpladder {

struct TimedCall {
  double ms = 0;        // what decides
  double whole_ms = 0;  // by the judge's own clock
};

// One call of each, one right after the other, so that what slows the card down slows both.
struct TimedPair {
  TimedCall mine, base;
  double copy_gb_per_s = 0;  // of a copy on the card in between; 0: none was made
};

struct ContestRules {
  std::vector<Threshold> thresholds;
  double traffic_bytes = 0;  // the contract's least: all that must be read and written
  // Of it, what must come from the card's memory, as the L2 cache is cold; 0: arrays of the host.
  double read_bytes = 0;
  double seconds = 20;                    // after that, no further pair
  std::optional<TimedCall> base_alone;    // the baseline's, medians of before the other code was there
  std::function<TimedCall()> base_again;  // ends the other code, and times the baseline alone once more
  bool base_on_device = false;            // what decides of the baseline's is the device's own time
};

// The pair of this number; a failure ends the contest and is the submission's.
using NextPair = std::function<std::variant<TimedPair, Failure>(int number)>;

// Throws JudgeFault where the times cannot be.
std::optional<Failure> hold_contest(const ContestRules& rules, const NextPair& next,
                                    const std::function<double()>& seconds_so_far, Speed& speed);

}  // namespace warpladder
