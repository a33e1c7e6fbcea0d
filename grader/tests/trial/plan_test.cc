#include "grader/judge/trial/plan.h"

#include <algorithm>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/judge/base/failure.h"
#include "grader/tests/testing.h"

namespace warpladder {
namespace {

using ::testing::ElementsAre;
using Kind = Step::Kind;

class Planning : public ::testing::Test {
 protected:
  Planning() {
    lab_.blocks = {64, 96};
    lab_.sizes = {5000, 9000};
  }
  Plan plan() const { return make_plan(options_, lab_, hidden_); }
  std::vector<Kind> kinds() const {
    std::vector<Kind> kinds;
    for (const Step& step : plan().steps) kinds.push_back(step.kind);
    return kinds;
  }

  Lab lab_ = testing::lab_of("reduction", "reduce_sum_block");
  JudgeOptions options_;
  std::optional<Hidden> hidden_;
};

TEST_F(Planning, OnLockstepSmallCasesAreCheckedFirst) {
  EXPECT_THAT(kinds(), ElementsAre(Kind::kCases, Kind::kFailingCalls, Kind::kCases, Kind::kCounters));
  const std::vector<Step> steps = plan().steps;
  const Batch &small = steps[0].batches.at(0), &large = steps[2].batches.at(0);
  EXPECT_EQ(small.checks, Checks::kAll);
  EXPECT_EQ(large.checks, Checks::kNone);
  EXPECT_TRUE(std::ranges::all_of(small.cases, [](const Case& job) { return job.n <= kLargestChecked; }));
  EXPECT_TRUE(std::ranges::all_of(large.cases, [](const Case& job) { return job.n > kLargestChecked; }));
  EXPECT_EQ(steps[1].batches.front().cases.size(), lab_.entries.size());
  EXPECT_EQ(steps[1].batches.at(0).cases.at(0).n, 1025u);
  EXPECT_EQ(steps[3].needs, Step::Needs::kRightAnswers);
}

TEST_F(Planning, SmallCasesRunAgainUnderTheLabsOwnSchedules) {
  lab_.schedules = {"reverse", "random:7"};
  EXPECT_THAT(kinds(), ElementsAre(Kind::kCases, Kind::kCases, Kind::kCases, Kind::kFailingCalls, Kind::kCases,
                                   Kind::kCounters));
  const std::vector<Step> steps = plan().steps;
  for (const size_t i : {1, 2}) {
    const Batch& batch = steps[i].batches.at(0);
    EXPECT_EQ(batch.schedule, lab_.schedules[i - 1]);
    EXPECT_EQ(batch.checks, Checks::kAll);
    EXPECT_EQ(batch.cases.size(), steps[0].batches.at(0).cases.size());
  }
}

TEST_F(Planning, HiddenCasesAndTheirFiguresAreSecret) {
  hidden_ = Hidden{{Case{"f.7.ones", &lab_.contract->entries[1], "ones", 7, 1, 64, 0, 0, "hidden.1"}}, 99};
  EXPECT_THAT(kinds(), ElementsAre(Kind::kCases, Kind::kFailingCalls, Kind::kCases, Kind::kCases, Kind::kCounters));
  const Plan whole = plan();
  EXPECT_EQ(whole.measured_seed, 99u);
  for (const Step& step : whole.steps) {
    for (const Batch& batch : step.batches) {
      for (const Case& job : batch.cases) EXPECT_EQ(step.is_secret, !job.alias.empty()) << job.name;
    }
  }
}

TEST_F(Planning, OnACardNothingCountsAndTheClockIsLast) {
  options_.on_gpu = true;
  EXPECT_THAT(kinds(), ElementsAre(Kind::kCases, Kind::kRulesUnmeasured, Kind::kClock));
  options_.only = JudgeOptions::Part::kCorrect;
  EXPECT_THAT(kinds(), ElementsAre(Kind::kCases, Kind::kRulesUnmeasured));
  options_.only = JudgeOptions::Part::kSpeed;
  EXPECT_THAT(kinds(), ElementsAre(Kind::kRulesUnmeasured, Kind::kClock));
}

// What is checked and what is measured must be one.
TEST_F(Planning, AGradeChecksEveryRunAndAddsDrawnSizes) {
  options_.thorough = true;
  for (const bool is_hidden : {false, true}) {
    if (is_hidden)
      hidden_ = Hidden{{Case{"f.7.ones", &lab_.contract->entries[1], "ones", 7000, 1, 64, 0, 0, "hidden.1"}}, 99};
    const std::vector<Step> steps = plan().steps;
    for (const Step& step : steps) {
      for (const Batch& batch : step.batches) {
        if (step.kind == Kind::kFailingCalls) continue;
        EXPECT_EQ(batch.checks, Checks::kAll);
        EXPECT_TRUE(batch.shuffled_by);
      }
    }
    const Step& last = steps.back();
    ASSERT_EQ(last.kind, Kind::kCounters);
    ASSERT_EQ(last.batches.size(), 2u);
    EXPECT_EQ(last.batches[0].cases.at(0).n, lab_.sizes.real);
    for (const Case& job : last.batches[1].cases)
      EXPECT_EQ(job.alias.starts_with("hidden.drawn"), is_hidden) << job.name;
  }
}

TEST_F(Planning, EveryCaseHasItsPlace) {
  size_t before = 0;
  for (const Step& step : plan().steps) {
    for (const Batch& batch : step.batches) {
      for (const Case& job : batch.cases) EXPECT_GT(job.place, std::exchange(before, job.place));
    }
  }
}

TEST_F(Planning, AGradeOnACardChecksTheMeasuredCaseOnLockstep) {
  options_.on_gpu = options_.thorough = true;
  EXPECT_THAT(kinds(), ElementsAre(Kind::kCases, Kind::kOnLockstep, Kind::kRulesUnmeasured, Kind::kClock));
  const Step check = plan().steps[1];
  EXPECT_EQ(check.batches.at(0).checks, Checks::kAll);
  EXPECT_EQ(check.batches.at(0).cases.at(0).n, lab_.sizes.real);
  options_.selection.only_case = "reduce_sum_block.drawn2." + check.batches.at(1).cases.at(1).input;
  EXPECT_THAT(kinds(), ElementsAre(Kind::kCases, Kind::kOnLockstep));
}

TEST_F(Planning, ASelectionIsAllThatRuns) {
  options_.selection.schedules = {"forward", "reverse"};
  EXPECT_THAT(kinds(), ElementsAre(Kind::kCases, Kind::kCases));
  EXPECT_EQ(plan().steps[1].batches.at(0).schedule, "reverse");
  options_.selection.only_case = "reduce_sum_block.33.ones";
  ASSERT_THAT(kinds(), ElementsAre(Kind::kCases));
  EXPECT_EQ(plan().steps[0].batches.front().cases.size(), 1u);
  EXPECT_TRUE(plan().steps[0].batches.at(0).keeps_output);
  options_.selection.only_case = "reduce_sum_block.34.ones";  // any size may be asked for
  EXPECT_EQ(plan().steps[0].batches.front().cases.at(0).n, 34u);
}

TEST_F(Planning, AMistypedCaseIsTheCallersMistake) {
  const auto refusal = [&](const char* name) -> std::string {
    options_.selection.only_case = name;
    try {
      plan();
    } catch (const WrongCommand& wrong) { return wrong.what(); }
    return "";
  };
  EXPECT_THAT(refusal("reduce_sum_blok.33.ones"), ::testing::HasSubstr("Did you mean reduce_sum_block.33.ones?"));
  EXPECT_THAT(refusal("reduce_sum_block.33.one"), ::testing::HasSubstr("Did you mean reduce_sum_block.33.ones?"));
  EXPECT_THAT(refusal("reduce_sum_block.33.one"), ::testing::HasSubstr("INPUT is ones, increasing"));
  for (const char* name : {"reduce_sum_block.9001.ones", "reduce_sum_block.033.ones", "reduce_sum.33.ones", "33"})
    EXPECT_NE(refusal(name), "") << name;
}

TEST_F(Planning, AReportIsOfTheMeasuredCase) {
  options_.report = "report.json";
  ASSERT_THAT(kinds(), ElementsAre(Kind::kReport));
  EXPECT_EQ(plan().steps[0].batches.at(0).cases.at(0).n, lab_.sizes.real);
}

}  // namespace
}  // namespace warpladder
