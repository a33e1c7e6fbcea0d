// contest: this code and its baseline run in turn on the same inputs → Speed. It continues until an interval of the
// speedup decides every threshold, or until a limit. Then it checks that the times are possible. Functions run the two
// codes, so that tests can bring their own times.
#pragma once

#include <functional>
#include <variant>

#include "grader/judge/base/failure.h"
#include "grader/judge/speed/speed.h"

namespace warpladder {

struct TimedCall {
  double ms = 0;        // the time that decides
  double whole_ms = 0;  // the time of the whole call by the judge's own clock
};

// One call of each code, one right after the other: when the card slows down, it slows both.
struct TimedPair {
  TimedCall mine, base;
  double copy_gb_per_s = 0;  // of a copy on the card between the two; 0: none was made
};

struct ContestRules {
  std::vector<Threshold> thresholds;
  double traffic_bytes = 0;  // the contract's least: all bytes that must be read or written
  // The part of it that is read from the card's memory, as the L2 cache is cold. 0: the arrays are on the host.
  double read_bytes = 0;
  double seconds = 20;                    // after that no further pair begins
  std::optional<TimedCall> base_alone;    // the baseline's medians before the other code was there
  std::function<TimedCall()> base_again;  // ends the other code, and times the baseline alone once more
  bool base_on_device = false;            // the baseline's deciding time is the device's own
};

// Runs the pair of this number. A failure is the submission's, and ends the contest.
using NextPair = std::function<std::variant<TimedPair, Failure>(int number)>;

// Throws JudgeFault where the times are impossible.
std::optional<Failure> hold_contest(const ContestRules& rules, const NextPair& next,
                                    const std::function<double()>& seconds_so_far, Speed& speed);

}  // namespace warpladder
