// score: Result → points out of 100, in three parts, with the reason for each lost point. If the answers are not
// correct, every part is 0. No point is lost if something could not be measured or decided; the text then says so. Pure
// arithmetic. docs/grading.md explains it to people.
#include "grader/judge/verdict/verdict.h"

#include <algorithm>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

constexpr int kRulePoints = 20;

// "40 public cases pass, 2 of 12 hidden ones fail"
std::string cases_text(const Result& result) {
  const Tally shown = result.public_cases(), hidden = result.hidden_cases();
  const size_t shown_run = shown.passed + shown.failed, hidden_run = hidden.passed + hidden.failed;
  std::string text = shown.failed == 0 ? std::to_string(shown_run) + " public cases pass"
                                       : std::to_string(shown.failed) + " of the " + std::to_string(shown_run) +
                                             " public cases that ran fail";
  if (hidden_run == 0) return text;
  text += ", " + (hidden.failed == 0 ? std::to_string(hidden_run) + " hidden ones, too"
                                     : std::to_string(hidden.failed) + " of " + std::to_string(result.planned_hidden) +
                                           " hidden ones fail");
  if (hidden_run >= result.planned_hidden) return text;
  return text + " (" + std::to_string(result.planned_hidden - hidden_run) + " of them were not run)";
}

// Every planned case ran and is right. A result without cases is not a pass.
bool is_correct(const Result& result) {
  return result.is_right() && result.planned_cases > 0 && result.cases.size() == result.planned_cases;
}

ScorePart correct_part(const Result& result, bool correct) {
  std::string why = result.cases.empty() ? "" : cases_text(result);
  if (!correct) {
    const std::string cause = result.failure
                                  ? std::string(name_of(result.failure->verdict)) + ", " + result.failure->check
                                  : "not all cases ran";
    why = cause + (why.empty() ? "" : "; " + why);
  }
  return {"correct", correct ? result.setting.worth.correct : 0, result.setting.worth.correct, why};
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
  if (!broken.empty()) return {"rules", 0, result.setting.worth.rules, "broken: " + broken};
  return {"rules", result.setting.worth.rules, result.setting.worth.rules,
          measured ? "all hold" : "not measured on this device: not lost"};
}

ScorePart speed_part(const Result& result) {
  const Speed& speed = result.speed;
  ScorePart part{"speed", result.setting.worth.speed, result.setting.worth.speed, ""};
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
  part.why = speedup_text(speed);
  if (!missed.empty()) part.why += "; missed: " + missed + (speed.reason.empty() ? "" : ", since " + speed.reason);
  if (!open.empty()) part.why += "; inconclusive, and so given: " + open;
  return part;
}

}  // namespace

Worth worth_of(const Lab& lab) {
  Worth worth{kMostPoints, 0, 0};
  for (const Threshold& threshold : lab.thresholds) worth.speed += threshold.points;
  // Even a CUDA lab without rules of its own has some: lockstep's findings break them.
  if (!lab.rules.empty() || !lab.is_opencl()) worth.rules = kRulePoints;
  worth.correct -= worth.rules + worth.speed;
  return worth;
}

std::optional<Score> score_of(const Result& result) {
  if (!result.setting.is_whole || result.verdict() == Verdict::kJudgeFault) return std::nullopt;
  const bool correct = is_correct(result);
  Score score;
  for (ScorePart part : {correct_part(result, correct), rules_part(result), speed_part(result)}) {
    if (part.of == 0) continue;
    if (!correct && part.name != "correct") {
      part.points = 0;
      part.why = "counts for correct code only";
    }
    score.points += part.points;
    score.parts.push_back(std::move(part));
  }
  return score;
}

}  // namespace warpladder
