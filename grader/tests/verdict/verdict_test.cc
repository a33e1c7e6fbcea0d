#include "grader/judge/verdict/verdict.h"
#include "grader/judge/base/failure.h"
#include "grader/judge/base/text.h"
#include "grader/tests/testing.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpladder {
namespace {

TEST(Verdict, ANameCoversWhatLiesBelowIt) {
  EXPECT_TRUE(covers("case.scan", "case.scan"));
  EXPECT_TRUE(covers("case.scan", "case.scan.33.ones"));
  EXPECT_FALSE(covers("case.scan", "case.scan_inclusive.33.ones"));
  EXPECT_FALSE(covers("case.scan.33.ones", "case.scan"));
  EXPECT_FALSE(covers("guard", "runtime"));
}

TEST(Verdict, JsonHoldsNullsWhereNothingWasMeasured) {
  Result result;
  result.setting.lab = "02_reduce_neighbored";
  result.speed.reason = message("later");
  result.rules.emplace_back();
  result.rules[0].rule = {"r", "barriers", "", "", "<=", "w", 1};
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["verdict"], "accepted");
  EXPECT_TRUE(json["failed_check"].is_null());
  EXPECT_TRUE(json["time"]["ms"].is_null());
  EXPECT_EQ(json["time"]["reason"], "later");
  EXPECT_TRUE(json["time"]["speedup_over_serial_cpu"].is_null());
  EXPECT_EQ(json["rules"][0]["verdict"], "not measured on this device");
}

TEST(Verdict, EveryMeasuredInputHasItsCountersAndARuleNamesTheWorst) {
  Result result;
  result.rules.emplace_back();
  result.rules[0].rule = {"r", "barriers", "", "", "<=", "w", 1};
  result.rules[0].measured = 3;
  result.rules[0].input = "ones";
  result.measurements = {{"scan_inclusive.real.random", "random", 5000, {{"barriers", 2}}},
                         {"scan_inclusive.1250.ones", "ones", 1250, {{"barriers", 3}}}};
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["rules"][0]["input"], "ones");
  EXPECT_EQ(json["counters"]["barriers"], 2);
  EXPECT_EQ(json["measurements"][1]["n"], 1250);
  EXPECT_EQ(json["measurements"][1]["counters"]["barriers"], 3);
  EXPECT_NE(to_text(result, "judge").find("r: 3 on ones, at most 1: barriers"), std::string::npos);
}

TEST(Verdict, TheFirstWarningStandsBesideAWrongAnswerOnly) {
  Result result;
  result.warnings = {std::string("line 9: missing return statement"), std::string("line 12: another")};
  EXPECT_EQ(to_text(result, "judge").find("nvcc"), std::string::npos) << "accepted";
  result.failure = testing::failure_of(Verdict::kRuleBroken, "rule.barriers", {"too many"}, "Look");
  EXPECT_EQ(to_text(result, "judge").find("nvcc"), std::string::npos) << "the answers are right";
  result.failure = testing::failure_of(Verdict::kWrongAnswer, "case.f.1.ones", {"got 1"}, "Look");
  EXPECT_NE(to_text(result, "judge").find("  nvcc   warns of line 9: missing return statement\n  next   Look\n"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(result))["compiler_warnings"].size(), 2);
}

TEST(Verdict, SaysWhereLargerCasesFollow) {
  Result result;
  result.planned_cases = 2;
  result.leaves_out = true;
  result.cases = {{"f.1.ones", "ones", 1, true}, {"f.2.ones", "ones", 2, true}};
  result.failure = testing::failure_of(Verdict::kRuleBroken, "finding.race", {"a race"}, "Look");
  EXPECT_EQ(to_text(result, "judge").find("larger ones follow"), std::string::npos) << "all cases pass";
  result.cases[1].passed = false;
  EXPECT_NE(to_text(result, "judge").find("1 of 2 pass (seed 0); larger ones follow\n"), std::string::npos);
}

TEST(Verdict, AFailureTellsStepsNextStepAndHowToRepeat) {
  Result result;
  result.setting.seed = 17;
  result.failed_case = "reduce_sum.33.ones";
  result.failure = testing::failure_of(Verdict::kWrongAnswer, "case.reduce_sum.33.ones",
                                       {"reduce_sum with 33 ints", "got 32, want 33"}, "Look", "\xFF printed");
  const std::string text = to_text(result, "./lab check 02");
  for (const char* part : {"wrong answer", "got 32, want 33", "  next   Look\n", "| \\xff printed",
                           "./lab check 02 --case reduce_sum.33.ones --seed 17"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.find("--schedules"), std::string::npos) << "no schedule was chosen";
  result.failed_schedule = "random:3";
  EXPECT_NE(to_text(result, "./lab check 02")
                .find("./lab check 02 --case reduce_sum.33.ones --seed 17 --schedules random:3\n"),
            std::string::npos);
  const auto json = nlohmann::json::parse(to_json(result));  // in spite of bytes that are not UTF-8
  EXPECT_EQ(json["failed_check"], "case.reduce_sum.33.ones");
}

// The places of a result into which a submission can bring words of its own.
Result with_words(const std::string& words) {
  Result result;
  result.setting.lab = "02_reduce_neighbored";
  result.setting.file = "/tmp/" + words + ".cu";
  result.opencl_device = words;
  result.failed_case = words;
  result.failure = Failure{Verdict::kRuntimeError, "finding." + words, {words}, words, words};
  return result;
}

TEST(Verdict, NoWordOfASubmissionCommandsATerminal) {
  for (const std::string words : {"\x1b[2J", "\x1b]8;;http://x\x1b\\", "\xc2\x9b", "\x9b", "\u202e", "\u2066", "\u200f",
                                  "\u061c", "\r", "\a", "\x7f"}) {
    const Result result = with_words(words);
    EXPECT_EQ(to_text(result, "./lab check 02 --file " + words).find(words), std::string::npos) << visible(words);
    const std::string json = to_json(result);
    EXPECT_EQ(json.find(words), std::string::npos) << visible(words);
    const auto failure = nlohmann::json::parse(json)["failure"];
    for (const char* key : {"printed", "next", "case"}) EXPECT_EQ(failure[key], visible(words)) << key;
    EXPECT_EQ(failure["steps"][0], visible(words));
  }
  Result passed;
  passed.printed = "\x1b[2J";
  EXPECT_NE(to_text(passed, "judge").find("| \\u001b[2J"), std::string::npos);
}

TEST(Verdict, AnEndlessLineIsShortened) {
  Result result;
  result.printed = std::string(1 << 20, 'x');
  const std::string text = to_text(result, "judge");
  EXPECT_LT(text.size(), 1000);
  EXPECT_NE(text.find("x … 1048176 bytes left out"), std::string::npos);
}

// The next step must be on the screen with the failure, whatever the steps are.
TEST(Verdict, AFailureHasAtMostFifteenLines) {
  Result result;
  result.setting.file = "/a/folder/reduce.cu";
  result.setting.is_whole = true;
  result.failure =
      Failure{Verdict::kRuleBroken, "finding.race", {}, std::string(200, 'w') + " look at /a/folder/reduce.cu:3", ""};
  for (int i = 0; i < 60; ++i) result.failure->steps.push_back("/a/folder/reduce.cu:" + std::to_string(i) + " a step");
  const std::string text = to_text(result, "./lab check 02");
  const std::string failure = text.substr(text.find("\n\n") + 2);
  EXPECT_EQ(std::ranges::count(failure, '\n'), 15) << failure;
  EXPECT_NE(failure.find("\n    reduce.cu:0 a step\n"), std::string::npos) << "the folder says nothing new";
  EXPECT_NE(failure.find("lines left out"), std::string::npos);
  EXPECT_NE(failure.find("look at reduce.cu:3\n"), std::string::npos);
}

TEST(Verdict, EveryFailureOfTheCodeCanBeRepeated) {
  Result result;
  result.setting.seed = 17;
  const auto text_of = [&](Verdict verdict, const char* check) {
    result.failure = testing::failure_of(verdict, check, {"a step"}, "next");
    return to_text(result, "./lab check 02");
  };
  const char* again = "  again  ./lab check 02 --seed 17\n";
  EXPECT_NE(text_of(Verdict::kCompileError, "compile").find(again), std::string::npos);
  EXPECT_NE(text_of(Verdict::kRuleBroken, "rule.fewer").find(again), std::string::npos);
  EXPECT_NE(text_of(Verdict::kTooSlow, "speed.1.5").find(again), std::string::npos);
  EXPECT_NE(text_of(Verdict::kTime, "time").find(again), std::string::npos);
  result.failed_case = "f.33.ones";
  result.failed_schedule = "random:7";
  EXPECT_NE(text_of(Verdict::kRuleBroken, "finding.race").find("--case f.33.ones --seed 17 --schedules random:7\n"),
            std::string::npos);
  result.failed_case = result.failed_schedule = "";
  EXPECT_EQ(text_of(Verdict::kJudgeFault, "judge").find("again"), std::string::npos);
  text_of(Verdict::kWrongAnswer, "case.hidden.1");
  result.failure->instructor.emplace();
  EXPECT_EQ(to_text(result, "./lab check 02").find("again"), std::string::npos);
}

}  // namespace
}  // namespace warpladder
