// rules: a report and a lab's rules → whether each holds. If a report lacks a counter that a rule asks for, that is the
// judge's fault and not the learner's.
#pragma once

#include "grader/judge/base/failure.h"
#include "grader/judge/cases/cases.h"
#include "grader/judge/lab/lab.h"
#include "grader/judge/rules/report.h"
#include "grader/judge/run/answer.h"

namespace warpladder {

struct RuleResult {
  Rule rule;
  std::optional<double> measured;  // empty: not measured on this device
  bool holds = true;
  std::string input = "";  // where several inputs are measured: the one that is worst for this rule
  std::string words = "";  // the counter in plain words; "": it was not measured
  // The line of the code with most of what was counted, and its share; nothing where no line has it.
  struct Line {
    std::string place;  // FILE:LINE
    double share = 0;
  };
  std::optional<Line> line = {};
};

// n: the number of elements of the measured case.
RuleResult apply_rule(const Rule& rule, const Report& report, size_t n);

// Compares two results of one rule: true if the first is further from holding. NaN is furthest.
bool is_worse(const RuleResult& one, const RuleResult& other);

// For the measured case. If the kernels load less than the input, the host has done the work, whatever the answer is.
// The same is true if they store less than an output that grows with the input.
std::optional<Failure> missing_work(const EntryInfo& entry, size_t n, const Report& report);

// "global load sectors of 32 bytes, per element (l1tex__…)"
Message quantity_of(const RuleResult& result);
Message bound_of(const Rule& rule);  // "at most 0.25"
// How many bytes may pass between host and device in a call of n elements. The contract says it, but its fixed part is
// never more than a share of the measured input: a lab with small arrays has small bounds, too.
Crossing allowed_crossing(const Lab& lab, const EntryInfo& entry, size_t n);

// More has crossed than may. Then the host can have done the work, whatever the kernels did beside it.
std::optional<Failure> host_work(const Lab& lab, const Case& job, const Crossing& crossing);

Failure rule_failure(const RuleResult& result);

// lab.json notes the figures that each rule measures for the starter and for the reference.
enum class Figures { kNone, kStarter, kReference };

// Throws JudgeFault where a figure differs from the noted one, as readers rely on the notes. failure: of this code.
void hold_figures(const Lab& lab, Figures figures, const std::vector<RuleResult>& results,
                  const std::optional<Failure>& failure);

}  // namespace warpladder
