#include "grader/judge/speed/contest.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

// The interval is looked at after so many pairs. Each look may be wrong, so the looks share the allowed chance of an
// error: together they hold the median in 99 of 100 contests. 11 pairs are the fewest on which a look can decide.
constexpr std::array kLooks = {11, 21, 41, 81};
constexpr double kConfidence = 0.99, kOfEachLook = 1 - (1 - kConfidence) / kLooks.size();
constexpr int kWarmUps = 2;  // pairs that do not count: code is loaded, memory is mapped, clocks rise

// Reading alone is 1.09 times as fast as copying (H200, docs/measurements/h200/limits_*.csv: 4.67 and 4.27 TB/s).
// Clocks that differ from call to call and the steps of a timer add less than another tenth.
constexpr double kAboveCopy = 1.2;

// ms. A call that allocates, launches, copies its sums back and frees takes 0.44 ms longer than its work on the device,
// with the words that the judge asks for (lab 03, docs/measurements/h200/speed_*.csv). About the same again still
// counts as honest. Code that computes on the host must copy 16 MiB or more, which takes 1.5 ms (saxpy_*.csv).
constexpr double kHostAllowance = 0.5;

// Code that slows its baseline down would look fast. On the device the baseline may become slower by half of the gain
// that the lowest threshold asks for, and by a tenth at most: then code without a gain stays below the threshold. By
// the processor's clock it may double, as other programs share the processor's caches. Beside honest code, in labs with
// thresholds, the baseline took at most 1.016 and 1.40 times as long (docs/measurements/h200/speed_2026-11-22.csv).
constexpr double kBesideOther = 0.5, kMostBeside = 0.1, kBesideOtherOnHost = 2;

struct Times {
  std::vector<double> mine, base, mine_whole, base_whole, ratio, saving, copy;  // saving: by the judge's clock

  void add(const TimedPair& pair) {
    mine.push_back(pair.mine.ms);
    base.push_back(pair.base.ms);
    mine_whole.push_back(pair.mine.whole_ms);
    base_whole.push_back(pair.base.whole_ms);
    // Code that claims to take no time is not infinitely fast: the clocks are wrong. impossible() reports that.
    ratio.push_back(pair.mine.ms > 0 ? pair.base.ms / pair.mine.ms : 0);
    saving.push_back(pair.base.whole_ms - pair.mine.whole_ms);
    if (pair.copy_gb_per_s > 0) copy.push_back(pair.copy_gb_per_s);
  }
};

void fill_in(const ContestRules& rules, const Times& times, Speed& speed) {
  speed.measured = {};
  speed.measured.ms = median(times.mine);
  speed.measured.whole_ms = median(times.mine_whole);
  speed.measured.baseline_ms = median(times.base);
  if (rules.base_alone) speed.measured.baseline_alone_ms = rules.base_alone->ms;
  speed.speedup = median(times.ratio);
  speed.interval = median_interval(times.ratio, kOfEachLook);
  speed.measured.runs = static_cast<int>(times.mine.size());
  if (!times.copy.empty()) speed.measured.copy_gb_per_s = median(times.copy);
  if (rules.read_bytes > 0 && *speed.measured.ms > 0)
    speed.measured.gb_per_s = rules.traffic_bytes / 1e6 / *speed.measured.ms;
  apply_thresholds(rules.thresholds, speed);
}

constexpr const char* kAgain =
    later("Run it again on a quiet card (nvidia-smi shows who else is on it). It costs no points as it is.");
constexpr const char* kReadIt = later(
    "Run it again on a quiet card. If it stays so, an instructor should read the code: until then it has no score.");

// Impossible times. No grade may depend on them, neither a lost point nor a given one.
std::optional<Message> impossible(const ContestRules& rules, const Times& times) {
  for (const auto& [who, calls, whole] : {std::tuple{later("this code"), &times.mine, &times.mine_whole},
                                          {later("the baseline"), &times.base, &times.base_whole}}) {
    const double ms = median(*calls);
    if (ms > median(*whole))
      return message("{who} is said to take {ms} ms, and the whole call took {whole} ms by the judge's clock",
                     {{"who", message(who)}, {"ms", number(ms)}, {"whole", number(median(*whole))}});
    if (rules.read_bytes == 0 || times.copy.empty()) continue;
    const double least_ms = rules.read_bytes / 1e6 / (kAboveCopy * median(times.copy));
    if (ms < least_ms)
      return message(
          "{who} is said to take {ms} ms, in which this card cannot even read the input: at {factor} times the {copy} "
          "GB/s of a copy, measured in between, that takes {least} ms",
          {{"who", message(who)},
           {"ms", number(ms)},
           {"factor", number(kAboveCopy)},
           {"copy", number(median(times.copy))},
           {"least", number(least_ms)}});
  }
  return std::nullopt;
}

// The baseline must not wait for the code that it is compared with, neither on the device nor by the judge's clock.
std::optional<Message> slower_than(const TimedCall& alone, const ContestRules& rules, const Times& times) {
  const auto told = [](double beside, double before, const char* form) {
    return message(form, {{"beside", number(beside)}, {"alone", number(before)}});
  };
  const double most = 1 + std::min(kMostBeside, kBesideOther * (rules.thresholds.front().speedup - 1));
  const double ms = median(times.base), whole_ms = median(times.base_whole);
  if (rules.base_on_device && ms > most * alone.ms)
    return told(ms, alone.ms,
                later("the baseline takes {beside} ms on the device while this code's process is there, and {alone} ms "
                      "alone"));
  if (whole_ms > kBesideOtherOnHost * alone.whole_ms + kHostAllowance)
    return told(whole_ms, alone.whole_ms,
                later("the baseline takes {beside} ms by the judge's clock while this code's process is there, and "
                      "{alone} ms alone"));
  return std::nullopt;
}

std::optional<Message> held_up(const ContestRules& rules, const Times& times) {
  if (!rules.base_alone || rules.thresholds.empty()) return std::nullopt;
  auto what = slower_than(*rules.base_alone, rules, times);
  if (what && rules.base_again) what = slower_than(rules.base_again(), rules, times);  // a warm card is slower as well
  return what;
}

// Time that is saved on the device must be visible from outside as well. Half of it is enough, as the host's own work
// hides a part. Without thresholds nobody gains by moving work to the host, so it is not checked.
std::optional<Message> moved_away(const ContestRules& rules, const Times& times) {
  if (rules.thresholds.empty()) return std::nullopt;
  const double claimed = median(times.base) - median(times.mine);
  const auto seen = median_interval(times.saving, kOfEachLook);
  if (!seen || seen->high >= claimed / 2 - kHostAllowance) return std::nullopt;
  if (seen->high < 0)
    return message(
        "on the device it saves {claimed} ms, but the whole call is {ms} ms slower than the baseline's by the "
        "judge's clock: the work moved to the host",
        {{"claimed", number(claimed)}, {"ms", number(-median(times.saving))}});
  return message(
      "on the device it saves {claimed} ms, but the whole call is only {ms} ms faster than the baseline's by "
      "the judge's clock: the work moved to the host",
      {{"claimed", number(claimed)}, {"ms", number(seen->high)}});
}

// Gives all thresholds this verdict, whatever the figures are. The reason says why.
void overrule(SpeedVerdict verdict, const Message& reason, const Message& advice, Speed& speed) {
  for (ThresholdResult& result : speed.thresholds) result.verdict = verdict;
  if (!speed.thresholds.empty()) speed.verdict = verdict;
  speed.reason = reason;
  speed.advice = advice;
}

void check_interval(const ContestRules& rules, const Times& times, Speed& speed) {
  if (!speed.interval)
    return overrule(SpeedVerdict::kInconclusive,
                    message("{count} pairs of calls in {seconds} s are too few for an interval",
                            {{"count", speed.measured.runs}, {"seconds", number(speed.measured.seconds)}}),
                    message(kAgain), speed);
  if (const auto what = moved_away(rules, times))
    return overrule(SpeedVerdict::kFail, *what, message("Let the kernels do the work that the host does now."), speed);
  if (speed.verdict != SpeedVerdict::kInconclusive) return;
  speed.reason = message(
      "after {count} pairs of calls the speedup's interval, {low} to {high}, still lies on both sides "
      "of a threshold",
      {{"count", speed.measured.runs}, {"low", number(speed.interval->low)}, {"high", number(speed.interval->high)}});
  speed.advice = message(kAgain);
}

}  // namespace

std::optional<Failure> hold_contest(const ContestRules& rules, const NextPair& next,
                                    const std::function<double()>& seconds_so_far, Speed& speed) {
  Times times;
  speed.reason = {};
  int pair_number = 0;
  bool is_late = false;
  for (const int look : kLooks) {
    while (static_cast<int>(times.mine.size()) < look && !is_late) {
      const auto outcome = next(pair_number++);
      if (const auto* failure = std::get_if<Failure>(&outcome)) return *failure;
      if (pair_number <= kWarmUps) continue;
      times.add(std::get<TimedPair>(outcome));
      is_late = seconds_so_far() > rules.seconds;
    }
    fill_in(rules, times, speed);
    const bool open = speed.verdict == SpeedVerdict::kInconclusive || !speed.interval;
    if (!open || is_late) break;
  }
  speed.measured.seconds = seconds_so_far();
  auto what = impossible(rules, times);
  if (!what) what = held_up(rules, times);
  if (what)
    throw JudgeFault(message("a measuring fault: {what}. {next}", {{"what", *what}, {"next", message(kReadIt)}}));
  check_interval(rules, times, speed);
  return std::nullopt;
}

}  // namespace warpladder
