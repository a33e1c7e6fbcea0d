// speed: how long the measured case takes, how much faster it is than the lab's baseline, and which thresholds it
// reaches. Plain values: timing.h measures them, or model_speed() takes them from lockstep's report.
#pragma once

#include "grader/judge/base/failure.h"
#include "grader/judge/lab/lab.h"
#include "grader/judge/rules/report.h"
#include "grader/judge/speed/statistics.h"

namespace warpladder {

// kInconclusive never lowers a grade.
enum class SpeedVerdict { kNotGraded, kPass, kFail, kInconclusive };

std::string_view name_of(SpeedVerdict verdict);  // "not graded"

struct ThresholdResult {
  Threshold threshold;
  SpeedVerdict verdict = SpeedVerdict::kNotGraded;
};

// All launches of the measured case together, by lockstep's cost model.
struct ModelledTime {
  std::string card;
  double ms = 0;
  std::optional<double> baseline_ms;
};

// The measured case on a card.
struct MeasuredTimes {
  std::optional<double> ms, whole_ms;  // medians: the time that decides; the whole call by the judge's clock
  std::optional<double> baseline_ms, baseline_alone_ms;  // beside this code; before this code's process existed
  int runs = 0;                                          // pairs of calls
  double seconds = 0;                                    // the time that all pairs took
  std::optional<double> gb_per_s, copy_gb_per_s;  // for the contract's least traffic; for a copy, in the same run
};

// The same work on this machine's processor.
struct CpuTimes {
  std::optional<double> serial_ms, parallel_ms;
  Message parallel_what;
};

struct Speed {
  // kFail if a threshold is missed; else kInconclusive if one is still open.
  SpeedVerdict verdict = SpeedVerdict::kNotGraded;
  std::vector<ThresholdResult> thresholds;
  Message reason;                    // why there is no figure, no verdict, or a fail in spite of the figures
  Message advice;                    // what to do if it is inconclusive
  std::string kind, card;            // "measured" or "modelled", "" without a speedup; on which card
  Message what;                      // how
  std::optional<double> speedup;     // over the lab's baseline
  std::optional<Interval> interval;  // of the speedup, with the confidence that `what` names
  MeasuredTimes measured;
  std::vector<ModelledTime> modelled;
  CpuTimes cpu;
};

// kPass if the interval begins at or above the threshold, kFail if it ends below, kInconclusive if it lies on both
// sides.
SpeedVerdict compare(const Interval& speedup, double threshold);

// Fills in thresholds and verdict from the interval. Without an interval nothing is graded, and a threshold below
// `least` never is.
void apply_thresholds(const std::vector<Threshold>& thresholds, Speed& speed, double least = 0);

// Lockstep's reports of a code and of the rung below → times and speedups for some cards, by a cost model. mine: the
// report of the measured case. below: the file with the report of the rung below on its own measured case, which the
// build made (judge --report). "": the baseline is the serial CPU.
void model_speed(const Lab& lab, const Report& mine, const std::filesystem::path& below, Speed& speed);

Message speedup_text(const Speed& speed);  // "1.8 ×, modelled for NVIDIA H200"

// The failure of a submission whose verdict is kFail: speed.1.5, the lowest threshold that is missed.
Failure speed_failure(const Speed& speed);

}  // namespace warpladder
