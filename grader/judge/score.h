// score: a judgement → points out of 100, in three parts, with the reason for each point that is lost. Being correct is
// the gate: without it every part is 0. What could not be measured or decided is not lost, and says so. Pure: measures
// nothing. docs/grading.md explains it to people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/judge/lab.h"
#include "grader/judge/verdict.h"

namespace warpladder {

inline constexpr int kMostPoints = 100;

// What a lab's parts are worth: its thresholds what lab.json says, its rules 20, being correct the rest.
Worth worth_of(const Lab& lab);

struct ScorePart {
  std::string name;  // correct, rules, speed
  int points = 0, of = 0;
  std::string why;
};

struct Score {
  int points = 0;
  std::vector<ScorePart> parts;  // those that are worth something
};

// Nothing where there is no score: the judge is at fault, or only a part of what a grade takes was asked for.
std::optional<Score> score_of(const Result& result);

// The right answers may be kept from points by rules alone: a leak, a CUDA call whose error nobody looks at. Whatever
// else goes wrong says that they are not right.
bool leaves_answers_right(const Failure& failure);

// So far: no failure but one of a rule, and no case that failed.
bool is_right(const Result& result);

// The failure of a submission whose verdict on speed is kFail: speed.1.5, the lowest threshold that is missed.
Failure speed_failure(const Speed& speed);

}  // namespace warpladder
