#include "grader/judge/rules/rules.h"

#include <cmath>

#include <gtest/gtest.h>

#include "grader/judge/base/failure.h"
#include "grader/judge/rules/report.h"
#include "grader/tests/testing.h"

namespace warpladder {
namespace {

const char* const kReport = R"({"launches": [
  {"kernel": "sum<int>", "grid": [4, 2, 1], "block": [32, 1, 1], "counters": {"barriers": 16, "reads": 100, "requests": 25}, "lines": []},
  {"kernel": "fill", "grid": [1, 1, 1], "block": [64, 1, 1], "counters": {"barriers": 0, "reads": 10, "requests": 10}}],
  "findings": [{"kind": "race", "kernel": "sum", "file": "a.cu", "line": 12, "message": "two writes", "other": [1]}]})";

RuleResult apply(const char* counter, const char* per, const char* op, double value, const char* each = "") {
  return apply_rule({"r", counter, per, each, op, "why", value}, parse_report(kReport), 50);
}

TEST(Rules, CountersAreSummedAndDivided) {
  EXPECT_DOUBLE_EQ(*apply("reads", "", "==", 110).measured, 110);
  EXPECT_DOUBLE_EQ(*apply("reads", "element", "<", 3).measured, 2.2);
  EXPECT_DOUBLE_EQ(*apply("reads", "element^2", "<", 1).measured, 0.044);
}

// No launch has it, and launches do not multiply it.
TEST(Rules, ACounterOfTheCallIsTakenAsItIs) {
  const Rule rule{"r", "bytes_to_host", "", "", "<=", "why", 4};
  Report report = parse_report(kReport);
  EXPECT_THROW(apply_rule(rule, report, 50), JudgeFault);  // not counted
  report.of_call["bytes_to_host"] = 4;
  EXPECT_DOUBLE_EQ(*apply_rule(rule, report, 50).measured, 4);
  EXPECT_TRUE(apply_rule(rule, report, 50).holds);
  report.of_call["bytes_to_host"] = 5;
  EXPECT_FALSE(apply_rule(rule, report, 50).holds);
  report.launches.clear();
  EXPECT_FALSE(apply_rule(rule, report, 50).holds);  // no kernel ran
}

// The launch of one small block reads 10 times, 10 / 64 for each thread of a block; the other 100 times, 100 / 32.
TEST(Rules, EachLaunchCountsAndNoOtherLaunchDilutesIt) {
  EXPECT_DOUBLE_EQ(*apply("reads", "", "<=", 100, "launch").measured, 100);
  EXPECT_DOUBLE_EQ(*apply("reads", "element", "<=", 2, "launch").measured, 2);
  EXPECT_DOUBLE_EQ(*apply("reads", "thread of a block", "<=", 4, "launch").measured, 100.0 / 32);
  EXPECT_TRUE(apply("reads", "", "<=", 100, "launch").holds);
  EXPECT_FALSE(apply("reads", "", "<=", 99, "launch").holds);
  Report diluted = parse_report(kReport);
  const Launch empty{1e6, 1e9, {{"reads", 0}, {"barriers", 0}, {"requests", 0}}};
  for (int i = 0; i < 100; ++i) diluted.launches.push_back(empty);
  for (const char* each : {"", "launch"}) {
    for (const char* per : {"", "element", "element^2", "thread of a block"}) {
      const Rule rule{"r", "reads", per, each, "<=", "why", 1};
      EXPECT_EQ(*apply_rule(rule, diluted, 50).measured, *apply_rule(rule, parse_report(kReport), 50).measured);
    }
  }
}

// By the machine code 10 reads; by the PTX as many as `by_ptx`. If lockstep is not certain, the worse number counts.
RuleResult doubted(const char* op, double value, double by_ptx, const char* kinds = R"({"reads": "ptx-level"})") {
  const std::string text = R"({"findings": [], "launches": [{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1],
    "counters": {"reads": 10, "requests": 5}, "counter_kinds": )" +
                           std::string(kinds) + R"(, "ptx_counters": {"reads": )" + std::to_string(by_ptx) + "}}]}";
  return apply_rule({"r", "reads", "", "", op, "why", value}, parse_report(text), 1);
}

TEST(Rules, TheWorseOfTwoCountsDecidesWhereThereIsDoubt) {
  for (const char* op : {"<=", "<"}) {
    EXPECT_DOUBLE_EQ(*doubted(op, 15, 20).measured, 20) << op;
    EXPECT_FALSE(doubted(op, 15, 20).holds) << op;
    EXPECT_DOUBLE_EQ(*doubted(op, 15, 4).measured, 10) << op;
  }
  for (const char* op : {">=", ">"}) {
    EXPECT_DOUBLE_EQ(*doubted(op, 8, 4).measured, 4) << op;
    EXPECT_FALSE(doubted(op, 8, 4).holds) << op;
    EXPECT_DOUBLE_EQ(*doubted(op, 8, 20).measured, 10) << op;
  }
  EXPECT_FALSE(doubted("==", 10, 11).holds) << "both must be equal";
  EXPECT_FALSE(doubted("==", 11, 11).holds);
  EXPECT_TRUE(doubted("==", 10, 10).holds);
}

// A line that prints is no part of the algorithm, and cannot stand for work.
TEST(Rules, WhatPrintfAccessesDoesNotCount) {
  const Report report = parse_report(R"({"findings": [], "launches": [{"kernel": "k", "grid": [1, 1, 1],
    "block": [32, 1, 1], "counters": {"reads": 10, "requests": 5}, "printf_counters": {"reads": 8},
    "lines": [{"file": "a.cu", "line": 3, "counters": {"reads": 1}},
              {"file": "a.cu", "line": 4, "counters": {"reads": 9}, "printf_counters": {"reads": 8}}]}]})");
  const RuleResult reads = apply_rule({"r", "reads", "", "", "<=", "why", 2}, report, 1);
  EXPECT_DOUBLE_EQ(*reads.measured, 2);
  EXPECT_DOUBLE_EQ(report.launches[0].lines.at("a.cu:4").at("reads"), 1);
  EXPECT_DOUBLE_EQ(report.launches[0].counters.at("requests"), 5);
}

TEST(Rules, WhereThereIsNoDoubtTheCardsCountDecides) {
  EXPECT_DOUBLE_EQ(*doubted("<=", 15, 20, "{}").measured, 10);
  EXPECT_DOUBLE_EQ(*doubted("<=", 15, 20, R"({"requests": "ptx-level"})").measured, 10) << "doubt about another one";
}

// A counter that is doubtful and has the same count in both ways is in counter_kinds alone.
TEST(Rules, DoubtWithoutASecondCountChangesNothing) {
  const char* const text = R"({"findings": [], "launches": [{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1],
    "counters": {"reads": 10}, "counter_kinds": {"reads": "ptx-level"}}]})";
  EXPECT_TRUE(apply_rule({"r", "reads", "", "", "==", "why", 10}, parse_report(text), 1).holds);
}

TEST(Rules, ComparisonsHoldOrNot) {
  EXPECT_TRUE(apply("reads", "", "<=", 110).holds);
  EXPECT_FALSE(apply("reads", "", "<", 110).holds);
  EXPECT_TRUE(apply("reads", "", ">=", 110).holds);
  EXPECT_FALSE(apply("reads", "", ">", 110).holds);
  EXPECT_FALSE(apply("reads", "", "==", 109).holds);
  EXPECT_EQ(rule_failure(apply("reads", "", "<", 110)).check, "rule.r");
}

TEST(Rules, NoLaunchIsNoNumberAndHoldsNothing) {
  for (const char* op : {"<=", ">=", "==", "<", ">"}) {
    for (const char* per : {"", "element", "element^2"}) {
      for (const char* each : {"", "launch"})
        EXPECT_FALSE(apply_rule({"r", "barriers", per, each, op, "why", 0}, {}, 50).holds) << op << " " << per << each;
    }
  }
  const Failure failure = rule_failure(apply_rule({"r", "barriers", "", "", "<=", "why", 9}, {}, 50));
  EXPECT_NE(failure.steps.at(0).text().find("no kernel was launched"), std::string::npos);
}

TEST(Rules, TheWorstIsFurthestFromHolding) {
  const auto is_worse_at = [](const char* op, double one, double other) {
    return is_worse({{"r", "c", "", "", op, "why", 10}, one}, {{"r", "c", "", "", op, "why", 10}, other});
  };
  for (const char* op : {"<=", "<"}) EXPECT_TRUE(is_worse_at(op, 9, 8)) << op;
  for (const char* op : {">=", ">"}) EXPECT_TRUE(is_worse_at(op, 8, 9)) << op;
  EXPECT_TRUE(is_worse_at("==", 8, 11));
  EXPECT_FALSE(is_worse_at("<=", 9, 9));
  EXPECT_TRUE(is_worse_at(">=", NAN, 0));
  EXPECT_FALSE(is_worse_at("<=", 0, NAN));
}

// A launch with so many sectors of global memory.
Report with_work(double loaded, double stored) {
  return {{Launch{1, 32, {{"global_bytes_loaded", 32 * loaded}, {"global_bytes_stored", 32 * stored}}}}};
}

TEST(Rules, TheWorkIsTheKernels) {
  const Contract& reduction = *find_contract("reduction");
  EXPECT_FALSE(missing_work(*reduction.find_entry("reduce_sum"), 8, with_work(1, 0)));
  EXPECT_EQ(missing_work(*reduction.find_entry("reduce_sum"), 9, with_work(1, 0))->check, "work.loads");
  EXPECT_EQ(missing_work(*reduction.find_entry("reduce_sum"), 1, {})->check, "work.loads");
  const Contract& scan = *find_contract("scan");
  EXPECT_FALSE(missing_work(*scan.find_entry("scan_inclusive"), 8, with_work(1, 1)));
  EXPECT_EQ(missing_work(*scan.find_entry("scan_inclusive"), 8, with_work(1, 0))->check, "work.stores");
  EXPECT_FALSE(missing_work(*find_contract("histogram")->find_entry("histogram"), 64,
                            with_work(2, 1)));  // one bin of 256 is enough
}

TEST(Rules, WhatMayCrossFollowsFromTheContractAndTheMeasuredSize) {
  Lab lab = testing::lab_of("reduction", "reduce_sum");
  const EntryInfo& entry = *lab.contract->find_entry("reduce_sum");
  lab.sizes.real = 1 << 24;
  EXPECT_EQ(allowed_crossing(lab, entry, 0).to_host, 65536u);
  EXPECT_EQ(allowed_crossing(lab, entry, 1 << 24).to_host, 65536u + (1 << 22));
  lab.sizes.real = 1024;  // a lab with small arrays
  EXPECT_EQ(allowed_crossing(lab, entry, 1024).to_host, 256u + 256);
  EXPECT_EQ(allowed_crossing(lab, entry, 1024).from_host, 1024u + 1024);
}

TEST(Rules, AHostThatSeesTooMuchCanHaveDoneTheWork) {
  Lab lab = testing::lab_of("scan", "scan_inclusive");
  lab.sizes.real = 1024;
  const Case job{"scan_inclusive.1024.random", lab.contract->find_entry("scan_inclusive"), "random", 1024};
  EXPECT_FALSE(host_work(lab, job, {256, 1280}));
  const auto fetched = host_work(lab, job, {257, 0}), sent = host_work(lab, job, {0, 1281});
  EXPECT_EQ(fetched->check, "work.to_host");
  EXPECT_EQ(fetched->steps.at(0),
            "257 bytes came from the device to the host during the call; at most 256 are allowed");
  EXPECT_EQ(sent->check, "work.from_host");
  EXPECT_FALSE(leaves_answers_right(*fetched));
}

TEST(Rules, AnUnknownCounterIsOurTrouble) { EXPECT_THROW(apply("no_such_counter", "", "<=", 1), JudgeFault); }

TEST(Rules, FindingsFailByTheirKind) {
  const Report report = parse_report(kReport);
  ASSERT_EQ(report.findings.size(), 1u);
  const Failure failure = finding_failure(report.findings[0]);
  EXPECT_EQ(failure.check, "finding.race");
  EXPECT_EQ(failure.steps.at(0), "two writes");
  EXPECT_FALSE(is_reported_by_cards(report.findings[0]));
  EXPECT_TRUE(is_reported_by_cards({"out_of_bounds"}));
}

TEST(Rules, OfSeveralFindingsTheCauseIsNamed) {
  const auto cause = [](std::vector<Finding> findings, bool is_right = true) {
    Report report;
    report.findings = std::move(findings);
    const auto failure = cause_of(report, is_right);
    return failure ? failure->check : "";
  };
  const Finding leak{"leak"}, race{"race"}, barrier{"barrier_divergence"};
  EXPECT_EQ(cause({}), "");
  EXPECT_EQ(cause({Finding{"out_of_bounds"}}), "");  // a card reports it itself
  EXPECT_EQ(cause({leak, race}), "finding.race");    // a leak makes no answer wrong
  EXPECT_EQ(cause({race, barrier}), "finding.barrier_divergence");
  EXPECT_EQ(cause({leak}), "finding.leak");
  EXPECT_EQ(cause({leak}, false), "");
}

// A finding's own advice is the verdict's.
TEST(Rules, AFindingHasOneNextStep) {
  const Failure failure = finding_failure(
      {"race", verbatim_lines("race: two accesses\n  read at a.cu:3\n  Next: put a barrier\n  between them.")});
  EXPECT_EQ(texts(failure.steps), (std::vector<std::string>{"race: two accesses", "  read at a.cu:3"}));
  EXPECT_EQ(failure.next_step, "Put a barrier between them.");
}

TEST(Rules, OtherPlacesOfAFindingAreANumber) {
  Report report;
  report.findings = {
      {"race", verbatim_lines("one")}, {"leak"}, {"race", verbatim_lines("two")}, {"race", verbatim_lines("three")}};
  EXPECT_EQ(texts(cause_of(report, true)->steps), (std::vector<std::string>{"one", "and 2 more places"}));
}

// lockstep says each line of a finding in parts, too: what is the same in every language, and words.
TEST(Rules, WordsOfAFindingKeepTheirForms) {
  const Report report =
      parse_report(R"({"launches": [], "findings": [{"kind": "race", "message": "no matter", "lines": [
      [{"form": "race on {x}", "arguments": {"x": ["s[1]"]}}, {"form": " in {k}", "arguments": {"k": ["scan"]}}],
      ["  Next: ", {"form": "put {what} there.", "arguments": {"what": [{"form": "a barrier", "arguments": {}}]}}]]}]})");
  const Failure failure = finding_failure(report.findings.at(0));
  EXPECT_EQ(texts(failure.steps), (std::vector<std::string>{"race on s[1] in scan"}));
  EXPECT_EQ(failure.steps.at(0).arguments.at(0).second.form, "race on {x}");
  EXPECT_EQ(failure.next_step, "Put a barrier there.");
  EXPECT_EQ(failure.next_step.arguments.at(1).second.form, "put {what} there.");
}

TEST(Rules, LockstepExplainsACallThatFailed) {
  const auto failed = [](const std::string& printed) {
    return testing::failure_of(
        Verdict::kRuntimeError, "runtime",
        {"saxpy with 1 pairs", "a.cu:3: cudaMemcpy(a, b) failed with cudaErrorInvalidValue: invalid argument"}, "Look.",
        printed);
  };
  Report by_call;
  by_call.failed_calls = {verbatim_lines("earlier"), verbatim_lines("cudaMemcpy: b is null\n  Next: pass b.")};
  Failure by_message = failed(
      "mine\nlockstep: cudaMemcpy: b is null\nlockstep:   Next: pass b.\na.cu:3: cudaMemcpy(a, b)\n  failed with "
      "cudaErrorInvalidValue: invalid argument\n");
  explain(by_call, by_message);
  EXPECT_EQ(by_message.steps.at(1), "cudaMemcpy: b is null");
  EXPECT_EQ(by_message.next_step, "Pass b.");
  EXPECT_EQ(by_message.check, "runtime") << "the program sends these words, and they decide nothing";
  EXPECT_EQ(by_message.printed, "mine\n") << "no line twice";

  Report report;
  report.findings = {{"out_of_bounds", verbatim_lines("read of 4 bytes behind the array\n  Next: guard the index.")}};
  Failure by_finding = failed("");
  explain(report, by_finding);
  EXPECT_EQ(by_finding.steps.at(1), "read of 4 bytes behind the array");
  EXPECT_EQ(by_finding.next_step, "Guard the index.");

  Failure without = failed("mine\nlockstep: whatever the program printed\nlockstep:   Next: pass.\n");
  explain(Report{}, without);
  EXPECT_EQ(without.next_step, "Look.");
  EXPECT_EQ(without.steps.size(), 2u);
}

// Where the kernel was when the time was over.
TEST(Rules, LockstepNamesTheLoopThatDoesNotEnd) {
  Failure late =
      testing::failure_of(Verdict::kTime, "time", {"saxpy with 1 pairs", "saxpy gave no answer"}, "Follow the loops.");
  Failure wrong =
      testing::failure_of(Verdict::kWrongAnswer, "case.saxpy.1.ones", {"saxpy with 1 pairs"}, "Follow out[0].");
  const Report report = parse_report(R"({"launches": [], "findings": [], "end": "gone",
      "stopped_at": "kernel k was stopped\n  in the loop of line 3\n  Next: check that it ends."})");
  explain(report, late);
  EXPECT_EQ(late.steps.at(1), "kernel k was stopped");
  EXPECT_EQ(late.steps.at(2), "  in the loop of line 3");
  EXPECT_EQ(late.next_step, "Check that it ends.");
  EXPECT_EQ(late.check, "time");
  explain(report, wrong);
  EXPECT_EQ(wrong.next_step, "Follow out[0].") << "another failure was there before";
}

TEST(Rules, ARuleWithTooMuchNamesTheLineWithMostOfIt) {
  Rule rule{"few", "reads", "", "", "<=", "because", 10};
  const Report report = parse_report(R"({"counter_names": {"reads": "loads of words"}, "findings": [], "launches": [
      {"grid": [1, 1, 1], "block": [1, 1, 1], "counters": {"reads": 40}, "lines": [
        {"file": "a.cu", "line": 3, "counters": {"reads": 30}}, {"file": "a.cu", "line": 4, "counters": {"reads": 10}}]}]})");
  const Failure much = rule_failure(apply_rule(rule, report, 1));
  EXPECT_EQ(much.steps.at(0), "40, must be at most 10: loads of words (reads)");
  EXPECT_EQ(much.steps.at(1), "why: because");
  EXPECT_EQ(much.next_step, "Begin at a.cu:3: 75 % of them are counted there.");
  rule.op = ">=";
  rule.value = 50;
  const Failure little = rule_failure(apply_rule(rule, report, 1));
  EXPECT_EQ(little.steps.at(1), "why: because");
  EXPECT_NE(little.next_step.text().find("as the handout describes it"), std::string::npos)
      << "no line has what is missing";
}

TEST(Rules, AnUncheckedCallIsNamed) {
  const std::string report =
      R"({"launches": [], "findings": [{"kind": "injected_error", "message": "call 3, cudaFree, was not made"}]})";
  const Failure failure = unchecked_failure("saxpy", 3, report, std::string("the code crashed"));
  EXPECT_EQ(failure.check, "finding.unchecked_error");
  EXPECT_EQ(failure.steps.at(1), "call 3, cudaFree, was not made");
  EXPECT_EQ(failure.steps.at(2), "the code crashed");
  EXPECT_EQ(unchecked_failure("saxpy", 3, "", {}).steps.at(1), "call 3");  // it crashed, and left no report
}

TEST(Rules, ABrokenReportIsOurTrouble) {
  EXPECT_THROW(parse_report(""), JudgeFault);
  EXPECT_THROW(parse_report("{\"launches\": 3}"), JudgeFault);
  EXPECT_EQ(total_counters(parse_report(kReport)).at("reads"), 110);
}

}  // namespace
}  // namespace warpladder
