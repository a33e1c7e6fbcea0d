// Whole judgements, with the fake runner in place of a lab's binary.
#include "grader/judge/trial/judge.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "grader/judge/base/failure.h"
#include "grader/judge/base/text.h"
#include "grader/judge/sandbox/child.h"
#include "grader/judge/sandbox/file.h"
#include "grader/judge/trial/events.h"
#include "grader/judge/verdict/verdict.h"
#include "grader/tests/testing.h"

namespace warpladder {
namespace {

class Judging : public ::testing::Test {
 protected:
  void SetUp() override {
    catch_interruptions();
    testing::write_file(lockstep() / "libcudart.so.13", "");
    std::filesystem::create_symlink(FAKE_LOCKSTEP "/device_server", lockstep() / "device_server");
    write_build("");
    options_.lab = folder_.path() / "07_lab";
    options_.build = folder_.path() / "build.json";
    options_.binary = FAKE_RUNNER;
    options_.seed = 5;
  }
  std::filesystem::path lockstep() const { return folder_.path() / "lockstep"; }
  void write_build(const std::string& below) {
    testing::write_file(folder_.path() / "build.json", R"({"compile": ["false"], "link": ["false"], "baseline": ")" +
                                                           below + R"(", "lockstep": ")" + lockstep().string() + "\"}");
  }
  // A shell script, with the source as $0 and the object as $1.
  void write_compiler(const std::string& script) {
    const nlohmann::json build = {{"compile", {"/bin/sh", "-c", script, "{source}", "{object}"}},
                                  {"link", {"cp", FAKE_RUNNER, "{binary}"}},
                                  {"compiler_sees", {FAKE_RUNNER}},
                                  {"baseline", ""},
                                  {"lockstep", lockstep()}};
    testing::write_file(options_.build, build.dump());
  }

  Result judge_with(const std::string& fault, const std::string& contract, const std::string& entry,
                    double barriers = 20) {
    const testing::Environment environment("WARPLADDER_FAKE_FAULT", fault);
    testing::write_file(options_.lab / "lab.json",
                        R"({"title": "t", "family": "f", "source": "a.cu", "sizes": {"real": 5000, "largest": 4097},
                           "starter_fails": "compile", "speed": )" +
                            speed_ + R"(, "baseline": ")" + baseline_ + "\", " + more_ + R"( "limits": {)" +
                            more_limits_ + R"("case_s": )" + std::to_string(case_seconds_) + R"(, "real_s": )" +
                            std::to_string(case_seconds_) + R"(, "compile_s": )" + std::to_string(compile_seconds_) +
                            R"(},
                           "rules": [{"name": "few", "reference": 20, "starter": )" +
                            starter_ + ", " + rule_ + R"(, "why": "w", "value": )" + std::to_string(barriers) +
                            "}], \"contract\": \"" + contract + "\", \"entries\": [\"" + entry + "\"]}");
    Result result = judge(options_);
    keep(result);
    return result;
  }
  // The test grader.schema checks these files against verdict.schema.json.
  void keep(const Result& result) {
    const char* folder = std::getenv("VERDICTS");
    if (!folder) return;
    const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    testing::write_file(std::filesystem::path(folder) / (test + "." + std::to_string(++kept_) + ".json"),
                        to_json(result));
  }
  int points(const Result& result) { return score_of(result).value().points; }
  std::string check(const Result& result) {
    if (!result.failure) return "pass";
    // No test expects the check of a judge's fault, so this returns the text of the fault.
    return result.failure->verdict == Verdict::kJudgeFault ? result.failure->steps.front().text()
                                                           : result.failure->check;
  }

  int kept_ = 0;
  TemporaryFolder folder_;
  JudgeOptions options_;
  std::string more_;  // of lab.json
  std::string baseline_ = "cpu";
  std::string speed_ = R"([], "speed_why": "w")";
  std::string starter_ = "null";
  int compile_seconds_ = 60;
  int case_seconds_ = 20;  // a test in which time runs out sets 1
  std::string more_limits_;
  std::string rule_ = R"("counter": "barriers", "op": "<=")";
};

TEST_F(Judging, HonestWorkPassesCasesAndRules) {
  for (const auto& [contract, entry] :
       {std::pair{"scan", "scan_inclusive"}, {"reduction", "reduce_sum"}, {"histogram", "histogram"}}) {
    const Result result = judge_with("", contract, entry);
    EXPECT_EQ(check(result), "pass") << contract;
    EXPECT_EQ(result.cases.size(), result.planned_cases);
    ASSERT_EQ(result.rules.size(), 1u);
    EXPECT_EQ(result.rules[0].measured, 20.0);
    ASSERT_EQ(result.measurements.size(), 1u);
    EXPECT_EQ(result.measurements[0].counters.at("barriers"), 20);
    EXPECT_EQ(result.rules[0].input, "");
    EXPECT_FALSE(result.speed.measured.ms);
    EXPECT_TRUE(result.speed.cpu.serial_ms);
  }
}

// A process may blame the machine. That counts only if the canary, an honest program, fails as well.
TEST_F(Judging, ABlamedMachineIsLookedAt) {
  const std::filesystem::path canary = folder_.path() / "canary";
  const auto with_canary = [&](const std::string& script, const std::string& fault) {
    testing::write_file(canary, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(canary, std::filesystem::perms::all);
    testing::write_file(options_.build, R"({"compile": ["c++", "-x", "c++", "-c", "/dev/null", "-o", "{object}"],
        "link": ["cp", ")" + canary.string() +
                                            R"(", "{binary}"], "compiler_sees": [")" + canary.string() +
                                            R"("], "baseline": "", "lockstep": ")" + lockstep().string() + "\"}");
    return judge_with(fault, "scan", "scan_inclusive");
  };
  EXPECT_EQ(with_canary("exit 1", "blames_the_machine").verdict(), Verdict::kJudgeFault);
  EXPECT_EQ(with_canary("exit 1", "static_exit").verdict(), Verdict::kJudgeFault);
  const std::string runs = R"(echo '{"status":"ready","entries":[]}' >&4)";
  const Result blames = with_canary(runs, "blames_the_machine");
  EXPECT_EQ(blames.verdict(), Verdict::kRuntimeError);
  EXPECT_THAT(blames.failure->next_step.text(), ::testing::HasSubstr("Another program runs on this machine"));
  EXPECT_EQ(with_canary(runs, "static_exit").verdict(), Verdict::kRuntimeError);
}

TEST_F(Judging, ABrokenRuleFailsByItsName) {
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive", 19)), "rule.few");
}

TEST_F(Judging, ARuleLooksAtEveryInputThatIsMeasuredAndTellsTheWorst) {
  more_ = R"("measured_inputs": ["random", "ones", "spike"],)";
  rule_ = R"("counter": "elements", "op": ">=")";
  const Result result = judge_with("", "scan", "scan_inclusive", 2000);
  ASSERT_EQ(result.measurements.size(), 3u);
  EXPECT_EQ(result.measurements[0].n, 5000u);
  EXPECT_EQ(result.measurements[2].name, "scan_inclusive.1250.spike");
  ASSERT_EQ(result.rules.size(), 1u);
  EXPECT_EQ(result.rules[0].measured, 1250);
  EXPECT_EQ(result.rules[0].input, "ones");
  EXPECT_EQ(check(result), "rule.few");
  EXPECT_TRUE(result.failure->steps.at(0).text().starts_with("on ones input: 1250, must be at least 2000"))
      << result.failure->steps[0];
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive", 1250)), "pass");
}

TEST_F(Judging, WrongAnswersAreCountedAndTheFirstIsNamed) {
  const Result result = judge_with("wrong_tail", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "case.scan_inclusive.63.ones");
  EXPECT_EQ(result.failed_case, "scan_inclusive.63.ones");
  EXPECT_GT(result.cases.size(), 20u);  // the judgement continued
  EXPECT_TRUE(result.rules.empty());
}

TEST_F(Judging, AFindingIsTheCauseAndAWrongAnswerWhatFollows) {
  const testing::Environment race("WARPLADDER_FAKE_FINDING", "race");
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive")), "finding.race");
  // The case that is told is the first that shows the finding, and what is told belongs to it.
  const Result result = judge_with("wrong_tail", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "finding.race");
  EXPECT_EQ(result.failed_case, "scan_inclusive.0.empty");
  EXPECT_EQ(result.failure->steps.at(1), "Its answer is right here, but only by luck.");
  EXPECT_EQ(result.failure->steps.back(), "two writes");
  options_.selection.only_case = "scan_inclusive.63.ones";
  const Result wrong = judge_with("wrong_tail", "scan", "scan_inclusive");
  EXPECT_EQ(check(wrong), "finding.race");
  EXPECT_EQ(wrong.failure->steps.at(1), "out[40]: got 41.5, want 41. This may have another cause than what follows:");
}

TEST_F(Judging, AFindingOfTheMeasuredRunCountsAsAnyOther) {
  const testing::Environment leak("WARPLADDER_FAKE_MEASURED_FINDING", "leak");
  const Result result = judge_with("", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "finding.leak");
  EXPECT_EQ(points(result), 80);
}

// The program's exit code is all that a script, CTest and ./lab see.
TEST_F(Judging, TheExitCodeTellsFailureFromPassAndFromTrouble) {
  const auto code = [&](const std::string& fault, double barriers, const std::string& more) {
    judge_with(fault, "scan", "scan_inclusive", barriers);  // writes lab.json
    const testing::Environment environment("WARPLADDER_FAKE_FAULT", fault);
    const std::string command = JUDGE " --lab " + options_.lab.string() + " --build " + options_.build.string() +
                                " --binary " FAKE_RUNNER " --seed 5 " + more + " > /dev/null 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(code("", 20, ""), 0);
  EXPECT_EQ(code("", 19, ""), 1) << "a broken rule";
  EXPECT_EQ(code("", 19, "--expect rule.few"), 0);
  EXPECT_EQ(code("wrong_tail", 20, ""), 1);
  EXPECT_EQ(code("wrong_tail", 20, "--expect pass"), 1);
  EXPECT_EQ(code("wrong_tail", 20, "--expect case.scan_inclusive"), 0);
  EXPECT_EQ(code("wrong_tail", 20, "--expect guard"), 1);
  EXPECT_EQ(code("", 20, "--expect guard"), 1);
  EXPECT_EQ(code("", 20, "--case nonsense"), 2);
}

// The launcher says it in the reader's language. Where the file cannot be written, the judge says it itself.
TEST_F(Judging, AWrongCommandIsToldInPartsOrInWords) {
  judge_with("", "scan", "scan_inclusive");  // writes lab.json
  const auto said = [&](const std::filesystem::path& refusal) {
    const std::filesystem::path words = folder_.path() / "words";
    const std::string command = JUDGE " --lab " + options_.lab.string() + " --build " + options_.build.string() +
                                " --binary " FAKE_RUNNER " --case nonsense --refusal " + refusal.string() +
                                " > /dev/null 2> " + words.string();
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
    return read_file(words);
  };
  const std::filesystem::path refusal = folder_.path() / "refusal.json";
  EXPECT_EQ(said(refusal), "");
  const std::string parts = nlohmann::json::parse(read_file(refusal)).dump();
  EXPECT_THAT(parts, ::testing::HasSubstr("has no case"));
  EXPECT_THAT(parts, ::testing::HasSubstr("nonsense"));
  EXPECT_THAT(said(folder_.path() / "no" / "folder"), ::testing::HasSubstr("has no case \"nonsense\""));
}

TEST_F(Judging, AMissedBarrierIsTheCauseOfARaceFoundBeforeIt) {
  const testing::Environment both("WARPLADDER_FAKE_FINDING", "race,barrier_divergence");
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive")), "finding.barrier_divergence");
}

TEST_F(Judging, WhatACardReportsKeepsItsName) {
  const testing::Environment bounds("WARPLADDER_FAKE_FINDING", "out_of_bounds");
  EXPECT_EQ(check(judge_with("illegal_address", "scan", "scan_inclusive")), "guard");
}

TEST_F(Judging, EveryCallOfCudasIsLookedAt) {
  const std::map<std::string, std::string> went_on = {
      {"goes_on", "the code went on as if nothing had happened; its next call was cudaMemcpy"},
      {"crashes_for_it", "the code went on, and crashed"},
      {"reads_null", "the code went on, and crashed"},
      {"sees_what_follows", "the code went on; its next call was cudaMemcpy. Only the error of a later call ended it"},
      {"seen_by_the_runner", "the code went on as if nothing had happened; its next call was cudaMemcpy"},
      {"prints_and_goes_on", "the code printed something and went on all the same; its next call was cudaMemcpy"},
      {"finds_another_way_to_a_wrong_answer",
       "the code went on in another way; its next call was cudaMemsetAsync, and its answer is wrong"},
      {"returns_early", "the function left out its work and returned without a message, so its caller cannot know"}};
  for (const auto& [fault, text] : went_on) {
    const Result result = judge_with(fault.c_str(), "scan", "scan_inclusive");
    ASSERT_EQ(check(result), "finding.unchecked_error") << fault;
    EXPECT_EQ(result.failure->steps.at(2), text) << fault;
  }
  EXPECT_EQ(judge_with("goes_on", "scan", "scan_inclusive").failure->steps.at(1), "call 2, cudaFree");
}

TEST_F(Judging, WhoEndsThrowsOrReturnsVisiblyHasNoticed) {
  for (const char* fault : {"gives_up", "exits_with_0", "aborts_for_it", "runs_out_of_memory", "translates_it",
                            "prints_and_returns", "returns_early_with_another_value", "finds_another_way"})
    EXPECT_EQ(check(judge_with(fault, "scan", "scan_inclusive")), "pass") << fault;
}

// Each call that fails takes half a second, and five seconds are allowed. A busy machine takes some time off.
TEST_F(Judging, CallsFailForACoupleOfSecondsAtMost) {
  case_seconds_ = 1;
  const testing::Environment mark("WARPLADDER_FAKE_MARK", folder_.path() / "mark");
  EXPECT_EQ(check(judge_with("calls_slowly_and_on", "scan", "scan_inclusive")), "pass");
  int tried = 0;
  std::ifstream lines(folder_.path() / "mark");
  for (std::string line; std::getline(lines, line);) tried += line.starts_with("profiled:");
  EXPECT_GT(tried, 1);
  EXPECT_LT(tried, 50);  // of 200
}

// Another program may be the one that used up the memory.
TEST_F(Judging, WhoIsKilledOnceIsJudgedAgain) {
  const testing::Environment mark("WARPLADDER_FAKE_MARK", folder_.path() / "mark");
  const Result once = judge_with("killed_once", "scan", "scan_inclusive");
  EXPECT_EQ(check(once), "pass");
  EXPECT_EQ(once.cases.size(), once.planned_cases);
  EXPECT_EQ(check(judge_with("killed", "scan", "scan_inclusive")), "memory");
}

TEST_F(Judging, WhomTheJudgeItselfEndsHasNoSecondTry) {
  case_seconds_ = 1;
  const testing::Environment mark("WARPLADDER_FAKE_MARK", folder_.path() / "mark");
  EXPECT_EQ(check(judge_with("hang_once", "scan", "scan_inclusive")), "time");
}

TEST_F(Judging, WhatAnEarlyEndLeavesBehindIsNoLeak) {
  const testing::Environment leak("WARPLADDER_FAKE_FINDING", "leak");
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive")), "finding.leak");
  const Result result = judge_with("illegal_address", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "guard");
  EXPECT_EQ(result.failure->steps.at(1), "kernel k wrote 4 bytes outside") << "it explains the call that failed";
  EXPECT_EQ(result.failure->printed, "") << "and is not told twice";
}

// The finding is only there beyond the sizes that ./lab check looks at.
TEST_F(Judging, AGradeFindsWhatTheMeasuredRunAloneDoes) {
  const testing::Environment race("WARPLADDER_FAKE_FINDING", "race");
  const testing::Environment large("WARPLADDER_FAKE_FINDING_AT", "5000");
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive")), "pass");
  options_.thorough = true;
  const Result result = judge_with("", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "finding.race");
  EXPECT_EQ(points(result), 0);
  EXPECT_EQ(again_text(result, "./lab check 07"),
            "./lab check 07 --thorough --case " + result.failed_case + " --seed 5");
  EXPECT_THAT(to_text(result, "./lab check 07"), ::testing::HasSubstr("again  ./lab check 07 --thorough --case "));
  options_.selection.only_case = result.failed_case;
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive")), "finding.race");
}

// In one process several cases ran, and the finding says nothing of its case. The first that shows it is looked for.
TEST_F(Judging, AFindingNamesTheFirstCaseThatShowsIt) {
  const testing::Environment race("WARPLADDER_FAKE_FINDING", "race");
  const testing::Environment place("WARPLADDER_FAKE_FINDING_AT", "64");
  const std::string again = " --case scan_inclusive.64.ones --seed 5";
  EXPECT_EQ(again_text(judge_with("", "scan", "scan_inclusive"), "judge"), "judge" + again);
  options_.thorough = true;
  EXPECT_EQ(again_text(judge_with("", "scan", "scan_inclusive"), "judge"), "judge --thorough" + again);
}

// No case shows it by itself: then all of them do.
TEST_F(Judging, AFindingThatManyCasesBringAboutNamesNone) {
  const testing::Environment race("WARPLADDER_FAKE_FINDING", "race");
  const testing::Environment place("WARPLADDER_FAKE_FINDING_AFTER", "3");
  EXPECT_EQ(again_text(judge_with("", "scan", "scan_inclusive"), "judge"), "judge --seed 5");
}

TEST_F(Judging, AGradeOfRightCodePassesAndCountsItsDrawnCases) {
  const size_t quick = judge_with("", "scan", "scan_inclusive").planned_cases;
  options_.thorough = true;
  const Result result = judge_with("", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "pass");
  EXPECT_EQ(result.planned_cases, quick + 2);
  EXPECT_EQ(result.cases.size(), result.planned_cases);
  EXPECT_TRUE(std::ranges::is_sorted(result.cases, {}, &CaseResult::place));
  EXPECT_EQ(points(result), 100);
}

// They run in an order that the seed draws.
TEST_F(Judging, TheFirstOfSeveralWrongCasesIsReported) {
  options_.thorough = true;
  for (options_.seed = 1; options_.seed <= 3; ++options_.seed)
    EXPECT_EQ(check(judge_with("wrong_tail", "scan", "scan_inclusive")), "case.scan_inclusive.63.ones");
}

TEST_F(Judging, AGradeOnACardRunsTheBinaryOnLockstepToo) {
  options_.on_gpu = options_.thorough = true;
  const testing::Environment clock("WARPLADDER_FAKE_DEVICE_MS", "0.001");
  const testing::Environment race("WARPLADDER_FAKE_FINDING", "race");
  const testing::Environment large("WARPLADDER_FAKE_FINDING_AT", "5000");
  const Result result = judge_with("", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "finding.race");
  EXPECT_TRUE(again_text(result, "judge").starts_with("judge --device lockstep --thorough --case "))
      << again_text(result, "judge");
  EXPECT_EQ(result.cases.size(), result.planned_cases);
  options_.thorough = false;
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive")), "pass");
}

// Each call is right, and sleeps for a part of a second.
TEST_F(Judging, AllRunsTogetherHaveALimit) {
  more_limits_ = R"("whole_s": 1.5, )";
  const Result result = judge_with("sleeps_300_ms", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "time");
  EXPECT_THAT(result.failure->steps.back().text(),
              ::testing::HasSubstr("all runs of the program together took more than 1.5"));
  EXPECT_GT(result.cases.size(), 2u);
  EXPECT_LT(result.cases.size(), 12u);  // a wait that is counted late makes some sleeps shorter
}

TEST_F(Judging, FiguresThatLabJsonNotesAreHeld) {
  options_.hold = Figures::kReference;
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive")), "pass");
  options_.hold = Figures::kStarter;
  const Result result = judge_with("", "scan", "scan_inclusive");
  EXPECT_EQ(result.verdict(), Verdict::kJudgeFault);
  EXPECT_NE(result.failure->steps.at(0).text().find("\"few\" measures 20, and lab.json notes another \"starter\""),
            std::string::npos);
}

TEST_F(Judging, AStarterThatIsWrongHasNoFigures) {
  options_.hold = Figures::kStarter;
  EXPECT_EQ(check(judge_with("wrong_tail", "scan", "scan_inclusive")), "case.scan_inclusive.63.ones");
  starter_ = "20";
  const Result result = judge_with("wrong_tail", "scan", "scan_inclusive");
  EXPECT_EQ(result.verdict(), Verdict::kJudgeFault);
  EXPECT_NE(result.failure->steps.at(0).text().find("Put null there"), std::string::npos);
}

TEST_F(Judging, OneCaseIsRepeatedExactly) {
  options_.selection.only_case = "scan_inclusive.1023.random";
  const Result result = judge_with("wrong_tail", "scan", "scan_inclusive");
  EXPECT_EQ(result.cases.size(), 1u);
  EXPECT_EQ(check(result), "case.scan_inclusive.1023.random");
  options_.selection.only_case = "scan_inclusive.real.random";
  EXPECT_EQ(check(judge_with("wrong_tail", "scan", "scan_inclusive")), "case.scan_inclusive.real.random");
  options_.selection.only_case = "nonsense";
  EXPECT_THROW(judge_with("", "scan", "scan_inclusive"), WrongCommand);
}

TEST_F(Judging, ACaseIsRepeatedInBlocksOfTheSameSize) {
  more_ = R"("blocks": [512, 96, 64],)";
  const auto repeated = [&](const char* fault) {
    const Result first = judge_with(fault, "reduction", "reduce_sum_block");
    options_.selection.only_case = first.failed_case;
    const Result again = judge_with(fault, "reduction", "reduce_sum_block");
    options_.selection.only_case.clear();
    EXPECT_EQ(check(again), check(first));
    return check(first);
  };
  EXPECT_EQ(repeated("wrong_at_5000_in_blocks_of_512"), "case.reduce_sum_block.real.random");
  EXPECT_EQ(repeated("wrong_in_blocks_of_96"), "case.reduce_sum_block.1.ones");
  options_.selection.schedules = {"reverse"};
  EXPECT_EQ(repeated("wrong_in_blocks_of_96"), "case.reduce_sum_block.33.random");
}

// The case's arrays begin at the same places again, and the text says where they begin.
TEST_F(Judging, ACaseIsRepeatedAtTheSameOffsets) {
  more_ = R"("offsets": [0, 3],)";
  const Result first = judge_with("wrong_behind_12_bytes", "reduction", "reduce_sum");
  ASSERT_EQ(check(first), "case.reduce_sum.1.increasing");
  EXPECT_THAT(first.failure->steps.at(0).text(),
              ::testing::HasSubstr("with the input 3 elements behind an aligned address"));
  options_.selection.only_case = first.failed_case;
  EXPECT_EQ(check(judge_with("wrong_behind_12_bytes", "reduction", "reduce_sum")), check(first));
  options_.selection.only_case = "reduce_sum.real.random";
  EXPECT_EQ(check(judge_with("wrong_behind_12_bytes", "reduction", "reduce_sum")), "pass") << "it is aligned";
}

TEST_F(Judging, SchedulesRunShortCases) {
  options_.selection.schedules = {"forward", "random:3"};
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive")), "pass");
  const Result result = judge_with("wrong_tail", "scan", "scan_inclusive");
  EXPECT_EQ(result.failed_schedule, "forward");
}

TEST_F(Judging, AHangNamesItsCaseAndStops) {
  case_seconds_ = 1;
  const Result result = judge_with("hang", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "time");
  EXPECT_EQ(result.failed_case, "scan_inclusive.0.empty");
  EXPECT_EQ(result.cases.size(), 1u);
  EXPECT_EQ(result.failure->steps.at(1), "kernel k was stopped in the loop of line 3");
  EXPECT_EQ(result.failure->next_step, "End it.");
}

// A device without the time to write its report changes words, and not the verdict.
TEST_F(Judging, AHangIsTheSameVerdictWithoutTheDevicesReport) {
  case_seconds_ = 1;
  const testing::Environment device("WARPLADDER_FAKE_DEVICE", "hang");
  const Result result = judge_with("hang", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "time");
  EXPECT_EQ(result.failed_case, "scan_inclusive.0.empty");
  EXPECT_THAT(result.failure->next_step.text(), ::testing::HasSubstr("Follow the loop"));
}

TEST_F(Judging, TooMuchHasItsOwnVerdict) {
  EXPECT_EQ(check(judge_with("device_memory", "scan", "scan_inclusive")), "memory");
  EXPECT_EQ(check(judge_with("print", "scan", "scan_inclusive")), "output");
}

// What the watcher of a judgement reads.
class Watcher {
 public:
  Watcher() { EXPECT_EQ(pipe(ends_), 0); }
  ~Watcher() { close(ends_[0]); }
  int descriptor() const { return ends_[1]; }
  std::vector<nlohmann::json> events() {
    close(ends_[1]);
    std::string text(1 << 16, '\0'), all;
    for (ssize_t count; (count = read(ends_[0], text.data(), text.size())) > 0;)
      all.append(text, 0, static_cast<size_t>(count));
    std::vector<nlohmann::json> found;
    for (const std::string& line : split(all, '\n')) {
      if (!line.empty()) found.push_back(nlohmann::json::parse(line));
    }
    return found;
  }

 private:
  int ends_[2];
};

TEST_F(Judging, AWatcherHearsOfEachCase) {
  Watcher watcher;
  options_.events = watcher.descriptor();
  const Result result = judge_with("lazy", "scan", "scan_inclusive");
  const auto events = watcher.events();
  ASSERT_EQ(events.size(), result.cases.size());
  EXPECT_EQ(events.back()["cases_passed"], result.public_cases().passed);
  EXPECT_EQ(events.back()["cases_planned"], result.planned_cases);
  const auto failed = std::ranges::find_if(events, [](const auto& event) { return !event["passed"]; });
  ASSERT_NE(failed, events.end());
  EXPECT_EQ("case." + (*failed)["case"].get<std::string>(), (*failed)["check"]);
  EXPECT_FALSE((*failed)["steps"].empty());
  EXPECT_EQ(events.back()["case"], result.failed_case);
}

TEST_F(Judging, AWatcherHearsThatTheFileCompiles) {
  write_compiler("! grep -q nonsense $0 && c++ -x c++ -c $0 -o $1");
  options_.file = folder_.path() / "mine.cu";
  options_.binary.clear();
  testing::write_file(options_.file, "void scan_inclusive(const float*, int, float*) {}");
  Watcher watcher;
  options_.events = watcher.descriptor();
  judge_with("", "scan", "scan_inclusive");
  const auto events = watcher.events();
  ASSERT_GT(events.size(), 1u);
  EXPECT_EQ(events.front(), nlohmann::json({{"event", "compiled"}}));
  testing::write_file(options_.file, "nonsense");
  Watcher of_another;
  options_.events = of_another.descriptor();
  judge_with("", "scan", "scan_inclusive");
  EXPECT_TRUE(of_another.events().empty());
}

TEST_F(Judging, AWatcherReadsNoHiddenCase) {
  Watcher watcher;
  Result result;
  result.failed_case = "scan_inclusive.4242.ones";
  result.failure = testing::failure_of(Verdict::kWrongAnswer, "case.scan_inclusive.4242.ones", {"got 5"});
  CaseResult one{.name = "scan_inclusive.4242.ones", .input = "ones", .n = 4242};
  one.alias = "hidden.1";
  Events(watcher.descriptor()).ran_case(one, result);
  const auto events = watcher.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events.front().dump().find("4242"), std::string::npos);
}

TEST_F(Judging, AWatcherMustBeThere) {
  options_.events = 987;
  const Result result = judge_with("", "scan", "scan_inclusive");
  EXPECT_EQ(result.verdict(), Verdict::kJudgeFault);
  EXPECT_NE(result.failure->steps.at(0).text().find("--events 987"), std::string::npos);
}

TEST_F(Judging, AFileOfTheLearnersIsCounted) {
  options_.selection.input = folder_.path() / "text";
  testing::write_file(options_.selection.input, "abca");
  const Result result = judge_with("", "histogram", "histogram");
  EXPECT_EQ(check(result), "pass");
  ASSERT_TRUE(result.own_file && result.own_file->histogram);
  EXPECT_EQ((*result.own_file->histogram)['a'], 2u);
  EXPECT_EQ((*result.own_file->histogram)['b'], 1u);
  EXPECT_FALSE(result.own_file->wanted);
}

TEST_F(Judging, AWrongHistogramIsKeptBesideTheRightOne) {
  options_.selection.input = folder_.path() / "text";
  testing::write_file(options_.selection.input, "abca");
  const Result result = judge_with("lazy", "histogram", "histogram");
  EXPECT_EQ(check(result), "case.histogram.file");
  ASSERT_TRUE(result.own_file && result.own_file->histogram && result.own_file->wanted);
  EXPECT_NE(*result.own_file->histogram, *result.own_file->wanted);
  EXPECT_EQ((*result.own_file->wanted)['a'], 2u);
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["histogram_wanted"]['b'], 1);
  EXPECT_EQ(json["histogram"].size(), 256u);
}

TEST_F(Judging, BadInputFilesAreNamed) {
  options_.selection.input = folder_.path() / "empty";
  testing::write_file(options_.selection.input, "");
  const Result empty = judge_with("", "histogram", "histogram");
  EXPECT_EQ(empty.verdict(), Verdict::kJudgeFault);
  EXPECT_NE(empty.failure->steps.at(0).text().find("is empty"), std::string::npos);
  options_.selection.input = folder_.path() / "absent";
  EXPECT_NE(judge_with("", "histogram", "histogram").failure->steps.at(0).text().find("no such file"),
            std::string::npos);
  EXPECT_THROW(judge_with("", "scan", "scan_inclusive"), WrongCommand);
}

TEST_F(Judging, ABlockThatTheLabDoesNotHaveIsNamed) {
  options_.selection.input = folder_.path() / "bytes";
  testing::write_file(options_.selection.input, "abc");
  options_.selection.block = 48;
  EXPECT_THROW(judge_with("", "histogram", "histogram"), WrongCommand);
}

TEST_F(Judging, OnACardTheRungBelowIsTimedAsItsOwnLabHasIt) {
  options_.on_gpu = true;
  const testing::Environment clock("WARPLADDER_FAKE_DEVICE_MS", "0.001");
  const auto above = options_.lab, below = folder_.path() / "built" / "06_below" / "solution";
  std::filesystem::create_directories(below.parent_path());
  options_.lab = folder_.path() / "06_below";
  const Result alone = judge_with("", "reduction", "reduce_sum");
  EXPECT_EQ(check(alone), "pass");
  EXPECT_TRUE(alone.speed.measured.baseline_ms);  // the serial CPU
  EXPECT_EQ(alone.speed.verdict, SpeedVerdict::kNotGraded);

  options_.lab = above;
  baseline_ = "06";
  more_ = R"("blocks": [64],)";
  write_build(below);
  EXPECT_EQ(judge_with("", "reduction", "reduce_sum_block").verdict(), Verdict::kJudgeFault);  // nothing is built there
  std::filesystem::create_symlink(FAKE_RUNNER, below);
  const Result result = judge_with("", "reduction", "reduce_sum_block");
  EXPECT_EQ(check(result), "pass");
  EXPECT_EQ(result.speed.measured.ms, 0.001);
  EXPECT_GT(result.speed.measured.whole_ms, 0.001);  // by the judge's clock, not by that of the process
  EXPECT_LT(result.speed.measured.whole_ms, 1000);
  EXPECT_EQ(result.speed.measured.baseline_ms, 0.001);
  EXPECT_EQ(result.speed.card, "fake");
  EXPECT_NE(result.speed.what.text().find("CUPTI"), std::string::npos);
  ASSERT_EQ(result.rules.size(), 1u);
  EXPECT_FALSE(result.rules[0].measured);

  speed_ = R"([{"speedup": 1.5, "points": 10, "why": "w"}])";
  EXPECT_EQ(check(judge_with("", "reduction", "reduce_sum_block")), "speed.1.5");
  EXPECT_EQ(judge_with("fast_by_turns", "reduction", "reduce_sum_block").verdict(), Verdict::kInconclusive);
  const Result held_up = judge_with("holds_up_the_baseline", "reduction", "reduce_sum_block");
  EXPECT_EQ(held_up.verdict(), Verdict::kJudgeFault);
  EXPECT_THAT(held_up.failure->steps.front().text(), ::testing::HasSubstr("0.001 ms alone"));
  EXPECT_EQ(check(judge_with("warms_up", "reduction", "reduce_sum_block")), "pass");  // it is as slow without this code
  options_.only = JudgeOptions::Part::kCorrect;
  EXPECT_EQ(check(judge_with("", "reduction", "reduce_sum_block")), "pass");
}

TEST_F(Judging, AnImpossibleTimeGivesNoScoreToLoseOrToEarn) {
  options_.on_gpu = true;
  options_.only = JudgeOptions::Part::kSpeed;
  speed_ = R"([{"speedup": 1.5, "points": 10, "why": "w"}])";
  const auto told = [&](const char* ms) {
    const testing::Environment device("WARPLADDER_FAKE_DEVICE_MS", ms);
    return judge_with("", "reduction", "reduce_sum");
  };
  const Result events = told("1000000");  // the call is shorter on the busiest machine
  EXPECT_EQ(events.verdict(), Verdict::kJudgeFault);
  EXPECT_THAT(events.failure->steps.front().text(), ::testing::HasSubstr("by the judge's clock"));
  EXPECT_FALSE(score_of(events));
  EXPECT_EQ(told("0.000001").verdict(), Verdict::kJudgeFault);  // 20 kB at 4,000 GB/s take four times as long
}

TEST_F(Judging, OnlyAWholeAndRightSubmissionHasPoints) {
  case_seconds_ = 1;
  EXPECT_EQ(points(judge_with("", "scan", "scan_inclusive")), 100);
  EXPECT_EQ(points(judge_with("", "scan", "scan_inclusive", 19)), 80);
  for (const char* fault : {"wrong_tail", "illegal_address", "no_report", "hang"})
    EXPECT_EQ(points(judge_with(fault, "scan", "scan_inclusive")), 0) << fault;
  options_.selection.only_case = "scan_inclusive.1.ones";
  EXPECT_FALSE(score_of(judge_with("", "scan", "scan_inclusive")));
  options_.selection.only_case.clear();
  options_.binary.clear();
  options_.file = folder_.path() / "a.cu";
  write_compiler("! grep -q nonsense $0 && c++ -x c++ -c /dev/null -o $1");
  testing::write_file(options_.file, "nonsense");
  const Result refused = judge_with("", "scan", "scan_inclusive");
  EXPECT_EQ(refused.verdict(), Verdict::kCompileError);
  EXPECT_EQ(points(refused), 0);
}

TEST_F(Judging, ACompilerThatRefusesEveryFileIsOurTrouble) {
  options_.binary.clear();
  options_.file = folder_.path() / "a.cu";
  testing::write_file(options_.file, "nonsense");
  compile_seconds_ = 2;
  for (const char* script : {"echo no space left on device >&2; exit 1", "kill -KILL $$", "sleep 60"}) {
    write_compiler(script);
    const Result result = judge_with("", "scan", "scan_inclusive");
    EXPECT_EQ(result.verdict(), Verdict::kJudgeFault) << script;
    EXPECT_THAT(result.failure->steps.at(0).text(), ::testing::HasSubstr("does not compile on this machine either"));
    EXPECT_FALSE(score_of(result));
  }
}

// The file that does nothing has the same time as the submission, and both need most of it.
TEST_F(Judging, ASlowCompilerIsNoTrouble) {
  options_.binary.clear();
  options_.file = folder_.path() / "a.cu";
  testing::write_file(options_.file, "nonsense");
  compile_seconds_ = 6;
  write_compiler("sleep 3.5; ! grep -q nonsense $0 && c++ -x c++ -c /dev/null -o $1");
  EXPECT_EQ(judge_with("", "scan", "scan_inclusive").verdict(), Verdict::kCompileError);
}

TEST_F(Judging, ACompilerThatIsKilledOnceIsCalledAgain) {
  options_.binary.clear();
  options_.file = folder_.path() / "a.cu";
  testing::write_file(options_.file, "void scan_inclusive(const float*, int, float*) {}");
  write_compiler("test -e mark || { touch mark; kill -KILL $$; }; c++ -x c++ -c $0 -o $1");
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive")), "pass");
  write_compiler("grep -q scan $0 && kill -KILL $$; c++ -x c++ -c $0 -o $1");
  EXPECT_EQ(check(judge_with("", "scan", "scan_inclusive")), "compile");  // the file is to blame
}

TEST_F(Judging, HiddenCasesFollowThePublicOnes) {
  options_.hidden = folder_.path() / "secret";
  testing::write_file(options_.hidden, "sixteen letters or more");
  const Result result = judge_with("", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "pass");
  EXPECT_EQ(points(result), 100);
  EXPECT_EQ(result.planned_hidden, 11u);  // and the measured one
  EXPECT_EQ(result.cases.back().alias, "hidden.measured.random");
  EXPECT_NE(to_text(result, "judge").find("hidden 11 of 11 pass"), std::string::npos);
  EXPECT_EQ(judge_with("wrong_tail", "scan", "scan_inclusive").planned_hidden, 0u);
}

// A student sees only the output of "./lab check".
TEST_F(Judging, AFailedHiddenCaseTellsNothingOfItself) {
  options_.hidden = folder_.path() / "secret";
  testing::write_file(options_.hidden, R"({"07_lab": [{"n": 345, "input": "ones"}, {"n": 3456, "input": "spike"}]})");
  for (const auto& [fault, name, verdict] : {std::tuple{"wrong_at_3456", "case.hidden.2", Verdict::kWrongAnswer},
                                             {"exits_at_3456", "runtime", Verdict::kRuntimeError}}) {
    const Result result = judge_with(fault, "scan", "scan_inclusive");
    EXPECT_EQ(check(result), name);
    EXPECT_EQ(result.verdict(), verdict);
    EXPECT_EQ(points(result), 0);
    EXPECT_EQ(result.failed_case, "");
    EXPECT_EQ(result.failure->printed, "");
    ASSERT_TRUE(result.failure->instructor);
    EXPECT_EQ(result.failure->instructor->case_name, "scan_inclusive.3456.spike");
    auto json = nlohmann::json::parse(to_json(result));
    json.at("failure").erase("instructor");
    json.erase("judge");  // its version may contain any number
    for (auto& one : json.at("cases")) one.erase("instructor");
    for (const std::string& shown : {to_text(result, "judge"), json.dump()}) {
      EXPECT_EQ(shown.find("3456"), std::string::npos) << shown;
      EXPECT_NE(shown.find("1 of 2 hidden ones fail"), std::string::npos) << shown;
    }
  }
  options_.selection.only_case = "hidden.2";  // for the owner of the file
  const Result alone = judge_with("wrong_at_3456", "scan", "scan_inclusive");
  EXPECT_EQ(alone.failed_case, "hidden.2");
  EXPECT_NE(alone.failure->steps.at(0).text().find("3456"), std::string::npos);
}

TEST_F(Judging, AFaultOfOursInAHiddenCaseTellsNothingOfIt) {
  options_.hidden = folder_.path() / "secret";
  testing::write_file(options_.hidden, R"({"07_lab": [{"n": 3456, "input": "spike"}]})");
  const Result result = judge_with("crashes_the_device_at_3456", "scan", "scan_inclusive");
  EXPECT_EQ(result.verdict(), Verdict::kJudgeFault);
  EXPECT_EQ(to_text(result, "judge").find("3456"), std::string::npos) << to_text(result, "judge");
  ASSERT_TRUE(result.failure->instructor);
  EXPECT_THAT(result.failure->instructor->steps.at(0).text(), ::testing::HasSubstr("3456 elements"));
}

TEST_F(Judging, ALeakHidesNoWrongAnswer) {
  options_.hidden = folder_.path() / "secret";
  testing::write_file(options_.hidden, R"({"07_lab": [{"n": 3456, "input": "spike"}]})");
  const testing::Environment leak("WARPLADDER_FAKE_FINDING", "leak");
  EXPECT_EQ(points(judge_with("", "scan", "scan_inclusive")), 80);
  EXPECT_EQ(check(judge_with("wrong_tail", "scan", "scan_inclusive")), "case.scan_inclusive.63.ones");
  EXPECT_EQ(check(judge_with("wrong_at_3456", "scan", "scan_inclusive")), "case.hidden.1");
}

TEST_F(Judging, WhoWorksOnTheHostDoesNotPass) {
  const Result result = judge_with("on_the_host", "scan", "scan_inclusive");
  EXPECT_EQ(check(result), "work.loads");
  EXPECT_EQ(score_of(result)->points, 0);
}

TEST_F(Judging, WhatCrossesIsBounded) {
  for (const auto& [fault, name] :
       {std::pair{"fetches_everything", "work.to_host"}, {"sends_everything", "work.from_host"}}) {
    const Result result = judge_with(fault, "scan", "scan_inclusive");
    EXPECT_EQ(check(result), name);
    EXPECT_EQ(score_of(result)->points, 0);
    EXPECT_NE(result.failure->steps.at(1).text().find("at most "), std::string::npos);
  }
  const Result honest = judge_with("", "scan", "scan_inclusive");
  ASSERT_TRUE(honest.measurements.at(0).crossing);
  EXPECT_EQ(honest.measurements[0].crossing->to_host, 4u);
  EXPECT_NE(to_text(honest, "judge").find("between host and device: 4 bytes to the host (at most "), std::string::npos);
}

TEST_F(Judging, NoReportNoPass) {
  EXPECT_EQ(check(judge_with("no_report", "scan", "scan_inclusive")), "runtime");
  EXPECT_EQ(check(judge_with("no_report_of_calls", "scan", "scan_inclusive")), "runtime");
}

TEST_F(Judging, OfAProgramThatDoesNotSayThatItEndsNoReportCounts) {
  EXPECT_EQ(check(judge_with("no_goodbye", "scan", "scan_inclusive")), "runtime");
}

TEST_F(Judging, TheDevicesTroubleIsNotTheLearners) {
  for (const char* fault : {"crash", "no_report"}) {
    const testing::Environment environment("WARPLADDER_FAKE_DEVICE", fault);
    EXPECT_EQ(judge_with("", "scan", "scan_inclusive").verdict(), Verdict::kJudgeFault);
    EXPECT_EQ(judge_with("wrong_tail", "scan", "scan_inclusive").verdict(), Verdict::kJudgeFault);
  }
  const testing::Environment environment("WARPLADDER_FAKE_DEVICE", "violation");
  const Result result = judge_with("", "scan", "scan_inclusive");
  EXPECT_EQ(result.verdict(), Verdict::kCheating);
  EXPECT_EQ(check(result), "device.protocol");
  EXPECT_NE(result.failure->steps.at(0).text().find("a message of kind 99"), std::string::npos);
  EXPECT_EQ(judge_with("crash", "scan", "scan_inclusive").verdict(), Verdict::kCheating);
  EXPECT_EQ(result.setting.sandbox.device, "separate process");
}

TEST_F(Judging, WithoutLockstepItSaysSo) {
  std::filesystem::remove(lockstep() / "libcudart.so.13");
  const Result result = judge_with("", "scan", "scan_inclusive");
  EXPECT_EQ(result.verdict(), Verdict::kJudgeFault);
  EXPECT_NE(result.failure->steps.at(0).text().find("cmake --build"), std::string::npos);
}

}  // namespace
}  // namespace warpladder
