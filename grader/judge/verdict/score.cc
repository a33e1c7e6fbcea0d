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
Message cases_text(const Result& result) {
  const Tally shown = result.public_cases(), hidden = result.hidden_cases();
  const size_t shown_run = shown.passed + shown.failed, hidden_run = hidden.passed + hidden.failed;
  const Message::Arguments counts = {{"failed", shown.failed},          {"ran", shown_run},
                                     {"hidden_failed", hidden.failed},  {"hidden_ran", hidden_run},
                                     {"hidden", result.planned_hidden}, {"left", result.planned_hidden - hidden_run}};
  const Message text = shown.failed == 0 ? message("{ran} public cases pass", counts)
                                         : message("{failed} of the {ran} public cases that ran fail", counts);
  if (hidden_run == 0) return text;
  const Message both =
      together({text, hidden.failed == 0 ? message("{hidden_ran} hidden ones, too", counts)
                                         : message("{hidden_failed} of {hidden} hidden ones fail", counts)},
               ", ");
  if (hidden_run >= result.planned_hidden) return both;
  return together({both, message("({left} of them were not run)", counts)}, " ");
}

// Every planned case ran and is right. A result without cases is not a pass.
bool is_correct(const Result& result) {
  return result.is_right() && result.planned_cases > 0 && result.cases.size() == result.planned_cases;
}

ScorePart correct_part(const Result& result, bool correct) {
  std::vector<Message> why;
  if (!correct && result.failure)
    why.push_back(together({message(name_of(result.failure->verdict)), result.failure->check}, ", "));
  else if (!correct)
    why.push_back(message("not all cases ran"));
  if (!result.cases.empty()) why.push_back(cases_text(result));
  return {later("correct"), correct ? result.setting.worth.correct : 0, result.setting.worth.correct,
          together(why, "; ")};
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
  const int worth = result.setting.worth.rules;
  if (!broken.empty()) return {later("rules"), 0, worth, message("broken: {rules}", {{"rules", broken}})};
  return {later("rules"), worth, worth,
          measured ? message("all hold") : message("not measured on this device: not lost")};
}

ScorePart speed_part(const Result& result) {
  const Speed& speed = result.speed;
  ScorePart part{later("speed"), result.setting.worth.speed, result.setting.worth.speed, {}};
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
    part.why = message("not graded on this device: not lost");
    return part;
  }
  std::vector<Message> why = {speedup_text(speed)};
  if (!missed.empty() && speed.reason.empty()) why.push_back(message("missed: {thresholds}", {{"thresholds", missed}}));
  if (!missed.empty() && !speed.reason.empty())
    why.push_back(message("missed: {thresholds}, since {reason}", {{"thresholds", missed}, {"reason", speed.reason}}));
  if (!open.empty()) why.push_back(message("inconclusive, and so given: {thresholds}", {{"thresholds", open}}));
  part.why = together(why, "; ");
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
      part.why = message("counts for correct code only");
    }
    score.points += part.points;
    score.parts.push_back(std::move(part));
  }
  return score;
}

}  // namespace warpladder
