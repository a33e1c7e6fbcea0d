#include "grader/judge/score.h"

#include <algorithm>

#include "grader/judge/text.h"

namespace warpladder {
namespace {

constexpr int kRulePoints = 20;

// "40 public cases pass, 2 of 12 hidden ones fail"
std::string cases_text(const Result& result) {
  const auto count = [&](bool hidden, bool only_failed) {
    return std::ranges::count_if(
        result.cases, [&](const CaseResult& one) { return one.is_hidden() == hidden && !(only_failed && one.passed); });
  };
  const auto shown = count(false, false), wrong = count(false, true), hidden = count(true, false);
  std::string text = wrong == 0
                         ? std::to_string(shown) + " public cases pass"
                         : std::to_string(wrong) + " of the " + std::to_string(shown) + " public cases that ran fail";
  if (hidden == 0) return text;
  const auto hidden_wrong = count(true, true);
  text += ", " + (hidden_wrong == 0 ? std::to_string(hidden) + " hidden ones, too"
                                    : std::to_string(hidden_wrong) + " of " + std::to_string(result.planned_hidden) +
                                          " hidden ones fail");
  const auto left = static_cast<std::ptrdiff_t>(result.planned_hidden) - hidden;
  return left <= 0 ? text : text + " (" + std::to_string(left) + " of them were not run)";
}

// All that was planned was run and is right: nothing at all is no pass.
bool is_correct(const Result& result) {
  return is_right(result) && result.planned_cases > 0 && result.cases.size() == result.planned_cases;
}

ScorePart correct_part(const Result& result, bool correct) {
  std::string why = result.cases.empty() ? "" : cases_text(result);
  if (!correct) {
    const std::string cause = result.failure
                                  ? std::string(name_of(result.failure->verdict)) + ", " + result.failure->check
                                  : "not all cases ran";
    why = cause + (why.empty() ? "" : "; " + why);
  }
  return {"correct", 0, result.worth.correct, why};
}

ScorePart rules_part(const Result& result) {
  std::string broken;
  const auto add = [&](const std::string& name) { broken += (broken.empty() ? "" : ", ") + name; };
  bool measured = !result.rules.empty();
  if (result.failure && result.failure->check.starts_with("finding.")) add(result.failure->check);
  for (const RuleResult& rule : result.rules) {
    if (!rule.holds) add(rule.rule.name);
    if (!rule.measured) measured = false;
  }
  if (!broken.empty()) return {"rules", 0, result.worth.rules, "broken: " + broken};
  return {"rules", result.worth.rules, result.worth.rules,
          measured ? "all hold" : "not measured on this device: not lost"};
}

std::string figure(const Speed& speed) {
  if (!speed.speedup) return "no speedup";
  return number(*speed.speedup) + " ×, " + speed.kind + (speed.card.empty() ? "" : " for " + speed.card);
}

ScorePart speed_part(const Result& result) {
  const Speed& speed = result.speed;
  ScorePart part{"speed", result.worth.speed, result.worth.speed, ""};
  std::string missed, open;
  for (const ThresholdResult& one : speed.thresholds) {
    const std::string name = number(one.threshold.speedup) + " ×";
    if (one.verdict == SpeedVerdict::kFail) {
      part.points -= one.threshold.points;
      missed += (missed.empty() ? "" : ", ") + name;
    } else if (one.verdict == SpeedVerdict::kInconclusive) {
      open += (open.empty() ? "" : ", ") + name;
    }
  }
  part.points = std::max(part.points, 0);
  if (speed.verdict == SpeedVerdict::kNotGraded) {
    part.why = "not graded on this device: not lost";
    return part;
  }
  part.why = figure(speed);
  if (!missed.empty()) part.why += "; missed: " + missed + (speed.reason.empty() ? "" : ", since " + speed.reason);
  if (!open.empty()) part.why += "; inconclusive, and so given: " + open;
  return part;
}

}  // namespace

Worth worth_of(const Lab& lab) {
  Worth worth{kMostPoints, 0, 0};
  for (const Threshold& threshold : lab.thresholds) worth.speed += threshold.points;
  // A CUDA lab without rules of its own still has those that lockstep's findings stand for.
  if (!lab.rules.empty() || !lab.is_opencl()) worth.rules = kRulePoints;
  worth.correct -= worth.rules + worth.speed;
  return worth;
}

bool leaves_answers_right(const Failure& failure) {
  if (failure.verdict == Verdict::kTooSlow || failure.verdict == Verdict::kInconclusive) return true;
  if (failure.verdict != Verdict::kRuleBroken) return false;
  return failure.check.starts_with("rule.") || failure.check == "finding.leak" ||
         failure.check == "finding.unchecked_error";
}

bool is_right(const Result& result) {
  return (!result.failure || leaves_answers_right(*result.failure)) &&
         std::ranges::all_of(result.cases, &CaseResult::passed);
}

std::optional<Score> score_of(const Result& result) {
  if (!result.is_whole || result.verdict() == Verdict::kJudgeFault) return std::nullopt;
  const bool correct = is_correct(result);
  Score score;
  for (ScorePart part : {correct_part(result, correct), rules_part(result), speed_part(result)}) {
    if (part.of == 0) continue;
    if (part.name == "correct") {
      part.points = correct ? part.of : 0;
    } else if (!correct) {
      part.points = 0;
      part.why = "counts for correct code only";
    }
    score.points += part.points;
    score.parts.push_back(std::move(part));
  }
  return score;
}

Failure speed_failure(const Speed& speed) {
  const auto missed = std::ranges::find(speed.thresholds, SpeedVerdict::kFail, &ThresholdResult::verdict);
  const Threshold threshold = missed == speed.thresholds.end() ? Threshold{} : missed->threshold;
  Failure failure{Verdict::kTooSlow,
                  "speed." + number(threshold.speedup),
                  {"speedup: " + figure(speed) + "; " + number(threshold.speedup) + " is asked for: " + threshold.why},
                  speed.advice,
                  ""};
  if (!speed.reason.empty()) failure.steps.push_back(speed.reason);
  return failure;
}

}  // namespace warpladder
