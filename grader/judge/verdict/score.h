// score: Result → points out of 100, in three parts, with the reason for each lost point. If the answers are not
// correct, every part is 0. No point is lost if something could not be measured or decided; the text then says so. Pure
// arithmetic. docs/grading.md explains it to people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/judge/lab/lab.h"
#include "grader/judge/verdict/verdict.h"

namespace warpladder {

inline constexpr int kMostPoints = 100;

// Speed is worth the points of the lab's thresholds, the rules are worth 20, and correct answers the rest.
Worth worth_of(const Lab& lab);

struct ScorePart {
  std::string name;  // correct, rules, speed
  int points = 0, of = 0;
  std::string why;
};

struct Score {
  int points = 0;
  std::vector<ScorePart> parts;  // without parts that are worth 0 points
};

// Nothing: there is no score, as the judge is at fault or only a part of a grade was asked for.
std::optional<Score> score_of(const Result& result);

}  // namespace warpladder
