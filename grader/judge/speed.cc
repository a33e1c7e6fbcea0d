#include "grader/judge/speed.h"

#include <algorithm>

namespace warpladder {

std::string_view name_of(SpeedVerdict verdict) {
  switch (verdict) {
    case SpeedVerdict::kNotGraded: return "not graded";
    case SpeedVerdict::kPass: return "pass";
    case SpeedVerdict::kFail: return "fail";
    case SpeedVerdict::kInconclusive: return "inconclusive";
  }
  return "not graded";
}

SpeedVerdict compare(const Interval& speedup, double threshold) {
  if (speedup.low >= threshold) return SpeedVerdict::kPass;
  return speedup.high < threshold ? SpeedVerdict::kFail : SpeedVerdict::kInconclusive;
}

void apply_thresholds(const std::vector<Threshold>& thresholds, Speed& speed, double least) {
  speed.thresholds.clear();
  speed.verdict = SpeedVerdict::kNotGraded;
  for (const Threshold& threshold : thresholds) {
    const bool is_graded = speed.interval && threshold.speedup >= least;
    speed.thresholds.push_back(
        {threshold, is_graded ? compare(*speed.interval, threshold.speedup) : SpeedVerdict::kNotGraded});
  }
  // One that is missed decides, then one that is open.
  for (const SpeedVerdict verdict : {SpeedVerdict::kPass, SpeedVerdict::kInconclusive, SpeedVerdict::kFail}) {
    if (std::ranges::find(speed.thresholds, verdict, &ThresholdResult::verdict) != speed.thresholds.end())
      speed.verdict = verdict;
  }
}

void overrule(SpeedVerdict verdict, const std::string& reason, const std::string& advice, Speed& speed) {
  for (ThresholdResult& result : speed.thresholds) result.verdict = verdict;
  if (!speed.thresholds.empty()) speed.verdict = verdict;
  speed.reason = reason;
  speed.advice = advice;
}

}  // namespace warpladder
