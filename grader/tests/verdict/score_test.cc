#include "grader/judge/verdict/verdict.h"

#include <gtest/gtest.h>

#include "grader/judge/base/failure.h"
#include "grader/tests/testing.h"

namespace warpladder {
namespace {

constexpr Worth kWorth{60, 20, 20};

Result correct() {
  Result result;
  result.setting.is_whole = true;
  result.setting.worth = kWorth;
  result.cases = {{"f.1.ones", "ones", 1, true}, {"f.33.ones", "ones", 33, true}};
  result.planned_cases = 2;
  result.rules.resize(2);
  for (RuleResult& rule : result.rules) rule.measured = 3;
  result.rules[1].rule.name = "fewer";
  result.speed.verdict = SpeedVerdict::kPass;
  result.speed.kind = "modelled";
  result.speed.card = "NVIDIA H200";
  result.speed.speedup = 1.8;
  result.speed.thresholds = {{{1.2, 5, "w"}, SpeedVerdict::kPass}, {{1.5, 15, "w"}, SpeedVerdict::kPass}};
  return result;
}

int points(const Result& result) { return score_of(result).value().points; }

std::string why(const Result& result, size_t part) { return score_of(result).value().parts.at(part).why.text(); }

TEST(Score, AllThatIsRightIsAHundred) {
  EXPECT_EQ(points(correct()), kMostPoints);
  EXPECT_EQ(why(correct(), 0), "2 public cases pass");
  EXPECT_EQ(why(correct(), 2), "1.8 ×, modelled for NVIDIA H200");
}

TEST(Score, WithoutRightAnswersThereIsNothing) {
  for (const Verdict verdict : {Verdict::kWrongAnswer, Verdict::kCompileError, Verdict::kRuntimeError, Verdict::kTime,
                                Verdict::kMemory, Verdict::kOutputLimit, Verdict::kCheating}) {
    Result result = correct();  // everything else is right
    result.failure = testing::failure_of(verdict, "check");
    EXPECT_EQ(points(result), 0) << name_of(verdict);
    for (size_t part = 0; part < 3; ++part) EXPECT_NE(why(result, part), "") << name_of(verdict);
  }
  for (const char* finding : {"race", "out_of_bounds", "uninitialised_read", "barrier_divergence", "a_new_one"}) {
    Result result = correct();
    result.failure = testing::failure_of(Verdict::kRuleBroken, std::string("finding.") + finding);
    EXPECT_EQ(points(result), 0) << finding;
  }
}

TEST(Score, NothingHandedInIsNothing) {
  Result empty;
  empty.setting.is_whole = true;
  empty.setting.worth = kWorth;
  EXPECT_EQ(points(empty), 0);
  Result cut_short = correct();
  ++cut_short.planned_cases;
  EXPECT_EQ(points(cut_short), 0);
  Result unnoticed = correct();  // a failed case without a failure
  unnoticed.cases[1].passed = false;
  EXPECT_EQ(points(unnoticed), 0);
}

TEST(Score, AFaultOfOursHasNoScoreAndAPartOfTheCasesNeither) {
  Result result = correct();
  result.failure = testing::failure_of(Verdict::kJudgeFault, "judge");
  EXPECT_FALSE(score_of(result));
  result = correct();
  result.setting.is_whole = false;
  EXPECT_FALSE(score_of(result));
}

TEST(Score, ABrokenRuleCostsTheRules) {
  Result result = correct();
  result.rules[1].holds = false;
  result.failure = testing::failure_of(Verdict::kRuleBroken, "rule.fewer");
  EXPECT_EQ(points(result), 80);
  EXPECT_EQ(why(result, 1), "broken: fewer");
  for (const char* finding : {"finding.leak", "finding.unchecked_error"}) {
    result = correct();
    result.failure = testing::failure_of(Verdict::kRuleBroken, finding);
    EXPECT_EQ(points(result), 80);
    EXPECT_EQ(why(result, 1), std::string("broken: ") + finding);
  }
}

TEST(Score, AMissedThresholdCostsItsPointsAndAnInconclusiveOneNothing) {
  Result result = correct();
  result.speed.thresholds[1].verdict = SpeedVerdict::kFail;
  result.speed.verdict = SpeedVerdict::kFail;
  result.failure = speed_failure(result.speed);
  EXPECT_EQ(result.failure->check, "speed.1.5");
  EXPECT_EQ(points(result), 85);
  EXPECT_NE(why(result, 2).find("missed: 1.5 ×"), std::string::npos);
  result.speed.speedup.reset();  // lost points have a reason with or without a figure
  result.speed.reason = message("the work moved to the host");
  EXPECT_EQ(points(result), 85);
  EXPECT_EQ(why(result, 2), "no speedup; missed: 1.5 ×, since the work moved to the host");

  result = correct();
  result.speed.thresholds[1].verdict = result.speed.verdict = SpeedVerdict::kInconclusive;
  EXPECT_EQ(result.verdict(), Verdict::kInconclusive);
  EXPECT_EQ(points(result), kMostPoints);
  EXPECT_NE(why(result, 2).find("inconclusive, and so given: 1.5 ×"), std::string::npos);
}

TEST(Score, WhatIsNotMeasuredHereIsNotLost) {
  Result result = correct();
  for (RuleResult& rule : result.rules) rule.measured.reset();
  result.speed = {};
  EXPECT_EQ(points(result), kMostPoints);
  EXPECT_EQ(why(result, 1), "not measured on this device: not lost");
  EXPECT_EQ(why(result, 2), "not graded on this device: not lost");
}

TEST(Score, HiddenCasesAreCountedApart) {
  Result result = correct();
  result.cases.push_back({"f.77.spike", "spike", 77, false, "hidden.1"});
  result.cases.push_back({"f.78.spike", "spike", 78, true, "hidden.2"});
  result.planned_cases = 4;
  result.planned_hidden = 2;
  result.failure = testing::failure_of(Verdict::kWrongAnswer, "case.hidden.1");
  EXPECT_EQ(points(result), 0);
  EXPECT_EQ(why(result, 0), "wrong answer, case.hidden.1; 2 public cases pass, 1 of 2 hidden ones fail");
}

TEST(Score, WhatALabDoesNotAskForIsWorthNothing) {
  Lab lab = testing::lab_of("scan", "scan_inclusive");
  lab.source = "scan.cc";
  EXPECT_EQ(worth_of(lab).correct, kMostPoints);
  lab.thresholds = {{1.5, 10, "w"}};
  EXPECT_EQ(worth_of(lab).correct, 90);
  lab.source = "scan.cu";  // a CUDA lab: findings count as rules
  const Worth worth = worth_of(lab);
  EXPECT_EQ(worth.correct + worth.rules + worth.speed, kMostPoints);
  EXPECT_EQ(worth.correct, 70);
  Result result = correct();
  result.setting.worth = {kMostPoints, 0, 0};
  EXPECT_EQ(score_of(result).value().parts.size(), 1u);
  EXPECT_EQ(points(result), kMostPoints);
}

}  // namespace
}  // namespace warpladder
