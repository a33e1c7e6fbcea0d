// modelled: lockstep's reports of a code and of the rung below → times and speedups for some cards, by a cost model.
// Only counts and arithmetic: no clock is read, and the same code always gets the same times.
#include "grader/judge/speed/speed.h"

#include <map>

#include "grader/judge/base/text.h"
#include "grader/judge/sandbox/file.h"

namespace warpladder {
namespace {

constexpr const char* kCard = "NVIDIA H200";  // the thresholds were measured on it

// ms for each card on which all launches fit. Without a launch there are no times.
std::map<std::string, double> times_of(const Report& report) {
  std::map<std::string, double> sums;
  std::map<std::string, size_t> launches;
  for (const Launch& launch : report.launches) {
    for (const auto& [card, us] : launch.modelled_us) {
      sums[card] += us / 1000;
      ++launches[card];
    }
  }
  std::erase_if(sums, [&](const auto& entry) { return launches[entry.first] < report.launches.size(); });
  return sums;
}

}  // namespace

void model_speed(const Lab& lab, const Report& mine, const std::filesystem::path& below, Speed& speed) {
  std::map<std::string, double> base;  // empty where the build has made no such file
  if (std::filesystem::exists(below)) base = times_of(parse_report(read_file(below)));
  for (const auto& [card, ms] : times_of(mine)) {
    const auto found = base.find(card);
    speed.modelled.push_back({card, ms, found == base.end() ? std::nullopt : std::optional(found->second)});
  }
  speed.reason = {};
  for (const ModelledTime& time : speed.modelled) {
    if (time.card != kCard || time.ms <= 0) continue;
    speed.kind = "modelled";
    speed.card = kCard;
    if (!time.baseline_ms) continue;
    speed.speedup = *time.baseline_ms / time.ms;
    speed.what = message("by a model of the card, which does not say how far off it may be");
    if (!mine.modelled_error) continue;
    speed.interval = {*speed.speedup / *mine.modelled_error, *speed.speedup * *mine.modelled_error};
    speed.what = message("by a model of the card, whose speedups are right up to a factor of {factor}",
                         {{"factor", number(*mine.modelled_error, 6)}});
  }
  // A gain that is smaller than the model's own uncertainty cannot be told from no gain.
  apply_thresholds(lab.thresholds, speed, mine.modelled_error.value_or(1));
  if (speed.thresholds.empty()) return;
  if (below.empty()) {
    speed.reason = message("not graded here: a modelled card cannot be compared with the processor of this machine");
  } else if (base.empty()) {
    speed.reason = message("not graded here: {file} is missing, which the build makes: cmake --build build",
                           {{"file", below.string()}});
  } else if (!speed.interval) {
    speed.reason =
        message("not graded here: the model says too little of this code on {card}", {{"card", std::string(kCard)}});
  } else if (speed.verdict == SpeedVerdict::kNotGraded) {
    speed.reason =
        message("not graded here: what this rung gains is less than the model may be off. A card measures it");
  } else if (speed.verdict == SpeedVerdict::kInconclusive) {
    speed.reason = message("the model's own uncertainty reaches over a threshold");
    speed.advice = message("It costs no points. ./lab check NN --device gpu measures it, where there is a card.");
  }
}

}  // namespace warpladder
