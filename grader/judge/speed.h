// speed: how long the measured case takes and how much faster that is than the lab's baseline, as plain values; and
// what the lab's thresholds make of it. Measures nothing: timing does, and lockstep's report brings modelled times.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/judge/lab.h"
#include "grader/judge/statistics.h"

namespace warpladder {

// kInconclusive never lowers a grade.
enum class SpeedVerdict { kNotGraded, kPass, kFail, kInconclusive };

std::string_view name_of(SpeedVerdict verdict);  // "not graded"

struct ThresholdResult {
  Threshold threshold;
  SpeedVerdict verdict = SpeedVerdict::kNotGraded;
};

// By lockstep's cost model, of all launches of the measured case.
struct ModelledTime {
  std::string card;
  double ms = 0;
  std::optional<double> baseline_ms;
};

struct Speed {
  // Over the lab's baseline, for its thresholds: measured on a card, or modelled for one.
  SpeedVerdict verdict = SpeedVerdict::kNotGraded;  // kFail if one threshold is missed; else kInconclusive if one is
  std::vector<ThresholdResult> thresholds;
  std::string reason;      // why there is no figure, no verdict, or a fail in spite of the figures
  std::string advice;      // what to do if it is inconclusive
  std::string kind, card;  // "measured" or "modelled"; "": no speedup is known
  std::optional<double> speedup;
  std::optional<Interval> interval;  // of the speedup, with the confidence that `what` names

  std::optional<double> ms, whole_ms;  // of the measured case, medians: what decides; by the judge's clock
  std::optional<double> baseline_ms, baseline_alone_ms;  // in turn with this code; before its process was there
  int runs = 0;                                          // pairs of calls
  double seconds = 0;                                    // that they took
  std::string what;                                      // how ms was measured
  std::optional<double> gb_per_s, copy_gb_per_s;         // of the contract's least traffic; of a copy, in the same run
  std::vector<ModelledTime> modelled;

  std::optional<double> serial_cpu_ms, parallel_cpu_ms;
  std::string parallel_cpu_what;
};

// Where an interval lies: from the threshold on up (pass), below it (fail), or on both sides.
SpeedVerdict compare(const Interval& speedup, double threshold);

// Fills in thresholds and verdict from the interval; without one nothing is graded, nor are thresholds below `least`.
void apply_thresholds(const std::vector<Threshold>& thresholds, Speed& speed, double least = 0);

// All thresholds become this, and the reason says why: a figure that is there says nothing.
void overrule(SpeedVerdict verdict, const std::string& reason, const std::string& advice, Speed& speed);

}  // namespace warpladder
