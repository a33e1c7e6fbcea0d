#include "grader/judge/speed/speed.h"

#include <algorithm>

#include "grader/judge/base/text.h"

namespace warpladder {

std::string_view name_of(SpeedVerdict verdict) {
  static constexpr std::string_view kNames[] = {"not graded", "pass", "fail", "inconclusive"};
  return kNames[static_cast<size_t>(verdict)];
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
  // A threshold that is missed decides first, then one that is open.
  for (const SpeedVerdict verdict : {SpeedVerdict::kPass, SpeedVerdict::kInconclusive, SpeedVerdict::kFail}) {
    if (std::ranges::find(speed.thresholds, verdict, &ThresholdResult::verdict) != speed.thresholds.end())
      speed.verdict = verdict;
  }
}

Message speedup_text(const Speed& speed) {
  if (!speed.speedup) return message("no speedup");
  const Message::Arguments figures = {{"times", number(*speed.speedup)}, {"card", speed.card}};
  const bool is_measured = speed.kind == "measured";
  if (speed.card.empty())
    return is_measured ? message("{times} ×, measured", figures) : message("{times} ×, modelled", figures);
  return is_measured ? message("{times} ×, measured for {card}", figures)
                     : message("{times} ×, modelled for {card}", figures);
}

Failure speed_failure(const Speed& speed) {
  const auto missed = std::ranges::find(speed.thresholds, SpeedVerdict::kFail, &ThresholdResult::verdict);
  const Threshold threshold = missed == speed.thresholds.end() ? Threshold{} : missed->threshold;
  Failure failure = make_failure(
      Verdict::kTooSlow, "speed." + number(threshold.speedup),
      message("speedup: {speedup}; {threshold} is asked for: {why}", {{"speedup", speedup_text(speed)},
                                                                      {"threshold", number(threshold.speedup)},
                                                                      {"why", message(threshold.why)}}),
      speed.advice);
  if (!speed.reason.empty()) failure.steps.push_back(speed.reason);
  return failure;
}

}  // namespace warpladder
